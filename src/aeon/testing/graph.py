"""What every graph store must do, as tests: subclass `GraphConformance`, say how to build yours, run pytest.

    class TestMyGraph(GraphConformance):
        def graph(self):
            return MyGraph(...)

Each test asks for one empty store, and closes it. `other_graph` gives a second empty one, for round trips.
"""

import math
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeon.base.json import Json, JsonObject, canonical
from aeon.platform.graph import (
    DuplicateError,
    GraphError,
    GraphStore,
    GraphUnavailableError,
    GuardError,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
    Row,
    Schema,
)

VALUES: list[Json] = [
    True,
    False,
    0,
    -1,
    2**63 - 1,
    -(2**63),
    0.1,
    -0.0,
    1.0,
    1e16,
    1e-7,
    -1.5e300,
    "",
    "text",
    "'",
    '"',
    "\\",
    '\\"',
    "`",
    "a\nb\r\tc",
    "\\n \\u0041",
    "\x01\x7f\u2028\u2029\ufeff",
    "é 🐉 \ud7ff\ue000\uffff\U0010ffff",
    "$name {x} // /* -- ;",
    "x" * 100_000,
    [],
    [1, 2, 3],
    ["a", "", "ü"],
    [True, False],
    [0.5, 2.0],
]
"""Values that a property can have."""

PARAMETERS: list[Json] = [
    None,
    {},
    {"a": {"b": [{"c": [1, None, "x"]}]}},
    {"a b": 1, "ü": 2, "'": 3, '"': 4, "\\": 5, "$x": 6},
    [[], [[1]], [None]],
    [1, "a", True, 0.5],
]
"""Values that only a parameter can have."""

SECRET = "correct-horse-battery"  # noqa: S105  # a word that must turn up in no error

BAD_PARAMETERS: list[tuple[Any, str]] = [
    (f"{SECRET}\x00", "$bad"),
    (f"{SECRET}\ud800", "$bad"),
    (2**63, "$bad"),
    (-(2**63) - 1, "$bad"),
    (math.nan, "$bad"),
    (math.inf, "$bad"),
    ([1, {"deep": [-math.inf]}], "$bad[1].deep[0]"),
    ({"key": f"{SECRET}\x00"}, "$bad.key"),
    ({"a\x00": SECRET}, "$bad"),
    ({1: SECRET}, "$bad"),
    (b"bytes", "$bad"),
    ({SECRET}, "$bad"),
    (object(), "$bad"),
]
"""What no store may be sent, and where the error must say that it is."""

SUBSET: list[tuple[str, str, list[Json]]] = [
    ("match", "MATCH (n:P {name: 'ann'}) RETURN n.age AS v", [31]),
    (
        "where and or not in",
        "MATCH (n:P) WHERE n.age IN [31, 5] AND NOT n.name = 'cid' OR false RETURN n.name AS v",
        ["ann"],
    ),
    ("optional match", "MATCH (n:P {name: 'cid'}) OPTIONAL MATCH (n)-[:KNOWS]->(m) RETURN m.name AS v", [None]),
    (
        "bounded path",
        "MATCH (n:P {name: 'ann'})-[:KNOWS*0..2]->(m) RETURN m.name AS v ORDER BY v",
        ["ann", "bob", "cid"],
    ),
    ("pattern predicate", "MATCH (n:P) WHERE (n)-[:KNOWS]->() RETURN n.name AS v ORDER BY v", ["ann", "bob"]),
    ("no pattern predicate", "MATCH (n:P) WHERE NOT (n)-[:KNOWS]->() RETURN n.name AS v", ["cid"]),
    ("edge property", "MATCH (:P {name: 'ann'})-[k:KNOWS]->() RETURN k.since AS v", [2001]),
    ("order skip limit", "MATCH (n:P) RETURN n.name AS v ORDER BY n.age DESC SKIP 1 LIMIT 1", ["ann"]),
    ("unwind", "UNWIND $rows AS row RETURN row.x * 2 AS v", [2, 4]),
    (
        "case",
        "MATCH (n:P) RETURN CASE WHEN n.age > 30 THEN 'old' ELSE 'young' END AS v ORDER BY v",
        ["old", "old", "young"],
    ),
    (
        "with collect",
        "MATCH (n:P) WITH n ORDER BY n.name WITH collect(n.name) AS names RETURN names AS v",
        [["ann", "bob", "cid"]],
    ),
    ("count distinct", "MATCH (:P)-[:KNOWS]->(m) RETURN count(DISTINCT m) AS v", [2]),
    ("list comprehension", "RETURN [x IN $list WHERE x > 1 | x + 1] AS v", [[3, 4]]),
    ("coalesce", "MATCH (n:P {name: 'cid'}) RETURN coalesce(n.nothing, 'else') AS v", ["else"]),
    (
        "starts with",
        "MATCH (n:P) WHERE n.name STARTS WITH 'a' OR n.name CONTAINS 'i' RETURN n.name AS v ORDER BY v",
        ["ann", "cid"],
    ),
    ("size and head", "RETURN size($list) + head($list) AS v", [4]),
    ("is null", "MATCH (n:P) WHERE n.email IS NULL RETURN count(n) AS v", [3]),
    ("set map", "MATCH (n:P {name: 'ann'}) SET n += $map RETURN n.age + n.size AS v", [100]),
    ("set null", "MATCH (n:P {name: 'ann'}) SET n.age = null RETURN n.age AS v", [None]),
    ("remove by null map", "MATCH (n:P {name: 'ann'}) SET n += {age: null} RETURN n AS v", [{"name": "ann"}]),
    (
        "create edge",
        "MATCH (a:P {name: 'cid'}), (b:P {name: 'ann'}) CREATE (a)-[k:KNOWS {since: 3}]->(b) RETURN k AS v",
        [{"since": 3}],
    ),
    (
        "merge there",
        "MERGE (n:P {name: 'ann'}) ON CREATE SET n.new = true ON MATCH SET n.seen = true RETURN n.seen AS v",
        [True],
    ),
    (
        "merge new",
        "MERGE (n:P {name: 'dan'}) ON CREATE SET n.new = true ON MATCH SET n.seen = true RETURN n.new AS v",
        [True],
    ),
    (
        "merge edge",
        "MATCH (a:P {name: 'ann'}), (b:P {name: 'bob'}) MERGE (a)-[k:KNOWS]->(b) RETURN k.since AS v",
        [2001],
    ),
    (
        "delete edge",
        "MATCH (:P {name: 'ann'})-[k:KNOWS]->() DELETE k WITH 1 AS one MATCH ()-[r:KNOWS]->() RETURN count(r) AS v",
        [1],
    ),
    ("detach delete", "MATCH (n:P {name: 'bob'}) DETACH DELETE n WITH 1 AS one MATCH (m:P) RETURN count(m) AS v", [2]),
    ("foreach", "FOREACH (x IN $list | CREATE (:Made {x: x})) WITH 1 AS one MATCH (m:Made) RETURN sum(m.x) AS v", [6]),
    ("two labels", "CREATE (n:A:B {x: 1}) WITH n MATCH (m:B) RETURN m.x AS v", [1]),
    ("union", "RETURN 1 AS v UNION RETURN 2 AS v", [1, 2]),
]
"""The subset of Cypher by name: a query on the small graph of `_PEOPLE`, and its column `v`."""

_PEOPLE = (
    "CREATE (a:P {name: 'ann', age: 31}), (b:P {name: 'bob', age: 32}), (c:P {name: 'cid', age: 20}), "
    "(a)-[:KNOWS {since: 2001}]->(b), (b)-[:KNOWS {since: 2002}]->(c)"
)
_SUBSET_PARAMS: JsonObject = {"rows": [{"x": 1}, {"x": 2}], "list": [1, 2, 3], "map": {"age": 40, "size": 60}}
_NAMES = "MATCH (n:P) RETURN n.name AS v ORDER BY v"
_ALL: list[Row] = [{"v": "ann"}, {"v": "bob"}, {"v": "cid"}]
_COUNT = "MATCH (n) OPTIONAL MATCH (n)-[e]->() RETURN count(DISTINCT n) AS nodes, count(e) AS edges"
_UNIQUE = Schema(unique=(("P", "name"), ("A", "active_for")), indexed=(("P", "age"),))

_GUARDED = (
    "MATCH (n:P {name: $name}) "
    "WITH n, 1/(CASE WHEN n.version = $version THEN 1 ELSE 0 END) AS guard "
    "SET n.version = n.version + 1 CREATE (e:Event {of: n.name})-[:OF]->(n) RETURN n.version AS v, guard"
)
_COUNT_UP = (
    "MATCH (n:P {name: 'ann'}) WITH n, 1/(CASE WHEN n.version = $seen THEN 1 ELSE 0 END) AS guard "
    "SET n.version = n.version + guard RETURN n.version AS v"
)
_MANY = "UNWIND range(0, 2000) AS x UNWIND range(0, 2000) AS y UNWIND range(0, 200) AS z WITH x, y, z"
_THREADS = 8
_STEPS = 10
_ODD_TEXTS = ['" RETURN 1 //', "'}) DETACH DELETE n //", '"}) MATCH (n) DETACH DELETE n //', "\\", '\\" x=1 ']


class GraphConformance:
    """The contract of `GraphStore` (decision 19)."""

    def graph(self) -> GraphStore:
        """An empty store."""
        raise NotImplementedError

    def other_graph(self) -> GraphStore:
        """A second empty store, open at the same time as the first."""
        raise NotImplementedError

    @pytest.fixture
    def store(self) -> Iterator[GraphStore]:
        graph = self.graph()
        yield graph
        graph.close()

    @pytest.fixture
    def people(self, store: GraphStore) -> GraphStore:
        store.write(_PEOPLE)
        return store

    # What goes in and comes out.

    @pytest.mark.parametrize("value", VALUES, ids=lambda value: ascii(value)[:20])
    def test_values_of_every_kind_survive(self, store: GraphStore, value: Json) -> None:
        [row] = store.write("CREATE (n:V {v: $v}) RETURN n.v AS v, n AS node, [$v] AS l, {v: $v} AS m", {"v": value})
        assert row == {"v": value, "node": {"v": value}, "l": [value], "m": {"v": value}}
        assert type(row["v"]) is type(value)
        assert store.read("MATCH (n:V) WHERE n.v = $v RETURN n.v AS v", {"v": value}) == [{"v": value}]

    @pytest.mark.parametrize("value", PARAMETERS, ids=lambda value: ascii(value)[:20])
    def test_parameters_of_every_kind_arrive(self, store: GraphStore, value: Json) -> None:
        assert store.read("RETURN $v AS v", {"v": value}) == [{"v": value}]

    @pytest.mark.parametrize("value", [0.1 + 0.2, math.pi, 1 / 3, 1e22 / 3, 2.5e-300 / 7, 1763790000.123456])
    def test_floats_keep_fifteen_digits_and_what_was_read_is_found_again(self, store: GraphStore, value: float) -> None:
        store.write("CREATE (:V {v: $v})", {"v": value})
        read = store.read("MATCH (n:V) RETURN n.v AS v")[0]["v"]
        assert math.isclose(read, value, rel_tol=1e-14)
        assert store.read("MATCH (n:V) WHERE n.v = $v RETURN count(n) AS v", {"v": read}) == [{"v": 1}]

    def test_nodes_and_edges_are_their_properties(self, people: GraphStore) -> None:
        query = "MATCH (n:P {name: 'ann'})-[k]->(m) RETURN n, k, m.name AS name, [n] AS list"
        ann = {"name": "ann", "age": 31}
        assert people.read(query) == [{"n": ann, "k": {"since": 2001}, "name": "bob", "list": [ann]}]

    def test_a_path_is_refused(self, people: GraphStore) -> None:
        with pytest.raises(QueryError):
            people.read("MATCH p = (:P {name: 'ann'})-[:KNOWS]->() RETURN p")

    def test_no_rows_and_no_columns_are_empty_lists(self, store: GraphStore) -> None:
        assert store.read("MATCH (n:Nothing) RETURN n") == []
        assert store.write("CREATE (:P {name: 'x'})") == []

    @pytest.mark.parametrize(("value", "where"), BAD_PARAMETERS, ids=lambda value: ascii(value)[:20])
    def test_what_no_store_can_carry_is_refused_by_name(self, store: GraphStore, value: Any, where: str) -> None:
        for ask in (store.read, store.write):
            with pytest.raises(QueryError) as raised:
                ask("MATCH (n) RETURN $bad AS v", {"bad": value})
            assert where in raised.value.message
            assert SECRET not in str(raised.value)

    def test_values_nested_absurdly_deep_are_refused(self, store: GraphStore) -> None:
        deep: Json = 1
        for _ in range(500):
            deep = [deep]
        with pytest.raises(QueryError):
            store.read("RETURN $v AS v", {"v": deep})

    @pytest.mark.parametrize("name", ["", "a b", "1a", "a=1 b", "a`", "$a", "a\n", "ü"])
    def test_a_parameters_name_cannot_inject(self, people: GraphStore, name: str) -> None:
        with pytest.raises(QueryError):
            people.write("MATCH (n) RETURN n", {name: 1})

    @pytest.mark.parametrize("text", _ODD_TEXTS, ids=ascii)
    def test_a_parameters_value_cannot_inject(self, people: GraphStore, text: str) -> None:
        params: JsonObject = {"v": text, "w": [text, {"k": text}]}
        assert people.write("MATCH (n:P {name: $v}) SET n.x = $v RETURN n", params) == []
        assert people.read("RETURN $v AS v, $w AS w", params) == [params]
        assert people.read(_NAMES) == _ALL

    # The subset, reading and refusing.

    @pytest.mark.parametrize(("query", "expected"), [case[1:] for case in SUBSET], ids=[case[0] for case in SUBSET])
    def test_the_subset_of_cypher(self, people: GraphStore, query: str, expected: list[Json]) -> None:
        assert [row["v"] for row in people.write(query, _SUBSET_PARAMS)] == expected

    @pytest.mark.parametrize(
        "query",
        [
            "CREATE (:P {name: 'new'})",
            "MATCH (n:P) SET n.name = 'x'",
            "MATCH (n:P) DETACH DELETE n",
            "MERGE (n:P {name: 'new'})",
            "MATCH (n:P) FOREACH (x IN [1] | SET n.name = 'x')",
        ],
    )
    def test_reading_refuses_to_write(self, people: GraphStore, query: str) -> None:
        with pytest.raises(ReadOnlyError):
            people.read(query)
        assert people.read(_NAMES) == _ALL

    @pytest.mark.parametrize(
        "query",
        ["MATCH (n RETURN n", "NONSENSE", "RETURN no_such_function($v)", "RETURN $missing", "CREATE (:P {x: {a: 1}})"],
    )
    def test_platform_3_a_wrong_query_is_refused_and_no_value_told(self, people: GraphStore, query: str) -> None:
        with pytest.raises(QueryError) as raised:
            people.write(query, {"v": SECRET})
        assert SECRET not in str(raised.value)
        assert people.read(_NAMES) == _ALL

    @pytest.mark.parametrize("query", ["RETURN $v * 2 AS x", "RETURN $v - $w AS x", "MATCH (n) SET n += $v"])
    def test_platform_3_errors_of_a_running_query_tell_no_value(self, people: GraphStore, query: str) -> None:
        with pytest.raises(GraphError) as raised:
            people.write(query, {"v": SECRET, "w": [SECRET]})
        assert SECRET not in str(raised.value)
        assert SECRET not in str(raised.value.details)

    # Whole or not at all.

    def test_a_guard_that_holds_lets_the_query_through(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', version: 1})")
        assert store.write(_GUARDED, {"name": "ann", "version": 1}) == [{"v": 2, "guard": 1}]
        assert store.read(_COUNT) == [{"nodes": 2, "edges": 1}]

    def test_a_guard_that_fails_leaves_nothing(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', version: 1})")
        with pytest.raises(GuardError):
            store.write(_GUARDED, {"name": "ann", "version": 7})
        assert store.read("MATCH (n) RETURN n") == [{"n": {"name": "ann", "version": 1}}]

    def test_a_guard_that_fails_for_one_row_of_many_leaves_nothing(self, store: GraphStore) -> None:
        query = (
            "UNWIND $rows AS row WITH row, 1/(CASE WHEN row.ok THEN 1 ELSE 0 END) AS guard "
            "CREATE (:P {name: row.name, guard: guard})"
        )
        rows: Json = [{"name": str(at), "ok": at != _THREADS} for at in range(100)]
        with pytest.raises(GuardError):
            store.write(query, {"rows": rows})
        assert store.read(_COUNT) == [{"nodes": 0, "edges": 0}]

    def test_a_duplicate_leaves_nothing(self, store: GraphStore) -> None:
        store.ensure(_UNIQUE)
        store.write(_PEOPLE)
        with pytest.raises(DuplicateError) as raised:
            store.write("CREATE (:Other {x: 1}) CREATE (:P {name: 'new'}) CREATE (:P {name: $n})", {"n": "ann"})
        assert "'ann'" not in str(raised.value)
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:P {name: 'bob'}) SET n.age = 99, n.name = 'ann'")
        assert store.read(_COUNT) == [{"nodes": 3, "edges": 2}]
        assert store.read("MATCH (n:P {name: 'bob'}) RETURN n.age AS v") == [{"v": 32}]

    def test_a_missing_value_is_unique_to_nobody(self, store: GraphStore) -> None:
        """One active alternative: clear the old, then set the new, in one query (platform 12)."""
        store.ensure(_UNIQUE)
        store.write("CREATE (:A {id: 1, active_for: 't'}), (:A {id: 2}), (:A {id: 3, active_for: null})")
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:A {id: 2}) SET n.active_for = 't'")
        switch = (
            "MATCH (old:A {active_for: 't'}) SET old.active_for = null "
            "WITH old MATCH (new:A {id: 2}) SET new.active_for = 't' RETURN new.id AS v"
        )
        assert store.write(switch) == [{"v": 2}]
        assert store.read("MATCH (n:A) WHERE n.active_for = 't' RETURN n.id AS v") == [{"v": 2}]

    def test_a_schema_twice_is_once(self, store: GraphStore) -> None:
        for _ in range(2):
            store.ensure(_UNIQUE)
        store.write("CREATE (:P {name: 'ann'})")
        store.ensure(Schema(unique=(("P", "name"),), indexed=(("P", "name"), ("Q", "x"))))
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'ann'})")

    def test_data_that_contradict_a_schema_are_told_and_can_be_corrected(self, store: GraphStore) -> None:
        store.write("CREATE (:P {name: 'ann', id: 1}), (:P {name: 'ann', id: 2})")
        for _ in range(2):
            with pytest.raises(DuplicateError):
                store.ensure(_UNIQUE)
        store.write("MATCH (n:P {id: 2}) SET n.name = 'bob'")
        store.ensure(_UNIQUE)
        with pytest.raises(DuplicateError):
            store.write("MATCH (n:P {id: 2}) SET n.name = 'ann'")

    @pytest.mark.parametrize("name", ["", "a b", "a`", "1a"])
    def test_a_schema_names_only_plain_words(self, store: GraphStore, name: str) -> None:
        with pytest.raises(QueryError):
            store.ensure(Schema(unique=((name, "x"),)))

    def test_a_slow_query_is_stopped(self, store: GraphStore) -> None:
        with pytest.raises(QueryTimeoutError):
            store.read(f"{_MANY} RETURN sum(x + y + z) AS v", timeout=0.05)

    def test_a_write_that_takes_too_long_has_changed_nothing(self, people: GraphStore) -> None:
        with pytest.raises(QueryTimeoutError):
            people.write(f"{_MANY} CREATE (:T {{x: x}})", timeout=0.05)
        assert people.read(_COUNT) == [{"nodes": 3, "edges": 2}]

    # Many at once.

    def test_threads_that_count_up_with_guards_lose_nothing(self, store: GraphStore) -> None:
        """A guard that holds goes on to hold until its query has written, whoever else writes."""
        store.ensure(_UNIQUE)
        store.write("CREATE (:P {name: 'ann', version: 0})")
        wrong: list[Exception] = []

        def count_up() -> None:
            done = 0
            while done < _STEPS:
                seen = store.read("MATCH (n:P {name: 'ann'}) RETURN n.version AS v")[0]["v"]
                try:
                    assert store.write(_COUNT_UP, {"seen": seen}) == [{"v": seen + 1}]
                    done += 1
                except GuardError:
                    continue
                except Exception as error:  # noqa: BLE001  # whatever a thread meets is told by the test
                    wrong.append(error)
                    return

        _in_threads(count_up)
        assert wrong == []
        assert store.read("MATCH (n:P) RETURN n.version AS v") == [{"v": _THREADS * _STEPS}]

    def test_threads_may_share_it_while_properties_appear(self, store: GraphStore) -> None:
        """Each thread makes properties that the others have not seen, and reads everybody's."""
        wrong: list[object] = []
        numbers = iter(range(_THREADS))

        def work() -> None:
            mine = next(numbers)
            for step in range(_STEPS):
                name = f"p{mine}_{step}"
                store.write("CREATE (n:V) SET n += $map", {"map": {name: name}})
                nodes = [row["n"] for row in store.read("MATCH (n:V) RETURN n")]
                wrong.extend(node for node in nodes if [*node] != [*node.values()])

        _in_threads(work)
        assert wrong == []
        assert store.read("MATCH (n:V) RETURN count(n) AS v") == [{"v": _THREADS * _STEPS}]

    def test_ensure_may_run_many_times_at_once(self, store: GraphStore) -> None:
        wrong: list[Exception] = []

        def ensure() -> None:
            try:
                store.ensure(_UNIQUE)
            except Exception as error:  # noqa: BLE001  # whatever a thread meets is told by the test
                wrong.append(error)

        _in_threads(ensure)
        assert wrong == []

    # Everything, out and in again.

    def test_an_export_loads_into_the_same_graph(self, store: GraphStore) -> None:
        _fill(store)
        records = list(store.export())
        other = self.other_graph()
        try:
            other.load(iter(records))
            assert _content(other.export()) == _content(records)
            assert other.read(_COUNT) == store.read(_COUNT)
        finally:
            other.close()

    def test_an_export_is_nodes_then_edges(self, people: GraphStore) -> None:
        records = list(people.export())
        assert [next(iter(record)) for record in records] == ["node"] * 3 + ["edge"] * 2
        names = {record["node"]: record["properties"]["name"] for record in records[:3]}
        assert all(record["labels"] == ["P"] for record in records[:3])
        edges = {(names[record["from"]], names[record["to"]]): record["properties"] for record in records[3:]}
        assert edges == {("ann", "bob"): {"since": 2001}, ("bob", "cid"): {"since": 2002}}

    def test_only_an_empty_graph_loads(self, people: GraphStore) -> None:
        with pytest.raises(GraphError):
            people.load([{"node": 0, "labels": ["P"], "properties": {"name": "new"}}])
        assert people.read(_NAMES) == _ALL

    @pytest.mark.parametrize(
        "record",
        [
            {"edge": "KNOWS", "from": 0, "to": 7, "properties": {}},
            {"edge": "KNOWS", "from": 0, "properties": {}},
            {"edge": "a`b", "from": 0, "to": 0, "properties": {}},
            {"node": 0, "labels": [], "properties": {}},
            {"node": 1, "labels": ["a`b"], "properties": {}},
            {"node": 1, "labels": "P", "properties": {}},
            {"node": 1, "labels": ["P"]},
            {"node": "1", "labels": [], "properties": {}},
            {"other": 1, "properties": {}},
            [],
        ],
        ids=lambda record: ascii(record)[:40],
    )
    def test_what_is_no_export_leaves_nothing(self, store: GraphStore, record: Any) -> None:
        with pytest.raises(GraphError):
            store.load([{"node": 0, "labels": ["P"], "properties": {"name": "x"}}, record])
        assert store.read(_COUNT) == [{"nodes": 0, "edges": 0}]

    def test_what_is_loaded_obeys_the_schema_that_is_there(self, store: GraphStore) -> None:
        store.ensure(_UNIQUE)
        twins: list[JsonObject] = [{"node": at, "labels": ["P"], "properties": {"name": "x"}} for at in range(2)]
        with pytest.raises(DuplicateError):
            store.load(twins)
        assert store.read(_COUNT) == [{"nodes": 0, "edges": 0}]
        store.load(twins[:1])
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'x'})")

    @pytest.mark.parametrize("name", ["graph.jsonl", "graph.jsonl.gz"])
    def test_a_snapshot_restores_the_same_graph(self, store: GraphStore, tmp_path: Path, name: str) -> None:
        store.ensure(_UNIQUE)
        _fill(store)
        records = list(store.export())
        store.snapshot(tmp_path / name)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        store.write("MATCH (n) DETACH DELETE n")
        store.write("CREATE (:Later {other: 1, props: 2})")
        store.restore(tmp_path / name)
        assert _content(store.export()) == _content(records)
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'person 1'})")
        assert store.write("MATCH (n:P {name: 'person 1'}) SET n.more = 1 RETURN n.more AS v") == [{"v": 1}]

    def test_a_snapshot_enforces_its_schema_in_another_store(self, store: GraphStore, tmp_path: Path) -> None:
        store.ensure(_UNIQUE)
        store.write(_PEOPLE)
        store.snapshot(tmp_path / "copy")
        other = self.other_graph()
        try:
            other.restore(tmp_path / "copy")
            with pytest.raises(DuplicateError):
                other.write("CREATE (:P {name: 'ann'})")
        finally:
            other.close()

    def test_an_empty_graph_has_a_snapshot_too(self, store: GraphStore, tmp_path: Path) -> None:
        store.snapshot(tmp_path / "empty")
        store.write(_PEOPLE)
        store.restore(tmp_path / "empty")
        assert store.read(_COUNT) == [{"nodes": 0, "edges": 0}]
        store.write(_PEOPLE)

    @pytest.mark.parametrize("name", ["graph.jsonl", "graph.jsonl.gz"])
    def test_a_damaged_snapshot_changes_nothing(self, people: GraphStore, tmp_path: Path, name: str) -> None:
        people.snapshot(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        middle = len(whole) // 2
        damaged = {
            "empty": b"",
            "cut": whole[:-5],
            "half": whole[:middle],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "longer": whole + b'{"node":9,"labels":[],"properties":{}}\n',
            "text": b"not a snapshot\n",
            "json": b"[1]\n",
        }
        people.write("CREATE (:P {name: 'dan'})")
        for kind, content in damaged.items():
            (tmp_path / kind).write_bytes(content)
            with pytest.raises(GraphError):
                people.restore(tmp_path / kind)
        with pytest.raises(GraphError):
            people.restore(tmp_path / "missing")
        assert people.read(_NAMES) == [*_ALL, {"v": "dan"}]

    def test_a_snapshot_that_cannot_be_written_leaves_no_part(self, people: GraphStore, tmp_path: Path) -> None:
        with pytest.raises(GraphError):
            people.snapshot(tmp_path / "missing" / "copy")
        (tmp_path / "folder").mkdir()
        with pytest.raises(GraphError):
            people.snapshot(tmp_path / "folder")
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]

    # The rest.

    def test_explain_names_the_index(self, store: GraphStore) -> None:
        query = "MATCH (n:P {name: $name}) RETURN n"
        before = store.explain(query, {"name": "x"})
        store.ensure(_UNIQUE)
        after = store.explain(query, {"name": "x"})
        assert "index" not in before.lower()
        assert "index" in after.lower()

    def test_explain_carries_nothing_out(self, store: GraphStore) -> None:
        store.explain("CREATE (:P {name: $name})", {"name": "x"})
        assert store.read(_COUNT) == [{"nodes": 0, "edges": 0}]

    def test_closing_twice_is_once_and_then_it_is_closed(self) -> None:
        graph = self.graph()
        graph.write(_PEOPLE)
        for _ in range(2):
            graph.close()
        for ask in (graph.read, graph.write):
            with pytest.raises(GraphUnavailableError) as raised:
                ask("MATCH (n) RETURN n")
            assert not raised.value.may_have_happened

    def test_it_has_a_name(self, store: GraphStore) -> None:
        assert store.name


def _fill(store: GraphStore) -> None:
    """Enough for several pages, with everything that an export must carry."""
    people: Json = [{"name": f"person {at}", "age": at, "tags": ["a", "ü\n"], "half": at / 2} for at in range(2500)]
    store.write("UNWIND $rows AS row CREATE (n:P) SET n = row", {"rows": people})
    store.write("CREATE ({odd: '\u2028\"'}), (:A:B {x: true})-[:LOOP {w: 1.0}]->(:C)")
    store.write("MATCH (n:C) CREATE (n)-[:SELF]->(n), (n)-[:SELF]->(n)")
    store.write("MATCH (n:P), (c:C) CREATE (n)-[:IN {since: n.age}]->(c)")
    store.write("MATCH (n:P) WHERE n.age > 10 AND n.age < 20 DETACH DELETE n")


def _content(records: Iterable[JsonObject]) -> tuple[list[str], list[str]]:
    """Nodes and edges, whatever numbers they have: a store may give a new node a number that was free in between."""
    nodes: dict[int, str] = {}
    edges: list[str] = []
    for record in records:
        if "node" in record:
            nodes[record["node"]] = canonical([sorted(record["labels"]), record["properties"]])
        else:
            ends = [nodes[record["from"]], nodes[record["to"]]]
            edges.append(canonical([record["edge"], *ends, record["properties"]]))
    return sorted(nodes.values()), sorted(edges)


def _in_threads(work: Any) -> None:
    threads = [threading.Thread(target=work) for _ in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
