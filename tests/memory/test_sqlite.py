"""The SQLite store: kept between runs, its owner's alone, shared by processes, clear when it cannot be used."""

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from aeon.base.errors import MemoryStoreError
from aeon.memory import sqlite
from aeon.memory.sqlite import SQLiteMemory


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "memory.db"


def test_values_are_kept_over_reopening(path):
    memory = SQLiteMemory(path)
    memory.write("a", {"b": [1, None]})
    memory.close()
    memory.close()
    again = SQLiteMemory(str(path))
    assert again.search("") == [("a", {"b": [1, None]})]
    again.close()


def test_every_file_is_its_owners_alone(path):
    memory = SQLiteMemory(path)
    memory.write("a", "secret")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert "memory.db-wal" in modes
    memory.close()


def test_platform_28_no_byte_of_a_deleted_value_is_left_in_the_files(path):
    memory = SQLiteMemory(path)
    memory.write("code", "canary-4711")
    memory.write("other", "kept")
    assert memory.delete("code")
    assert not [file for file in path.parent.iterdir() if b"canary" in file.read_bytes()]
    assert memory.search("") == [("other", "kept")]
    memory.close()


WRITER = """
import sys
from aeon.memory.sqlite import SQLiteMemory
name, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.stdin.readline()
memory = SQLiteMemory(path)
for number in range(count):
    memory.write(f"{name}/{number:03}", {"by": name, "n": number})
    memory.write("shared", name * 100)
memory.close()
"""


def test_several_processes_writing_at_once_lose_nothing(path):
    """They also open, and so create, the file at once."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(name), "40", path],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in range(4)
    ]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    assert errors == [""] * 4
    memory = SQLiteMemory(path)
    assert len(memory.search("")) == 4 * 40 + 1
    assert [memory.read(f"{name}/039") for name in range(4)] == [{"by": str(name), "n": 39} for name in range(4)]
    assert len(set(memory.read("shared"))) == 1
    memory.close()


def test_a_corrupt_file_is_refused_and_left_as_it_is(path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    before = path.read_bytes()
    with pytest.raises(MemoryStoreError, match=r"could not be opened: file is not a database.*memory\.path"):
        SQLiteMemory(path)
    assert path.read_bytes() == before


def test_a_folder_is_no_memory_file(tmp_path):
    with pytest.raises(MemoryStoreError, match="could not be opened"):
        SQLiteMemory(tmp_path)


def test_a_place_that_cannot_be_written_is_said_clearly(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(MemoryStoreError, match="could not be opened"):
        SQLiteMemory(tmp_path / "file" / "memory.db")


def test_a_path_is_a_path_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    memory = SQLiteMemory(":memory:")
    memory.write("a", 1)
    memory.close()
    assert (tmp_path / ":memory:").is_file()


def test_a_closed_store_says_so(path):
    memory = SQLiteMemory(path)
    memory.close()
    for use in (lambda: memory.write("a", 1), lambda: memory.read("a"), lambda: memory.search("a")):
        with pytest.raises(MemoryStoreError, match=r"is closed\. Open it again"):
            use()


def test_another_programs_database_is_refused_in_words(path):
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE memory (other TEXT)")
    connection.close()
    memory = SQLiteMemory(path)
    with pytest.raises(MemoryStoreError, match="could not be read: no such column"):
        memory.read("a")
    memory.close()


@pytest.mark.parametrize(
    ("query", "bounds"),
    [(sqlite._READ, "a"), (sqlite._SEARCH, "ab"), (sqlite._SEARCH_OPEN, "a")],
    ids=["read", "search", "open"],
)
def test_lookups_use_the_index_and_never_scan(path, query, bounds):
    memory = SQLiteMemory(path)
    plan = " ".join(str(row) for row in memory._connection.execute(f"EXPLAIN QUERY PLAN {query}", tuple(bounds)))
    assert "SEARCH memory USING PRIMARY KEY" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan
    memory.close()


@pytest.mark.parametrize("text", ["1e999", "NaN", '{"a": 1, "a": 2}', "{"])
def test_a_value_that_another_program_spoilt_is_a_failure_of_the_store_core_14(path, text):
    store = SQLiteMemory(path)
    store.write("key", 1)
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE memory SET value = ?", (text,))
        other.commit()

    with pytest.raises(MemoryStoreError, match="'key'"):
        store.read("key")
    with pytest.raises(MemoryStoreError, match="'key'"):
        store.search("")
    store.close()
