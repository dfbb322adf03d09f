"""Skills wired: where they are found, what they get, and that nothing is opened before it is used."""

import json
import os
import threading
from pathlib import Path

import pytest

from aeon.base.errors import InputError, MissingExtraError, SandboxError
from aeon.bootstrap.app import build_app
from aeon.bootstrap.model_choice import key_variables
from aeon.bootstrap.skills import Skills
from aeon.observability.events import PlanReady
from aeon.settings import GraphSettings, ModelSettings, Settings, SkillsSettings
from aeon.skills.failures import FailureClass
from aeon.skills.plan_json import PlanJson
from aeon.testing.llm import ScriptedAdapter

SPEAKS = """#!/bin/sh
echo '{"version": "0", "type": "done", "ok": true, "summary": "said it"}'
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.fixture
def skills(place: Path):
    opened: list[Skills] = []

    def make(environ: dict[str, str] | None = None, keys=frozenset(), **settings: object) -> Skills:
        whole = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], **(environ or {})}
        made = Skills(
            SkillsSettings(**{"trust_project": True, **settings}), whole, place, lambda: ScriptedAdapter([]), keys
        )
        opened.append(made)
        return made

    yield make
    for each in opened:
        each.close()


def put(folder: Path, name: str, schema: object = None) -> Path:
    made = folder / name
    (made / "scripts").mkdir(parents=True)
    (made / "scripts" / "say.sh").write_text(SPEAKS)
    manifest = {"name": name, "version": "1.0.0", "description": f"Does {name}.", "scripts": [{"name": "say"}]}
    manifest["scripts"] = [{"name": "say", "path": "scripts/say.sh", "description": f"Says {name}."}]
    (made / "skill.json").write_text(json.dumps(manifest))
    if schema is not None:
        (made / "config-schema.json").write_text(json.dumps(schema))
    return made


def plan(*paths: str) -> PlanJson:
    tools = [{"toolId": f"t{at}", "toolPath": path, "input": {}} for at, path in enumerate(paths)]
    return PlanJson.model_validate({"tools": tools})


def test_folders_that_are_set_come_first_then_the_project_s_the_user_s_the_shipped(skills, place):
    """Skills 9: project wins."""
    for folder in ("more", "skills", "home/.agents/skills"):
        put(place / folder, "talker")
    found = skills(folders=[str(place / "more")]).catalog
    assert found.by_name["talker"].directory_path == place / "more" / "talker"
    assert {"dice-roller", "memory"} <= set(found.by_name)
    assert skills().catalog.by_name["talker"].directory_path == place / "skills" / "talker"


def test_a_disabled_skill_is_seen_and_not_planned_with(skills, place):
    put(place / "skills", "talker")
    made = skills(disabled=["talker"])
    assert not made.catalog.by_name["talker"].can_be_planned
    assert made.tool("talker.say") is None
    result = made.execute(plan("talker/scripts/say.sh"))
    assert result.execution_trace[0].error.type == "disabled_skill"


def test_nothing_is_read_or_started_before_it_is_used(skills, place):
    made = skills()
    assert made._runner is None
    assert list(place.iterdir()) == [place / "home"]
    made.close()


def test_a_plan_runs_and_closing_twice_is_once(skills, place):
    put(place / "skills", "talker")
    made = skills()
    result = made.execute(plan("talker/scripts/say.sh"))
    assert result.success
    made.close()
    made.close()
    assert made.execute(plan("talker/scripts/say.sh")).success, "and it may be used again"


def test_a_skill_that_is_broken_for_the_session_runs_for_nobody(skills, place):
    """Skills 13: a plan written by hand, or a tool of the kernel, cannot run it either."""
    put(place / "skills", "one")
    made = skills()
    made.health.record("one", FailureClass.PROTOCOL_VIOLATION)
    result = made.execute(plan("one/scripts/say.sh"))

    assert [node.error.type for node in result.execution_trace] == ["disabled_skill"]


@pytest.mark.parametrize(
    ("level", "said"), [("plain", ["without isolation"]), ("landlock", ["behind landlock"]), ("bubblewrap", [])]
)
def test_what_isolation_leaves_open_is_in_the_result(skills, place, level, said):
    """Skills 15: plain is never chosen without a word."""
    put(place / "skills", "one")
    made = skills(sandbox=level)
    try:
        made.sandbox()
    except SandboxError as error:
        pytest.skip(str(error))
    result = made.execute(plan("one/scripts/say.sh"))

    assert result.success
    assert len(result.warnings) == len(said)
    assert all(words in warning for words, warning in zip(said, result.warnings, strict=True))


ASKS = {"name": "asker", "version": "1.0.0", "description": "Asks.", "capabilities": ["network"]}


@pytest.mark.parametrize(("where", "runs"), [("skills", False), ("home/.agents/skills", True)])
def test_only_the_user_s_own_skills_get_what_they_ask_for(skills, place, where, runs):
    """Skills 15."""
    folder = put(place / where, "asker")
    manifest = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps({**manifest, **ASKS}))
    (refused,) = skills().execute(plan("asker/scripts/say.sh")).execution_trace
    (granted,) = skills(allow_network=True).execute(plan("asker/scripts/say.sh")).execution_trace

    assert refused.ok is runs
    assert runs or (refused.error.type, "requests the network" in refused.error.message) == ("not_granted", True)
    assert granted.ok


def test_a_plan_that_runs_keeps_the_skills_it_was_checked_with(skills, place):
    """Hot reload breaks no running plan: the catalog of the run is a value."""
    put(place / "skills", "talker")
    made = skills()

    def change(event) -> None:
        if isinstance(event, PlanReady):
            put(place / "skills", "newer")
            (place / "skills" / "talker" / "skill.json").write_text("{")

    assert made.execute(plan("talker/scripts/say.sh"), change).success
    assert "newer" not in made.catalog.by_name
    assert "newer" in skills().catalog.by_name


def test_a_watch_tells_what_the_settings_disable(skills, place):
    put(place / "skills", "talker")
    made = skills(disabled=["late"])
    over, told = threading.Event(), []

    def heard(catalog) -> None:
        told.append(catalog)
        over.set()

    assert "late" not in made.catalog.by_name
    put(place / "skills", "late")
    made.watch(heard, over)
    assert not told[0].by_name["late"].enabled


def test_a_tool_is_named_after_its_skill_and_script(skills, place):
    put(place / "skills", "talker")
    made = skills()
    assert made.tool("talker.say").invoke() == {"summary": "said it"}
    assert made.tool("talker.sing") is None
    assert made.tool("nobody.say") is None


def test_only_skills_that_fit_a_request_are_offered_as_tools_and_memory_never(skills):
    names = [tool.name for tool in skills().tools_for("Roll three dice and remember the note")]
    assert "dice-roller.roll" in names
    assert not [name for name in names if name.startswith("memory.")]
    assert skills(as_tools=False).tools_for("Roll three dice") == []


def test_without_the_extra_skills_are_found_and_not_run(skills, place, uninstall):
    put(place / "skills", "talker")
    uninstall("msgspec")
    made = skills()
    assert "talker" in made.catalog.by_name
    assert made.tools_for("talker") == []
    for use in (made.sandbox, lambda: made.execute(plan("talker/scripts/say.sh"))):
        with pytest.raises(MissingExtraError, match=r"msgspec.*aeon-orchestrator\[skills\]"):
            use()


def test_a_level_of_isolation_that_is_not_to_be_had_is_an_error_before_anything_runs(skills, place, monkeypatch):
    talker = put(place / "skills", "talker")
    monkeypatch.setattr("aeon.skills.sandbox.isolation.probe_level", lambda *_: "not here")
    made = skills(sandbox="require")
    with pytest.raises(SandboxError, match="not here"):
        made.execute(plan("talker/scripts/say.sh"))
    assert not (talker / "data" / "out").exists()


KEYED = {"type": "object", "properties": {"token": {"type": "string"}}, "x-env": ["OPENAI_API_KEY", "OWN"]}


@pytest.mark.parametrize(
    ("folder", "name", "is_usable"),
    [
        ("skills", "OPENAI_API_KEY", False),
        (".agents/skills", "OPENAI_API_KEY", False),
        ("skills", "OWN", True),
        ("home/.agents/skills", "OPENAI_API_KEY", True),
    ],
)
def test_the_model_s_key_is_for_no_skill_of_a_project(skills, place, folder, name, is_usable):
    """Decision 18: whatever x-env lists (skills 10); the user's own skills may ask for it."""
    talker = put(place / folder, "talker", KEYED)
    (talker / "config.json").write_text(json.dumps({"token": f"${{{name}}}"}))
    environ = {"OPENAI_API_KEY": "k-123456", "OWN": "o-123456"}
    made = skills(environ, keys=key_variables(Settings()))
    assert made.catalog.by_name["talker"].can_be_planned is is_usable
    if is_usable:
        assert made._prepare_script(*made.catalog.find_script("talker/scripts/say.sh"), {}, "r").env[
            "AEON_SKILL_CONFIG"
        ]
    else:
        with pytest.raises(InputError, match="no skill of a project gets"):
            made._prepare_script(*made.catalog.find_script("talker/scripts/say.sh"), {}, "r")


def test_the_keys_are_the_vendors_and_the_one_that_is_named():
    assert key_variables(Settings()) == {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}
    variable = "GRAPH_WORD"
    named = Settings(model=ModelSettings(api_key_env="MY_KEY"), graph=GraphSettings(password_env=variable))
    assert {"MY_KEY", variable} < key_variables(named)


def test_an_app_gives_its_skills_the_keys_to_withhold(place, monkeypatch):
    monkeypatch.chdir(place)
    put(place / "skills", "talker", KEYED)
    app = build_app(Settings(), {"HOME": str(place / "home")}, folder=place)
    assert "OPENAI_API_KEY" in app.skills.catalog.by_name["talker"].withheld_variables
    assert app.skills.catalog.by_name["dice-roller"].withheld_variables == frozenset()
    app.close()
