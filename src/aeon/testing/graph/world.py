"""What the tests of the suite are given: empty stores, some people in one, and threads that all do the same."""

import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from aeon.base.json import Json, JsonObject, canonical
from aeon.platform.graph import (
    GraphStore,
)
from aeon.testing.graph.cases import PEOPLE, THREADS


class Stores:
    """How a test gets its stores: a subclass of the suite says how to build yours."""

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
        store.write(PEOPLE)
        return store


def filled(store: GraphStore) -> None:
    """Enough for several pages, with everything that an export must carry."""
    people: Json = [{"name": f"person {at}", "age": at, "tags": ["a", "ü\n"], "half": at / 2} for at in range(2500)]
    store.write("UNWIND $rows AS row CREATE (n:P) SET n = row", {"rows": people})
    store.write("CREATE ({odd: '\u2028\"'}), (:A:B {x: true})-[:LOOP {w: 1.0}]->(:C)")
    store.write("MATCH (n:C) CREATE (n)-[:SELF]->(n), (n)-[:SELF]->(n)")
    store.write("MATCH (n:P), (c:C) CREATE (n)-[:IN {since: n.age}]->(c)")
    store.write("MATCH (n:P) WHERE n.age > 10 AND n.age < 20 DETACH DELETE n")


def content_of(records: Iterable[JsonObject]) -> tuple[list[str], list[str]]:
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


def in_threads(work: Any) -> None:
    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
