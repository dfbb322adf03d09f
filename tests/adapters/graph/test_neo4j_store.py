"""The graph on a Neo4j server: who gets in, what is lost with a connection, what a kill leaves (decision 19)."""

import logging
import random
import socket
import sys
import threading
from contextlib import closing, suppress
from itertools import count

import pytest

from aeon.adapters.graph import memory, open_neo4j
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.platform.graph import (
    DuplicateError,
    GraphError,
    GraphUnavailableError,
    GuardError,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
    Schema,
)
from aeon.testing.neo4j_server import Neo4jServer

from .conftest import free_port

pytestmark = [pytest.mark.server, pytest.mark.slow]

SECRET = "correct-horse-battery"  # noqa: S105  # a word that must turn up in no log
COMMIT = b"\x00\x02\xb0\x12\x00\x00"  # the one message of Bolt that has no content but its kind
KILLS = 15


def opened(server):
    return open_neo4j(server.address, lambda: server.password)


@pytest.fixture
def graph(neo4j_server):
    neo4j_server.empty()
    store = opened(neo4j_server)
    yield store
    store.close()


# Who gets in.


def test_platform_3_the_password_stands_nowhere(neo4j_server, graph):
    assert graph.name == f"Neo4j server at 127.0.0.1:{neo4j_server.port}, database neo4j"
    with pytest.raises(GraphUnavailableError, match="refuses the user or the password") as raised:
        open_neo4j(neo4j_server.address, lambda: "a wrong one")
    assert "a wrong one" not in str(raised.value)
    assert not raised.value.may_have_happened


def test_a_missing_password_is_told(neo4j_server):
    with pytest.raises(GraphUnavailableError, match="password"):
        open_neo4j(neo4j_server.address)


def test_a_user_and_a_database_stand_in_the_address(neo4j_server, graph):
    place = f"127.0.0.1:{neo4j_server.port}"
    named = open_neo4j(f"bolt://neo4j@{place}/neo4j", lambda: neo4j_server.password)
    assert named.read("RETURN 1 AS v") == [{"v": 1}]
    named.close()
    with pytest.raises(GraphUnavailableError, match="no such database"):
        open_neo4j(f"bolt://{place}/elsewhere", lambda: neo4j_server.password)
    with pytest.raises(GraphUnavailableError, match="refuses the user"):
        open_neo4j(f"bolt://ann@{place}", lambda: neo4j_server.password)


def test_a_password_that_changes_is_asked_for_again(neo4j_server):
    given = iter([neo4j_server.password, "another one", neo4j_server.password])
    store = open_neo4j(neo4j_server.address, lambda: next(given))
    with pytest.raises(GraphUnavailableError, match="password"):
        store.read("RETURN 1 AS v")
    assert store.read("RETURN 1 AS v") == [{"v": 1}]
    store.close()


def test_a_server_that_is_not_there_is_told():
    port = free_port()
    with pytest.raises(GraphUnavailableError, match=f"127.0.0.1:{port}") as raised:
        open_neo4j(f"bolt://127.0.0.1:{port}", lambda: SECRET)
    assert not raised.value.may_have_happened


def test_a_server_without_tls_is_not_spoken_to_over_tls(neo4j_server):
    with pytest.raises(GraphUnavailableError, match="does not answer"):
        open_neo4j(f"bolt+s://127.0.0.1:{neo4j_server.port}", lambda: neo4j_server.password)


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(MissingExtraError) as raised:
        open_neo4j("bolt://127.0.0.1")
    assert "aeon-orchestrator[neo4j]" in raised.value.advice


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "neo4j://localhost",
        "bolt://",
        "bolt://host:port",
        "bolt://host:99999",
        "bolt://host/a/b",
        "bolt://host?x=1",
        "bolt://ann:hunter2@host",
        "bolt://:hunter2@host",
    ],
)
def test_platform_3_what_is_no_address_is_refused_without_its_password(address):
    with pytest.raises(ConfigError) as raised:
        open_neo4j(address)
    assert "hunter2" not in str(raised.value)


# What is told, and what is not.


def test_platform_3_no_log_holds_a_value_or_the_password(neo4j_server, graph, caplog):
    """Not even where a program logs everything that anybody says."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("neo4j").setLevel(logging.DEBUG)
    with closing(opened(neo4j_server)) as store:
        store.write("CREATE (n:P {v: $v}) RETURN id(n) AS v", {"v": SECRET})
        store.read("MATCH (n:Nothing {v: $v}) RETURN n", {"v": SECRET})
        with pytest.raises(QueryError):
            store.write("RETURN $v * 2 AS x", {"v": SECRET})
    logging.getLogger("neo4j").setLevel(logging.NOTSET)
    assert caplog.text
    assert SECRET not in caplog.text
    assert neo4j_server.password not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("RETURN 1/0 AS v", GuardError),
        ("RETURN $big + 1 AS v", QueryError),
        ("RETURN date('2026-11-22') AS v", QueryError),
        ("RETURN 1.0/0.0 AS v", QueryError),
        ("MATCH p = (:P)-->() RETURN p", QueryError),
        ("LOAD CSV FROM 'file:///etc/hosts' AS line RETURN line", QueryError),
        ("load\ncsv from 'http://127.0.0.1/x' AS line RETURN line", QueryError),
    ],
)
def test_what_goes_wrong_is_told_apart_and_changes_nothing(graph, query, kind):
    graph.write("CREATE (:P)-[:E]->(:Q)")
    with pytest.raises(GraphError) as raised:
        graph.write(query, {"big": 2**63 - 1})
    assert type(raised.value) is kind
    assert raised.value.advice
    assert graph.read("MATCH (n) RETURN count(n) AS v") == [{"v": 2}]


def test_a_query_with_transactions_of_its_own_is_refused(graph):
    with pytest.raises(GraphError):
        graph.write("UNWIND range(1, 5) AS x CALL (x) { CREATE (:P {x: x}) } IN TRANSACTIONS OF 1 ROW RETURN x")
    assert graph.read("MATCH (n) RETURN count(n) AS v") == [{"v": 0}]


@pytest.mark.parametrize("query", ["CREATE INDEX FOR (n:P) ON (n.x)", "CALL db.createLabel('X')"])
def test_reading_makes_no_schema(graph, query):
    with pytest.raises(ReadOnlyError):
        graph.read(query)


def test_no_time_at_all_is_not_for_ever(graph):
    with pytest.raises(QueryTimeoutError):
        graph.read("UNWIND range(1, 1000000000) AS n WITH n WHERE n % 2 = 0 RETURN count(n) AS n", timeout=0)


def test_the_plan_is_told_with_its_indexes(graph):
    graph.ensure(Schema(unique=(("P", "name"),), indexed=(("P", "age"),)))
    unique = graph.explain("MATCH (n:P {name: $v}) SET n.x = 1 RETURN n", {"v": 1})
    assert unique.startswith("ProduceResults")
    assert "NodeUniqueIndexSeek" in unique
    assert "NodeIndexSeek" in graph.explain("MATCH (n:P) WHERE n.age > $v RETURN n", {"v": 1})


def test_an_index_becomes_a_constraint_and_comes_back_where_data_forbid_that(graph):
    graph.ensure(Schema(indexed=(("P", "name"),)))
    graph.write("CREATE (:P {name: 'ann', id: 1}), (:P {name: 'ann', id: 2})")
    unique = Schema(unique=(("P", "name"),))
    with pytest.raises(DuplicateError, match="Several nodes P have the same name"):
        graph.ensure(unique)
    assert "NodeIndexSeek" in graph.explain("MATCH (n:P {name: 'ann'}) RETURN n")
    graph.write("MATCH (n:P {id: 2}) SET n.name = 'bob'")
    graph.ensure(unique)
    with pytest.raises(DuplicateError):
        graph.write("CREATE (:P {name: 'ann'})")


# Many at once.


def test_several_stores_on_one_server_see_one_graph(neo4j_server, graph):
    other = opened(neo4j_server)
    graph.write("CREATE (:P {name: 'ann'})")
    assert other.read("MATCH (n:P) RETURN n") == [{"n": {"name": "ann"}}]
    graph.close()
    graph.close()
    assert other.read("MATCH (n:P) RETURN count(n) AS v") == [{"v": 1}]
    other.close()


def test_queries_that_lock_each_other_out_are_repeated(neo4j_server, graph):
    """Each changes two nodes, half of them in the other order, which the server ends by turning one down."""
    graph.write("CREATE (:P {name: 'a', n: 0}), (:P {name: 'b', n: 0})")
    change = "UNWIND $names AS name MATCH (n:P {name: name}) SET n.n = n.n + 1 WITH n UNWIND range(1, 3000) AS x "
    wrong = []

    def work(names):
        try:
            for _ in range(10):
                graph.write(f"{change} RETURN count(x) AS v", {"names": names})
        except GraphError as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(names,)) for names in (["a", "b"], ["b", "a"]) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert graph.read("MATCH (n:P) RETURN n.n AS v") == [{"v": 60}, {"v": 60}]


def test_the_turns_that_writes_take_are_seen_nowhere(neo4j_server, graph, tmp_path):
    """The label of the lock is in no answer, in no export, in no snapshot, nor in what another store is to enforce."""
    graph.write("CREATE (:P)")
    assert graph.read("MATCH (n) RETURN labels(n) AS v") == [{"v": ["P"]}]
    graph.snapshot(tmp_path / "copy")
    assert "Turn" not in (tmp_path / "copy").read_text()


def test_a_write_that_waits_for_its_turn_too_long_has_changed_nothing(graph):
    with graph._session.transaction(is_write=True) as other:
        other.take_turn()
        with pytest.raises(QueryTimeoutError):
            graph.write("CREATE (:P)", timeout=0.1)
        assert graph.read("MATCH (n) RETURN count(n) AS v") == [{"v": 0}]


def test_a_failure_leaves_the_connections_of_other_threads_alone(graph):
    """The client would go on to speak on a connection that it has given back, and take another thread's answers."""
    wrong = []

    def work():
        for _ in range(60):
            try:
                graph.write("RETURN 1/(1 - $one) AS v", {"one": 1})
            except GuardError:
                continue
            except GraphError as error:
                wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# From one store to another.


def content(store):
    """Nodes and edges, whatever numbers they have."""
    nodes, edges = {}, []
    for record in store.export():
        if "node" in record:
            nodes[record["node"]] = (sorted(record["labels"]), sorted(record["properties"].items()))
        else:
            ends = (nodes[record["from"]], nodes[record["to"]])
            edges.append((record["edge"], *ends, sorted(record["properties"].items())))
    return sorted(map(repr, nodes.values())), sorted(map(repr, edges))


def test_a_graph_goes_to_neo4j_and_back_and_is_the_same(graph, tmp_path):
    """Something like a catalog: labels, unique keys, lists, many types of edges, JSON as text."""
    schema = Schema(unique=(("Service", "id"), ("Tool", "id")), indexed=(("Tool", "ownerId"),))
    first, last = memory(), memory()
    first.ensure(schema)
    rows = [{"id": f"id {at}", "ownerId": f"u{at % 7}", "tags": ["a", "ü"], "half": at / 2} for at in range(300)]
    first.write("UNWIND $rows AS row CREATE (n:Service {id: row.id, json: '{\"a\":1}'}) SET n += row", {"rows": rows})
    first.write("UNWIND $rows AS row CREATE (n:Tool:Shared) SET n = row", {"rows": rows})
    first.write("MATCH (t:Tool), (s:Service) WHERE t.id = s.id CREATE (t)-[:USES {since: 1}]->(s), (s)-[:SELF]->(s)")
    first.write("MATCH (t:Tool {ownerId: 'u3'}) CREATE (t)-[:OWNED_BY {shared: true}]->(:User {id: t.id})")
    first.snapshot(tmp_path / "one")
    graph.write("CREATE (:Old {x: 1})-[:R]->(:Old)")
    graph.restore(tmp_path / "one")
    assert content(graph) == content(first)
    with pytest.raises(DuplicateError):
        graph.write("CREATE (:Tool {id: 'id 5'})")
    graph.snapshot(tmp_path / "two.gz")
    last.restore(tmp_path / "two.gz")
    assert content(last) == content(first)
    with pytest.raises(DuplicateError):
        last.write("CREATE (:Tool {id: 'id 5'})")
    empty = memory()
    empty.load(graph.export())
    assert content(empty) == content(first)
    for store in (first, last, empty):
        store.close()


def test_a_snapshot_that_breaks_its_own_schema_changes_nothing(graph, tmp_path):
    twins = memory()
    twins.write("CREATE (:P {name: 'ann'}), (:P {name: 'ann'})")
    twins.snapshot(tmp_path / "twins")
    twins.close()
    graph.ensure(Schema(unique=(("P", "name"),)))
    graph.write("CREATE (:P {name: 'bob'})")
    with pytest.raises(DuplicateError):
        graph.restore(tmp_path / "twins")
    assert graph.read("MATCH (n) RETURN n") == [{"n": {"name": "bob"}}]


def test_a_load_beside_a_writer_that_takes_no_turns_is_taken_back(neo4j_server, graph):
    def records():
        yield {"node": 0, "labels": ["P"], "properties": {"x": 1}}
        with neo4j_server.driver() as driver:
            driver.execute_query("CREATE (:Other)")

    with pytest.raises(GraphError, match="writes to the graph"):
        graph.load(records())
    assert graph.read("MATCH (n) RETURN labels(n) AS v") == [{"v": ["Other"]}]


# What is lost with a connection.


class Cut:
    """Between a client and the server: hangs up at a message, as often as was said.

    Either before the message is handed on, or after the server has carried it out and answered.
    """

    def __init__(self, port, message, *, is_handed_on):
        self.port_behind, self.message, self.is_handed_on, self.times = port, message, is_handed_on, 0
        self.is_answer_lost = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"bolt://127.0.0.1:{self.listener.getsockname()[1]}"
        self.sockets, self.threads = [], []
        self.start(self.accept)

    def start(self, work, *args):
        self.threads.append(threading.Thread(target=work, args=args))
        self.threads[-1].start()

    def accept(self):
        while data := self.accepted():
            behind = socket.create_connection(("127.0.0.1", self.port_behind))
            self.sockets += [data, behind]
            self.start(self.asked, data, behind)
            self.start(self.answered, behind, data)

    def accepted(self):
        try:
            return self.listener.accept()[0]
        except OSError:
            return None

    def asked(self, front, behind):
        while data := received(front):
            if self.times > 0 and self.message in data:
                self.times -= 1
                if not self.is_handed_on:
                    break
                self.is_answer_lost = True
            with suppress(OSError):
                behind.sendall(data)
        hang_up(front, behind)

    def answered(self, behind, front):
        while data := received(behind):
            if self.is_answer_lost:
                self.is_answer_lost = False
                break
            with suppress(OSError):
                front.sendall(data)
        hang_up(front, behind)

    def close(self):
        hang_up(self.listener, *self.sockets)
        for thread in self.threads:
            thread.join()
        for sock in (self.listener, *self.sockets):
            sock.close()


def received(source):
    try:
        return source.recv(100_000)
    except OSError:
        return b""


def hang_up(*sockets):
    for sock in sockets:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def through(neo4j_server):
    """A store whose connections are cut at a message, once it is open."""
    made = []

    def cut(message, *, is_handed_on=True, times=1):
        between = Cut(neo4j_server.port, message, is_handed_on=is_handed_on)
        made.append(between)
        made.append(open_neo4j(between.address, lambda: neo4j_server.password))
        between.times = times
        return made[-1]

    yield cut
    for thing in reversed(made):
        thing.close()


@pytest.mark.parametrize("is_handed_on", [True, False])
def test_a_write_whose_commit_has_no_answer_may_have_happened_and_is_not_repeated(graph, through, is_handed_on):
    store = through(COMMIT, is_handed_on=is_handed_on)
    with pytest.raises(GraphUnavailableError) as raised:
        store.write("CREATE (:N)")
    assert raised.value.may_have_happened
    assert graph.read("MATCH (n:N) RETURN count(n) AS v") == [{"v": int(is_handed_on)}]


def test_a_write_lost_before_its_commit_is_asked_once_more(graph, through):
    store = through(b"CREATE (:N)")
    assert store.write("CREATE (:N) RETURN 1 AS v") == [{"v": 1}]
    assert graph.read("MATCH (n:N) RETURN count(n) AS v") == [{"v": 1}]


def test_a_write_lost_twice_before_its_commit_has_not_happened(graph, through):
    store = through(b"CREATE (:N)", times=2)
    with pytest.raises(GraphUnavailableError, match="does not answer") as raised:
        store.write("CREATE (:N)")
    assert not raised.value.may_have_happened
    assert graph.read("MATCH (n:N) RETURN count(n) AS v") == [{"v": 0}]


def test_a_read_whose_answer_was_lost_is_asked_once_more(graph, through):
    assert through(b"MATCH (n:N)").read("MATCH (n:N) RETURN count(n) AS v") == [{"v": 0}]


# What a kill leaves.


class Writer(threading.Thread):
    """Writes one number after another, and keeps which were acknowledged and which are in doubt."""

    def __init__(self, store, first):
        super().__init__()
        self.store, self.first = store, first
        self.acknowledged, self.doubtful = [], []
        self.progress = threading.Condition()

    def run(self):
        for number in count(self.first):
            try:
                self.store.write("CREATE (a:N {v: $v})-[:PAIR]->(b:M {v: $v})", {"v": number})
            except GraphUnavailableError as error:
                self.doubtful = [number] if error.may_have_happened else []
                return
            with self.progress:
                self.acknowledged.append(number)
                self.progress.notify()

    def wait(self, many):
        with self.progress:
            assert self.progress.wait_for(lambda: len(self.acknowledged) >= many, 60)


@pytest.mark.timeout(900)
def test_kills_in_the_middle_of_writes_lose_nothing_that_was_acknowledged(neo4j_server, tmp_path):
    """The same store goes on after each; a write in doubt is there whole or not at all."""
    server = Neo4jServer(neo4j_server.jars, tmp_path)
    server.start()
    store, chance = opened(server), random.Random(7)
    store.ensure(Schema(unique=(("N", "v"),)))
    there, following = set(), 0
    for _ in range(KILLS):
        writer = Writer(store, following)
        writer.start()
        writer.wait(chance.randint(1, 40))
        server.kill()
        writer.join()
        server.start()
        found = store.read("MATCH (n:N)-[:PAIR]->(m:M {v: n.v}) RETURN n.v AS v ORDER BY v")
        now = {row["v"] for row in found}
        assert len(now) == len(found)
        assert now - {*writer.doubtful} == there | {*writer.acknowledged}
        assert store.read("MATCH (n) RETURN count(n) AS v") == [{"v": 2 * len(now)}]
        there, following = now, max(now) + 1
    store.close()
    server.kill()
