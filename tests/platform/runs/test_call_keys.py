"""By which keys the next run repeats the calls of one that failed (platform 10)."""

import pytest
from tests.platform.driven_runs import plan_of, step

from aeon.platform.runs.machine.events import AttemptFailure, AttemptStarted, StepCompleted, StepFailed, StepTimedOut
from aeon.platform.runs.seeds import kept_call_keys

PLAN = plan_of(step("pay"), step("send"), run="first")


def started(attempt, of="pay"):
    return AttemptStarted(step=of, job=f"first:{of}:{attempt}", attempt=attempt)


def failed(attempt, **fields):
    return StepFailed(step="pay", attempt=attempt, error=AttemptFailure(code="OperationError", message="", **fields))


CUT = {"transient": True}
REFUSED = {"refused": True}
NOT_SENT = {"may_have_happened": False}


@pytest.mark.parametrize(
    ("events", "is_kept"),
    [
        pytest.param([started(1), failed(1, **CUT)], True, id="no answer"),
        pytest.param([started(1)], True, id="cancelled meanwhile"),
        pytest.param([started(1), StepTimedOut(step="pay", attempt=1)], True, id="not in time"),
        pytest.param([started(1), failed(1)], True, id="an answer that does not fit"),
        pytest.param([started(1), StepCompleted(step="pay", attempt=1, output=1)], True, id="done, but not kept"),
        pytest.param([started(1), failed(1, **NOT_SENT)], False, id="nothing was sent"),
        pytest.param([started(1), failed(1, **REFUSED)], False, id="refused"),
        pytest.param([started(1), failed(1, **CUT), started(2), failed(2, **NOT_SENT)], True, id="then nothing sent"),
        pytest.param([started(1), failed(1, **CUT), started(2), failed(2, **REFUSED)], False, id="then refused"),
        pytest.param([], False, id="never begun"),
    ],
)
def test_a_call_that_may_have_happened_keeps_its_key_platform_10(events, is_kept):
    assert kept_call_keys(PLAN, events) == ({"pay": "first:pay"} if is_kept else {})


def test_a_key_lasts_over_runs_until_the_call_is_refused_platform_10():
    second = PLAN.model_copy(update={"run": "second", "call_keys": kept_call_keys(PLAN, [started(1)])})
    assert second.call_key("pay") == "first:pay"
    assert second.call_key("send") == "second:send"
    assert kept_call_keys(second, []) == {"pay": "first:pay"}, "the second run failed before it came there"
    assert kept_call_keys(second, [started(1), failed(1, **NOT_SENT)]) == {"pay": "first:pay"}
    assert kept_call_keys(second, [started(1), failed(1, **REFUSED)]) == {}


def test_once_steps_were_undone_all_calls_are_new_ones_platform_10():
    plan = plan_of(step("pay", compensate={"tool": "refund", "inputs": {}}), step("send"), run="first")
    undo = next(iter(plan.undone))
    assert kept_call_keys(plan, [started(1), started(1, "send")]) == {"pay": "first:pay", "send": "first:send"}
    assert kept_call_keys(plan, [started(1), started(1, "send"), started(1, undo)]) == {}
