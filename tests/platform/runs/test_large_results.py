"""Where large results are: files, memory, the record of a database server (decision 85)."""

import hashlib
import os

import pytest

from aeon.adapters.results import FileResultStore, MemoryResultStore
from aeon.bootstrap.platform import open_platform
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.recorded_results import LayeredResults, RecordedResults
from aeon.testing.clock import FakeClock

TEXT = "ä large result, " * 20_000
DIGEST = hashlib.sha256(TEXT.encode()).hexdigest()
NEVER, ALWAYS = 0.0, 4e9
"""Instants before and after everything that a test stores."""


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(autouse=True)
def no_results(world):
    """The store is that of all tests."""
    world.store.update(lambda unit: unit.write("DELETE FROM large_results"))


@pytest.fixture
def files(tmp_path):
    return FileResultStore(tmp_path / "results")


@pytest.fixture(params=["files", "memory", "record", "layers"])
def results(request, world, files):
    recorded = RecordedResults(world.store, FakeClock())
    made = {"files": files, "memory": MemoryResultStore(), "record": recorded}
    return made.get(request.param) or LayeredResults(recorded, files)


def test_a_text_comes_back_as_it_was_and_is_stored_once(results):
    results.put(DIGEST, TEXT)
    results.put(DIGEST, TEXT)
    assert results.get(DIGEST) == TEXT
    assert list(results.list_unused_since(ALWAYS)) == [DIGEST]


def test_what_is_missing_is_lost_and_says_what_to_do(results):
    with pytest.raises(LostResultError, match=r"is missing.*Run the process again"):
        results.get(DIGEST)


def test_only_what_was_not_put_since_is_removed(results):
    results.put(DIGEST, TEXT)
    assert list(results.list_unused_since(NEVER)) == []
    assert not results.remove_unused(DIGEST, NEVER)
    assert results.remove_unused(DIGEST, ALWAYS)
    assert not results.remove_unused(DIGEST, ALWAYS)
    assert list(results.list_unused_since(ALWAYS)) == []


def test_a_text_that_is_put_again_counts_as_new(world):
    clock = FakeClock()
    results = RecordedResults(world.store, clock)
    results.put(DIGEST, TEXT)
    clock.sleep(3600)
    results.put(DIGEST, TEXT)
    an_hour_later = 1_800 + world.store.read("SELECT put_at FROM large_results")[0]["put_at"] / 1e6 - 3_600
    assert list(results.list_unused_since(an_hour_later)) == []


def test_another_machine_reads_what_one_has_put_and_old_files_are_still_read(world, files, tmp_path):
    recorded = RecordedResults(world.store, FakeClock())
    here, elsewhere = (LayeredResults(recorded, each) for each in (files, FileResultStore(tmp_path / "elsewhere")))
    here.put(DIGEST, TEXT)
    assert elsewhere.get(DIGEST) == TEXT
    older = "of a run before the record was on a server"
    files.put(digest_of(older), older)
    assert here.get(digest_of(older)) == older
    with pytest.raises(LostResultError):
        elsewhere.get(digest_of(older))
    assert set(here.list_unused_since(ALWAYS)) == {DIGEST, digest_of(older)}
    assert here.remove_unused(digest_of(older), ALWAYS)


def test_a_text_that_was_changed_in_the_record_is_not_passed_off_as_the_result(world):
    """Attack: somebody who may write into the database."""
    results = RecordedResults(world.store, FakeClock())
    results.put(DIGEST, TEXT)
    world.store.update(lambda unit: unit.write("UPDATE large_results SET text = 'another'"))
    with pytest.raises(LostResultError, match="was changed"):
        results.get(DIGEST)


def test_thousands_are_listed_by_pages_while_they_are_removed(world):
    results = RecordedResults(world.store, FakeClock())
    texts = [f"text {number}" for number in range(1_200)]
    for text in texts:
        results.put(digest_of(text), text)
    removed = [each for each in results.list_unused_since(ALWAYS) if results.remove_unused(each, ALWAYS)]
    assert sorted(removed) == sorted(map(digest_of, texts))


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_a_platform_on_sqlite_writes_files_and_on_a_server_into_the_record_and_each_reads_both(
    tmp_path, world, dialect
):
    """So a record is moved to a server, and back, with its large results."""
    state = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": os.environ["PATH"]}
    store = _Dialect(world.store, dialect)
    with open_platform(tmp_path / "project", store, state, lambda: None, 8192) as platform:
        platform.results.put(DIGEST, TEXT)
        in_record = world.store.read("SELECT count(*) AS n FROM large_results")[0]["n"]
        assert in_record == (1 if dialect == "postgresql" else 0)
        in_files = FileResultStore(tmp_path / "project" / ".aeon" / "results")
        assert list(in_files.list_unused_since(ALWAYS)) == ([] if dialect == "postgresql" else [DIGEST])
        assert platform.results.get(DIGEST) == TEXT


class _Dialect:
    """A store that says it has another dialect, and stays open."""

    def __init__(self, store, dialect):
        self._store = store
        self.dialect = dialect

    def __getattr__(self, name):
        return getattr(self._store, name)

    def close(self):
        pass
