"""The live display where terminals are odd: narrow ones, dumb ones, COLUMNS, text that would steer one."""

import io
import json
import re
from pathlib import Path

import pytest

from aeon.cli.displays import LineDisplay, display_for
from aeon.cli.live_display import LiveDisplay
from aeon.cli.skills.live_display import LivePlanDisplay
from aeon.observability.events import (
    Event,
    PlanningStarted,
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    TextGenerated,
    ToolInvoked,
    WarningIssued,
)
from aeon.observability.skill_events import (
    NodeEnded,
    NodeEventEmitted,
    NodeRetried,
    NodeStarted,
    ReplanRequested,
    SkillsChosen,
)

NASTY = "\x1b[2J\x1b]0;title\x07 \x9b31m \u202eevil\u2069 \r over \x08"
WIDE = "長い文字列 e\u0301\u0302\u0303 👩\u200d👩\u200d👧 🏳️\u200d🌈 क्षि \u200b\ufeff" * 6
LONG = "word " * 80 + "x" * 300
TEXTS = {"nasty": NASTY, "wide": WIDE, "long": LONG, "empty": " ", "lines": "a\n\nb\tc\n" * 5}


class Screen(io.StringIO):
    """A terminal that keeps what is drawn."""

    def isatty(self) -> bool:
        return True


def events(text: str) -> list[Event]:
    """A run in which everything that can hold text holds `text`."""
    steps = [
        {"step_id": f"{text}{number}", "description": text, "tool": text, "arguments": {}, "status": "pending"}
        for number in range(3)
    ]
    done, failed = {**steps[0], "status": "complete"}, {**steps[1], "status": "failed"}
    action = {
        "action_type": "json_repair",
        "attempt_number": 1,
        "original_output": text,
        "repaired_output": text,
        "stages": [text],
    }
    return [
        PlanningStarted(text),
        TextGenerated("plan", json.dumps({"goal": text, "steps": steps})),
        RepairAttempted(None, action),
        PlanReady({"goal": text, "steps": steps}, is_supplied=False),
        PlanStepStarted(steps[0], 0, 9),
        ToolInvoked(text, text, {text: text}),
        WarningIssued(text, text),
        TextGenerated("answer", text),
        RepairAttempted(text, {**action, "error": {"message": text}}),
        PlanStepEnded(done, 0, "tool", {text: text}, None, [text]),
        PlanStepStarted(steps[1], 1, 8),
        PlanStepEnded(failed, 1, "fallback", None, text, []),
        RunEnded("failed", text, None, text),
    ]


def skill_events(text: str) -> list[Event]:
    """The same of a skills run, whose nodes' ids hold no spaces."""
    ids = [f"{''.join(text.split())[:100]}{number}" for number in range(30)]
    nodes = [{"toolId": each, "toolPath": text, "input": {text: text}, "dependencies": ids[:2]} for each in ids]
    error = {"type": text, "message": text, "exitCode": None}
    result = {"ok": True, "output": {text: text}, "error": None, "sandbox": "plain", "executionTimeMs": 1}
    return [
        PlanningStarted(text),
        TextGenerated("choice", text * 20),
        SkillsChosen([text], 9),
        TextGenerated("plan", text),
        PlanReady({"tools": nodes, "metadata": {"generationAttempt": 2}}, is_supplied=False),
        NodeStarted(ids[0], text, 1),
        NodeEventEmitted(ids[0], {"type": "log", "level": text, "message": text}),
        NodeRetried(ids[0], 1, error, 100),
        NodeEnded(ids[0], "completed", result),
        NodeEnded(ids[1], "failed", {**result, "ok": False, "output": None, "error": error}),
        ReplanRequested(2, text, [text]),
        TextGenerated("answer", text),
        WarningIssued(None, text),
        RunEnded("failed", text, None, text),
    ]


@pytest.mark.parametrize("columns", [1, 2, 7, 20, 39, 80, 300])
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(("make", "told"), [(LiveDisplay, events), (LivePlanDisplay, skill_events)])
def test_any_text_is_drawn_at_any_width_and_none_of_it_steers(monkeypatch, columns, kind, make, told):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")
    screen = Screen()
    with make(screen) as display:
        for event in told(TEXTS[kind]):
            display._handle(event)
            display._live.refresh()
    drawn = screen.getvalue()
    left = re.sub(r"\x1b\[(\d+(;\d+)*)?[mAK]|\x1b\[\?25[lh]|\r", "", drawn)  # rich's own colours and redrawing
    assert not set(left) & set("\x1b\x07\x08\x9b\u202e\u2069"), ascii(left)


def test_a_plan_that_takes_the_place_of_another_is_drawn_at_any_moment(monkeypatch):
    """The drawing thread had the nodes of one plan and the states of the next, or no node of the list it counted."""
    monkeypatch.setenv("TERM", "xterm-256color")
    with LivePlanDisplay(Screen()) as display:
        display._nodes = [{"toolId": "a", "toolPath": "dice/roll", "dependencies": [], "input": {}}]
        display._live.refresh()


def test_what_a_model_writes_for_a_skills_run_is_seen_while_it_does(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    screen = Screen()
    with LivePlanDisplay(screen) as display:
        for event in (
            PlanningStarted("roll"),
            TextGenerated("choice", '{"skills": ["di'),
            TextGenerated("choice", 'ce"]}'),
        ):
            display(event)
            display._live.refresh()
    assert '{"skills": ["di' in screen.getvalue()
    assert '{"skills": ["dice"]}' in screen.getvalue()


@pytest.mark.parametrize("columns", ["0", "-5", "abc", "", "99999999999"])
def test_a_nonsensical_width_is_no_reason_to_stop(monkeypatch, columns):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", columns)
    with LiveDisplay(Screen()) as display:
        for event in events(LONG):
            display._handle(event)


@pytest.mark.parametrize(("term", "kind"), [("dumb", LineDisplay), ("xterm", LiveDisplay)])
def test_a_dumb_terminal_gets_lines(monkeypatch, term, kind):
    monkeypatch.setenv("TERM", term)
    assert isinstance(display_for(Screen()), kind)
    assert isinstance(display_for(io.StringIO()), LineDisplay)


@pytest.mark.parametrize("kind", TEXTS)
def test_plain_lines_hold_nothing_that_steers(kind):
    told = io.StringIO()
    with LineDisplay(told) as display:
        for event in events(TEXTS[kind]):
            display(event)
    assert not set(told.getvalue()) & set("\x1b\x07\x08\x9b\u202e\u2069\r")


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "env"), [(10, {}), (39, {}), (80, {"TERM": "dumb"}), (80, {"COLUMNS": "25"})])
def test_the_real_command_on_such_a_terminal(terminal, plan_file, columns, env):
    code, seen = terminal("run", "--plan", plan_file, columns=columns, env=env)
    assert code == 0, seen
    assert "it is 352" in seen
    assert "Traceback" not in seen
    assert ("\x1b" in seen) is (env.get("TERM") != "dumb")
    assert Path(".aeon/logs").is_dir()
