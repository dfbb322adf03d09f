"""The conformance suite on every store that there is (decision 30)."""

from itertools import count

import pytest

from aeon.adapters.store.sqlite.memory import MemoryStore
from aeon.testing.records import new_record
from aeon.testing.store import StoreConformance


class TestSqlite(StoreConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def new_store(cls, tmp_path_factory):
        folders = (tmp_path_factory.mktemp("sqlite") / str(number) for number in count())
        return lambda: new_record(next(folders))


class TestMemory(StoreConformance):
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
