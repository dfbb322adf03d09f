"""Exports: of one moment, equal for equal records, loaded whole or not at all, those of the graph stores too."""

import json
import subprocess
import sys
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.knowledge.conftest import Known

from aeon.adapters.results import FileResultStore
from aeon.platform.catalog.model import NewTool
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import ConflictError, RuleError
from aeon.platform.exports.staging import parents_first
from aeon.platform.exports.transfer import copy, export, load
from aeon.platform.graph_types import GRAPH_SCHEMA
from aeon.platform.ledger import MutationRequest
from aeon.platform.metrics.service import Metrics
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.service import Runs
from aeon.platform.schedules.repository import ScheduleRepository
from aeon.platform.store import StoreError
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.clock import FakeClock
from aeon.testing.records import RecordMutator, new_record
from aeon.testing.store.knowledge_rows import KNOWLEDGE_ROWS
from aeon.testing.store.rows import ROWS, fill
from aeon.testing.vault import InMemoryVault

from .conftest import World

OLD = Path(__file__).parent / "data" / "export-0.x.jsonl"
"""From FalkorDB: users, a catalog, processes, runs, schedules, metrics, workers, and the places of a deleted service."""

OBSOLETE = {"AeonVersion", "Event", "Graph"}

COUNTS = "SELECT label, count(*) AS n FROM graph_node GROUP BY label"

USER = {"id": "ann", "auditSeq": 0, "auditHash": "0", "createdAt": "then"}
SECRET = {"id": "k", "name": "key", "type": "api_key", "shared": False, "vaultVersion": 1, "version": 1,
          "createdAt": "then", "updatedAt": "then"}  # fmt: skip


def old():
    return [json.loads(line) for line in OLD.read_text("utf-8").splitlines()]


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])]
)
def new(request, tmp_path_factory):
    """Makes empty records."""
    made = []

    def record():
        folder = tmp_path_factory.mktemp("record")
        made.append(new_record(folder) if request.param == "sqlite" else request.getfixturevalue("postgres_record")())
        return made[-1]

    yield record
    for each in made:
        each.close()


@pytest.fixture
def empty(new):
    return new()


class Loaded:
    """The old export in a record, with the rooms of the platform on it."""

    def __init__(self, store, folder):
        self.store = store
        load(store, old())
        self.catalog = Catalog(store, InMemoryVault(FakeClock()), clock=FakeClock())
        self.ledger = self.catalog.ledger
        self.processes = ProcessRepository(store, self.catalog)
        self.runs = Runs(store, self.ledger, self.processes, FileResultStore(folder), lambda: "new")


@pytest.fixture(scope="module")
def loaded(new, tmp_path_factory):
    return Loaded(new(), tmp_path_factory.mktemp("results"))


def test_an_old_export_is_there_with_all_of_its_nodes(loaded):
    there = Counter(record["labels"][0] for record in old() if "node" in record)
    shown = {row["label"]: row["n"] for row in loaded.store.read(COUNTS)}
    assert shown == {label: n for label, n in there.items() if label not in OBSOLETE} | {"Places": 1}


def test_every_trail_of_an_old_export_is_whole(loaded):
    assert {user: loaded.ledger.verify_audit_log(user) for user in ("aeon", "ann", "bob", "Zoë")} == dict.fromkeys(
        ("aeon", "ann", "bob", "Zoë")
    )
    assert loaded.ledger.chain_head("ann").seq == 27


def test_the_catalog_of_an_old_export_works(loaded):
    tools = {tool.name: tool for tool in loaded.catalog.tools.list_own("ann")}
    assert (tools["get"].secret_scope, tools["get"].effect, tools["get"].needs_secret) == ("read", "idempotent", True)
    assert tools["fail"].service_id == loaded.catalog.services.find_own("ann", "Äpfel 🍎").id
    assert loaded.catalog.services.find_own("ann", "api").limits.concurrency == 2
    assert loaded.catalog.tools.token_totals("ann", tools["get"].id).prompt_tokens == 7
    with pytest.raises(RuleError, match="changed since you bound a secret to it"):  # what to, nobody noted then
        loaded.catalog.tools.resolve("bob", tools["get"].id)
    (secret,) = loaded.catalog.secrets.list_own("bob")
    loaded.catalog.tools.bind(tools["get"].id, secret.id, MutationRequest("bob"))
    assert loaded.catalog.tools.resolve("bob", tools["get"].id).secret == secret
    (template,) = loaded.catalog.tool_templates.list_own("ann", archived=True)
    assert tools["fail"].tool_template_id == template.id


def test_an_old_request_is_not_carried_out_again(loaded):
    """Platform 20. The older version kept what a caller said of it, from which nobody can tell what was asked for."""
    row = loaded.store.read("SELECT at FROM requests")[0]
    clock = FakeClock()
    clock.now = lambda: row["at"]
    catalog = Catalog(loaded.store, InMemoryVault(clock), clock=clock)
    tool = catalog.tools.find_own("ann", "get")
    again = NewTool.model_validate({name: getattr(tool, name) for name in NewTool.model_fields if hasattr(tool, name)})
    with pytest.raises(ConflictError, match="the key"):
        catalog.tools.add(again, MutationRequest("ann", "the key"))


def test_the_processes_of_an_old_export_work(loaded):
    outer = loaded.processes.find_own("ann", "outer")
    assert [step.id for step in outer.steps] == ["a", "b", "c"]
    assert [version.version for version in loaded.processes.list_versions("ann", outer.id)] == [1, 2]
    depends = "SELECT from_id, to_id, properties FROM graph_edge WHERE type = 'DEPENDS_ON' ORDER BY from_id, to_id"
    edges = [(row["from_id"], row["to_id"], json.loads(row["properties"])) for row in loaded.store.read(depends)]
    a, b, c = (f"{outer.id}/{step}" for step in "abc")
    assert edges == [(b, a, {"order": 0}), (c, a, {"order": 1}), (c, b, {"order": 0})]
    (daily,) = ScheduleRepository(loaded.store, loaded.catalog, loaded.processes).list_own("bob")
    assert daily.process == loaded.processes.find_own("ann", "inner").id


def test_the_runs_of_an_old_export_can_be_seen_and_go_on(loaded):
    runs = {run.process_name: run for run in loaded.runs.list_runs("ann")}
    assert {name: run.phase for name, run in runs.items()} == {
        "outer": "completed",
        "fails": "failed",
        "gone": "completed",
        "manual": "running",
    }
    seen = loaded.runs.view("ann", runs["outer"].id)
    assert seen.state.phase == "completed"
    assert seen.run.deadline == 1772600000.12346
    assert len(list(loaded.runs.list_entries("ann", runs["outer"].id))) == seen.run.events
    assert [run.id for run in loaded.runs.repository.list_open()] == [runs["manual"].id]
    assert set(loaded.runs.repository.list_unmeasured(10)) == {
        run.id for run in loaded.runs.repository.list_by_owner("ann", 10, called=True) if run.ended_at
    } - {runs["outer"].id}
    (dead,) = loaded.runs.repository.list_dead_jobs("ann")
    assert dead.retried_by
    (signal,) = loaded.runs.repository.list_signals([runs["manual"].id])
    assert signal.event.answer == "yes"


def test_the_metrics_and_workers_of_an_old_export_are_typed(loaded):
    values = Metrics(loaded.store, loaded.ledger)
    found = {}
    for metric in values.definitions.list_all():
        groups = values.values.summarize("ann", metric).groups
        found[metric.name] = groups[0].value if groups else None
    assert found["tool.calls"] == 3
    assert (found["own.float"], found["own.boolean"]) == (3, False)
    assert found["own.timestamp"] == "2026-03-01T11:00:00.000000+00:00"
    workers = {each.status: each for each in WorkerRegistry(loaded.store, FakeClock()).list_workers()}
    assert all(worker.current_job_id is None or worker.status == "busy" for worker in workers.values())
    references = "SELECT reference FROM cached_results ORDER BY reference IS NULL"
    assert [bool(row["reference"]) for row in loaded.store.read(references)] == [True, False]


def test_an_old_service_without_limits_is_not_limited(empty):
    records = old()
    for record in records:
        record["properties"].pop("limits", None)
    load(empty, records)
    service = Catalog(empty, InMemoryVault(FakeClock()), clock=FakeClock()).services.find_own("ann", "api")
    assert service.limits.is_unlimited


def test_the_record_keeps_its_own_id(empty):
    own = "SELECT value FROM meta WHERE key = 'record'"
    before = empty.read(own)
    load(empty, old())
    assert empty.read(own) == before != [{"value": "the-old-graph"}]


def test_a_copy_exports_the_same(new, tmp_path):
    first, between, last = new_record(tmp_path / "first"), new(), new_record(tmp_path / "last")
    load(first, old())
    copy(first, between)
    copy(between, last)
    lines = list(export(first))
    assert list(export(between)) == lines
    assert list(export(last)) == lines
    first.close()
    last.close()


def test_what_is_made_today_is_copied_too(new):
    source, target = new(), new()
    world = World(source)
    user = world.user("ann")
    tool = world.tool(user, world.service(user), description='A "quoted"\\ \n\t\x1f🍎 text')
    copy(source, target)
    assert list(export(target)) == list(export(source))
    assert Catalog(target, world.vault, clock=world.clock).tools.get(user, tool.id) == tool


NOT_EXPORTED = {"events", "knowledge_leases", "word_cases", "vectors", "span_progress"}
"""What the store notes of its changes, and what is derived from other rows."""


DERIVED_COLUMNS = {column for node in GRAPH_SCHEMA.nodes.values() for column in node.derived}


def rows_of(store):
    """All rows of the tables that are exported, in any order, without what is derived from their other columns."""
    return {
        table: sorted(
            repr({name: value for name, value in row.items() if name not in DERIVED_COLUMNS})
            for row in store.read(f"SELECT * FROM {table}")
        )
        for table in ROWS
        if table not in NOT_EXPORTED
    }


def test_a_row_of_every_table_is_in_an_export_with_all_of_its_columns(new):
    source, target = new(), new()
    fill(source)
    copy(source, target)
    assert rows_of(target) == rows_of(source)
    assert all(rows_of(target).values())
    assert target.read("SELECT * FROM vectors") == target.read("SELECT * FROM word_cases") == []


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_known_is_copied_too(new, seed):
    """Episodes, entities, facts, summaries and notes in every state, also forgotten ones."""
    source, target = new(), new()
    RecordMutator(source, seed).make_changes(250)
    source.update(lambda unit: unit.write("DELETE FROM executors"))  # their workers have empty jobs, which mean none
    exported = list(export(source))
    load(target, exported)
    assert list(export(target)) == exported
    there, expected = rows_of(target), rows_of(source)
    for table in KNOWLEDGE_ROWS.keys() - NOT_EXPORTED - {"compressions", "knowledge_settings"}:
        assert expected[table], table
        assert there[table] == expected[table], table


def test_what_was_said_before_an_export_is_known_from_it(new):
    source, target = new(), new()
    said = Known(source)
    said.tell("We saw Tove in Linz.", "We saw Ida in Linz.")
    said.entities.merge("Tove", "Ida", said.request())
    said.facts.add("Tove bakes.", said.entities.get(said.user, "Tove"), said.request())
    copy(source, target)
    there = Known(target)
    there.user = said.user
    assert (
        there.believed("Ida") == said.believed("Ida") == {"We saw Tove in Linz.", "We saw Ida in Linz.", "Tove bakes."}
    )
    assert there.queue.state(said.user) == said.queue.state(said.user)
    assert there.queue.word_cases(said.user, ["Linz"])["linz"] == said.queue.word_cases(said.user, ["Linz"])["linz"]


def test_a_turn_that_shows_nothing_is_refused_with_what_to_do(new):
    source, target = new(), new()
    Known(source).tell("We saw Tove in Linz.")
    changed = json.loads(json.dumps([*export(source)]).replace('"isActive": true', '"isActive": false'))
    assert changed != [*export(source)]

    with pytest.raises(StoreError, match="refuses the export as a whole") as refused:
        load(target, changed)

    assert "A turn of a conversation in it shows no answer" in refused.value.next
    assert list(export(target)) == []


def test_an_export_has_its_own_order_and_form(empty):
    load(empty, old())
    records = list(export(empty))
    nodes = [record for record in records if "node" in record]
    assert [record["node"] for record in nodes] == list(range(len(nodes)))
    assert records[: len(nodes)] == nodes
    ids = [record["properties"]["id"] for record in nodes if record["labels"] == ["Service"]]
    assert ids == sorted(ids)
    service = next(record["properties"] for record in nodes if record["labels"] == ["Service"])
    assert isinstance(service["connectionSchema"], str)
    assert service["enabled"] is True
    assert "lastHealthCheck" not in service
    process = next(record["properties"] for record in nodes if record["labels"] == ["Process"])
    assert process["initialContext"] == ["q"]


def test_an_export_reads_many_pages_in_the_order_of_numbers(empty):
    entry = {"labels": ["AuditEntry"], "properties": {
        **dict.fromkeys(("at", "action", "subject", "actorId", "ownerId", "previous", "hash"), ""),
        "details": "{}", "userId": "ann"}}  # fmt: skip
    records = [{"node": 0, "labels": ["User"], "properties": USER}]
    records += [{"node": n, **entry, "properties": {**entry["properties"], "seq": n}} for n in range(1, 1002)]
    load(empty, records)
    assert list(export(empty)) == records


def test_an_export_is_of_one_moment(empty):
    load(empty, [{"node": 0, "labels": ["User"], "properties": USER}])
    records = export(empty)
    first = next(records)
    empty.update(lambda unit: unit.write("INSERT INTO users VALUES ('bob', 0, '0', 'then')"))
    assert [first, *records] == [{"node": 0, "labels": ["User"], "properties": USER}]


def test_only_an_empty_record_is_filled(empty):
    load(empty, [{"node": 0, "labels": ["User"], "properties": USER}])
    with pytest.raises(StoreError, match="not empty: it has a User"):
        load(empty, [])


def test_what_the_store_refuses_is_taken_back_whole(empty):
    twice = [{"node": n, "labels": ["User"], "properties": USER} for n in range(2)]
    with pytest.raises(StoreError, match="refuses rows of users"):
        load(empty, twice)
    assert list(export(empty)) == []


def test_everything_wrong_is_told_at_once_each_with_its_line(empty):
    wrong = [
        {"node": 0, "labels": ["User"], "properties": {**USER, "auditSeq": "none"}},
        {"node": 1, "labels": ["Secret"], "properties": {**SECRET, "shared": "no", "colour": "red"}},
        {"node": 2, "labels": ["Letter"], "properties": {}},
        {"node": 2, "labels": ["Process"], "properties": {"initialContext": "[1"}},
        "nothing",
        {"edge": "OWNED_BY", "from": 1, "to": 0, "properties": {"created_at": "later", "since": "then"}},
        {"edge": "LIKES", "from": 1, "to": 0, "properties": {}},
        {"edge": "OWNED_BY", "from": 1, "to": 7, "properties": {}},
        {"node": 3, "labels": ["User"], "properties": USER},
    ]
    with pytest.raises(StoreError) as refused:
        load(empty, wrong)
    told = "\n".join(refused.value.details["problems"])
    for said in (
        "line 1 has the property 'auditSeq', which is not a number",
        "line 2 has the property 'shared', which is not a boolean",
        "line 2 has the unknown property 'colour'",
        "line 3 has the unknown label 'Letter'",
        "line 4 is a node after an edge, or after a node with the same or a larger number",
        "line 4 has the property 'initialContext', which is not JSON",
        "line 5 is neither a node with one label nor an edge",
        "line 6 is an edge OWNED_BY that contradicts line 2 in created_at",
        "line 6 has the unknown property 'since'",
        "line 7 is an edge 'LIKES' from Secret to User, which is unknown",
        "line 8 is an edge 'OWNED_BY' of a node that does not exist, or that has no edges",
        "line 9 is a node after an edge, or after a node with the same or a larger number",
        "line 4 is a Process without the property 'name'",
        "line 4 is a Process without the edge OWNED_BY",
    ):
        assert said in told
    assert list(export(empty)) == []


def test_no_more_than_fifty_problems_are_told(empty):
    wrong = ({"node": n, "labels": ["User"], "properties": {}} for n in count())
    with pytest.raises(StoreError) as refused:
        load(empty, wrong)
    assert len(refused.value.details["problems"]) == 50


@pytest.mark.parametrize(
    ("edge", "said"),
    [("HAS_STEP", "without the edge HAS_STEP"), ("USES_SERVICE", "without the edge USES_SERVICE")],
)
def test_a_node_without_an_edge_that_it_must_have_is_refused(empty, edge, said):
    with pytest.raises(StoreError, match=said):
        load(empty, [record for record in old() if record.get("edge") != edge])


@pytest.mark.parametrize(("edge", "lost"), [("DEPENDS_ON", "order"), ("DEFINED_BY", "version"), ("HAS_STEP", "order")])
def test_an_edge_without_a_property_that_it_must_have_is_refused(empty, edge, lost):
    records = old()
    for record in records:
        if record.get("edge") == edge:
            del record["properties"][lost]
    with pytest.raises(StoreError, match=f"{edge}.*'{lost}'|'{lost}'"):
        load(empty, records)


def test_a_step_depends_on_steps_of_its_own_process(empty):
    records = old()
    numbers = {record["to"]: record["from"] for record in records if record.get("edge") == "HAS_STEP"}
    edge = next(record for record in records if record.get("edge") == "DEPENDS_ON")
    edge["to"] = next(step for step, process in numbers.items() if process != numbers[edge["from"]])
    with pytest.raises(StoreError, match="is an edge DEPENDS_ON between parts of two things"):
        load(empty, records)


def test_a_folder_for_temporary_files_that_is_full_is_said(tmp_path):
    """The last values are written to the disk only when they are read again."""
    script = """
import resource
from aeon.platform.exports.staging import Spool
from aeon.platform.store import StoreError

spool = Spool()
spool.add("x" * 1_100_000)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
spool.add("y")
try:
    list(spool)
except StoreError as error:
    print(error.message, error.advice)
"""
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert (
        "folder for temporary files cannot be written to: File too large. Set TMPDIR" in f"{ended.stdout}{ended.stderr}"
    )


@given(st.dictionaries(st.integers(0, 20), st.sets(st.none() | st.integers(0, 25), max_size=3)))
def test_a_row_comes_after_those_that_it_refers_to(parents):
    order = list(parents_first(parents))
    assert sorted(order) == sorted(parents)
    in_circle = set(parents)
    while outside := {key for key in in_circle if not parents[key] & in_circle}:
        in_circle -= outside
    place = {key: at for at, key in enumerate(order)}
    for key in parents.keys() - in_circle:
        assert all(place[parent] < place[key] for parent in parents[key] & parents.keys())
