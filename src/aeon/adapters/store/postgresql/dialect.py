"""Translates the record's queries for PostgreSQL: numbered parameters, and lists as rows."""

import re
from functools import lru_cache
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.store import DialectQuery, Query, QueryError

_TOKEN = re.compile(
    r"""
      (?P<kept> '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | :: )
    | json_each \( \s* :(?P<list>[A-Za-z_]\w*) \s* \) (?: \s+ AS \s+ (?P<alias>[A-Za-z_]\w*) )?
    | :(?P<name>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)


class PostgresStatement(NamedTuple):
    """A query with `$1`, `$2` ... instead of `:names`, and the names in that order."""

    text: bytes
    names: tuple[str, ...]

    def values(self, params: JsonObject) -> list[Json]:
        """Returns the values of its parameters, in order. Raises QueryError for a missing one."""
        try:
            return [params[name] for name in self.names]
        except KeyError as error:
            raise QueryError(f"The query needs a parameter {error}, which is missing.") from None


def statement_of(query: Query) -> PostgresStatement:
    """Returns the query for PostgreSQL. Each text is translated only once."""
    return _translate(query.postgresql if isinstance(query, DialectQuery) else query)


@lru_cache(maxsize=2048)
def _translate(text: str) -> PostgresStatement:
    numbers: dict[str, str] = {}

    def replacement(token: re.Match[str]) -> str:
        if token["kept"]:
            return token["kept"]
        number = numbers.setdefault(token["list"] or token["name"], f"${len(numbers) + 1}")
        return _rows_of(number, token["alias"] or "each") if token["list"] else number

    return PostgresStatement(_TOKEN.sub(replacement, text).encode(), tuple(numbers))


def _rows_of(parameter: str, alias: str) -> str:
    """Returns the SQL for a JSON list as rows with a column `value`, like `json_each`."""
    return f"json_array_elements_text(CAST({parameter} AS json)) AS {alias}(value)"
