"""Make newest.sqlite.sql beside the migrations: one script that creates what all of them create one after another.

Run it as `python docs/make_schema.py [--check]` after a migration was added.
"""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from aeon.adapters.store import migrations
from aeon.adapters.store.sqlite.migrator import migrate
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, schema_digest

TARGET = Path(migrations.__file__).with_name("newest.sqlite.sql")
ROWS_OF_INSERT = 20

_OBJECTS = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('meta', 'sqlite_sequence') ORDER BY rowid"
)


def script() -> str:
    """The script, made from an empty record that was migrated from the first version to the newest."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, Path("memory"), 0, KNOWN_VERSIONS)
    lines = [
        f"-- Made by docs/make_schema.py from the migrations up to {migrations.LATEST:04}: a new record starts so.",
        f"-- Schema: {schema_digest(connection)}",
        *(f"{sql};" for (sql,) in connection.execute(_OBJECTS)),
        *(statement for (table,) in connection.execute(_TABLES) for statement in inserts(connection, table)),
    ]
    return "\n".join(lines) + "\n"


def inserts(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """The statements that fill a table with the rows that it has."""
    columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))  # not generated ones
    rows = connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()  # noqa: S608  # a table of ours
    for start in range(0, len(rows), ROWS_OF_INSERT):
        listed = "), (".join(", ".join(map(literal, row)) for row in rows[start : start + ROWS_OF_INSERT])
        yield f"INSERT INTO {table} ({columns}) VALUES ({listed});"  # noqa: S608  # rows of ours


def literal(value: str | int) -> str:
    """A value in SQL; a text with characters that cannot be printed is made from their numbers."""
    if isinstance(value, int):
        return str(value)
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return f"char({', '.join(str(ord(each)) for each in value)})"


def main(arguments: list[str]) -> int:
    made = script()
    if "--check" in arguments:
        return 0 if TARGET.exists() and TARGET.read_text("utf-8") == made else 1
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
