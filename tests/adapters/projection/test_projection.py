"""What stands in a graph server equals the record, property by property (decision 31)."""

from contextlib import closing

import pytest

from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.base.clock import SystemClock
from aeon.platform.projection import NodeKey, Projector, find_differences
from aeon.testing.records import RecordMutator, new_record
from aeon.testing.store.rows import fill

pytestmark = pytest.mark.server


@pytest.fixture
def store(tmp_path):
    with closing(new_record(tmp_path)) as record:
        yield record


@pytest.fixture(params=["falkordb", pytest.param("neo4j", marks=[pytest.mark.slow, pytest.mark.nightly])])
def target(request):
    server = request.getfixturevalue(f"{request.param}_server")
    server.clear()
    opened = {"falkordb": open_falkordb, "neo4j": open_neo4j}[request.param]
    with closing(opened(server.address, server.password)) as graph:
        yield graph


def test_random_changes_are_followed_property_by_property(store, target):
    projector, changes = Projector(store, target, SystemClock(), size=30), RecordMutator(store, 1)
    for _ in range(2):
        changes.make_changes(60)
        projector.sync()
        assert list(find_differences(store, target)) == []
    assert target.count() > 50
    target.clear("")
    projector.sync()
    assert list(find_differences(store, target)) == []


def test_the_step_and_the_tool_of_a_busy_worker_are_in_the_graph(store, target):
    fill(store)
    Projector(store, target, SystemClock()).sync()
    edges = target.fetch([NodeKey("Worker", "worker")])[1]
    assert sorted((edge.type, edge.target.label, edge.target.id) for edge in edges) == [
        ("EXECUTES", "Tool", "tool"),
        ("PROCESSES", "ProcessStep", "process/step"),
    ]
    assert list(find_differences(store, target)) == []


def test_what_differs_is_found(store, target):
    projector, changes = Projector(store, target, SystemClock()), RecordMutator(store, 1)
    changes.make_changes(60)
    projector.sync()
    store.update(lambda unit: unit.write("UPDATE users SET audit_seq = 77 WHERE id = 'ann'"))
    assert len(list(find_differences(store, target))) == 2
    projector.sync()
    assert list(find_differences(store, target)) == []
    node = target.fetch([NodeKey("User", "ann")])[0][0]
    assert node.properties["auditSeq"] == 77
    changes.make_changes(20)
    assert list(find_differences(store, target))
