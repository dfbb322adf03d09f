"""The live display on a real terminal of 80 columns."""

import json
import re
from pathlib import Path

import pytest

from aeon.cli.live_display import partial_descriptions
from aeon.testing.wire_rules import StalledResponse


def plain(seen: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen).replace("\r", "\n")


@pytest.mark.slow
def test_a_run_is_drawn_with_every_state(terminal, double, add):
    double(add)
    code, seen = terminal("run", "add 15*23 and 7, then say so")
    text = plain(seen)
    assert code == 0, text
    assert "pending s1: add [calculator]" in text
    assert "[1/2] running s1: add" in text or "[2/2] running s2: say" in text
    assert "[1/2] complete s1: add" in text
    assert 'result: {"result": 352}' in text
    assert "\nit is 352\n" in text
    assert "\x1b[?25h" in seen, "the cursor is shown again"
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.slow
def test_ctrl_c_on_a_terminal_gives_the_cursor_back(terminal, plugin):
    steps = [{"step_id": "a", "description": "hang", "tool": "hang", "arguments": {}}]
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": steps}))
    code, seen = terminal("run", "--plan", "p.json", "--log", "run.jsonl", until="hang input")
    assert code == 130
    assert "[1/1] running a: hang" in plain(seen)
    assert "interrupted; continue with: aeon log resume run.jsonl" in plain(seen)
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")


@pytest.mark.slow
def test_no_color_is_honoured_and_a_long_plan_stays_on_the_screen(terminal, plugin):
    step = {"description": "\x1b[2J say", "tool": "noisy", "arguments": {}}
    steps = [{"step_id": f"s{number}", **step} for number in range(60)]
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": steps}))
    code, seen = terminal("run", "--plan", "p.json", "--ttl", "99", env={"NO_COLOR": "1"})
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", seen)
    assert "\x1b[2J" not in seen
    assert "\x1b]0;" not in seen
    assert "[60/60] complete s59" in plain(seen)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ('{"goal": "g", "steps": [{"step_id": "a", "description": "add t', ["add t"]),
        ('{"description": "one \\"q\\""}, {"description": "tw\\u00fc"}, {"descr', ['one "q"', "twü"]),
        ('{"description": "cut \\u00', ["cut "]),
    ],
)
def test_descriptions_of_a_plan_that_is_still_being_written(text, found):
    assert partial_descriptions(text) == found


@pytest.mark.slow
def test_while_the_model_reads_and_writes_the_screen_says_so_and_for_how_long(terminal, double):
    double(StalledResponse())
    code, seen = terminal("run", "add", until="the model reads, 1 s")
    assert code == 130
    assert "the model reads, 0 s" in plain(seen)
