"""What FalkorDB's own export, load and restore do beyond the port."""

import pytest

from aeon.adapters.graph import memory
from aeon.adapters.graph.falkordb import transfer
from aeon.adapters.graph.falkordb.session import Session
from aeon.platform.graph import GraphError, QueryError

pytestmark = pytest.mark.server


def test_vectors_stay_vectors(store, tmp_path):
    store.write("CREATE (a:E {v: vecf32([1, 0.5])})-[:R {w: vecf32([0, 1])}]->(b:E {v: vecf32([0, 1])})")
    records = list(store.export())
    assert records[0]["vectors"] == ["v"]
    store.snapshot(tmp_path / "copy")
    store.restore(tmp_path / "copy")
    distance = "MATCH (a:E)-[r:R]->(b:E) RETURN vec.euclideanDistance(r.w, b.v) AS v"
    assert store.read(distance) == [{"v": 0.0}]
    assert list(store.export()) == records


def test_names_learnt_of_a_graph_are_not_used_for_the_one_that_replaced_it(store, tmp_path):
    """Another process restores while this one still knows the numbers of the old graph's properties."""
    store.write("CREATE (:N {second: 2, third: 3})")
    store.snapshot(tmp_path / "copy")
    store.write("CREATE (:M {first: 1})")
    other = Session(store._link, "aeon")
    other.read("MATCH (n) RETURN n")
    store.write("MATCH (n) DETACH DELETE n")
    store.restore(tmp_path / "copy")
    store.write("CREATE (:M {fourth: 4})")
    rows = other.read("MATCH (n) RETURN n ORDER BY n.second")
    assert rows == [{"n": {"second": 2, "third": 3}}, {"n": {"fourth": 4}}]


def test_large_texts_go_in_several_queries(store, tmp_path):
    store.write("UNWIND range(1, 12) AS x CREATE (:N {x: x, text: $text})-[:E]->(:M)", {"text": "ü" * 1_000_000})
    records = list(store.export())
    store.snapshot(tmp_path / "copy.gz")
    store.restore(tmp_path / "copy.gz")
    assert store.read("MATCH (n:N)-[:E]->(:M) RETURN count(n) AS v") == [{"v": 12}]
    assert len(list(store.export())) == len(records)


def test_one_load_at_a_time(store):
    with (
        transfer.incoming(store._link, 60_000),
        pytest.raises(GraphError, match="Another process"),
        transfer.incoming(store._link, 60_000),
    ):
        pass


def test_a_load_that_fails_leaves_no_second_graph(store):
    with pytest.raises(GraphError):
        store.load([{"node": 0, "labels": ["N"], "properties": {"x": {"a": 1}}}])
    assert store._session.command("KEYS", "*") in ([], [b"aeon"])


def test_two_graphs_in_memory_are_two(store):
    store.write("CREATE (:N)")
    other = memory()
    assert other.read("MATCH (n) RETURN count(n) AS v") == [{"v": 0}]
    other.close()


@pytest.mark.parametrize(
    "query", ["LOAD CSV FROM 'https://example.org/' AS row RETURN row", "load\ncsv FROM $f AS r RETURN r"]
)
def test_the_engine_reads_no_files_and_no_addresses(store, query):
    for ask in (store.read, store.write):
        with pytest.raises(QueryError, match="LOAD CSV"):
            ask(query, {"f": "x"})
