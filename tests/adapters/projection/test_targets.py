"""Every target of the projection obeys the public suite; nobody else's nodes are touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.platform.projection import GraphBatch, GraphNode, NodeKey
from aeon.platform.records import NAME
from aeon.testing.projection import InMemoryGraph, TargetConformance


class TestMemory(TargetConformance):
    @pytest.fixture
    def target(self):
        return InMemoryGraph()


@pytest.fixture(scope="module")
def falkordb(falkordb_server):
    graph = open_falkordb(falkordb_server.address, falkordb_server.password)
    yield graph
    graph.close()


@pytest.mark.server
class TestFalkorDB(TargetConformance):
    @pytest.fixture
    def target(self, falkordb_server, falkordb):
        falkordb_server.clear()
        return falkordb


@pytest.mark.server
@pytest.mark.slow
class TestNeo4j(TargetConformance):
    @pytest.fixture
    def target(self, neo4j_server):
        neo4j_server.clear()
        graph = open_neo4j(neo4j_server.address, neo4j_server.password)
        yield graph
        graph.close()


NAMES = st.lists(st.from_regex(NAME, fullmatch=True), min_size=1, max_size=8, unique=True)


@pytest.mark.server
@given(names=NAMES)
def test_falkordb_finds_every_name_again(falkordb, names):
    """What can be a user's name is one key in its index, however alike another name is."""
    references = [NodeKey("User", name) for name in names]
    falkordb.clear("0")
    for stamp in ("1", "2"):
        nodes = [GraphNode(reference, {"id": reference.id}) for reference in references]
        falkordb.apply(GraphBatch(nodes=nodes), falkordb.claim(falkordb.stamp()), stamp)
    assert not falkordb.find_missing(references, falkordb.claim("2"))
    assert sorted(node.key for node in falkordb.fetch(references)[0]) == sorted(references)
    assert falkordb.count() == len(references)
