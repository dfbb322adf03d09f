"""One suite for all engines, on a real record."""

import pytest

from aeon.testing.records import new_record
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal

from .postgres_server import PostgresTestServer


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    record = new_record(tmp_path_factory.mktemp("record"))
    yield record
    record.close()


def started_in(folder):
    try:
        return PostgresTestServer(folder)
    except Exception as error:  # noqa: BLE001  # whatever this machine lacks for it
        pytest.skip(f"Postgres does not start here: {error}")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """`postgres()` gives the address of an empty database of a real server."""
    server = started_in(tmp_path_factory.mktemp("postgres"))
    yield server.create_database
    server.stop()


@pytest.fixture
def mortal_postgres(tmp_path_factory):
    """A real server for one test, which may kill it and start it again."""
    server = started_in(tmp_path_factory.mktemp("postgres"))
    yield server
    server.start()
    server.stop()


@pytest.fixture
def server(tmp_path):
    """A real server of Temporal, which a test may kill and start again."""
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path / "temporal")
    server.start()
    yield server
    server.kill()
