"""Who may carry out the jobs of a run: so that it is said rightly for whom one waits (platform 10)."""

import pytest

from aeon.base.clock import SystemClock
from aeon.platform.errors import NotFoundError
from aeon.platform.workers.availability import find_eligible_workers, is_run_active, list_live_executors
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WorkerRegistry
from aeon.testing.records import new_record


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    store = new_record(tmp_path_factory.mktemp("record"))
    registry = WorkerRegistry(store, SystemClock())
    registry.register("alone", {"rest_api": 1, "llm_call": 1}, ())
    registry.register("leaves", {"rest_api": 1, "llm_call": 0}, ())
    registry.register("typed", {"llm_call": 1}, ("llm_call",))
    yield registry
    store.close()


@pytest.mark.parametrize(
    ("executor", "workers"),
    [
        ("alone", ["alone/llm_call", "alone/rest_api"]),
        ("leaves", ["leaves/rest_api", "typed/llm_call"]),
        (SELF_RECOVERING_EXECUTOR, ["alone/llm_call", "alone/rest_api", "leaves/rest_api", "typed/llm_call"]),
        ("gone", ["alone/llm_call", "alone/rest_api", "leaves/rest_api", "typed/llm_call"]),
    ],
)
def test_its_own_workers_and_those_of_types_that_it_leaves_to_others(registry, executor, workers):
    """A worker of another process that carries runs out with its own is none of those."""
    assert sorted(each.id.removesuffix("/1") for each in find_eligible_workers(registry, executor)) == workers


class Standing:
    """The phase of a run is its name."""

    def get_phase(self, run):
        if run == "gone":
            raise NotFoundError("There is no such run.")
        return run


@pytest.mark.parametrize(
    ("run", "wanted"), [("new", True), ("running", True), ("cancelling", False), ("failed", False), ("gone", False)]
)
def test_jobs_of_a_run_that_ends_are_wanted_no_more(run, wanted):
    assert is_run_active(Standing(), run) is wanted


def test_who_is_there(registry):
    assert list_live_executors(registry) == {"alone", "leaves", "typed"}
