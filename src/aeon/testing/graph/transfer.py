"""Everything that a graph holds, out of it and into another."""

from pathlib import Path
from typing import Any

import pytest

from aeon.base.json import JsonObject
from aeon.platform.graph import (
    DuplicateError,
    GraphError,
    GraphStore,
)
from aeon.testing.graph.cases import ALL, COUNT, NAMES, PEOPLE, UNIQUE
from aeon.testing.graph.world import Stores, content_of, filled


class Transfer(Stores):
    """Everything, out and in again."""

    def test_an_export_loads_into_the_same_graph(self, store: GraphStore) -> None:
        filled(store)
        records = list(store.export())
        other = self.other_graph()
        try:
            other.load(iter(records))
            assert content_of(other.export()) == content_of(records)
            assert other.read(COUNT) == store.read(COUNT)
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
        assert people.read(NAMES) == ALL

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
        assert store.read(COUNT) == [{"nodes": 0, "edges": 0}]

    def test_what_is_loaded_obeys_the_schema_that_is_there(self, store: GraphStore) -> None:
        store.ensure(UNIQUE)
        twins: list[JsonObject] = [{"node": at, "labels": ["P"], "properties": {"name": "x"}} for at in range(2)]
        with pytest.raises(DuplicateError):
            store.load(twins)
        assert store.read(COUNT) == [{"nodes": 0, "edges": 0}]
        store.load(twins[:1])
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'x'})")

    @pytest.mark.parametrize("name", ["graph.jsonl", "graph.jsonl.gz"])
    def test_a_snapshot_restores_the_same_graph(self, store: GraphStore, tmp_path: Path, name: str) -> None:
        store.ensure(UNIQUE)
        filled(store)
        records = list(store.export())
        store.snapshot(tmp_path / name)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        store.write("MATCH (n) DETACH DELETE n")
        store.write("CREATE (:Later {other: 1, props: 2})")
        store.restore(tmp_path / name)
        assert content_of(store.export()) == content_of(records)
        with pytest.raises(DuplicateError):
            store.write("CREATE (:P {name: 'person 1'})")
        assert store.write("MATCH (n:P {name: 'person 1'}) SET n.more = 1 RETURN n.more AS v") == [{"v": 1}]

    def test_a_snapshot_enforces_its_schema_in_another_store(self, store: GraphStore, tmp_path: Path) -> None:
        store.ensure(UNIQUE)
        store.write(PEOPLE)
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
        store.write(PEOPLE)
        store.restore(tmp_path / "empty")
        assert store.read(COUNT) == [{"nodes": 0, "edges": 0}]
        store.write(PEOPLE)

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
        assert people.read(NAMES) == [*ALL, {"v": "dan"}]

    def test_a_snapshot_that_cannot_be_written_leaves_no_part(self, people: GraphStore, tmp_path: Path) -> None:
        with pytest.raises(GraphError):
            people.snapshot(tmp_path / "missing" / "copy")
        (tmp_path / "folder").mkdir()
        with pytest.raises(GraphError):
            people.snapshot(tmp_path / "folder")
        assert [path.name for path in tmp_path.iterdir()] == ["folder"]
