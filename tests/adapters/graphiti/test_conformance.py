"""Every graph of what users know obeys the public suite."""

import pytest

from aeon.adapters.graphiti import open_graphiti
from aeon.testing.embedding import HashEmbedder
from aeon.testing.knowledge_graph import InMemoryKnowledgeGraph, KnowledgeGraphConformance


class TestMemory(KnowledgeGraphConformance):
    @pytest.fixture
    def graph(self):
        return InMemoryKnowledgeGraph()


@pytest.mark.server
class TestGraphiti(KnowledgeGraphConformance):
    @pytest.fixture(params=["falkordb", pytest.param("neo4j", marks=pytest.mark.slow)])
    def graph(self, request):
        server = request.getfixturevalue(f"{request.param}_server")
        server.clear()
        return open_graphiti(server.address, server.password, HashEmbedder(), lambda: None)
