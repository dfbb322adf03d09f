"""Writes random rows past the domain, reproducibly, for `RecordMutator`."""

from random import Random
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.store import UnitOfWork

AT: Final = "2026-01-01T00:00:00.000000+00:00"
USERS: Final = ("ann", "bob")
_POOL: Final = 6
"""Ids of each kind. Few, so that deleted rows reappear under ids to which other rows still refer."""

_TEXTS: Final = ("", "plain", "ä 日本 \U0001f642", "quote \" and \\ and '", "tab\t and \x01 and \n", "[]", "null")
NUMBERS: Final = (0.5, 0.1 + 0.2, 1e22, -1e-7, 3.0, 123456789.125)
_OBJECTS: Final = ("{}", '{"a":[1,2.5,null,true],"b":{"c":"d \\" \\u0000"}}', '{"n":12345678901234567890}')


class RecordWriter:
    """A writer for one unit of work, with its source of randomness."""

    def __init__(self, unit: UnitOfWork, chance: Random, number: int) -> None:
        self.unit = unit
        self.chance = chance
        self.name = f"thing {number}"

    def insert(self, table: str, row: JsonObject, *, unless: str = "") -> None:
        """Inserts a row; does nothing on a conflict in the columns `unless`."""
        names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
        on_conflict = f" ON CONFLICT ({unless}) DO NOTHING" if unless else ""
        self.unit.write(f"INSERT INTO {table} ({names}) VALUES ({values}){on_conflict}", row)  # noqa: S608  # of this module

    def update(self, table: str, node: str, row: JsonObject) -> int:
        sets = ", ".join(f"{name} = :{name}" for name in row)
        return self.unit.write(f"UPDATE {table} SET {sets} WHERE id = :id", {**row, "id": node})  # noqa: S608  # as above

    def put(self, table: str, node: str, fixed: JsonObject, free: JsonObject) -> None:
        """Updates the mutable columns of a row, or inserts the row."""
        if not self.update(table, node, free):
            self.insert(table, {"id": node, **fixed, **free})

    def delete(self, table: str, node: str) -> None:
        self.unit.write(f"DELETE FROM {table} WHERE id = :id", {"id": node})  # noqa: S608  # as above

    def user(self) -> str:
        return self.chance.choice(USERS)

    def id(self, kind: str) -> str:
        return f"{kind}-{self.chance.randrange(_POOL)}"

    def text(self) -> str:
        return self.chance.choice(_TEXTS)

    def object(self) -> str:
        return self.chance.choice(_OBJECTS)

    def bit(self) -> int:
        return self.chance.randrange(2)

    def owned(self) -> JsonObject:
        return {"owner_id": self.user(), "created_at": AT}

    def versioned(self) -> JsonObject:
        return {"name": self.name, "shared": self.bit(), "version": self.chance.randint(1, 99), "updated_at": AT}
