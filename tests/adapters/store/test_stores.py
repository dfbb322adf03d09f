"""The conformance suite on every store that there is (decision 30)."""

from itertools import count

import pytest

from aeon.adapters.store.sqlite.memory import MemoryStore
from aeon.platform.store import InvariantError
from aeon.testing.records import new_record
from aeon.testing.store import StoreConformance
from aeon.testing.store.columns import NEVER_DELETED
from aeon.testing.store.rows import insertion, row_of


class SqliteConformance(StoreConformance):
    """What only SQLite's language can ask for."""

    @pytest.mark.parametrize("table", NEVER_DELETED)
    def test_permanent_rows_are_not_replaced(self, filled, table):
        row = row_of(table)
        query = insertion(table, row).replace("INSERT", "INSERT OR REPLACE", 1)
        with pytest.raises(InvariantError, match="never deleted"):
            filled.update(lambda unit: unit.write(query, row))


class TestSqlite(SqliteConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls, tmp_path_factory):
        folders = (tmp_path_factory.mktemp("sqlite") / str(number) for number in count())
        return lambda: new_record(next(folders))


class TestMemory(SqliteConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls):
        return MemoryStore


@pytest.mark.server
@pytest.mark.slow
class TestPostgresql(StoreConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls, records):
        return records.opened
