"""Serving without what it takes, and prompts. With it, it is served in tests/cli/test_mcp.py, as a process."""

import asyncio
import os
from pathlib import Path

import pytest

from aeon.base.errors import MissingExtraError
from aeon.base.masking import Mask
from aeon.bootstrap.app import App, build_app
from aeon.server.mcp import McpCallHandler, SkillPrompts, serve
from aeon.settings import Settings


@pytest.fixture
def app(tmp_path: Path):
    opened = build_app(Settings(), {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}, folder=tmp_path)
    yield opened
    opened.close()


def test_without_the_extra_it_is_named(uninstall, app: App):
    uninstall("mcp")
    with pytest.raises(MissingExtraError, match="needs mcp") as missing:
        serve(McpCallHandler({}, Mask()), SkillPrompts(app))
    assert "aeon-orchestrator[platform]" in missing.value.advice


def test_skills_without_scripts_are_prompts_and_untrusted_ones_are_not_skills_14(app: App, tmp_path: Path):
    from mcp import MCPError
    from mcp.types import GetPromptRequestParams

    for root, name in ((tmp_path / ".agents/skills", "pirate"), (tmp_path / "skills", "foreign")):
        (root / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: Speaks.\nargument-hint: what to say\n---\nSay arr before $ARGUMENTS."
        (root / name / "SKILL.md").write_text(text)
    prompts = SkillPrompts(build_app(Settings(), {"HOME": str(tmp_path)}, folder=tmp_path / "elsewhere"))
    [listed] = asyncio.run(prompts.list_prompts(None, None)).prompts
    wanted = GetPromptRequestParams(name="pirate", arguments={"arguments": "hello"})
    [message] = asyncio.run(prompts.get_prompt(None, wanted)).messages

    assert (listed.name, listed.arguments[0].description) == ("pirate", "what to say")
    assert message.content.text == "Say arr before hello.\n\nRequest: hello"
    foreign = SkillPrompts(app)
    assert [each.name for each in asyncio.run(foreign.list_prompts(None, None)).prompts] == []
    with pytest.raises(MCPError, match="no prompt 'foreign'"):
        asyncio.run(foreign.get_prompt(None, GetPromptRequestParams(name="foreign")))
