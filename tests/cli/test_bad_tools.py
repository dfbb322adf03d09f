"""Tools that misbehave, from an installed package: the step fails, the run goes on, and it is said what to do (core 6)."""

import json
from pathlib import Path

import pytest

BAD = """
import sys
import threading

from aeon.tools.interface import Tool


def bad(tool_name, work, seconds=5.0, output=None):
    class Bad(Tool):
        name = tool_name
        description = "Misbehaves."
        input_schema = {"type": "object"}
        output_schema = output or {"type": "object"}
        timeout = seconds

        def invoke(self, **kwargs):
            return work()

    return Bad()


def deep():
    return deep()


def nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return {"value": value}


def circle():
    value = {}
    value["itself"] = value
    return value


def fail(error):
    raise error


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    bad("raises", lambda: fail(ValueError("the \\x1b[31mserver said no"))),
    bad("exits", lambda: sys.exit(7)),
    bad("recurses", deep),
    bad("hangs", threading.Event().wait, 0.2),
    bad("shape", lambda: {"txt": 1}, output=TEXT),
    bad("list", lambda: [1]),
    bad("nothing", lambda: None),
    bad("bytes", lambda: {"text": b"x"}),
    bad("nan", lambda: {"value": float("nan")}),
    bad("infinite", lambda: {"value": [float("inf")]}),
    bad("huge", lambda: {"text": "x" * 50_000_000}),
    bad("nested", nested),
    bad("circle", circle),
    bad("interrupts", lambda: fail(KeyboardInterrupt())),
]
"""

SAID = {
    "raises": "the \\x1b[31mserver said no",
    "exits": "SystemExit",
    "recurses": "RecursionError",
    "hangs": "did not answer within 0.2 s",
    "shape": '"text" is a required property',
    "list": "returned list, not an object",
    "nothing": "returned NoneType, not an object",
    "bytes": "not JSON",
    "nan": "not JSON compliant",
    "infinite": "not JSON compliant",
    "huge": "50,000,011 characters; at most 1,048,576 are kept",
    "nested": "not JSON",
    "circle": "not JSON",
    "interrupts": "KeyboardInterrupt",
}


@pytest.fixture
def bad(installed) -> None:
    installed("aeon_bad", BAD, "bad = aeon_bad:TOOLS")


@pytest.mark.parametrize("tool", SAID)
def test_a_tool_that_misbehaves_fails_its_step_and_the_next_one_runs(aeon, bad, tool):
    steps = [
        {"step_id": "a", "description": "misbehave", "tool": tool, "arguments": {}},
        {"step_id": "b", "description": "say", "tool": "echo", "arguments": {"text": "still here"}},
    ]
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": steps}))
    ended = aeon("run", "--plan", "p.json", "--log", "run.jsonl")
    told = " ".join(ended.err.split())
    assert (ended.code, ended.out) == (1, "still here\n")
    assert "[1/2] failed a: misbehave" in told
    assert SAID[tool] in told
    assert "[2/2] complete b: say" in told
    assert "Traceback" not in told
    assert "\x1b" not in ended.err
    assert aeon("log", "replay", "run.jsonl").code == 0, "a failure replays too"
    assert Path("run.jsonl").stat().st_size < 100_000


@pytest.mark.parametrize("tool", ["raises", "hangs", "nan", "huge"])
def test_such_a_tool_called_by_hand_is_code_1_with_the_reason(aeon, bad, tool):
    ended = aeon("tool", "call", tool, "--input", "{}")
    assert (ended.code, ended.out) == (1, "")
    assert SAID[tool] in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise RuntimeError('at import')", "RuntimeError: at import"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("TOOLS = 3", "TypeError: is a int"),
        ("TOOLS = ", "SyntaxError"),
        ("class TOOLS:\n    pass", "TypeError"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_a_warning(aeon, installed, plan_file, source, said):
    installed("aeon_worse", source, "worse = aeon_worse:TOOLS")
    ended = aeon("run", "--plan", plan_file)
    assert (ended.code, ended.out) == (0, "it is 352\n")
    assert f"warning: A tool could not be loaded: worse (aeon_worse:TOOLS): {said}" in " ".join(ended.err.split())


def test_a_call_by_hand_reads_and_writes_where_the_flags_allow_it(aeon, tmp_path_factory):
    """Decision 48: the same options as for a request."""
    place = tmp_path_factory.mktemp("elsewhere")
    (place / "a.txt").write_text("tea")
    reading = ("tool", "call", "read_file", "--input", f"path={place / 'a.txt'}")
    assert aeon(*reading).code == 1
    assert aeon(*reading, "--allow-read", place).json["text"] == "tea"
    writing = ("tool", "call", "write_file", "--input", f"path={place / 'b.txt'}", "--input", "text=pot")
    assert aeon(*writing, "--allow-read", place).code == 1
    assert aeon(*writing, "--allow-write", place).code == 0
    assert (place / "b.txt").read_text() == "pot"
