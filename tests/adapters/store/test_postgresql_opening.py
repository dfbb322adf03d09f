"""Opening and migrating a record in PostgreSQL: versions, roles, TLS, and what the user is told."""

import subprocess
import sys
from contextlib import closing

import pytest

from aeon.adapters.store.migrations import LATEST, Migration, load_migrations
from aeon.adapters.store.postgresql import migrate, migrator, open_postgresql, parse_address, roll_back
from aeon.base.errors import MissingExtraError
from aeon.base.next_steps import NextStep
from aeon.platform.store import InvariantError, QueryError, StoreError, StoreUnavailableError
from aeon.testing.store.fixtures import run_in_threads
from aeon.testing.store.rows import fill
from aeon.testing.store.units_of_work import ADD, ALL

from .conftest import PASSWORD
from .front import Front, certificate

A = {"name": "a", "position": 0}
SERVER = [pytest.mark.server, pytest.mark.slow]
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'aeon'::regnamespace"
FUNCTIONS = "SELECT proname FROM pg_proc WHERE pronamespace = 'aeon'::regnamespace"


def test_psycopg_is_loaded_when_a_record_is_opened_and_not_before():
    loading = "import sys; import aeon.adapters.store.postgresql; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loading], check=False).returncode == 0


def test_without_psycopg_the_extra_is_named(uninstall):
    uninstall("psycopg")
    for ask in (open_postgresql, migrate, lambda address: roll_back(address, to=0)):
        with pytest.raises(MissingExtraError, match=r"pip install 'aeon-orchestrator\[postgres\]'"):
            ask("postgresql://db/aeon")


@pytest.fixture
def empty(postgres):
    """The address of a database without a record."""
    return postgres.create_database()


class TestVersions:
    pytestmark = SERVER

    def test_a_database_without_a_record_is_to_be_migrated(self, empty):
        with pytest.raises(StoreError, match="Migrate the tables"):
            open_postgresql(empty)
        assert migrate(empty) == steps()
        assert migrate(empty) == []
        open_postgresql(empty).close()

    def test_an_older_record_is_to_be_migrated(self, record, postgres):
        set_version(postgres, record, LATEST - 1)
        with pytest.raises(StoreError, match="Migrate the tables"):
            open_postgresql(record.address, PASSWORD)
        set_version(postgres, record, LATEST)

    def test_a_newer_record_is_left_alone(self, record, postgres):
        set_version(postgres, record, LATEST + 1)
        with pytest.raises(StoreError, match="Use the newer Aeon"):
            open_postgresql(record.address, PASSWORD)
        assert migrate(record.owner, PASSWORD) == []
        set_version(postgres, record, LATEST)

    def test_a_record_has_an_id_that_stays(self, empty):
        def record_id():
            store = open_postgresql(empty)
            found = store.read("SELECT value FROM meta WHERE key = 'record'")[0]["value"]
            store.close()
            return found

        migrate(empty)
        before = record_id()
        migrate(empty)
        assert record_id() == before
        roll_back(empty, to=0)
        migrate(empty)
        assert record_id() != before

    def test_going_back_leaves_nothing_and_each_step_can_be_done_again(self, empty, postgres):
        database = empty.rpartition("/")[2]
        for _ in range(2):
            migrate(empty)
            store = open_postgresql(empty)
            fill(store)
            store.close()
            assert roll_back(empty, to=1) == steps()[:0:-1]
            assert migrate(empty) == steps()[1:]
            assert roll_back(empty, to=0) == steps()[::-1]
            assert roll_back(empty, to=0) == []
            assert postgres.execute(TABLES, database) == postgres.execute(FUNCTIONS, database) == []

    def test_many_that_migrate_at_once_do_each_step_once(self, empty):
        done = []
        assert run_in_threads(6, lambda _: done.append(migrate(empty))) == []
        assert sorted(name for names in done for name in names) == steps()

    def test_a_migration_that_fails_leaves_nothing_of_itself(self, empty, postgres):
        first = Migration(1, "first", "CREATE TABLE meta (key text PRIMARY KEY, value text); CREATE TABLE a ()", "")
        wrong = Migration(2, "wrong", "CREATE TABLE b (); NONSENSE", "")
        with pytest.raises(QueryError, match="NONSENSE"):
            migrator.migrate(parse_address(empty), None, [first, wrong])
        database = empty.rpartition("/")[2]
        assert {name for (name,) in postgres.execute(TABLES, database)} == {"meta", "meta_pkey", "a"}
        right = wrong._replace(up="CREATE TABLE b ()")
        assert migrator.migrate(parse_address(empty), None, [first, right]) == ["0002 wrong"]

    @pytest.mark.parametrize("statement", ["ALTER TABLE gone ADD COLUMN a text", "CREATE TABLE a ()"])
    def test_tables_of_an_unfinished_version_are_named_with_the_way_out(self, empty, statement):
        """Such a record was refused by a sentence of the server, without advice."""
        first = Migration(1, "first", "CREATE TABLE meta (key text PRIMARY KEY, value text); CREATE TABLE a ()", "")
        second = Migration(2, "second", statement, "")
        with pytest.raises(StoreError, match="another, perhaps unfinished version of Aeon made them") as failed:
            migrator.migrate(parse_address(empty), None, [first, second])
        assert failed.value.next == NextStep("store.carry_schema_over")
        assert "are not those of version 1" in failed.value.message

    def test_records_in_two_schemas_know_nothing_of_each_other(self, empty):
        addresses = [f"{empty}?schema={name}" for name in ("one", "two")]
        stores = []
        for address in addresses:
            migrate(address)
            stores.append(open_postgresql(address))
        stores[0].update(lambda unit: unit.write(ADD, A))
        fill(stores[1])
        assert stores[0].read(ALL) == [A]
        assert stores[1].read(ALL) == []
        for store in stores:
            store.close()

    def test_a_database_that_lacks_characters_is_refused(self, postgres):
        postgres.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        with pytest.raises(StoreError, match="LATIN1"):
            migrate(postgres.address("latin"))


class TestRefusals:
    pytestmark = SERVER

    @pytest.mark.parametrize("password", [None, "", "wrong word"])
    def test_a_wrong_password_is_told_at_once_and_not_repeated(self, record, password):
        with pytest.raises(StoreUnavailableError) as raised:
            open_postgresql(record.address, password)
        assert "password" in raised.value.message
        assert "wrong word" not in str(raised.value)

    def test_the_password_of_another_program_is_not_sent(self, record, monkeypatch):
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        with pytest.raises(StoreUnavailableError, match="password"):
            open_postgresql(record.address)

    def test_no_message_and_no_name_has_the_user_or_the_password(self, record):
        store = open_postgresql(record.address, PASSWORD)
        with pytest.raises(QueryError) as raised:
            store.read("NONSENSE")
        for text in (store.name, str(raised.value), repr(store), repr(parse_address(record.address))):
            assert PASSWORD not in text
        assert store.name == f"PostgreSQL at {record.address.partition('@')[2]}"
        store.close()

    def test_a_database_that_is_not_there_is_told(self, postgres):
        with pytest.raises(StoreUnavailableError, match='"nothing" does not exist'):
            open_postgresql(postgres.address("nothing"))

    def test_a_server_that_is_not_there_is_told(self, postgres):
        with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1:1/aeon does not answer: .*refused\. Check"):
            open_postgresql("postgresql://ann@127.0.0.1:1/aeon")

    def test_a_host_that_does_not_answer_is_passed_over(self, record):
        store = open_postgresql(record.address.replace("@127", "@127.0.0.1:1,127"), PASSWORD)
        store.update(lambda unit: unit.write(ADD, A))
        assert store.read(ALL) == [A]
        store.close()

    def test_the_socket_of_this_machine(self, postgres, record):
        address = f"postgresql://aeon_app@:{postgres.port}/{record.database}?host={postgres.data}"
        store = open_postgresql(address)
        assert store.read(ALL) == []
        store.close()


class TestRoles:
    pytestmark = SERVER

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE TABLE more (id text)",
            "CREATE TABLE public.more (id text)",
            "CREATE INDEX more ON users (audit_hash)",
            "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE SCHEMA more",
            "ALTER TABLE users ADD more text",
            "ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_kept",
            "DROP TRIGGER audit_entries_kept ON audit_entries",
            "DROP TABLE audit_entries",
            "TRUNCATE audit_entries CASCADE",
            "SET session_replication_role = replica",
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "ALTER SCHEMA aeon OWNER TO aeon_app",
            "COPY users TO PROGRAM 'true'",
        ],
    )
    def test_the_role_that_uses_the_record_does_not_change_its_tables(self, store, statement):
        with pytest.raises(QueryError, match=r"permission denied|must be owner"):
            store.update(lambda unit: unit.write(statement))

    def test_it_cannot_empty_the_audit_trail(self, store):
        fill(store)
        with pytest.raises(InvariantError, match="never deleted"):
            store.update(lambda unit: unit.write("DELETE FROM audit_entries"))

    def test_it_cannot_migrate(self, postgres, empty):
        address = f"{empty.replace('postgres@', 'aeon_app@')}"
        with pytest.raises(QueryError, match="permission denied"):
            migrate(address, PASSWORD)

    def test_a_role_that_may_not_see_the_record_is_told(self, record, postgres):
        postgres.execute("CREATE ROLE stranger LOGIN PASSWORD '{}'".format(PASSWORD.replace("'", "''")))
        with pytest.raises(StoreError, match="none that this user may see"):
            open_postgresql(record.address.replace("aeon_app@", "stranger@"), PASSWORD)


class TestTls:
    pytestmark = SERVER

    @pytest.fixture
    def served(self, postgres, record, tmp_path):
        """The authority of a server's certificate, and the address at which it speaks TLS, as `localhost`."""
        root, context = certificate(tmp_path, "localhost")
        front = Front(postgres.port, context)
        yield root, record.address.replace(f"127.0.0.1:{postgres.port}", f"localhost:{front.port}")
        front.close()

    def test_a_server_that_proves_its_name_is_used(self, served):
        root, address = served
        store = open_postgresql(f"{address}?sslmode=verify-full&sslrootcert={root}", PASSWORD)
        store.update(lambda unit: unit.write(ADD, A))
        assert store.read(ALL) == [A]
        store.close()

    def test_a_server_of_another_name_is_not(self, served):
        root, address = served
        address = address.replace("localhost", "127.0.0.1")
        with pytest.raises(StoreUnavailableError, match="does not match host name"):
            open_postgresql(f"{address}?sslmode=verify-full&sslrootcert={root}", PASSWORD)

    def test_a_server_of_another_authority_is_not(self, served, tmp_path):
        root, _ = certificate(tmp_path, "other")
        with pytest.raises(StoreUnavailableError, match="certificate verify failed"):
            open_postgresql(f"{served[1]}?sslmode=verify-full&sslrootcert={root}", PASSWORD)

    def test_a_server_without_tls_is_not(self, record):
        with pytest.raises(StoreUnavailableError, match="does not support SSL"):
            open_postgresql(f"{record.address}?sslmode=require", PASSWORD)


class TestBackup:
    pytestmark = SERVER

    def test_a_dump_is_a_record_with_its_roles_and_its_triggers(self, postgres, record, tmp_path, monkeypatch):
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        with closing(open_postgresql(record.address, PASSWORD)) as store:
            fill(store)
            before = store.read("SELECT id, name FROM services")
        dump, new = tmp_path / "aeon.dump", postgres.create_database()
        command = ["pg_dump", "--format=custom", "--schema=aeon", f"--file={dump}", record.owner]
        subprocess.run([postgres.programs / command[0], *command[1:]], check=True)
        command = ["pg_restore", "--exit-on-error", f"--dbname={new}", dump]
        subprocess.run([postgres.programs / command[0], *command[1:]], check=True)
        with closing(open_postgresql(new.replace("postgres@", "aeon_app@"), PASSWORD)) as store:
            assert store.read("SELECT id, name FROM services") == before
            with pytest.raises(InvariantError, match="immutable"):
                store.update(lambda unit: unit.write("UPDATE services SET owner_id = 'bob'"))
            store.update(lambda unit: unit.write(ADD, A))
            store.update(lambda unit: unit.write("UPDATE services SET name = 'other'"))
            assert store.read("SELECT label, subject FROM events ORDER BY seq") == [
                {"label": "User", "subject": "ann"},
                {"label": "Service", "subject": "service"},
            ]


def steps():
    return [f"{each.number:04} {each.name}" for each in load_migrations("postgresql")]


def set_version(postgres, record, version):
    postgres.execute(f"UPDATE aeon.meta SET value = '{version}' WHERE key = 'version'", record.database)
