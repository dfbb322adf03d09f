"""A run and what it called, shown as lines."""

from tests.application.test_run_follower import Runs, entry, follower
from tests.platform.driven_runs import plan_of, step

from aeon.application.run_follower import EntryUpdate, HeldUpdate
from aeon.cli.platform.run_follower import RunLines
from aeon.platform.runs.machine.events import AttemptFailure, AttemptStarted, StepCompleted, StepFailed
from aeon.platform.runs.machine.wait_reasons import WaitReason


def lines(updates):
    shown = RunLines()
    return [line for update in updates for line in shown.lines(update)]


def test_a_family_is_told_whole_and_in_order():
    told = lines(follower(Runs()))
    assert [line.split(" in ")[0] for line in told] == [
        "before started: tool the before",
        "before done",
        "a started: process the a",
        "  x started: process the x",
        "    deep started: tool the deep",
        "    deep done",
        "  x done",
        "a done",
        "z started: tool the z",
        "z done",
    ]


def test_a_warning_is_told_once_a_run():
    """A loop over a thousand items calls one tool a thousand times."""
    runs = Runs()
    for run, entries in runs.there.items():
        runs.there[run] = [
            each.model_copy(update={"about": {"warnings": ["The tool is degraded."]}}) for each in entries
        ]
    shown = [line for line in lines(follower(runs)) if "warning" in line]
    assert shown == [
        "before warning: The tool is degraded.",
        "    deep warning: The tool is degraded.",
        "  x warning: The tool is degraded.",
    ]


def test_what_holds_a_step_is_told_where_it_stands():
    reason = WaitReason(step="deep", kind="limit", message="it waits for a worker")
    assert lines([HeldUpdate("r:a:1", 1, reason)]) == ["  deep: it waits for a worker"]


def test_a_retry_is_announced_with_the_wait_that_the_service_asked_for():
    error = AttemptFailure(code="operation", message="busy", transient=True)
    failed = entry(2, 1, StepFailed(step="a", attempt=1, error=error))
    plan = plan_of(step("a"))
    for about, seconds in ({}, "1"), ({"retryAfter": 30.0}, "30"), ({"retryAfter": 0.5}, "1"):
        shown = lines([EntryUpdate("r", 0, plan, failed.model_copy(update={"about": about}))])
        assert shown == ["a failed: busy", f"a is retried in {seconds} s, attempt 2"]


def test_the_seconds_of_a_retry_are_those_of_its_attempt_and_not_of_the_pause_before_it():
    """`a started: tool the a, attempt 2` was printed before the pause, and `failed in 30.5 s` counted it."""
    plan, times = plan_of(step("a")), ("00", "01", "01", "31.5")
    error = AttemptFailure(code="operation", message="busy", transient=True)
    events = [
        AttemptStarted(step="a", job="r:a:1", attempt=1),
        StepFailed(step="a", attempt=1, error=error),
        AttemptStarted(step="a", job="r:a:2", attempt=2),
        StepCompleted(step="a", attempt=2, output=None),
    ]
    told = [
        entry(place + 1, 1, event).model_copy(
            update={"at": f"2026-11-29T12:00:{at}+00:00", "about": {"retryAfter": 30.0} if place == 1 else {}}
        )
        for place, (event, at) in enumerate(zip(events, times, strict=True))
    ]
    assert lines([EntryUpdate("r", 0, plan, each) for each in told]) == [
        "a started: tool the a",
        "a failed in 1.0 s: busy",
        "a is retried in 30 s, attempt 2",
        "a done in 0.5 s",
    ]
