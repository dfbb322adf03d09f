"""The servers on which Graphiti works: how their failures are told, and what else may stand there."""

import asyncio
from contextlib import closing

import pytest

from aeon.adapters.graphiti import open_graphiti
from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.base.clock import SystemClock
from aeon.platform.projection import ProjectionError, Projector, TargetUnavailableError, find_differences
from aeon.testing.embedding import HashEmbedder
from aeon.testing.llm import ScriptedAdapter

from .conftest import Watched
from .scripted_graphiti import Said

SAID = "Tove Berg moved from Linz to Graz."


def opened(address, password=None):
    return open_graphiti(address, password, HashEmbedder(), lambda: ScriptedAdapter([]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("falkordb://127.0.0.1:9", "FalkorDB server at 127.0.0.1:9"),
        ("bolt://ann@127.0.0.1:9/known", "Neo4j server at 127.0.0.1:9, database known"),
    ],
)
def test_a_server_that_does_not_answer_is_told_by_its_place(address, name):
    graph = opened(address, "pass word")
    assert graph.name == name
    with pytest.raises(TargetUnavailableError) as told:
        graph.state("record/ann")
    assert "127.0.0.1:9" in told.value.message
    assert "pass word" not in str(told.value)


@pytest.mark.server
def test_to_look_at_the_state_changes_nothing(falkordb_server):
    falkordb_server.clear()
    assert opened(falkordb_server.address, falkordb_server.password).state("record/ann").stamp == ""
    with falkordb_server.client() as client:
        assert client.execute_command("GRAPH.LIST") == []


@pytest.mark.server
def test_platform_3_a_wrong_password_is_told_and_stands_nowhere(falkordb_server, caplog):
    graph = opened(falkordb_server.address, "wrong word")
    with pytest.raises(ProjectionError, match="refuses the password") as told:
        graph.state("record/ann")
    assert "wrong word" not in str(told.value) + caplog.text
    assert falkordb_server.password not in str(told.value) + caplog.text


@pytest.mark.server
def test_platform_3_a_query_that_fails_logs_nothing_that_was_said(store, falkordb_server, caplog, monkeypatch):
    falkordb_server.clear()
    watched = Watched(store, falkordb_server)
    watched.tell(SAID)
    monkeypatch.setattr(
        "graphiti_core.utils.bulk_utils.get_entity_edge_save_bulk_query", lambda *given: "UNWIND $entity_edges AS"
    )
    with pytest.raises(ProjectionError) as told:
        watched.sync()
    assert "Tove" not in str(told.value) + caplog.text


@pytest.mark.server
def test_on_falkordb_a_copy_of_the_record_stands_in_a_graph_of_its_own(store, falkordb_server):
    falkordb_server.clear()
    watched = Watched(store, falkordb_server)
    watched.tell(SAID)
    with closing(open_falkordb(falkordb_server.address, falkordb_server.password)) as target:
        Projector(store, target, SystemClock()).sync()
        watched.sync()
        assert list(find_differences(store, target)) == []
        target.clear("")
    assert watched.search("Graz") == [SAID]


@pytest.mark.server
@pytest.mark.slow
def test_on_neo4j_a_database_with_a_copy_of_the_record_is_refused(store, neo4j_server):
    neo4j_server.clear()
    watched = Watched(store, neo4j_server)
    watched.tell(SAID)
    with closing(open_neo4j(neo4j_server.address, neo4j_server.password)) as target:
        Projector(store, target, SystemClock()).sync()
        with pytest.raises(ProjectionError, match="a copy of a record") as refused:
            watched.sync()
        assert "graphiti.address" in refused.value.advice
        assert list(find_differences(store, target)) == []


@pytest.mark.server
def test_an_error_of_graphiti_itself_is_one_of_the_extraction(store, falkordb_server, monkeypatch):
    from aeon.base.errors import LLMError

    async def broken(*given, **named):
        await asyncio.sleep(0)
        raise KeyError("node")

    falkordb_server.clear()
    watched = Watched(store, falkordb_server)
    watched.model.said = {SAID: Said()}
    monkeypatch.setattr("graphiti_core.Graphiti.add_episode", broken)
    with pytest.raises(LLMError, match="Graphiti failed: KeyError"):
        watched.extract_by_graphiti(watched.say(watched.conversation(), SAID))
