"""The migration of the search: it indexes what is there, and leaves nothing when it is taken back."""

import sqlite3
from contextlib import closing

import pytest

from aeon.adapters.store.migrations import load_migrations
from aeon.adapters.store.sqlite.schema import schema_digest
from aeon.adapters.store.sqlite.store import SqliteStore
from aeon.platform.search.index import TextIndex

NUMBER = 2

ADD_USERS = (
    "INSERT INTO users (id, audit_seq, audit_hash, created_at) VALUES ('anna', 0, '', 'now'), ('bob', 0, '', 'now')"
)
ADD_SERVICE = """
INSERT INTO services (id, owner_id, name, type, protocol, schema_version, requires_secret, enabled, status, shared,
                      version, created_at, updated_at, connection_schema, limits)
VALUES ('s', 'anna', 'weather api', 'rest_api', 'https', 1, 0, 1, 'degraded', 0, 1, 'now', 'now', '{}', '{}')
"""
ADD_TEMPLATES = """
INSERT INTO tool_templates (id, owner_id, name, shared, archived, version, created_at, updated_at, description,
                            operation, input_schema, output_schema)
VALUES ('t1', 'bob', 'forecast', 1, 0, 1, 'now', 'now', 'Tells the weather.', '{}', '{}', '{}'),
       ('t2', 'bob', 'weather', 1, 1, 1, 'now', 'now', NULL, '{}', '{}', '{}'),
       ('t3', 'bob', 'weather of bob', 0, 0, 1, 'now', 'now', NULL, '{}', '{}', '{}')
"""
THINGS = (ADD_USERS, ADD_SERVICE, ADD_TEMPLATES)


class SqliteRecord:
    """A record at the version before."""

    def __init__(self, path):
        self.path = path
        self._run(*(each.up for each in load_migrations("sqlite")[: NUMBER - 1]), "PRAGMA journal_mode = WAL;")

    def fill(self, texts):
        self._run(*(f"{text};" for text in texts))

    def up(self):
        self._run(load_migrations("sqlite")[NUMBER - 1].up)
        return SqliteStore(self.path)

    def down(self):
        self._run(load_migrations("sqlite")[NUMBER - 1].down)

    def schema(self):
        with closing(sqlite3.connect(self.path)) as connection:
            return schema_digest(connection)

    def _run(self, *scripts):
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for script in scripts:
                connection.executescript(script)


class PostgresRecord:
    """The same on a server."""

    def __init__(self, address):
        from aeon.adapters.store.postgresql import migrator, parse_address

        self.address = address
        migrator.migrate(parse_address(address), None, load_migrations("postgresql")[: NUMBER - 1])

    def fill(self, texts):
        with closing(self._connect()) as connection:
            for text in ("BEGIN READ WRITE", *texts, "COMMIT"):
                connection.execute(text.encode())

    def up(self):
        from aeon.adapters.store.postgresql import migrator, open_postgresql, parse_address

        migrator.migrate(parse_address(self.address), None, load_migrations("postgresql"))
        return open_postgresql(self.address)

    def down(self):
        from aeon.adapters.store.postgresql import roll_back

        roll_back(self.address, to=NUMBER - 1)

    def schema(self):
        """Names of tables, views, indexes, functions and triggers."""
        named = """
        SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY name
        """
        with closing(self._connect()) as connection:
            return connection.execute(named.encode()).fetchall()

    def _connect(self):
        from aeon.adapters.store.postgresql import parse_address
        from aeon.adapters.store.postgresql.connection import connect

        return connect(parse_address(self.address), None)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])])
def record(request, tmp_path):
    if request.param == "sqlite":
        return SqliteRecord(tmp_path / "aeon.db")
    return PostgresRecord(request.getfixturevalue("postgres_server").create_database())


def test_what_is_there_is_indexed_and_nothing_is_left_afterwards(record):
    record.fill(THINGS)
    before = record.schema()
    with closing(record.up()) as store:
        search = TextIndex(store)
        assert [hit.id for hit in search.search("anna", "weather")] == ["s", "t1"]
        assert {hit.id for hit in search.search("bob", "weather")} == {"t3", "t1"}
        assert [hit.id for hit in search.search("anna", "forcast")] == ["t1"]
    record.down()
    assert record.schema() == before
    with closing(record.up()) as store:
        assert [hit.id for hit in TextIndex(store).search("anna", "weather")] == ["s", "t1"]
        things = "SELECT name FROM services UNION ALL SELECT name FROM tool_templates ORDER BY name"
        assert [row["name"] for row in store.read(things)] == ["forecast", "weather", "weather api", "weather of bob"]
