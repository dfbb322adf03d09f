"""Queued jobs whose worker, conductor or database goes away, or that nobody wants any more (platform 10)."""

import sqlite3
import threading
from contextlib import closing

import psycopg
import pytest

from aeon.adapters.engines.jobs import MAX_STARTS
from aeon.adapters.engines.sql import RunDatabase, SqlEngine, SqlWorker
from aeon.adapters.engines.sql.job_queue import JobQueue
from aeon.adapters.engines.sql.job_recovery import JobRecovery
from aeon.adapters.results import FileResultStore
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import Job, JobResult
from aeon.platform.store import StoreUnavailableError
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.testing.engines import call_remote_tools
from aeon.testing.engines.world import echo, step

from .elsewhere import Conductor, Elsewhere

pytestmark = [pytest.mark.slow, pytest.mark.server]

END_CONNECTIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
)


class Hanging:
    """A tool whose first calls hang until they are let go."""

    def __init__(self, world, calls=1, effect="idempotent"):
        self.left, self.goes_on, self.reached = calls, threading.Event(), threading.Semaphore(0)
        self.world = world
        self.id = world.tool("hang", self, effect)

    def __call__(self, given, key):
        if self.left:
            self.left -= 1
            self.reached.release()
            self.goes_on.wait(30)
        return echo(given, key)

    @property
    def calls(self):
        return self.world.tools.calls["hang"]


@pytest.fixture
def elsewhere(tmp_path):
    made = Elsewhere(f"sqlite:///{tmp_path}/runs.db", tmp_path)
    yield made
    made.close()


@pytest.fixture
def world(store, elsewhere):
    world = elsewhere.world(store, Conductor)
    yield world
    world.close()


STATES = """
SELECT id, CASE WHEN result IS NOT NULL THEN 'ended' WHEN executor = '' THEN 'queued' ELSE 'running' END FROM jobs
"""


def rows(elsewhere):
    """What there is of each job."""
    with closing(sqlite3.connect(elsewhere.folder / "runs.db")) as database:
        return dict(database.execute(STATES))


def runs(elsewhere):
    with closing(sqlite3.connect(elsewhere.folder / "runs.db")) as database:
        return {row[0] for row in database.execute("SELECT id FROM runs UNION SELECT run FROM attempts")}


def served(elsewhere, is_wanted=lambda _run: True):
    """Its queues, by a worker in this process."""
    slots = {"rest_api": 3, "llm_call": 2}
    workers = LocalWorkerPool(call_remote_tools(elsewhere.reached.address), slots)
    results = FileResultStore(elsewhere.folder / "results")
    given = {"executor": "me", "slots": slots, "live_executors": lambda: {"me"}, "is_wanted": is_wanted}
    return SqlWorker(RunDatabase(elsewhere.database), workers, results, **given)


def test_two_that_take_over_at_the_same_moment_make_it_once(elsewhere, world):
    """Both see that its worker is gone; whichever has it then, the other one's taking over changes nothing."""
    lost = elsewhere.ready()
    hang = Hanging(world, calls=2)
    run = world.start_run(world.process("taken over", [step("a", hang.id)]))
    assert hang.reached.acquire(timeout=20)
    elsewhere.kill(lost)
    elsewhere.ready(elsewhere.begin(recovery_interval=600.0))
    takes_over_together(world, f"worker-{lost.pid}")
    assert hang.reached.acquire(timeout=20)
    takes_over_together(world, f"worker-{lost.pid}")
    both = [elsewhere.begin(), elsewhere.begin()]
    for worker in both:
        elsewhere.ready(worker)
    assert not hang.reached.acquire(timeout=1.0)
    hang.goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.jobs[f"{run.id}:a:1"] == hang.calls == 2


def queue_of(world):
    return JobQueue(world.engine._database, world.results)


def takes_over_together(world, lost):
    """As so many processes that found at the same moment that it is gone."""
    meeting, queue = threading.Barrier(8), queue_of(world)

    def take_over():
        meeting.wait()
        queue.requeue_all_of([lost])

    threads = [threading.Thread(target=take_over) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_who_was_not_heard_of_once_is_not_lost(elsewhere, world):
    """After the store was away everybody looks gone for a moment: only who is missing twice in a row is."""
    worker = elsewhere.ready()
    hang = Hanging(world)
    run = world.start_run(world.process("heard of", [step("a", hang.id)]))
    job = f"{run.id}:a:1"
    assert hang.reached.acquire(timeout=20)
    elsewhere.kill(worker)
    there = iter([[], [f"worker-{worker.pid}"], [], StoreUnavailableError("It is away."), []])

    def present():
        said = next(there)
        if isinstance(said, Exception):
            raise said
        return set(said)

    lost = JobRecovery(queue_of(world), "me", present)
    for _ in range(3):
        lost.recover()
    with pytest.raises(StoreUnavailableError):
        lost.recover()
    assert rows(elsewhere)[job] == "running"
    lost.recover()
    assert rows(elsewhere)[job] == "queued"
    hang.goes_on.set()


def test_a_worker_with_nothing_to_do_asks_little(elsewhere):
    """One question for all its queues, four times a second, and nothing is written (decision 25)."""
    worker = served(elsewhere)
    asked, database = [], worker._database
    read = database.read
    try:
        database.read = lambda *given: asked.append(given) or read(*given)
        database.update = lambda _work: pytest.fail("nothing is to be written")
        threading.Event().wait(2.0)
    finally:
        worker.close()
    queued = [given[1]["workers"] for given in asked if "workers" in (given[1:] or [{}])[0]]
    assert queued == [["rest_api", "llm_call"]] * len(queued)
    assert 4 <= len(queued) <= 9
    assert len(asked) <= 16, "for jobs that it has, and for those that others lost"


def lose_workers(elsewhere, hang, times):
    for _ in range(times):
        worker = elsewhere.ready()
        assert hang.reached.acquire(timeout=20)
        elsewhere.kill(worker)


def test_workers_that_were_lost_do_not_count_against_a_job(elsewhere, world):
    """Rolling restarts during one long call: it may be repeated, so it is (E6)."""
    hang = Hanging(world, calls=9)
    run = world.start_run(world.process("restarts", [step("a", hang.id)]))
    lose_workers(elsewhere, hang, 4)
    hang.goes_on.set()
    elsewhere.ready()
    assert world.wait_for_end(run).state.phase == "completed"
    assert hang.calls == 5


@pytest.mark.timeout(240)
def test_a_job_that_ends_its_worker_each_time_is_a_dead_job_at_last(elsewhere, world):
    """After twenty its step fails, and says why."""
    hang = Hanging(world, calls=30)
    run = world.start_run(world.process("ends its workers", [step("a", hang.id)]))
    lose_workers(elsewhere, hang, MAX_STARTS)
    elsewhere.ready()
    failure = world.wait_for_end(run).run.failure
    assert failure["code"] == "worker"
    assert "Its worker was lost 20 times" in failure["message"]
    assert [each.run_id for each in world.runs.repository.list_dead_jobs(world.user)] == [run.id]
    assert hang.calls == 20
    hang.goes_on.set()


def test_a_job_that_must_not_be_made_twice_is_not(elsewhere, world):
    hang = Hanging(world, effect="once")
    run = world.start_run(world.process("once", [step("a", hang.id)]))
    worker = elsewhere.ready()
    assert hang.reached.acquire(timeout=20)
    elsewhere.kill(worker)
    elsewhere.ready()
    assert world.wait_for_end(run).run.failure["code"] == "interrupted"
    assert hang.calls == 1
    hang.goes_on.set()


@pytest.mark.parametrize("effect", ["idempotent", "once"])
def test_a_job_outlives_whoever_carries_its_run_out(elsewhere, world, effect):
    """Whoever goes on with the run finds the same job, and does not have it made again."""
    elsewhere.ready()
    hang = Hanging(world, effect=effect)
    run = world.start_run(world.process("outlives", [step("a", hang.id), step("b", world.tool("echo", echo))]))
    assert hang.reached.acquire(timeout=20)
    world.reopen()
    hang.goes_on.set()
    assert world.wait_for_end(run).state.phase == "completed"
    assert world.tools.calls == {"hang": 1, "echo": 1}


@pytest.mark.parametrize(("first", "then"), [(["rest_api"], []), ([], ["rest_api"])])
def test_what_is_left_to_others_may_change_meanwhile(elsewhere, store, first, then):
    """A job that is in a queue stays there; one that may have been made must not be put into one, where it is `once`."""
    left = [first, then]
    world = elsewhere.world(
        store, lambda at, *parts: SqlEngine(RunDatabase(at.database), *parts, elsewhere=left.pop(0))
    )
    try:
        hang = Hanging(world, effect="once")
        run = world.start_run(world.process("changed", [step("a", hang.id)]))
        if first:
            elsewhere.ready()
        assert hang.reached.acquire(timeout=20)
        world.reopen()
        hang.goes_on.set()
        seen = world.wait_for_end(run)
        assert (seen.run.failure or {}).get("code") == (None if first else "interrupted")
        assert hang.calls == 1
    finally:
        world.close()


def test_a_queued_job_that_nobody_wants_is_not_made(elsewhere, world):
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("unwanted", [step("a", tool)]))
    job = f"{run.id}:a:1"
    world.wait_until(lambda: rows(elsewhere).get(job) == "queued")
    world.runs.cancel(world.user, run.id)
    world.engine.wake(run.id)
    assert world.wait_for_end(run).state.phase == "cancelled"
    world.wait_until(lambda: job not in rows(elsewhere))
    elsewhere.ready()
    after = world.start_run(world.process("wanted", [step("a", tool)]))
    assert world.wait_for_end(after).state.phase == "completed"
    assert world.tools.jobs[job] == 0


def test_what_a_killed_conductor_did_not_take_back_is_not_made(elsewhere, world):
    run = world.start_run(world.process("ended", [step("a", world.tool("echo", echo))]))
    job = f"{run.id}:a:1"
    world.wait_until(lambda: rows(elsewhere).get(job) == "queued")
    world.engine.close()
    worker = served(elsewhere, is_wanted=lambda wanted: wanted != run.id)
    world.wait_until(lambda: rows(elsewhere)[job] == "ended")  # whoever has the run by then takes no notice
    worker.close()
    assert world.tools.calls["echo"] == 0


def test_a_worker_gives_up_what_nobody_wants(elsewhere, world):
    """Its only place is free again within about a second, though the call has not answered."""
    elsewhere.ready(elsewhere.begin(slots=1))
    hang = Hanging(world)
    run = world.start_run(world.process("given up", [step("a", hang.id, timeout=60)]))
    assert hang.reached.acquire(timeout=20)
    after = world.start_run(world.process("after", [step("a", world.tool("echo", echo))]))
    world.runs.cancel(world.user, run.id)
    world.engine.wake(run.id)
    assert world.engine.wait(after.id, 5.0)
    assert not hang.goes_on.is_set()
    hang.goes_on.set()


def test_nothing_is_left_of_jobs_that_are_over(elsewhere, world):
    """What a killed conductor left of them goes with their run; those of runs that it called are their own."""
    elsewhere.ready()
    tool = world.tool("echo", echo)
    inner = world.process("inner", [step("i", tool)])
    run = world.start_run(
        world.process("gone", [step("a", tool), step("c", "", process=inner.id, inputs={"q": "{q}"})])
    )
    called = f"{run.id}:c:1"
    world.wait_for_end(run)
    world.wait_until(lambda: rows(elsewhere) == {})
    assert runs(elsewhere) == {run.id, called}
    queue_of(world).exchange([left_job(run.id), left_job(called)], [])
    world.engine.forget([run.id])
    assert set(rows(elsewhere)) == {f"{called}:left:1"}
    assert runs(elsewhere) == {called}
    world.engine.forget([called])
    assert rows(elsewhere) == {}
    assert runs(elsewhere) == set()


def left_job(run):
    """Of a type that nobody serves."""
    return Job(
        id=f"{run}:left:1",
        run_id=run,
        step="left",
        attempt=1,
        user="u",
        tool="t",
        name="t",
        owner="u",
        worker="llm_call",
        effect="idempotent",
        inputs={},
        timeout=60,
    )


def test_a_job_that_was_taken_without_an_answer_is_not_lost(elsewhere, world):
    """The answer to the commit that took it never came: the worker has it, and does not know (platform 10)."""
    run = world.start_run(world.process("taken", [step("a", world.tool("echo", echo))]))
    job = f"{run.id}:a:1"
    world.wait_until(lambda: rows(elsewhere).get(job) == "queued")
    (taken,) = queue_of(world).take("me", {"rest_api": {"normal": 1}})
    assert (taken.id, rows(elsewhere)[job]) == (job, "running")
    worker = served(elsewhere)
    assert world.wait_for_end(run).state.phase == "completed"
    worker.close()
    assert world.tools.jobs[job] == 1


def test_a_job_that_cannot_be_read_fails_alone(elsewhere, world):
    """Its large inputs are lost: its step fails and says so, and the jobs behind it are executed."""
    tool = world.tool("echo", echo)
    run = world.start_run(world.process("unreadable", [step("a", tool)]))
    world.wait_until(lambda: rows(elsewhere).get(f"{run.id}:a:1") == "queued")
    lost = f"@sha256:{'0' * 64}"
    world.engine._database.update(lambda unit: unit.write("UPDATE jobs SET job = :lost", {"lost": lost}))
    after = world.start_run(world.process("after", [step("a", tool)]))
    elsewhere.ready(elsewhere.begin(slots=1))
    failure = world.wait_for_end(run).run.failure
    assert failure["code"] == "worker"
    assert "LostResultError" in failure["message"]
    assert world.wait_for_end(after).state.phase == "completed"
    assert world.tools.calls == {"echo": 1}


def test_who_lost_a_job_and_has_it_again_has_it_once(elsewhere, world):
    """Each take has a token of its own: the first one neither begins the job nor ends it (platform 43)."""
    run = world.start_run(world.process("again", [step("a", world.tool("echo", echo))]))
    world.wait_until(lambda: rows(elsewhere).get(f"{run.id}:a:1") == "queued")
    queue = queue_of(world)
    (first,) = queue.take("me", {"rest_api": {"normal": 1}})
    assert [queue.begin(first), queue.begin(first)] == [0, 0], "the answer may have been lost"
    queue.requeue_all_of(["me"])
    (second,) = queue.take("me", {"rest_api": {"normal": 1}})
    assert [queue.is_held(first), queue.is_held(second)] == [False, True]
    with pytest.raises(LeaseLostError):
        queue.begin(first)
    assert queue.begin(second) == 1
    late = JobResult(event=StepCompleted(step="a", attempt=1, output="late"))
    queue.end(first, late)
    assert rows(elsewhere)[f"{run.id}:a:1"] == "running"
    queue.end(second, JobResult(event=StepCompleted(step="a", attempt=1, output="in time")))
    assert world.wait_for_end(run).state.steps[0].value == "in time"


@pytest.fixture
def on_postgres(postgres, tmp_path):
    made = Elsewhere(postgres(), tmp_path)
    yield made
    made.close()


def test_a_database_that_is_away_loses_nothing(on_postgres, store):
    """All connections of all processes are ended, again and again."""
    on_postgres.ready()
    world = on_postgres.world(store, Conductor)
    try:
        tool = world.tool("echo", echo)
        run = world.start_run(world.process("away", [step(f"s{n}", tool) for n in range(12)]))
        name = on_postgres.database.partition("@/")[2].partition("?")[0]
        with psycopg.connect(on_postgres.database.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
            for done in (2, 5, 8):
                world.wait_until(lambda done=done: world.tools.calls["echo"] >= done)
                connection.execute(END_CONNECTIONS, [name])
        assert world.wait_for_end(run).state.phase == "completed"
        assert set(world.tools.jobs) == {f"{run.id}:s{n}:1" for n in range(12)}
        assert max(world.tools.jobs.values()) == 1
    finally:
        world.close()
