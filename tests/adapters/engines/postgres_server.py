"""A real server of Postgres that a test may kill and start again. It listens on a socket alone."""

import pytest

from aeon.testing import postgres_server
from aeon.testing.postgres_server import missing_for_postgres


class PostgresTestServer(postgres_server.PostgresTestServer):
    """One that is started. Raises whatever keeps it from starting on this machine."""

    def __init__(self, folder):
        if missing := missing_for_postgres():
            pytest.skip(missing)
        super().__init__(folder)
        self.start()
