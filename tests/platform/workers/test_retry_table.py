"""Retries follow the effect, whatever failed (platform 10): the whole table."""

import pytest

from aeon.platform.catalog.tool_calls import DefectError, OperationError
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.runs.machine.plan import DEFAULT_RETRY
from aeon.platform.runs.machine.retry_policy import should_retry
from aeon.platform.runs.model import Job
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.job_runner import make_job_runner

REPEATABLE = ("pure", "read", "idempotent")
ALL = (*REPEATABLE, "once")

TABLE = [
    # what failed, and with which effects it is tried again
    (OperationError("the peer is busy", is_transient=True), REPEATABLE),
    (OperationError("the credentials are refused", is_transient=True, is_unauthorized=True), ALL),
    (OperationError("there is no such page"), ()),
    (StoreUnavailableError("nothing was sent"), ALL),
    (StoreUnavailableError("the answer was lost", may_have_happened=True), REPEATABLE),
    (RuleError("the tool is down", rule="healthy"), ALL),
    (RuleError("the answer does not fit", rule="output_valid"), ()),
    (RuleError("the input does not fit", rule="input_valid"), ()),
    (NotFoundError("it is not shared any more"), ()),
    (DefectError("a mistake of an executor's"), ()),
    (ValueError("a mistake of ours"), ()),
]


class Failing:
    """Fails as it is told."""

    def __init__(self, error):
        self.error = error

    def call(self, user, tool_id, given, key=None, *, call_key, confirm, await_turn):
        raise self.error


def failure(error, effect):
    job = Job(
        id="job",
        run_id="run",
        step="step",
        attempt=1,
        user="user",
        tool="tool",
        name="tool",
        owner="user",
        worker="rest_api",
        effect=effect,
        inputs={},
        timeout=60,
    )
    return make_job_runner(Failing(error))(job).event.error


@pytest.mark.parametrize(("error", "retried"), TABLE, ids=[str(error)[:40] for error, _ in TABLE])
def test_what_is_tried_again_follows_from_the_effect_and_from_what_failed(error, retried):
    found = {effect for effect in ALL if should_retry(DEFAULT_RETRY, effect, failure(error, effect), attempt=1)}
    assert found == set(retried)


@pytest.mark.parametrize("effect", ALL)
def test_after_three_retries_there_is_no_other(effect):
    passing = failure(StoreUnavailableError("nothing was sent"), effect)
    assert [should_retry(DEFAULT_RETRY, effect, passing, attempt) for attempt in range(1, 6)] == [True] * 3 + [
        False
    ] * 2
    assert DEFAULT_RETRY.attempts == 4
