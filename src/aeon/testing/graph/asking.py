"""The subset of Cypher, what a read refuses, and how a store explains itself."""

import pytest

from aeon.base.json import Json
from aeon.platform.graph import (
    GraphError,
    GraphStore,
    GraphUnavailableError,
    QueryError,
    ReadOnlyError,
)
from aeon.testing.graph.cases import ALL, COUNT, NAMES, PEOPLE, SECRET, SUBSET, SUBSET_PARAMS, UNIQUE
from aeon.testing.graph.world import Stores


class Asking(Stores):
    """The subset, reading and refusing."""

    @pytest.mark.parametrize(("query", "expected"), [case[1:] for case in SUBSET], ids=[case[0] for case in SUBSET])
    def test_the_subset_of_cypher(self, people: GraphStore, query: str, expected: list[Json]) -> None:
        assert [row["v"] for row in people.write(query, SUBSET_PARAMS)] == expected

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
        assert people.read(NAMES) == ALL

    @pytest.mark.parametrize(
        "query",
        ["MATCH (n RETURN n", "NONSENSE", "RETURN no_such_function($v)", "RETURN $missing", "CREATE (:P {x: {a: 1}})"],
    )
    def test_platform_3_a_wrong_query_is_refused_and_no_value_told(self, people: GraphStore, query: str) -> None:
        with pytest.raises(QueryError) as raised:
            people.write(query, {"v": SECRET})
        assert SECRET not in str(raised.value)
        assert people.read(NAMES) == ALL

    @pytest.mark.parametrize("query", ["RETURN $v * 2 AS x", "RETURN $v - $w AS x", "MATCH (n) SET n += $v"])
    def test_platform_3_errors_of_a_running_query_tell_no_value(self, people: GraphStore, query: str) -> None:
        with pytest.raises(GraphError) as raised:
            people.write(query, {"v": SECRET, "w": [SECRET]})
        assert SECRET not in str(raised.value)
        assert SECRET not in str(raised.value.details)


class Itself(Stores):
    """How a store explains, names and closes itself."""

    def test_explain_names_the_index(self, store: GraphStore) -> None:
        query = "MATCH (n:P {name: $name}) RETURN n"
        before = store.explain(query, {"name": "x"})
        store.ensure(UNIQUE)
        after = store.explain(query, {"name": "x"})
        assert "index" not in before.lower()
        assert "index" in after.lower()

    def test_explain_carries_nothing_out(self, store: GraphStore) -> None:
        store.explain("CREATE (:P {name: $name})", {"name": "x"})
        assert store.read(COUNT) == [{"nodes": 0, "edges": 0}]

    def test_closing_twice_is_once_and_then_it_is_closed(self) -> None:
        graph = self.graph()
        graph.write(PEOPLE)
        for _ in range(2):
            graph.close()
        for ask in (graph.read, graph.write):
            with pytest.raises(GraphUnavailableError) as raised:
                ask("MATCH (n) RETURN n")
            assert not raised.value.may_have_happened

    def test_it_has_a_name(self, store: GraphStore) -> None:
        assert store.name
