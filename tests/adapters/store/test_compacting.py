"""A compacted store: what was deleted is in no byte of its files (platform 28)."""

import pytest

from aeon.adapters.store.postgresql import open_postgresql
from aeon.adapters.store.sqlite.factory import open_sqlite

from .conftest import PASSWORD

MARKER = "zeppelin-7f3a"
FILL = "INSERT INTO requests (id, at, body, answer) VALUES (:id, 'now', 'b', :answer)"


def erase_from(store):
    """Write the marker into many rows, some of many pages, and delete them; other rows are written between."""
    for n in range(60):
        text = f"{MARKER} " * (1 if n % 3 else 2000)
        rows = [{"id": f"{n} {kind}", "answer": said} for kind, said in (("secret", text), ("kept", "keepsake " * 50))]
        store.update(lambda unit, rows=rows: unit.write_each(FILL, rows))
    store.update(
        lambda unit: unit.write(
            "DELETE FROM requests WHERE id <> 'x' AND substr(body, 1, 1) = 'b' AND substr(answer, 1, 8) = 'zeppelin'"
        )
    )


def files_with(folder, text):
    return [file for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def test_the_file_and_the_log_of_sqlite_have_nothing_of_it_platform_28(tmp_path):
    record = tmp_path / "record"
    store = open_sqlite(record / "aeon.db", state=tmp_path / "state")
    try:
        erase_from(store)
        assert files_with(record, MARKER), "deleting alone leaves it"
        assert store.compact(["requests"]) is True
        assert files_with(record, MARKER) == []
        assert len(store.read("SELECT id FROM requests")) == 60
    finally:
        store.close()
    assert files_with(record, "keepsake")


@pytest.mark.slow
def test_the_data_files_of_postgresql_have_nothing_of_it_and_its_log_does_platform_28(postgres, records):
    """Decision 58 says what a server's write-ahead log keeps, and that only the owner of the tables rewrites them."""
    record = records.lent()
    using, owning = (open_postgresql(each, PASSWORD) for each in (record.address, record.owner))
    try:
        erase_from(using)
        postgres.execute("CHECKPOINT")
        assert files_with(postgres.data / "base", MARKER), "deleting alone leaves it"
        assert using.compact(["requests"]) is False
        assert owning.compact(["requests"]) is True
        postgres.execute("CHECKPOINT")
        assert files_with(postgres.data / "base", MARKER) == []
        assert files_with(postgres.data / "pg_wal", MARKER), "until the server recycles it"
        assert len(using.read("SELECT id FROM requests")) == 60
    finally:
        using.close()
        owning.close()
        records.give_back(record)
