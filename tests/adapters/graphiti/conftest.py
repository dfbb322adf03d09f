"""What a user said and knows, a graph for Graphiti on a real server, and Graphiti itself to look into it."""

import asyncio
from contextlib import closing

import pytest
from tests.adapters.graphiti.scripted_graphiti import ScriptedGraphiti
from tests.platform.knowledge.conftest import Known

from aeon.adapters.graphiti import open_graphiti
from aeon.adapters.graphiti.shape import group_of
from aeon.platform.episodes.writing import episode_id
from aeon.platform.knowledge.view import KnowledgeViewReader
from aeon.testing.embedding import HashEmbedder
from aeon.testing.records import new_record


class Watched(Known):
    """A user whose knowledge stands in a graph, and Graphiti, which reads it there by its own API."""

    def __init__(self, store, server):
        super().__init__(store)
        self.server = server
        self.views = KnowledgeViewReader(store, self.facts, self.entities)
        self.model = ScriptedGraphiti()
        self.graph = open_graphiti(server.address, server.password, HashEmbedder(), lambda: self.model)

    @property
    def group(self):
        return group_of(self.views.owner(self.user))

    def sync(self):
        return self.graph.sync(self.views.read(self.user))

    def run(self, work):
        """What `work(graphiti)` returns; the connection is one that anybody could make."""
        return run_in(self.server, self.group, work)

    def search(self, question):
        """The facts that Graphiti's own search finds, best first."""
        found = self.run(lambda graphiti: graphiti.search(question, group_ids=[self.group]))
        return [each.fact for each in found]

    def facts_there(self):
        """All facts that stand in the graph, by their texts, as Graphiti reads them."""
        from graphiti_core.edges import EntityEdge
        from graphiti_core.errors import GroupsEdgesNotFoundError

        async def read(graphiti):
            try:
                return await EntityEdge.get_by_group_ids(graphiti.driver, [self.group])
            except GroupsEdgesNotFoundError:
                return []

        return {each.fact: each for each in self.run(read)}

    def everything(self):
        """All values that stand in the group, as one text."""

        async def read(graphiti):
            nodes = "MATCH (n) WHERE n.group_id = $group RETURN properties(n) AS found"
            edges = "MATCH ()-[e]->() WHERE e.group_id = $group RETURN properties(e) AS found"
            rows = [
                row
                for query in (nodes, edges)
                for row in (await graphiti.driver.execute_query(query, group=self.group))[0]
            ]
            return repr([row["found"] for row in rows])

        return self.run(read)

    def extract_by_graphiti(self, message):
        """Let Graphiti extract a message on its path, and write what it found."""
        (episode,) = [each for each in self.queue.list_waiting(self.user) if each.id == episode_id(message.id)]
        place = self.views.place_of(self.user, episode.id)
        found = self.graph.extract(self.views.read(self.user, place.viewpoint), episode, place.previous, [])
        assert self.queue.finish(self.user, episode, found)
        self.sync()
        return found


def run_in(server, group, work):
    """What `work(graphiti)` returns, with Graphiti's own driver, as another program opens it."""
    from graphiti_core import Graphiti

    from aeon.adapters.graphiti.clients import AeonEmbedderClient, AeonLLMClient, KeptOrder

    driver = stock_driver(server, group)  # outside of the loop, where it would begin to build indices by itself
    models = {"llm_client": AeonLLMClient(ScriptedGraphiti), "embedder": AeonEmbedderClient(HashEmbedder())}

    async def connected():
        try:
            return await work(Graphiti(graph_driver=driver, cross_encoder=KeptOrder(), **models))
        finally:
            await driver.close()

    return asyncio.run(connected())


def stock_driver(server, group):
    if server.address.startswith("falkordb:"):
        from graphiti_core.driver.falkordb_driver import FalkorDriver

        return FalkorDriver("127.0.0.1", server.port, password=server.password, database=group)
    from graphiti_core.driver.neo4j_driver import Neo4jDriver

    return Neo4jDriver(f"bolt://127.0.0.1:{server.port}", "neo4j", server.password)


@pytest.fixture(params=["falkordb", pytest.param("neo4j", marks=[pytest.mark.slow, pytest.mark.nightly])])
def server(request):
    found = request.getfixturevalue(f"{request.param}_server")
    found.clear()
    return found


@pytest.fixture
def store(tmp_path):
    with closing(new_record(tmp_path)) as record:
        yield record


@pytest.fixture
def watched(store, server):
    return Watched(store, server)
