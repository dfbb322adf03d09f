"""The graph equals the record in the end, whatever breaks off in between (decision 31)."""

import shutil
import threading
from contextlib import closing, nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.base.clock import SystemClock
from aeon.platform.catalog.model import NewSecret, NewService, NewTool, ToolChange
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.platform.projection import (
    NodeKey,
    ProjectionMovedError,
    Projector,
    RebuildRequiredError,
    TargetUnavailableError,
    find_differences,
)
from aeon.platform.projection.queries import IDS_AFTER
from aeon.platform.projection.stamps import ProjectionPosition
from aeon.platform.store import StoreUnavailableError
from aeon.testing.clock import FakeClock
from aeon.testing.projection import InMemoryGraph
from aeon.testing.records import RecordMutator, new_record
from aeon.testing.store.rows import fill
from aeon.testing.vault import InMemoryVault

SHAPE = {"type": "object", "required": ["endpoint"]}
ADD_PROCESS = """
INSERT INTO processes (id, owner_id, name, description, initial_context, output_template, max_recursion_depth, enabled,
    digest, shared, version, created_at, updated_at)
VALUES ('p', 'ann', 'p', '', '{}', '', 3, 1, 'd', 0, 1, '', '')
"""
ADD_RUN = """
INSERT INTO runs (id, owner_id, process_id, process_name, digest, plan, inputs, trigger, pins, root_id, accepted_at,
    executor, phase, events, tokens)
VALUES ('r', 'ann', 'p', 'p', 'd', '{}', '{}', 'user', '{}', 'r', '', '', '', 0, 0)
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])])
def store(request, tmp_path):
    if request.param == "sqlite":
        record = new_record(tmp_path / "record")
    else:
        record = request.getfixturevalue("postgres_record")()
    with closing(record):
        yield record


@pytest.fixture
def target():
    return InMemoryGraph()


@pytest.fixture
def projector(store, target):
    return Projector(store, target, SystemClock(), size=7)


def events(store):
    return store.read("SELECT seq, label, subject FROM events ORDER BY seq")


def consumers(store):
    return {row["name"]: row["position"] for row in store.read("SELECT name, position FROM consumers")}


def same(store, target):
    return not list(find_differences(store, target))


# Equal to the record


def test_without_a_consumer_no_event_is_noted(store):
    RecordMutator(store, 1).make_changes(50)
    assert events(store) == []


def test_the_first_sync_builds_the_graph_and_later_ones_follow(store, target, projector):
    changes = RecordMutator(store, 1)
    changes.make_changes(120)
    assert projector.status().state == "empty"
    assert projector.sync() == 0
    assert same(store, target)
    assert target.count() > 20
    changes.make_changes(120)
    assert not same(store, target)
    assert projector.sync() > 50
    assert same(store, target)


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(1, 10**6), pauses=st.lists(st.integers(0, 30), min_size=1, max_size=5), size=st.integers(1, 40))
def test_after_any_changes_the_graph_equals_the_record(tmp_path_factory, seed, pauses, size):
    with closing(new_record(tmp_path_factory.mktemp("record"))) as store:
        target = InMemoryGraph()
        projector, changes = Projector(store, target, SystemClock(), size=size), RecordMutator(store, seed)
        for pause in pauses:
            changes.make_changes(pause)
            projector.sync()
        assert same(store, target)


def test_what_the_catalog_does_is_followed(store, target, projector):
    clock = FakeClock()
    catalog = Catalog(store, InMemoryVault(clock), clock=clock)
    projector.sync()
    catalog.add_user("ann")
    ann = MutationRequest("ann")
    secret = catalog.secrets.add(NewSecret.parsed({"name": "key", "type": "api_key", "value": {"key": "s3cret"}}), ann)
    api = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": SHAPE}
    service = catalog.services.add(NewService.parsed(api), ann)
    new = {"name": "get", "serviceId": service.id, "secretId": secret.id, "operation": {"type": "rest_request"}}
    tool = catalog.tools.add(
        NewTool.parsed({**new, "connectionParams": {"endpoint": "https://x"}, "inputSchema": {}}), ann
    )
    projector.sync()
    assert same(store, target)
    nodes, edges = target.fetch([NodeKey("Tool", tool.id), NodeKey("Secret", secret.id)])
    assert {edge.type for edge in edges} == {"OWNED_BY", "USES_SERVICE", "USES_SECRET"}
    assert "s3cret" not in repr(nodes)
    catalog.tools.change(tool.id, ToolChange(name="fetch"), ann)
    projector.sync()
    assert same(store, target)
    assert target.fetch([NodeKey("Tool", tool.id)])[0][0].properties["name"] == "fetch"
    catalog.tools.remove(tool.id, ann)
    projector.sync()
    assert same(store, target)
    assert target.fetch([NodeKey("Tool", tool.id)]) == ([], [])


def edges_of_the_worker(target):
    edges = target.fetch([NodeKey("Worker", "worker")])[1]
    return sorted((edge.type, edge.target.label, edge.target.id) for edge in edges)


def test_the_step_and_the_tool_of_a_busy_worker_are_followed(store, target, projector):
    """The edges come and go with its job, and with what they lead to."""
    fill(store)
    projector.sync()
    busy = [("EXECUTES", "Tool", "tool"), ("PROCESSES", "ProcessStep", "process/step")]
    assert edges_of_the_worker(target) == busy
    store.update(lambda unit: unit.write("DELETE FROM process_steps WHERE id = 'step'"))
    projector.sync()
    assert edges_of_the_worker(target) == busy[:1]
    idle = "UPDATE workers SET status = 'idle', current_job_id = NULL, current_tool_id = NULL"
    store.update(lambda unit: unit.write(idle))
    projector.sync()
    assert edges_of_the_worker(target) == []
    assert same(store, target)


KNOWN = {
    ("Alternative", "HAS_CONTENT", "Episode"),
    ("Conversation", "HAS_ACTIVE_ENTITY", "Entity"),
    ("Conversation", "HAS_SUMMARY", "Summary"),
    ("Episode", "ASSERTS", "Fact"),
    ("Episode", "MENTIONS", "Entity"),
    ("Episode", "OWNED_BY", "User"),
    ("Fact", "HAS_SUBJECT", "Entity"),
    ("Introspection", "HAS_CONTENT", "Episode"),
    ("Merge", "ABSORBS", "Entity"),
    ("Merge", "KEEPS", "Entity"),
    ("Summary", "COVERS_UP_TO", "ConversationTurn"),
    ("Summary", "HAS_CONTENT", "Episode"),
    ("Summary", "SUMMARIZES", "Episode"),
}
"""Edges of the standard rows of knowledge, all but some to owners."""

CHANGES_OF_KNOWLEDGE = {
    "DELETE FROM mentions": [("Episode", "MENTIONS", "Entity")],
    "DELETE FROM assertions": [("Episode", "ASSERTS", "Fact")],
    "DELETE FROM active_entities": [("Conversation", "HAS_ACTIVE_ENTITY", "Entity")],
    "UPDATE facts SET subject_id = NULL": [("Fact", "HAS_SUBJECT", "Entity")],
    "UPDATE mentions SET name = 'Zoe'": [],
    "UPDATE assertions SET state = 'rejected'": [],
    "UPDATE active_entities SET state = 'hidden'": [],
    "INSERT INTO summary_sources VALUES ('summary', 2, 'forgotten')": [],
    "INSERT INTO summary_contents VALUES ('summary', 2, 'forgotten', 'now', 'operator')": [],
    "INSERT INTO introspection_contents VALUES ('introspection', 2, 'forgotten', 'now', 'user')": [],
    "UPDATE merges SET undone_at = 'now'": [],
    "UPDATE entities SET summary = 'a baker' WHERE forgotten_at IS NULL": [],
    "UPDATE episodes SET failure = 'it was too long'": [],
    "UPDATE facts SET predicate = 'bakes' WHERE forgotten_at IS NULL": [],
    "UPDATE summaries SET deleted_at = 'now'": [],
    "UPDATE introspections SET archived_at = 'now'": [],
}
"""What each of them takes away."""


def edges_of_knowledge(store, target):
    """The kinds of edges of knowledge in the graph, which has them from nodes of every kind."""
    nodes = store.read("SELECT label, id FROM graph_node")
    edges = target.fetch([NodeKey(row["label"], row["id"]) for row in nodes])[1]
    return {(edge.source.label, edge.type, edge.target.label) for edge in edges} & KNOWN


@pytest.mark.parametrize("change", CHANGES_OF_KNOWLEDGE)
def test_what_is_known_is_followed_with_all_that_changes_of_it(store, target, projector, change):
    fill(store)
    projector.sync()
    assert edges_of_knowledge(store, target) == KNOWN
    store.update(lambda unit: unit.write(change))
    assert not same(store, target)
    assert projector.sync() > 0
    assert same(store, target)
    assert edges_of_knowledge(store, target) == KNOWN - {*CHANGES_OF_KNOWLEDGE[change]}


def edges_of_the_run(target):
    return sorted(edge.type for edge in target.fetch([NodeKey("Run", "r")])[1])


@pytest.mark.parametrize("cut", [None, 0, 1, 2, 3, 4])
def test_an_edge_waits_for_its_second_node(store, target, projector, cut):
    """A run outlives its Process. One that is imported again gets the edges of the runs that were there.

    So it does where the batch that brings it was cut off when the node was there and the edges were not.
    """
    RecordMutator(store, 1)
    projector.sync()

    def write(*queries):
        store.update(lambda unit: [unit.write(query) for query in queries])
        target.cut_after = cut
        with nullcontext() if cut is None else pytest.raises(TargetUnavailableError):
            projector.sync()
        projector.sync()
        assert same(store, target)

    write("INSERT INTO definitions (digest, text, created_at) VALUES ('d', '', '')", ADD_RUN)
    assert edges_of_the_run(target) == ["FOLLOWS", "STARTED_BY"]
    write(ADD_PROCESS)
    assert edges_of_the_run(target) == ["FOLLOWS", "RUN_OF", "STARTED_BY"]
    write("DELETE FROM processes WHERE id = 'p'")
    assert edges_of_the_run(target) == ["FOLLOWS", "STARTED_BY"]


def test_every_label_with_events_is_projected(tmp_path):
    with closing(new_record(tmp_path)) as store:
        rows = store.read("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%INTO events%'")
    noted = {label for label in IDS_AFTER for row in rows if f"'{label}'" in row["sql"]}
    assert noted == IDS_AFTER.keys()
    assert len(rows) == sum(any(f"'{label}'" in row["sql"] for label in IDS_AFTER) for row in rows)


# Broken off


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(1, 10**6), cuts=st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_a_batch_that_is_cut_off_is_made_good(tmp_path_factory, seed, cuts):
    with closing(new_record(tmp_path_factory.mktemp("record"))) as store:
        target = InMemoryGraph()
        projector, changes = (
            Projector(store, target, SystemClock(), size=5, builder_timeout=0),
            RecordMutator(store, seed),
        )
        for cut in cuts:
            changes.make_changes(10)
            target.cut_after = cut
            with pytest.raises(TargetUnavailableError):
                projector.rebuild() if cut == 0 else projector.sync()
            changes.make_changes(5)
        projector.sync()
        assert same(store, target)


def crash(*_):
    raise StoreUnavailableError


def test_a_crash_before_the_record_learns_of_a_batch_repeats_nothing_wrongly(store, target, projector, monkeypatch):
    changes = RecordMutator(store, 1)
    changes.make_changes(100)
    projector.sync()
    changes.make_changes(100)
    with monkeypatch.context() as patched:
        patched.setattr(projector, "_advance", lambda *_: exec("raise StoreUnavailableError"))  # noqa: S102
        with pytest.raises(StoreUnavailableError):
            projector.sync()
    again = Projector(store, target, SystemClock())
    again.sync()
    assert same(store, target)
    assert len(events(store)) == 1
    changes.make_changes(100)
    again.sync()
    assert same(store, target)


def test_a_record_that_changes_while_it_is_built_from_is_caught_up_with(store, target):
    changes = RecordMutator(store, 1)
    changes.make_changes(60)

    class Busy(InMemoryGraph):
        def apply(self, batch, claim, stamp):
            changes.make_changes(2)
            super().apply(batch, claim, stamp)

    busy = Busy()
    projector = Projector(store, busy, SystemClock(), size=5)
    projector.rebuild()
    assert not same(store, busy)  # it goes on changing while it is caught up with
    busy.apply = lambda *args: InMemoryGraph.apply(busy, *args)
    projector.sync()
    assert same(store, busy)


def test_a_graph_is_rebuilt_from_nothing(store, target, projector):
    changes = RecordMutator(store, 1)
    changes.make_changes(100)
    projector.sync()
    target.clear("")
    assert projector.status().state == "empty"
    projector.sync()
    assert same(store, target)
    changes.make_changes(50)
    projector.rebuild()
    assert same(store, target)
    assert len(events(store)) == 1


# Several projectors


def test_of_two_projectors_one_moves_the_graph_and_the_other_finds_it_moved(store, target, projector):
    changes = RecordMutator(store, 1)
    changes.make_changes(100)
    projector.sync()
    changes.make_changes(50)
    other = Projector(store, target, SystemClock())
    missing = target.find_missing

    def slow(references, claim):
        target.find_missing = missing
        other.sync()
        return missing(references, claim)

    target.find_missing = slow
    with pytest.raises(ProjectionMovedError):
        projector.sync()
    assert same(store, target)
    assert projector.sync() == 0


def test_a_builder_that_lives_is_waited_for_and_a_dead_one_is_taken_over_from(store, target):
    RecordMutator(store, 1).make_changes(100)
    clock = FakeClock()
    target.clear('{"builder":"b","page":1}')
    others = iter(['{"builder":"b","page":2}', '{"builder":"b","page":3}'])
    sleep = clock.sleep

    def asleep(seconds):
        sleep(seconds)
        if stamp := next(others, ""):
            target.clear(stamp)

    clock.sleep = asleep
    projector = Projector(store, target, clock, builder_timeout=10)
    assert projector.status().state == "building"
    projector.sync()
    assert clock.slept == [10, 10, 10]
    assert same(store, target)


# Events and consumers


def test_events_are_pruned_when_all_consumers_have_them(store, target, projector):
    other = Projector(store, InMemoryGraph(), SystemClock(), name="other")
    changes = RecordMutator(store, 1)
    projector.sync()
    other.sync()
    changes.make_changes(100)
    last = events(store)[-1]["seq"]
    projector.sync()
    assert len(events(store)) > 50
    assert consumers(store)["graph"] == last
    other.sync()
    assert [event["seq"] for event in events(store)] == [last]
    assert consumers(store) == {"graph": last, "other": last}


def test_a_consumers_position_never_goes_back(store, target, projector):
    projector.sync()
    RecordMutator(store, 1).make_changes(50)
    projector.sync()
    before = consumers(store)
    projector._advance(ProjectionPosition("", 1, 0))
    assert consumers(store) == before


def test_who_retires_costs_the_record_nothing_more(store, target, projector):
    changes = RecordMutator(store, 1)
    projector.sync()
    changes.make_changes(20)
    target.is_down = True  # it may be gone for good
    projector.unregister()
    assert projector.target == "a graph in memory"
    target.is_down = False
    assert events(store) == []
    changes.make_changes(20)
    assert events(store) == []
    with pytest.raises(RebuildRequiredError, match="has not recorded its changes"):
        projector.sync()
    projector.rebuild()
    assert same(store, target)


def test_the_lag_is_shown(store, target):
    clock = SystemClock()
    projector = Projector(store, target, clock)
    assert projector.status().state == "empty"
    projector.sync()
    status = projector.status()
    assert (status.state, status.behind, status.lag, status.reason) == ("following", 0, 0.0, "")
    RecordMutator(store, 1).make_changes(20)
    many = len(events(store)) - 1
    later = Projector(store, target, FakeClock(start=clock_in(60)))
    assert later.status().behind == many
    assert 55 < later.status().lag < 70
    projector.sync()
    assert later.status().behind == 0


def clock_in(seconds):
    from datetime import UTC, datetime, timedelta

    return datetime.now(UTC) + timedelta(seconds=seconds)


# Another record, another past


def test_the_graph_of_another_record_must_be_rebuilt(store, target, projector, tmp_path):
    projector.sync()
    with closing(new_record(tmp_path / "other")) as other:
        with pytest.raises(RebuildRequiredError, match="another record") as refused:
            Projector(other, target, SystemClock()).sync()
        assert "Rebuild the graph." in refused.value.advice
        Projector(other, target, SystemClock()).rebuild()
        assert same(other, target)
    with pytest.raises(RebuildRequiredError, match="another record"):
        projector.sync()


@pytest.mark.parametrize("goes_on", [0, 100], ids=["at once", "after it went on"])
def test_a_record_restored_from_a_backup_is_noticed(tmp_path, target, goes_on):
    folder = tmp_path / "record"
    with closing(new_record(folder)) as store:
        changes = RecordMutator(store, 1)
        changes.make_changes(30)
        Projector(store, target, SystemClock()).sync()
    backup = shutil.copytree(folder, tmp_path / "backup")
    with closing(new_record(folder)) as store:
        changes = RecordMutator(store, 2)
        changes.make_changes(50)
        Projector(store, target, SystemClock()).sync()
    shutil.rmtree(folder)
    shutil.copytree(backup, folder)
    with closing(new_record(folder)) as store:
        RecordMutator(store, 3).make_changes(goes_on)
        projector = Projector(store, target, SystemClock())
        assert projector.status().state == "rebuild required"
        with pytest.raises(RebuildRequiredError, match="restored from a backup"):
            projector.sync()
        projector.rebuild()
        assert same(store, target)
        assert projector.status().state == "following"


def test_a_graph_restored_from_a_backup_is_noticed(store, target, projector):
    changes = RecordMutator(store, 1)
    projector.sync()
    before = target.stamp()
    changes.make_changes(20)
    projector.sync()
    target._stamp = before
    with pytest.raises(RebuildRequiredError, match="restored from a backup"):
        projector.sync()


# Following


def test_following_goes_on_when_the_graph_is_there_again(store, target, projector):
    changes, told, waited = RecordMutator(store, 1), [], []
    changes.make_changes(20)

    def wait(seconds):
        waited.append(seconds)
        changes.make_changes(5)
        target.is_down = len(waited) in (2, 3)
        return len(waited) == 6

    projector.follow(wait, pause=1, report=told.append)
    assert [type(error) for error in told] == [TargetUnavailableError, TargetUnavailableError]
    assert waited == [1, 1, 2, 4, 1, 1]
    projector.sync()
    assert same(store, target)


def test_following_ends_when_it_is_told_to(store, target, projector):
    RecordMutator(store, 1).make_changes(20)
    ended = threading.Event()
    thread = threading.Thread(target=projector.follow, args=(ended.wait,), kwargs={"report": print})
    thread.start()
    ended.set()
    thread.join(10)
    assert not thread.is_alive()
    assert same(store, target)
