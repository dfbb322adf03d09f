"""The conformance suite on every FalkorDB there is, in memory, embedded and a server, and on Neo4j (decision 19)."""

import pytest

from aeon.adapters.graph import memory, open_embedded, open_neo4j
from aeon.testing.graph import GraphConformance

pytestmark = [pytest.mark.server, pytest.mark.slow]


class TestMemory(GraphConformance):
    def graph(self):
        return memory()

    def other_graph(self):
        return memory()


class TestEmbedded(GraphConformance):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path_factory):
        self.at = tmp_path_factory.mktemp("embedded")

    def graph(self):
        return open_embedded(self.at / "one")

    def other_graph(self):
        return open_embedded(self.at / "two")


class TestServer(GraphConformance):
    @pytest.fixture(autouse=True)
    def two_servers(self, servers):
        self.one, self.two = servers

    def graph(self):
        return self.one.emptied()

    def other_graph(self):
        return self.two.emptied()


class TestNeo4j(GraphConformance):
    @pytest.fixture(autouse=True)
    def two_servers(self, neo4j_server, request):
        self.one, self.request = neo4j_server, request

    def graph(self):
        return emptied(self.one)

    def other_graph(self):
        return emptied(self.request.getfixturevalue("other_neo4j_server"))


def emptied(server):
    server.empty()
    return open_neo4j(server.address, lambda: server.password)
