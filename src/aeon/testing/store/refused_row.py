"""A row that a table refuses, and names that every table refuses."""

from typing import Final, NamedTuple

from aeon.base.json import JsonObject


class RefusedRow(NamedTuple):
    """A row that a table refuses: the table's standard row with these columns changed."""

    table: str
    changes: JsonObject

    def __str__(self) -> str:
        return f"{self.table}({', '.join(f'{name}={value!r}' for name, value in self.changes.items())})"


LONG_NAME: Final = "x" * 201
WRONG_NAMES: Final[list[JsonObject]] = [{"name": ""}, {"name": LONG_NAME}]
