"""A FalkorDB server by its address: its password, its absence, its end (platform 3)."""

import pytest

from aeon.adapters.graph import open_server
from aeon.base.errors import ConfigError
from aeon.platform.graph import GraphUnavailableError

from .conftest import PASSWORD, free_port, start_server

pytestmark = pytest.mark.server


def test_platform_3_the_password_stands_nowhere(server):
    graph = server.emptied()
    assert graph.name == f"FalkorDB server at 127.0.0.1:{server.port}"
    graph.close()
    with pytest.raises(GraphUnavailableError, match="refuses the password") as raised:
        open_server(server.address, lambda: "a wrong one")
    assert "a wrong one" not in str(raised.value)


def test_a_missing_password_is_told(server):
    with pytest.raises(GraphUnavailableError, match="password"):
        open_server(server.address)


def test_a_user_with_a_password(server):
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "ann", "on", ">pw of ann", "+@all", "~*")
    graph = open_server(server.address, lambda: "pw of ann", user="ann")
    assert graph.read("RETURN 1 AS v") == [{"v": 1}]
    graph.close()


def test_a_user_who_may_not_write_is_told(server):
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "bob", "on", ">pw of bob", "+@all", "-graph.query", "~*")
    graph = open_server(server.address, lambda: "pw of bob", user="bob")
    with pytest.raises(GraphUnavailableError, match="does not allow") as raised:
        graph.write("CREATE (:N)")
    assert not raised.value.may_have_happened
    graph.close()


def test_a_server_that_is_not_there_is_told():
    port = free_port()
    with pytest.raises(GraphUnavailableError, match=f"127.0.0.1:{port}"):
        open_server(f"falkordb://127.0.0.1:{port}")


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
        "falkordb://user@host",
        "falkordb://:hunter2@host",
    ],
)
def test_platform_3_what_is_no_address_is_refused_without_its_password(address):
    with pytest.raises(ConfigError) as raised:
        open_server(address)
    assert "hunter2" not in str(raised.value)


@pytest.mark.slow
def test_a_server_that_comes_back_is_used_again(tmp_path):
    port = free_port()
    server = start_server(tmp_path, port)
    graph = open_server(server.address, lambda: PASSWORD)
    graph.write("CREATE (:N)")
    server.stop()
    with pytest.raises(GraphUnavailableError) as raised:
        graph.write("CREATE (:N)")
    assert not raised.value.may_have_happened
    server = start_server(tmp_path, port)
    assert graph.read("MATCH (n:N) RETURN count(n) AS v") == [{"v": 1}]
    graph.close()
    server.stop()


def test_a_servers_own_limit_of_time_is_kept_to(server):
    with server.client() as client:
        before = client.execute_command("GRAPH.CONFIG", "GET", "TIMEOUT_MAX")[1]
        client.execute_command("GRAPH.CONFIG", "SET", "TIMEOUT_MAX", 1000)
        graph = server.emptied()
        assert graph.read("RETURN 1 AS v", timeout=3600) == [{"v": 1}]
        graph.close()
        client.execute_command("GRAPH.CONFIG", "SET", "TIMEOUT_MAX", before)
