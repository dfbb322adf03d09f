"""What `RunLogger` writes to the standard logging: levels, attributes, and no content."""

import logging

import pytest

from aeon.base.errors import LLMError, ToolError
from aeon.base.loggers import MAX_LOGGED_TEXT, current_run_id, logged_as, room_logger, safe_text
from aeon.observability.events import (
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    TextGenerated,
    ToolInvoked,
    WarningIssued,
    text_sink,
)
from aeon.observability.run_logger import RunLogger, logged_run
from aeon.observability.skill_events import NodeEnded, NodeRetried, ReplanRequested
from aeon.testing.clock import FakeClock

CANARY = "canary-0123456789"
STEP = {"step_id": "s1", "description": "buy", "tool": "shop", "arguments": {"pin": CANARY}}


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture(autouse=True)
def _everything(caplog):
    caplog.set_level(logging.DEBUG, "aeon")


def records(caplog):
    return [(each.name, each.levelname, each.getMessage()) for each in caplog.records]


def test_a_run_is_told_in_its_levels(caplog, clock):
    observe = RunLogger("kernel", clock=clock)
    observe(PlanReady({"goal": "g", "steps": [STEP]}, is_supplied=False))
    observe(PlanStepStarted(STEP, 0, 5))
    observe(ToolInvoked("s1", "shop", {"pin": CANARY}))
    clock.sleep(0.25)
    observe(PlanStepEnded(STEP, 0, "tool", {"result": CANARY}))
    observe(RunEnded("completed", CANARY, None, None))
    assert records(caplog) == [
        ("aeon.kernel", "INFO", "plan made: 1 steps"),
        ("aeon.tools", "DEBUG", "tool shop answered after 0.250 s"),
        ("aeon.kernel", "DEBUG", "step s1 is complete"),
        ("aeon.kernel", "INFO", "run completed after 0.250 s"),
    ]
    tool = caplog.records[1]
    assert (tool.step, tool.tool, tool.duration) == ("s1", "shop", 0.25)
    assert CANARY not in caplog.text


def test_what_went_wrong_is_told_without_what_the_call_was_given(caplog, clock):
    observe = RunLogger("kernel", secrets=lambda: {"key-of-the-environment"}, clock=clock)
    observe(PlanReady({"goal": "g", "steps": [STEP]}, is_supplied=True))
    observe(RepairAttempted("s1", {"action_type": "json_repair", "attempt_number": 1, "error": {}}))
    observe(WarningIssued("s1", f"The arguments do not fit: {CANARY} is long"))
    observe(PlanStepStarted(STEP, 0, 5))
    observe(PlanStepEnded(STEP, 0, "fallback", None, f"refused {CANARY}\nwith key-of-the-environment"))
    observe(RunEnded("failed", None, {"type": "LLMError", "message": f"no {CANARY}"}, None))
    assert records(caplog)[1:] == [
        ("aeon.kernel", "WARNING", "json_repair failed in attempt 1"),
        ("aeon.kernel", "WARNING", "The arguments do not fit: [hidden] is long"),
        ("aeon.kernel", "WARNING", "step s1: no tool was found, the model answers in its place"),
        ("aeon.kernel", "ERROR", "step s1 failed: refused [hidden] with [hidden]"),
        ("aeon.kernel", "ERROR", "run failed (LLMError: no [hidden]) after 0.000 s"),
    ]


def test_a_run_that_can_be_resumed_is_a_warning(caplog, clock):
    RunLogger("kernel", clock=clock)(
        RunEnded("ttl_expired", None, {"type": "RunCancelled", "message": "stopped"}, None)
    )
    assert records(caplog) == [
        ("aeon.kernel", "WARNING", "run ttl expired (RunCancelled: stopped) after 0.000 s"),
    ]


def test_nodes_are_told_to_the_skills_logger(caplog, clock):
    observe = RunLogger("skills", clock=clock)
    observe(PlanReady({"tools": [{"toolId": "t1", "input": {"key": CANARY}}]}, is_supplied=False))
    error = {"type": "script_failed", "message": f"bad {CANARY}"}
    observe(NodeRetried("t1", 1, error, 100))
    observe(NodeEnded("t1", "failed", {"error": error, "executionTimeMs": 1500}))
    observe(NodeEnded("t2", "completed", {"output": {"a": CANARY}, "executionTimeMs": 20}))
    observe(ReplanRequested(1, f"it said {CANARY}", []))
    assert records(caplog)[1:] == [
        ("aeon.skills", "WARNING", "node t1 failed in attempt 1 (script_failed) and is tried again in 100 ms"),
        ("aeon.skills", "ERROR", "node t1 failed: script_failed: bad [hidden]"),
        ("aeon.skills", "DEBUG", "node t2 completed after 0.020 s"),
        ("aeon.skills", "WARNING", "plan 1 failed, another is made: it said [hidden]"),
    ]


def test_a_run_that_an_error_ends_is_told_with_its_id(caplog):
    with pytest.raises(LLMError), logged_run("kernel", "r-1", lambda: {CANARY}):
        raise LLMError(f"no model for {CANARY}")
    assert records(caplog) == [
        ("aeon.kernel", "INFO", "[r-1] run started"),
        ("aeon.kernel", "ERROR", "[r-1] run failed (LLMError: no model for [hidden])"),
    ]
    assert {each.run_id for each in caplog.records} == {"r-1"}
    assert current_run_id() == ""


def test_every_record_has_a_run_id(caplog):
    log = room_logger("kernel")
    log.info("outside")
    with logged_as("r"):
        log.info("inside", extra={"step": "s"})
    log.info("named", extra={"run_id": "x"})
    assert [each.run_id for each in caplog.records] == ["", "r", "x"]


def test_events_are_passed_on_and_an_observer_that_fails_ends_nothing(caplog):
    seen = []
    observe = RunLogger("kernel", then=seen.append)
    event = RunEnded("completed", "1", None, None)
    observe(event)
    assert seen == [event]

    def failing(event):
        raise ToolError("broken")

    RunLogger("kernel", then=failing)(event)
    assert "The observer failed" in caplog.text


def test_text_is_streamed_only_to_an_observer_that_reads_it():
    seen = []
    assert text_sink(None, "plan") is None
    assert text_sink(RunLogger("kernel"), "plan") is None
    sink = text_sink(RunLogger("kernel", then=seen.append), "plan")
    sink("a")
    assert seen == [TextGenerated("plan", "a")]


def test_a_program_that_configures_nothing_sees_nothing():
    assert any(isinstance(each, logging.NullHandler) for each in logging.getLogger("aeon").handlers)
    assert [each for each in logging.getLogger("aeon").handlers if type(each) is logging.StreamHandler] == []


def test_a_text_of_an_error_is_one_line_that_any_handler_can_write():
    assert safe_text("a\nb\ud800\x1b[0m") == "a b\\ud800\\x1b[0m"
    assert len(safe_text("x" * 1000)) == MAX_LOGGED_TEXT + 3
