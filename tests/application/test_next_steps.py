"""Next steps are codes that each door words: commands, tools of the MCP server, calls of a Project."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import aeon
from aeon.application.next_steps import CALLS
from aeon.base.errors import AeonError, ConfigError
from aeon.base.next_steps import TEXTS, NextStep, words_of
from aeon.cli.next_steps import COMMANDS, advice_of, advice_of_record
from aeon.platform.errors import NotFoundError
from aeon.server.mcp.next_steps import TOOLS

SOURCE = Path(aeon.__file__).parent
DOORS = {"neutral": TEXTS, "commands": COMMANDS, "tools": TOOLS, "calls": CALLS}
ROOMS = ("application", "platform", "bootstrap", "base", "adapters", "skills", "llm", "observability", "tools", "plan")
COMMAND = re.compile(r"(?:`|: )aeon [a-z]+")
"""A command in a sentence: in backticks, or after a colon."""


def names_in(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def calls_of_next_step():
    """The codes and the names of parameters of all next steps in the source."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_step = isinstance(node, ast.Call) and ast.unparse(node.func) == "NextStep"
            if is_step and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value, {each.arg for each in node.keywords}
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if [ast.unparse(each) for each in targets] == ["list_step"]:  # of an `EntityRepository`
                    yield node.value.value, {"suggestion"}


def texts_of(path):
    """The texts in a module, without docstrings."""
    tree = ast.parse(path.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_the_command_line_words_every_code_and_no_door_words_one_that_does_not_exist():
    assert COMMANDS.keys() == TEXTS.keys()
    assert CALLS.keys() | TOOLS.keys() <= TEXTS.keys()


def test_every_step_in_the_source_has_a_code_and_what_its_words_name():
    found = list(calls_of_next_step())
    assert {code for code, _ in found} >= TEXTS.keys() - {"tools.bind_again", "tools.trust_again"}
    for code, params in found:
        for door, words in DOORS.items():
            assert names_in(words.get(code, TEXTS[code])) <= params, (door, code)


def test_a_step_is_worded_by_each_door():
    step = NextStep("runs.view", run="r1")
    assert str(step) == "Look at the run r1."
    assert [step.worded(words) for words in (COMMANDS, TOOLS, CALLS)] == [
        "See `aeon log show r1`.",
        "Look at the run r1 with run.look.",
        "See project.runs.view('r1').",
    ]
    assert words_of("Wait.", COMMANDS) == "Wait."
    assert step == NextStep("runs.view", run="r1") != NextStep("runs.view", run="r2")
    assert repr(step) == "NextStep('runs.view', run='r1')"


def test_what_a_record_advises_in_no_door_s_words_is_shown_as_commands():
    step = NextStep("skills.trust_change", skill="haiku", folder="/home/me/skills/haiku")
    assert advice_of_record(str(step)) == step.worded(COMMANDS)
    suggested = NextStep("catalog.list_secrets", suggestion="Did you mean 'a'? ")
    assert advice_of_record(str(suggested)) == suggested.worded(COMMANDS)
    for other in ("Correct the file.", "Ask for a shorter one.", ""):
        assert advice_of_record(other) == other


@pytest.mark.parametrize("door", ["neutral", "tools", "calls"])
def test_only_the_command_line_names_its_commands(door):
    assert [text for text in DOORS[door].values() if COMMAND.search(text)] == []


def test_no_text_below_the_doors_names_a_command():
    paths = [path for room in ROOMS for path in (SOURCE / room).rglob("*.py")]
    assert [path for path in paths if any(map(COMMAND.search, texts_of(path)))] == []


def test_an_error_keeps_its_step_and_reports_the_code():
    error = AeonError("It is gone.", next_step=NextStep("runs.view", run="r1"))
    assert (error.advice, advice_of(error)) == ("Look at the run r1.", "See `aeon log show r1`.")
    report = error.report("id", "now", COMMANDS)
    assert report["next"] == {"code": "runs.view", "run": "r1"}
    assert report["next_step"] == "See `aeon log show r1`."
    assert AeonError("x", next_step="Wait.").report("id", "now")["next"] is None
    assert advice_of(ConfigError("x")) == "See `aeon config list`."


def test_a_project_words_its_errors_as_its_calls(project):
    with pytest.raises(NotFoundError) as refused:
        project.secrets.get_own("none")
    assert "aeon " not in str(refused.value)
    assert project.advice(refused.value) == "See project.secrets.list()."
