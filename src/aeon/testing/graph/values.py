"""What goes into a graph comes out of it, and nothing that goes in can do harm."""

import math
from typing import Any

import pytest

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import (
    GraphStore,
    QueryError,
)
from aeon.testing.graph.cases import ALL, BAD_PARAMETERS, NAMES, ODD_TEXTS, PARAMETERS, SECRET, VALUES
from aeon.testing.graph.world import Stores


class Values(Stores):
    """What goes in and comes out."""

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

    @pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
    def test_a_parameters_value_cannot_inject(self, people: GraphStore, text: str) -> None:
        params: JsonObject = {"v": text, "w": [text, {"k": text}]}
        assert people.write("MATCH (n:P {name: $v}) SET n.x = $v RETURN n", params) == []
        assert people.read("RETURN $v AS v, $w AS w", params) == [params]
        assert people.read(NAMES) == ALL
