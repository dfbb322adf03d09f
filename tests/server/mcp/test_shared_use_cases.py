"""What MCP offers stands on the application floor: the same keys, order and results as every other door."""

import pytest
from tests.application.conftest import STORED

from aeon.application.project import Project
from aeon.base.errors import ToolError
from aeon.base.next_steps import words_of
from aeon.server.mcp.answer_tool import AnswerTool
from aeon.server.mcp.next_steps import TOOLS
from aeon.server.mcp.process_tools import offer_processes
from aeon.testing.llm import ScriptedAdapter

SAY = {"goal": "say", "steps": [{"step_id": "s", "description": "say", "tool": "echo", "arguments": {"text": "hello"}}]}
KEYED = """
---
kind: Process
name: keyed
initialContext: [idempotencyKey]
steps:
  - {id: look, tool: mine, output: found}
outputTemplate: "{{idempotencyKey}}"
"""


@pytest.fixture
def opened(tmp_path):
    environ = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    model = ScriptedAdapter([SAY])
    with Project.open(tmp_path / "here", environ=environ, settings={"engine.address": "memory"}, model=model) as made:
        yield made


@pytest.fixture
def tools(opened):
    """The tools for Processes and runs, by name."""
    opened.apply(STORED + KEYED)
    return {tool.name: tool for tool, _ in offer_processes(opened._workspace)}


def test_the_same_key_gives_the_same_run(tools, opened):
    greet = tools["process.greet"]
    assert greet.input_schema["required"] == ["who"]
    first = greet.invoke(who="Ann", idempotencyKey="k")
    assert first["output"] == "Hello Ann"
    assert greet.invoke(who="Ann", idempotencyKey="k") == first
    assert greet.invoke(who="Ann")["run"] != first["run"]
    assert len(opened.runs.list().items) == 2


def test_an_input_that_is_called_like_the_key_stays_an_input(tools):
    keyed = tools["process.keyed"]
    assert keyed.input_schema["required"] == ["idempotencyKey"]
    assert keyed.invoke(idempotencyKey="mine")["output"] == "mine"


def test_a_run_is_looked_at_answered_and_cancelled(tools):
    asking = tools["process.ask"].invoke(what="tea")
    assert [question["step"] for question in asking["questions"]] == ["approve"]
    assert tools["run.look"].invoke(run=asking["run"], seconds=0)["phase"] == "running"
    answered = tools["run.answer"].invoke(run=asking["run"], step="approve", answer="yes")
    assert (answered["phase"], answered["output"], answered["questions"]) == ("completed", "tea: yes", [])
    other = tools["process.ask"].invoke(what="milk")
    assert tools["run.cancel"].invoke(run=other["run"])["phase"] == "cancelled"
    with pytest.raises(ToolError, match="has ended"):
        tools["run.cancel"].invoke(run=other["run"])
    with pytest.raises(ToolError, match="You have no run 'nothing'") as unknown:
        tools["run.look"].invoke(run="nothing")
    assert words_of(unknown.value.next, TOOLS).startswith("Use the id that starting the process returned")


def test_the_answer_tool_gives_the_steps_and_leaves_a_log(opened):
    answered = AnswerTool(opened._app).invoke(request="say hello")
    assert (answered["answer"], answered["status"], answered["trusted"]) == ("hello", "completed", True)
    assert answered["steps"] == [
        {"step_id": "s", "description": "say", "tool": "echo", "status": "complete", "result": {"text": "hello"}}
    ]
    assert len(list(opened.folder.glob(".aeon/logs/*.jsonl"))) == 1
    with pytest.raises(ToolError, match="used up"):
        AnswerTool(opened._app).invoke(request="say more")
