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
    @pytest.fixture
    def graph(self, server):
        return open_graphiti(server.address, server.password, HashEmbedder(), lambda: None)
