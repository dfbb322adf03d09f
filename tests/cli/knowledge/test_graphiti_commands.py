"""`aeon knowledge graphiti`: a real FalkorDB that shows Graphiti what is known."""

from pathlib import Path

import pytest

pytestmark = [pytest.mark.server, pytest.mark.slow]


@pytest.fixture
def falkordb(falkordb_server, monkeypatch):
    falkordb_server.clear()
    monkeypatch.setenv("GRAPH_WORD", falkordb_server.password)
    Path("aeon.toml").write_text(f'[graphiti]\naddress = "{falkordb_server.address}"\npassword_env = "GRAPH_WORD"\n')
    return falkordb_server


def test_the_graph_is_synchronized_and_says_where_it_is(aeon, falkordb):
    assert aeon("init").code == 0
    assert aeon("knowledge", "add", "Tove", "Tove lives in Linz.").code == 0
    before = aeon("knowledge", "graphiti", "status", "--json").json
    assert before["state"] == "empty"
    synced = aeon("knowledge", "graphiti", "sync")
    assert "is up to date: " in synced.out
    assert f"group {before['group']}" in synced.out
    assert aeon("knowledge", "graphiti", "status", "--json").json == {**before, "state": "up to date"}
    assert "0 node(s) and edge(s) written, 0 removed" in aeon("knowledge", "graphiti", "sync").out
    assert aeon("knowledge", "add", "Tove", "Tove lives in Graz.").code == 0
    assert "is behind" in aeon("knowledge", "graphiti", "status").out


def test_without_a_server_the_setting_is_named(aeon):
    assert aeon("init").code == 0
    refused = aeon("knowledge", "graphiti", "sync")
    assert (refused.code, "graphiti.address" in " ".join((refused.out + refused.err).split())) == (2, True)
