"""The servers of the projection by their address: who gets in, what is told, and whose nodes are left alone."""

import logging
import socket
from contextlib import closing

import pytest

from aeon.adapters.graph_clients.falkordb import connect, open_graph
from aeon.adapters.projection import open_falkordb, open_neo4j
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.platform.projection import GraphBatch, GraphNode, NodeKey, ProjectionError, TargetUnavailableError
from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb

ANN = NodeKey("User", "ann")
SECRET = "correct-horse-battery"  # noqa: S105  # a word that must turn up in no log


def put(target, **properties):
    target.apply(GraphBatch(nodes=[GraphNode(ANN, {**properties, "id": "ann"})]), target.claim(target.stamp()), "next")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "redis://localhost",
        "falkordb://",
        "falkordb://host:port",
        "falkordb://host:99999",
        "falkordb://host/path",
        "falkordb://host?x=1",
        "falkordb://:hunter2@host",
        "falkordb://ann:hunter2@host",
    ],
)
def test_platform_3_what_is_no_address_of_falkordb_is_refused_without_its_password(address):
    with pytest.raises(ConfigError) as raised:
        open_falkordb(address)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "localhost",
        "neo4j://localhost",
        "bolt://",
        "bolt://host:port",
        "bolt://host:99999",
        "bolt://host/a/b",
        "bolt://host?x=1",
        "bolt://ann:hunter2@host",
        "bolt://:hunter2@host",
    ],
)
def test_platform_3_what_is_no_address_of_neo4j_is_refused_without_its_password(address):
    with pytest.raises(ConfigError) as raised:
        open_neo4j(address)
    assert "hunter2" not in str(raised.value)


def test_without_a_client_the_extra_is_named(uninstall):
    for module, opened, address in (
        ("neo4j", open_neo4j, "bolt://127.0.0.1"),
        ("redis", open_falkordb, "falkordb://127.0.0.1"),
        ("falkordb", open_falkordb, "falkordb://127.0.0.1"),
    ):
        uninstall(module)
        with pytest.raises(MissingExtraError) as raised:
            opened(address)
        assert "aeon-orchestrator[graph]" in raised.value.advice


@pytest.mark.parametrize(("opened", "scheme"), [(open_falkordb, "falkordb"), (open_neo4j, "bolt")])
def test_a_server_that_is_not_there_is_told(opened, scheme):
    port = free_port()
    with closing(opened(f"{scheme}://127.0.0.1:{port}", SECRET)) as target:
        with pytest.raises(TargetUnavailableError, match=f"127.0.0.1:{port}") as raised:
            target.stamp()
        assert SECRET not in str(raised.value)


# FalkorDB


@pytest.mark.server
def test_platform_3_the_password_of_falkordb_stands_nowhere(falkordb_server):
    with closing(open_falkordb(falkordb_server.address, falkordb_server.password)) as target:
        assert target.name == f"FalkorDB server at 127.0.0.1:{falkordb_server.port}"
        assert falkordb_server.password not in repr(vars(target))
    for password in ("a wrong one", None):
        with closing(open_falkordb(falkordb_server.address, password)) as target:
            with pytest.raises(TargetUnavailableError, match="refuses the password") as raised:
                target.stamp()
            assert "a wrong one" not in str(raised.value)


@pytest.mark.server
def test_a_user_of_falkordb_with_a_password(falkordb_server):
    with falkordb_server.client() as client:
        client.execute_command("ACL", "SETUSER", "ann", "on", ">pw of ann", "+@all", "~*")
        client.execute_command("ACL", "SETUSER", "bob", "on", ">pw of bob", "+@all", "-graph.query", "~*")
    place = f"127.0.0.1:{falkordb_server.port}"
    with closing(open_falkordb(f"falkordb://ann@{place}", "pw of ann")) as target:
        target.clear("0")
        assert target.stamp() == "0"
    with (
        closing(open_falkordb(f"falkordb://bob@{place}", "pw of bob")) as target,
        pytest.raises(TargetUnavailableError, match="does not allow"),
    ):
        target.clear("0")


@pytest.mark.server
@pytest.mark.slow
def test_a_falkordb_server_that_comes_back_is_used_again(tmp_path):
    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(tmp_path)
    server.start()
    with closing(open_falkordb(server.address, server.password)) as target:
        target.clear("0")
        server.kill()
        with pytest.raises(TargetUnavailableError):
            target.stamp()
        server.start()
        assert target.stamp() == "0"
    server.kill()


@pytest.mark.server
def test_somebody_elses_nodes_in_falkordb_are_left_alone(falkordb_server):
    falkordb_server.clear()
    with (
        connect("127.0.0.1", falkordb_server.port, None, falkordb_server.password, 10) as client,
        closing(open_falkordb(falkordb_server.address, falkordb_server.password)) as target,
    ):
        theirs = open_graph(client, "aeon")
        theirs.query("CREATE (:User {id: 'ann', mine: 1})-[:KNOWS]->(:Entity {id: 'e'})")
        target.clear("0")
        put(target, n=1)
        theirs.query("MATCH (a:User:Aeon {id: 'ann'}) MATCH (e:Entity) CREATE (a)-[:MENTIONED_IN]->(e)")
        target.apply(GraphBatch(edge_sources=[ANN], edge_targets=[ANN]), target.claim("next"), "1")
        found = theirs.query("MATCH (:Aeon)-[m:MENTIONED_IN]->(:Entity) RETURN count(m)").result_set
        assert found == [[1]]
        assert target.count() == 1
        target.clear("0")
        assert theirs.query("MATCH (a:User)-[:KNOWS]->(:Entity) RETURN a.mine").result_set == [[1]]


# Neo4j


@pytest.fixture
def neo4j_target(neo4j_server):
    neo4j_server.clear()
    with closing(open_neo4j(neo4j_server.address, neo4j_server.password)) as target:
        yield target


@pytest.mark.server
@pytest.mark.slow
def test_platform_3_the_password_of_neo4j_stands_nowhere(neo4j_server, neo4j_target):
    assert neo4j_target.name == f"Neo4j server at 127.0.0.1:{neo4j_server.port}, database neo4j"
    for password in ("a wrong one", None):
        with closing(open_neo4j(neo4j_server.address, password)) as target:
            with pytest.raises(TargetUnavailableError, match="refuses the user or the password") as raised:
                target.stamp()
            assert "a wrong one" not in str(raised.value)


@pytest.mark.server
@pytest.mark.slow
def test_a_user_and_a_database_of_neo4j_stand_in_the_address(neo4j_server, neo4j_target):
    place = f"127.0.0.1:{neo4j_server.port}"
    with closing(open_neo4j(f"bolt://neo4j@{place}/neo4j", neo4j_server.password)) as target:
        assert target.stamp() == ""
    for address, match in (
        (f"bolt://{place}/elsewhere", "no such database"),
        (f"bolt://ann@{place}", "refuses the user"),
        (f"bolt+s://{place}", "does not answer"),
    ):
        with (
            closing(open_neo4j(address, neo4j_server.password)) as target,
            pytest.raises(TargetUnavailableError, match=match),
        ):
            target.stamp()


@pytest.mark.server
@pytest.mark.slow
def test_platform_3_no_log_of_neo4j_holds_a_value_or_the_password(neo4j_server, neo4j_target, caplog):
    """Not even where a program logs everything that anybody says."""
    caplog.set_level(logging.DEBUG)
    logging.getLogger("neo4j").setLevel(logging.DEBUG)
    with closing(open_neo4j(neo4j_server.address, neo4j_server.password)) as target:
        target.clear("0")
        put(target, v=SECRET)
        target.fetch([ANN])
    logging.getLogger("neo4j").setLevel(logging.NOTSET)
    assert caplog.text
    assert SECRET not in caplog.text
    assert neo4j_server.password not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.server
@pytest.mark.slow
def test_an_index_that_a_killed_neo4j_has_left_is_replaced(neo4j_server, neo4j_target):
    with neo4j_server.driver() as driver, driver.session() as session:
        for label in ("AeonProjection", "User"):
            session.run(f"CREATE INDEX FOR (n:{label}) ON (n.id)").consume()
    neo4j_target.clear("0")
    put(neo4j_target, n=1)
    assert neo4j_target.count() == 1


@pytest.mark.server
@pytest.mark.slow
def test_somebody_elses_nodes_in_neo4j_are_left_alone(neo4j_server, neo4j_target):
    with neo4j_server.driver() as driver, driver.session() as session:
        session.run("CREATE (:User {id: 'bob', mine: 1})-[:KNOWS]->(:Entity {id: 'e'})").consume()
        neo4j_target.clear("0")
        put(neo4j_target, n=1)
        with pytest.raises(ProjectionError, match="must be unique"):
            neo4j_target.apply(
                GraphBatch(nodes=[GraphNode(NodeKey("User", "bob"), {"id": "bob"})]), neo4j_target.claim("next"), "1"
            )
        assert neo4j_target.stamp() == "next"
        neo4j_target.clear("0")
        assert session.run("MATCH (a:User)-[:KNOWS]->(:Entity) RETURN a.mine AS mine").data() == [{"mine": 1}]
