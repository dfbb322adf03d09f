"""An erased run is in no byte of what the record, the engine and the store of results keep (platform 28)."""

import pytest

from aeon.adapters.engines.sql import RunDatabase, SqlEngine
from aeon.platform.catalog.result_cache import CacheKey
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.claim_check import MAX_INLINE_CHARS
from aeon.platform.runs.erasing import TABLES, RunErasing
from aeon.platform.workers.result_cache.repository import SqlResultCache
from aeon.testing.engines import EngineWorld
from aeon.testing.engines.world import echo, failing, step
from aeon.testing.records import new_record

pytestmark = pytest.mark.slow

MARKER, OTHER = "zeppelin-7f3a", "keepsake-11b2"


def large(text):
    return f"{text} " * (MAX_INLINE_CHARS // len(text) + 1)


class Erasing:
    """A record in a folder of its own, an engine in SQLite, and what erases the runs in both."""

    def __init__(self, folder):
        self.folder = folder
        self.store = new_record(folder)
        self.world = EngineWorld(
            self.store, folder, lambda *parts: SqlEngine(RunDatabase(f"sqlite:///{folder}/runs.db"), *parts)
        )
        self.erasing = RunErasing(self.store, self.world.results, self.world.engine.erase, self.world.clock.now)

    def ended(self, q, name="errand", behaviour=echo):
        process = self.world.process(name, [step("a", self.world.tool(f"{name} tool", behaviour))])
        request = MutationRequest(self.world.user, f"key of {name}")
        run = self.world.runs.accept(process, NewRun({"q": q}), request)
        self.world.engine.start(run.id)
        self.world.wait_for_end(run)
        return run

    def files_with(self, text):
        found = [file for file in self.folder.rglob("*") if file.is_file()]
        return [file for file in found if text.encode() in file.read_bytes()]

    def erase(self, *runs):
        left = self.erasing.erase([run.id for run in runs])
        self.store.compact(TABLES)
        return left


@pytest.fixture
def erasing(tmp_path):
    made = Erasing(tmp_path)
    yield made
    made.world.close()
    made.store.close()


@pytest.mark.parametrize("q", [MARKER, large(MARKER)], ids=["small", "large"])
def test_of_an_erased_run_no_byte_is_left_and_others_are_whole_platform_28(erasing, q):
    run, other = erasing.ended(q), erasing.ended(large(OTHER), "other")
    retried = erasing.ended(q, "bad", failing)
    again = erasing.world.runs.retry(retried.id, MutationRequest(erasing.world.user, "again"))
    erasing.world.engine.start(again.id)
    erasing.world.wait_for_end(again)
    assert erasing.files_with(MARKER)
    for _ in range(2):
        assert erasing.erase(run, retried) == []
        assert erasing.files_with(MARKER) == []
    for gone in (run, retried, again):
        with pytest.raises(NotFoundError):
            erasing.world.runs.view(erasing.world.user, gone.id)
    view = erasing.world.runs.view(erasing.world.user, other.id)
    assert view.state.output == {"got": large(OTHER)}


def test_a_run_that_has_not_ended_stays_and_is_named_platform_28(erasing):
    world = erasing.world
    asking = world.process("ask", [step("a", world.tool("echo", echo), interactionMode="manual")])
    run = world.start_run(asking, MARKER)
    world.wait_until(lambda: bool(world.runs.list_questions(world.user, run.id)))
    assert erasing.erase(run) == [run.id]
    world.runs.answer(world.user, run.id, "a", "yes")
    world.wait_for_end(run)
    assert erasing.erase(run) == []
    assert erasing.files_with(MARKER) == []


@pytest.mark.parametrize("text", [MARKER, large(MARKER)], ids=["small", "large"])
def test_what_its_tools_returned_leaves_the_cache_too_platform_28(erasing, text):
    run = erasing.ended("q")
    (call,) = erasing.world.runs.view(erasing.world.user, run.id).plan.calls.values()
    cache = SqlResultCache(erasing.store, erasing.world.results, erasing.world.clock)
    keys = [CacheKey(call.id, "1" * 64), CacheKey("another tool", "2" * 64)]
    for key, said in zip(keys, (text, large(OTHER)), strict=True):
        cache.put(key, said)
    assert erasing.files_with(MARKER)
    erasing.erase(run)
    assert erasing.files_with(MARKER) == []
    assert cache.get(keys[1]).output == large(OTHER)
