"""A FalkorDB server on loopback."""

import pytest

from aeon.testing.falkordb_server import FalkorTestServer


@pytest.fixture(scope="session")
def falkordb_server(tmp_path_factory):
    server = FalkorTestServer(tmp_path_factory.mktemp("falkordb"))
    server.start()
    yield server
    server.kill()
