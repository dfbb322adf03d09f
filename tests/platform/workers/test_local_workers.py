"""Jobs in threads of this process, while the store is away (platform 10)."""

import asyncio
import threading

import pytest

from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.machine.events import AttemptFailure, StepCompleted, StepFailed
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.pool import LocalWorkerPool

JOB = Job(
    id="run:a:1",
    run_id="run",
    step="a",
    attempt=1,
    user="ann",
    tool="tool",
    name="tool",
    owner="ann",
    worker="rest_api",
    effect="once",
    inputs={},
    timeout=60,
)
AWAY = JobResult(
    event=StepFailed(step="a", attempt=1, error=AttemptFailure.from_error(StoreUnavailableError("It does not answer.")))
)
DONE = JobResult(event=StepCompleted(step="a", attempt=1, output=1))


class Answers:
    """Carries jobs out as told, one answer after another; the last is given for ever."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0
        self.first, self.again = threading.Event(), threading.Event()

    def __call__(self, _job, _confirm):
        self.asked += 1
        (self.first if self.asked == 1 else self.again).set()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def carried_out(answers, job=JOB):
    return asyncio.run(LocalWorkerPool(answers, {}).execute(job))


@pytest.mark.slow
def test_a_job_is_begun_when_the_store_is_back():
    answers = Answers(AWAY, AWAY, DONE)
    assert carried_out(answers) == DONE
    assert answers.asked == 3


@pytest.mark.slow
def test_it_fails_with_that_where_its_time_is_over_before():
    answers = Answers(AWAY)
    assert carried_out(answers, JOB.model_copy(update={"timeout": 2})) == AWAY
    assert 1 <= answers.asked <= 2


def test_what_may_have_happened_is_not_begun_again():
    error = AWAY.event.error.model_copy(update={"may_have_happened": True})
    answers = Answers(JobResult(event=AWAY.event.model_copy(update={"error": error})))
    assert carried_out(answers).event.error == error
    assert answers.asked == 1


def test_a_job_that_nobody_waits_for_comes_to_nothing():
    """Kept as the end of its time, it would fail the run for whoever goes on with it (platform 43)."""
    begun, goes_on = threading.Event(), threading.Event()

    def slow(_job, _confirm):
        begun.set()
        goes_on.wait(20)
        return DONE

    async def given_up():
        async with LocalWorkerPool(slow, {}).reserve(JOB) as act:
            waiting = asyncio.create_task(asyncio.to_thread(act))
            await asyncio.to_thread(begun.wait)
        with pytest.raises(HaltError):
            await waiting

    asyncio.run(given_up())
    goes_on.set()


@pytest.mark.slow
def test_a_job_that_is_wanted_no_more_is_not_begun_when_the_store_is_back():
    answers = Answers(AWAY, DONE)

    async def given_up():
        async with LocalWorkerPool(answers, {}).reserve(JOB) as act:
            waiting = asyncio.create_task(asyncio.to_thread(act))
            await asyncio.to_thread(answers.first.wait)
        with pytest.raises(HaltError):
            await waiting

    asyncio.run(given_up())
    assert not answers.again.wait(1.5)
