"""What attempts came to is kept once, on both databases, whatever they are like for a while (platform 10, decision 28)."""

import asyncio
import threading
from functools import partial

import pytest

from aeon.adapters.engines.sql import RunDatabase
from aeon.adapters.engines.sql.checkpoints import RunCheckpoints
from aeon.adapters.engines.sql.journal import UNKNOWN_CALL, Journal
from aeon.adapters.results import FileResultStore
from aeon.platform.runs.claim_check import MAX_INLINE_CHARS
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import JobResult

MINE = "mine"


def owned(journal, *runs):
    """The runs, executed by the execution with that token."""
    journal.adopt(dict.fromkeys(runs, MINE))


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
        databases.append(RunDatabase(address))
        return Journal(databases[-1], FileResultStore(tmp_path / "results")), databases[-1]

    yield journal
    for database in databases:
        database.close()


def test_what_was_kept_is_read_by_whoever_comes_next(opened):
    first, _ = opened()
    owned(first, "r", "other")
    first.save("r", (0, 1), done("one"), MINE)
    first.save("r", (0, 2), done("two", attempt=2), MINE)
    first.save("other", (0, 1), done("not this one"), MINE)
    then, _ = opened()
    assert then.completed_attempts("r") == {(0, 1): UNKNOWN_CALL, (0, 2): UNKNOWN_CALL}
    assert then.load("r", (0, 2)) == done("two", attempt=2)
    assert then.completed_attempts("nobody") == {}


def test_whoever_comes_second_knows_that_the_run_is_anothers(opened):
    one, _ = opened()
    other, _ = opened()
    owned(one, "r")
    one.save("r", (0, 1), done("mine"), MINE)
    with pytest.raises(LeaseLostError):
        other.save("r", (0, 1), done("also mine"), MINE)
    assert other.load("r", (0, 1)) == done("mine")


def test_whoever_lost_a_run_keeps_nothing_more_of_it(opened):
    """Also where nothing is kept yet (platform 43); a run that comes back has another token."""
    one, _ = opened()
    other, _ = opened()
    assert one.start("r", MINE)
    assert one.start("r", MINE), "the answer to the first commit may have been lost"
    assert not other.start("r", "theirs")
    other.adopt({"r": "theirs"})
    with pytest.raises(LeaseLostError):
        one.save("r", (0, 1), done("late"), MINE)
    one.adopt({"r": "mine again"})
    for token in (MINE, "theirs"):
        with pytest.raises(LeaseLostError):
            one.save("r", (0, 1), done("late"), token)
    one.save("r", (0, 1), done("mine"), "mine again")
    assert other.load("r", (0, 1)) == done("mine")


def test_a_run_that_was_released_has_no_owner_until_it_is_adopted(opened):
    journal, _ = opened()
    journal.start("r", MINE)
    journal.release("r", "theirs")
    assert journal.is_owner("r", MINE)
    journal.release("r", MINE)
    assert not journal.is_owner("r", MINE)
    assert not journal.start("r", "other")
    with pytest.raises(LeaseLostError):
        journal.save("r", (0, 1), done(), MINE)
    journal.adopt({"r": "other"})
    assert journal.is_owner("r", "other")


def test_the_same_once_more_changes_nothing(opened):
    """A commit whose answer was lost on the way is tried again."""
    journal, _ = opened()
    owned(journal, "r")
    for _ in range(2):
        journal.save("r", (0, 1), done(), MINE)
    assert journal.completed_attempts("r") == {(0, 1): UNKNOWN_CALL}


def test_a_large_result_goes_by_reference(opened):
    journal, database = opened()
    large = done("x" * (MAX_INLINE_CHARS + 1))
    owned(journal, "r")
    journal.save("r", (0, 1), large, MINE)
    (row,) = database.read("SELECT length(result) AS size FROM attempts")
    assert row["size"] < 100
    assert journal.load("r", (0, 1)) == large


def test_runs_that_are_forgotten_are_gone_whole_and_alone(opened):
    journal, _ = opened()
    owned(journal, "a", "b", "c")
    for run in ("a", "b", "c"):
        journal.save(run, (0, 1), done(), MINE)
    journal.forget(["a", "c", "never there"])
    journal.forget([])
    assert [journal.is_owner(run, MINE) for run in ("a", "b", "c")] == [False, True, False]
    assert [journal.completed_attempts(run) for run in ("a", "b", "c")] == [{}, {(0, 1): UNKNOWN_CALL}, {}]


def test_a_large_result_of_an_erased_run_stays_while_an_open_run_has_it_too_platform_28(opened):
    journal, _ = opened()
    large = done("x" * (MAX_INLINE_CHARS + 1))
    owned(journal, "a", "b")
    for run in ("a", "b"):
        journal.save(run, (0, 1), large, MINE)
    journal.erase(["a"], ["b"])
    assert journal.completed_attempts("a") == {}
    assert journal.load("b", (0, 1)) == large
    journal.erase(["b"], [])
    assert journal.completed_attempts("b") == {}


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_full_database_is_tried_again_until_there_is_room(opened, caplog):
    """That it is full is said once."""
    journal, database = opened()
    owned(journal, "r")
    (row,) = database.read("PRAGMA page_count")
    most, acquire = [row["page_count"]], database._store._acquire

    def acquire_limited():
        connection = acquire()
        connection.execute(f"PRAGMA max_page_count = {most[0]}")
        return connection

    database._store._acquire = acquire_limited
    large = done("x" * 100_000)
    keeping = threading.Thread(target=journal.save, args=("r", (0, 1), large, MINE))
    keeping.start()
    keeping.join(0.3)
    assert keeping.is_alive()
    assert journal.completed_attempts("r") == {}
    most[0] = 100_000
    keeping.join(20)
    assert journal.load("r", (0, 1)) == large
    told = [record.getMessage() for record in caplog.records if record.name == "aeon.engine"]
    (line,) = told
    assert line.startswith("The database of the runs is unavailable: ")
    assert "disk is full" in line


def test_once_the_database_is_closed_nothing_is_kept(opened):
    journal, database = opened()
    database.close()
    with pytest.raises(HaltError):
        journal.save("r", (0, 1), done(), MINE)
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
    owned(journal, "r")
    made = []

    def blocking(key):
        made.append(key)
        return done(str(key))

    async def awaited(key):
        return blocking(key)

    async def carried(checkpoints, key):
        makes = partial(blocking, key) if is_blocking else partial(awaited, key)
        return (await checkpoints(*key, makes, {"tool": "t"})).event.output

    keys = [(0, 1), (0, 2), (1, 1)]

    async def carried_out(count):
        checkpoints = RunCheckpoints(journal, "r", MINE)
        return [await carried(checkpoints, key) for key in keys[:count]]

    assert asyncio.run(carried_out(2)) == ["(0, 1)", "(0, 2)"]
    assert asyncio.run(carried_out(3)) == ["(0, 1)", "(0, 2)", "(1, 1)"]
    assert made == [(0, 1), (0, 2), (1, 1)]


def test_the_result_of_another_call_is_not_used_and_replaced(opened):
    """After its record was restored a run may call something else in the same place."""
    journal, _ = opened()
    owned(journal, "r")
    made = []

    def attempt(number):
        def make():
            made.append(number)
            return done(number)

        checkpoints = RunCheckpoints(journal, "r", MINE)
        return asyncio.run(checkpoints(0, 1, make, {"tool": "pay", "inputs": {"amount": number}})).event.output

    assert [attempt(each) for each in (100, 100, 999, 999, 100)] == [100, 100, 999, 999, 100]
    assert made == [100, 999, 100]


def test_results_from_before_there_were_digests_are_used(opened):
    journal, _ = opened()
    owned(journal, "r")
    journal.save("r", (0, 1), done("kept"), MINE)
    checkpoints = RunCheckpoints(journal, "r", MINE)
    assert asyncio.run(checkpoints(0, 1, lambda: pytest.fail("made again"), {"tool": "t"})).event.output == "kept"


def test_what_cannot_be_read_halts_the_run_and_is_not_made_again(opened):
    """A run goes on when its results are there again."""
    journal, database = opened()
    owned(journal, "r")
    journal.save("r", (0, 1), done(), MINE)
    database.update(lambda unit: unit.write("UPDATE attempts SET result = '{'"))
    with pytest.raises(HaltError, match="could not be read"):
        asyncio.run(RunCheckpoints(journal, "r", MINE)(0, 1, lambda: pytest.fail("made again"), {"tool": "t"}))
