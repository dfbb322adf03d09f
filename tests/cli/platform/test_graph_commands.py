"""`aeon store graph`: a real FalkorDB that follows the record."""

from pathlib import Path

import pytest

from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb

pytestmark = [pytest.mark.server, pytest.mark.slow]

SERVICE = """
kind: Service
name: {name}
type: rest_api
protocol: http
connectionSchema: {{type: object, required: [endpoint]}}
"""


@pytest.fixture
def falkordb(tmp_path, monkeypatch):
    folder = tmp_path / "falkordb"
    folder.mkdir()
    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(folder)
    server.start()
    monkeypatch.setenv("GRAPH_WORD", server.password)
    Path("aeon.toml").write_text(f'[graph]\naddress = "{server.address}"\npassword_env = "GRAPH_WORD"\n')
    yield server
    server.kill()


def said(ended):
    return " ".join((ended.out + ended.err).split())


def test_the_graph_follows_the_record_and_says_how_far_it_is_behind(aeon, falkordb):
    assert aeon("init").code == 0
    assert aeon("store", "graph", "status", "--json").json["state"] == "empty"
    assert "is up to date" in aeon("store", "graph", "sync").out
    assert aeon("store", "graph", "status", "--json").json["behind"] == 0
    Path("service.yaml").write_text(SERVICE.format(name="mine"))
    assert aeon("apply", "-f", "service.yaml").code == 0
    assert aeon("store", "graph", "status", "--json").json["behind"] > 0
    assert aeon("store", "graph", "sync").code == 0
    assert aeon("store", "graph", "status", "--json").json["behind"] == 0
    assert aeon("store", "graph", "rebuild", "--yes").code == 0
    assert aeon("store", "graph", "detach").code == 0


def test_a_record_that_was_restored_is_noticed(aeon, falkordb):
    assert aeon("init").code == 0
    assert aeon("store", "backup", "before.db").code == 0
    assert aeon("store", "graph", "sync").code == 0
    assert aeon("store", "restore", "--yes", "before.db").code == 0
    noticed = aeon("store", "graph", "status")
    assert (noticed.code, "aeon store graph rebuild" in said(noticed)) == (1, True)
    refused = aeon("store", "graph", "sync")
    assert (refused.code, "rebuil" in said(refused)) == (1, True)
    assert aeon("store", "graph", "rebuild", "--yes").code == 0
    assert aeon("store", "graph", "status").code == 0


def test_without_a_graph_nothing_is_started_and_the_setting_is_named(aeon):
    assert aeon("init").code == 0
    refused = aeon("store", "graph", "sync")
    assert (refused.code, "graph.address" in said(refused)) == (2, True)


def test_a_graph_that_does_not_answer_is_told(aeon, falkordb):
    assert aeon("init").code == 0
    falkordb.kill()
    down = aeon("store", "graph", "sync")
    assert (down.code, "Traceback" in down.err, falkordb.password in down.err) == (1, False, False)
