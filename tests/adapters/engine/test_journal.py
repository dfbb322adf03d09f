"""What attempts came to is kept once, on both databases, whatever they are like for a while (platform 10, decision 28)."""

import asyncio
import threading
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.event import listen

from aeon.adapters.engines.dbos.database import Database
from aeon.adapters.engines.dbos.journal import Journal, RunCheckpoints
from aeon.adapters.results import FileResultStore
from aeon.platform.runs.claim_check import MAX_INLINE_CHARS
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import JobResult


def done(output="done", step="a", attempt=1):
    return JobResult(event=StepCompleted(step=step, attempt=attempt, output=output))


ON_POSTGRES = pytest.param("postgres", marks=[pytest.mark.server, pytest.mark.slow])


@pytest.fixture(params=["sqlite", ON_POSTGRES])
def address(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/runs.db"
    return request.getfixturevalue("postgres")()


@pytest.fixture
def opened(address, tmp_path):
    """Journals of the same database, each as another process would have it."""
    databases = []

    def journal():
        databases.append(Database(address))
        return Journal(databases[-1], FileResultStore(tmp_path / "results")), databases[-1]

    yield journal
    for database in databases:
        database.dispose()


def test_what_was_kept_is_read_by_whoever_comes_next(opened):
    first, _ = opened()
    first.save("r", (0, 1), done("one"))
    first.save("r", (0, 2), done("two", attempt=2))
    first.save("other", (0, 1), done("not this one"))
    then, _ = opened()
    assert then.completed_attempts("r") == {(0, 1), (0, 2)}
    assert then.load("r", (0, 2)) == done("two", attempt=2)
    assert then.completed_attempts("nobody") == set()


def test_whoever_comes_second_knows_that_the_run_is_anothers(opened):
    one, _ = opened()
    other, _ = opened()
    one.save("r", (0, 1), done("mine"))
    with pytest.raises(LeaseLostError):
        other.save("r", (0, 1), done("also mine"))
    assert other.load("r", (0, 1)) == done("mine")


def test_the_same_once_more_changes_nothing(opened):
    """A commit whose answer was lost on the way is tried again."""
    journal, _ = opened()
    for _ in range(2):
        journal.save("r", (0, 1), done())
    assert journal.completed_attempts("r") == {(0, 1)}


def test_a_large_result_goes_by_reference(opened):
    journal, database = opened()
    large = done("x" * (MAX_INLINE_CHARS + 1))
    journal.save("r", (0, 1), large)
    with database.engine.connect() as connection:
        (size,) = connection.execute(text("SELECT length(done) FROM aeon_attempts")).one()
    assert size < 100
    assert journal.load("r", (0, 1)) == large


def test_runs_that_are_forgotten_are_gone_whole_and_alone(opened):
    journal, _ = opened()
    for run in ("a", "b", "c"):
        journal.save(run, (0, 1), done())
    journal.delete_runs(["a", "c", "never there"])
    journal.delete_runs([])
    assert [journal.completed_attempts(run) for run in ("a", "b", "c")] == [set(), {(0, 1)}, set()]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_full_database_is_tried_again_until_there_is_room(opened, caplog):
    """That it is full is said once."""
    journal, database = opened()
    with database.engine.connect() as connection:
        (pages,) = connection.execute(text("PRAGMA page_count")).one()
    most = [pages]
    listen(database.engine, "checkout", lambda raw, *_: raw.execute(f"PRAGMA max_page_count = {most[0]}"))
    large = done("x" * 100_000)
    keeping = threading.Thread(target=journal.save, args=("r", (0, 1), large))
    keeping.start()
    keeping.join(0.3)
    assert keeping.is_alive()
    assert journal.completed_attempts("r") == set()
    most[0] = 100_000
    keeping.join(20)
    assert journal.load("r", (0, 1)) == large
    told = [record.getMessage() for record in caplog.records if record.name == "aeon.engine"]
    assert [line.partition(".")[0] for line in told] == [
        "The database of the runs is unavailable: database or disk is full"
    ]


def test_once_the_database_is_closed_nothing_is_kept(opened):
    journal, database = opened()
    database.close()
    with pytest.raises(HaltError):
        journal.save("r", (0, 1), done())
    with pytest.raises(HaltError):
        journal.completed_attempts("r")


def test_several_may_make_the_table_at_once(opened):
    made = []
    threads = [threading.Thread(target=lambda: made.append(opened())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8


@pytest.mark.parametrize("is_blocking", [True, False])
def test_an_attempt_that_was_kept_is_not_made_again(opened, is_blocking):
    """Also by whoever takes the run over; another attempt, and another step, are made."""
    journal, _ = opened()
    made = []

    def blocking(key):
        made.append(key)
        return done(str(key))

    async def awaited(key):
        return blocking(key)

    async def carried(checkpoints, key):
        makes = partial(blocking, key) if is_blocking else partial(awaited, key)
        return (await checkpoints(*key, makes)).event.output

    keys = [(0, 1), (0, 2), (1, 1)]

    async def carried_out(count):
        checkpoints = RunCheckpoints(journal, "r")
        return [await carried(checkpoints, key) for key in keys[:count]]

    assert asyncio.run(carried_out(2)) == ["(0, 1)", "(0, 2)"]
    assert asyncio.run(carried_out(3)) == ["(0, 1)", "(0, 2)", "(1, 1)"]
    assert made == [(0, 1), (0, 2), (1, 1)]


def test_what_cannot_be_read_halts_the_run_and_is_not_made_again(opened):
    """A run goes on when its results are there again."""
    journal, database = opened()
    journal.save("r", (0, 1), done())
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE aeon_attempts SET done = '{'"))
    with pytest.raises(HaltError, match="could not be read"):
        asyncio.run(RunCheckpoints(journal, "r")(0, 1, lambda: pytest.fail("made again")))
