"""A PostgreSQL server for the tests of stores, and records in it, with the two roles of `docs/postgresql.md`."""

import re
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from aeon.adapters.store.postgresql import migrate, open_postgresql
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres

DOCUMENT = Path(__file__).parents[3] / "docs" / "postgresql.md"
PASSWORD = "pass word's \\ %40:@/"  # noqa: S105  # of the roles of a server of the tests' own
TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'aeon'::regnamespace AND relkind = 'r' AND relname <> 'meta'
"""


class Record(NamedTuple):
    """The addresses of a record for the role that uses it and the role that owns it. Both have the same password."""

    database: str
    address: str
    owner: str


@contextmanager
def server_folder():
    """A folder that the server's user can reach: pytest closes its own when another session starts."""
    with TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def started(*, listen="127.0.0.1", fsync="off"):
    """A server with the two roles, which is killed in the end; or the reason why the test is skipped.

    Without fsync it is quicker, and what it wrote outlives its processes all the same.
    """
    if missing := missing_for_postgres():
        pytest.skip(missing)
    with server_folder() as folder:
        server = PostgresTestServer(folder, listen, {"fsync": fsync})
        server.start()
        try:
            quoted = PASSWORD.replace("'", "''")
            for statement in statements():
                if statement.startswith("CREATE ROLE"):
                    server.execute(f"{statement} PASSWORD '{quoted}'")
            yield server
        finally:
            server.kill()  # nobody needs its data


def statements():
    """What `docs/postgresql.md` has a superuser run."""
    [block] = re.findall(r"^```sql\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    return [statement.strip() for statement in block.split(";") if statement.strip()]


def new_record(server):
    """A record without rows in a new database."""
    database = server.create_database().rpartition("/")[2]
    for statement in statements():
        if not statement.startswith("CREATE ROLE"):
            server.execute(statement, database)
    record = Record(database, server.address(database, "aeon_app"), server.address(database, "aeon_owner"))
    migrate(record.owner, PASSWORD)
    return record


class Records:
    """Records without rows in one server. They are emptied and used again, which is quicker than to make new ones."""

    def __init__(self, server):
        self._server = server
        self._free = []

    def lent(self):
        """One, until it is given back."""
        if not self._free:
            return new_record(self._server)
        record = self._free.pop()
        tables = [name for (name,) in self._server.execute(TABLES, record.database)]
        wipe = "".join(f"DELETE FROM aeon.{table};" for table in tables)  # of our own tables
        self._server.execute(f"SET session_replication_role = replica; {wipe}", record.database)
        return record

    def give_back(self, record):
        if record not in self._free:
            self._free.append(record)

    def opened(self):
        """One, opened by the role that uses it; it is given back when it is closed."""
        record = self.lent()
        store = open_postgresql(record.address, PASSWORD)
        close = store.close
        store.close = lambda: (close(), self.give_back(record))
        return store


@pytest.fixture(scope="session")
def postgres():
    """A server on loopback that no test kills."""
    with started() as server:
        yield server


@pytest.fixture(scope="session")
def records(postgres):
    return Records(postgres)


@pytest.fixture
def record(records):
    """A record without rows."""
    record = records.lent()
    yield record
    records.give_back(record)


@pytest.fixture
def store(record):
    """That record, opened by the role that uses it."""
    store = open_postgresql(record.address, PASSWORD)
    yield store
    store.close()


@pytest.fixture
def mortal():
    """A server for one test, which may kill it and start it again."""
    with started() as server:
        yield server
