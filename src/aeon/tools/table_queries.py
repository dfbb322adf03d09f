"""`QueryTablesTool`: answers questions about tables that the user gave, by a query in SQL that a model writes."""

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import date
from math import fsum, isfinite
from typing import Any, Final

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.attachments import QUERY_TABLES
from aeon.tools.interface import Tool
from aeon.tools.table_texts import DataColumn, DataTable, Value

QUERY_INSTRUCTIONS: Final = (
    "Write one SELECT statement of SQLite that gives what the question asks for, and nothing else. Use only columns "
    "that are there. Question: {request}"
)
"""What a model is told that writes a query; the tables are its material."""

_MAX_QUERY: Final = 2000
_MAX_ROWS: Final = 200
"""Rows of an answer; how many more there are is shown."""

_MAX_ANSWER: Final = 10_000_000
"""Bytes of a value that a query may make."""

_SECONDS: Final = 5.0
_STEPS: Final = 10_000
"""Steps of SQLite between two looks at the clock."""

_LISTED_VALUES: Final = 12
_LISTED_LENGTH: Final = 40
_SHOWN_COLUMNS: Final = 40
_SAMPLE: Final = 2

_FENCED: Final = LazyPattern(r"```(?:\w+\s)?\s*((?:select|with)\b.*?)```", re.IGNORECASE | re.DOTALL)
_BEGUN: Final = LazyPattern(r"^[\s`]*(?=(?:select|with)\b)", re.IGNORECASE | re.MULTILINE)

_TERMS: Final = r"(?:\"[^\"]*\"|[^()';\"])+?"
"""Terms with commas between them that have neither parentheses nor texts, but for names in quotes."""

_COMMA: Final = LazyPattern(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")
_SELECTED: Final = LazyPattern(
    rf"(?P<select>\s*select\s+(?:distinct\s+)?)(?P<terms>{_TERMS})(?=\sfrom\b)", re.IGNORECASE
)
_COLUMN_ALONE: Final = LazyPattern(
    r"\s*(?P<table>\w+\.)?(?P<name>\"[^\"]+\"|\w+)(?P<alias>\s+as\s+\S.*?)?\s*", re.IGNORECASE
)

_EQUAL: Final = LazyPattern(r"(?P<column>\"[^\"]+\"|\b\w+)\s*==?\s*'(?P<sought>(?:[^']|'')*)'")
_ADDING: Final = LazyPattern(r"\b(?:sum|avg|total)\s*\(", re.IGNORECASE)
_ORDERED: Final = LazyPattern(rf"\border\s+by\s+{_TERMS}(?=\blimit\b|\)|;|$)", re.IGNORECASE)
_SAYS_NULLS: Final = LazyPattern(r"\bnulls\s+(?:first|last)\b", re.IGNORECASE)

_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
"""What a query may do: it reads the tables, and nothing else of the database or the machine."""

_TEXT: Final[JsonObject] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}

_NO_FUNCTIONS: Final = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})


def _part_of_date(start: int, end: int) -> Callable[[Value], int | None]:
    """A function that gives a part of an ISO date; of what is none, nothing."""

    def part(value: Value) -> int | None:
        digits = str(value)[start:end]
        return int(digits) if digits.isdecimal() else None

    return part


def _days_between(later: Value, earlier: Value) -> int | None:
    with suppress(ValueError):
        return (date.fromisoformat(str(later)[:10]) - date.fromisoformat(str(earlier)[:10])).days
    return None


def _concatenated(*values: Value) -> str:
    return "".join("" if value is None else _shown(value) for value in values)


_FUNCTIONS: Final[Sequence[tuple[str, int, Callable[..., Value]]]] = (
    ("year", 1, _part_of_date(0, 4)),
    ("month", 1, _part_of_date(5, 7)),
    ("day", 1, _part_of_date(8, 10)),
    ("datediff", 2, _days_between),
    ("concat", -1, _concatenated),
)
"""Functions of other databases that models write, and SQLite does not have: name, number of arguments (-1: any)."""


class _Sum:
    """SUM of numbers alone: SQLite takes a text such as "n/a" or "1,50" for the number at its beginning."""

    def __init__(self) -> None:
        self.values: list[int | float] = []

    def step(self, value: Value) -> None:
        if isinstance(value, str):
            raise TypeError(value)
        if value is not None:
            self.values.append(value)

    def finalize(self) -> Any:
        if not self.values or any(isinstance(each, float) for each in self.values):
            return fsum(self.values) if self.values else None
        return sum(self.values)


class _Average(_Sum):
    """AVG of numbers alone."""

    def finalize(self) -> Any:
        return fsum(self.values) / len(self.values) if self.values else None


_AGGREGATES: Final = (("sum", _Sum), ("total", _Sum), ("avg", _Average))
_TEXT_ADDED: Final = "'step' method raised error"


class DescribeTableTool(Tool):
    """Says which columns a table has, with values that help to write conditions."""

    name = "describe_table"
    description = "Say which columns a table has that the user attached."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "digest": {"type": "string", "description": "the first 16 hexadecimal digits of the text's SHA-256"},
        },
        "required": ["name", "digest"],
        "additionalProperties": False,
    }
    output_schema = _TEXT
    is_common = False
    is_repeatable = True

    def __init__(self, tables: Mapping[str, DataTable], digests: Mapping[str, str]) -> None:
        self._tables = tables
        self._digests = digests

    def suits(self, request: str) -> bool:  # noqa: ARG002  # only plans that code makes use it
        return False

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if the text is not attached, or is not the one that the plan was made for."""
        name = kwargs["name"]
        if name not in self._tables or self._digests.get(name) != kwargs["digest"]:
            raise ToolError(
                f"The table {name!r} is not the one that the run began with.",
                next_step="Start a new run, or attach the text as it was.",
            )
        return {"text": "\n".join(_described(self._tables[name]))}


class QueryTablesTool(Tool):
    """Runs a query on the tables of one request, which lie in a database in memory for as long as the query runs."""

    name = QUERY_TABLES
    description = "Run one SELECT statement of SQLite on the tables that the user attached."
    input_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": _MAX_QUERY}},
        "required": ["query"],
        "additionalProperties": False,
    }
    output_schema = _TEXT
    is_common = False
    is_repeatable = True

    def __init__(self, tables: Sequence[DataTable]) -> None:
        self._tables = tables

    def suits(self, request: str) -> bool:  # noqa: ARG002  # only plans that code makes use it
        return False

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError for what is not a query of these tables, and for one that takes too long."""
        query = _cleaned(str(kwargs["query"]))
        if _BEGUN.match(query) is None:
            raise self._refusal(query, "it is no SELECT")
        if any(_adds_up(query, column) for table in self._tables for column in table.columns):
            raise self._refusal(query, _TEXT_ADDED)
        with closing(sqlite3.connect(":memory:")) as database:
            try:
                for table in self._tables:
                    _load(database, table)
                _restrict(database)
                names = [column[0] for column in database.execute(query).description or ()]
                cursor = self._execute(database, _with_nulls_last(query))
                rows = cursor.fetchmany(_MAX_ROWS)
                more = sum(1 for _ in cursor)
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise self._refusal(query, str(error)) from None
        if not names:
            raise self._refusal(query, "it selects nothing")
        return {"text": "\n".join([_written(names, rows, more), *_absent_values(query, self._tables)])}

    def _execute(self, database: sqlite3.Connection, query: str) -> sqlite3.Cursor:
        with suppress(sqlite3.OperationalError):  # a subquery need not have the column of the texts
            return database.execute(_with_texts(query, self._tables))
        return database.execute(query)

    def _refusal(self, query: str, reason: str) -> ToolError:
        missing = reason.partition("no such column: ")[2]
        if missing:
            columns = ", ".join(column.name for table in self._tables for column in table.columns)
            name = missing.strip('"')
            return ToolError(
                f"The data has no column {name!r}, so it does not say that; it has {columns}.",
                next_step="Ask about one of these columns.",
            )
        if _TEXT_ADDED in reason:
            return ToolError(
                f"The query adds up a column that has texts: {query}",
                next_step="Correct the column, or ask for another.",
            )
        if reason == "interrupted":
            return ToolError(f"The query took more than {_SECONDS:g} seconds: {query}", next_step="Ask for less.")
        return ToolError(f"The query cannot be run: {reason}: {query}", next_step="Ask in other words.")


def query_plan(request: str, digests: Mapping[str, str]) -> JsonObject:
    """The plan that answers a request by a query: look at each table, let the model write the query, run it."""
    look = [
        {
            "step_id": f"r{number}",
            "description": f"look at the columns of {name}",
            "tool": DescribeTableTool.name,
            "arguments": {"name": name, "digest": digest},
        }
        for number, (name, digest) in enumerate(digests.items(), 1)
    ]
    write = {
        "step_id": "query",
        "description": QUERY_INSTRUCTIONS.format(request=request),
        "agent": "llm",
        "arguments": {name: f"{{step.r{number}.text}}" for number, name in enumerate(digests, 1)},
    }
    run = {
        "step_id": "answer",
        "description": "run the query",
        "tool": QueryTablesTool.name,
        "arguments": {"query": "{step.query.text}"},
    }
    return {"goal": request, "steps": [*look, write, run]}


def table_tools(tables: Mapping[str, DataTable], digests: Mapping[str, str]) -> list[Tool]:
    """The tools for tables, by the names of their texts; none without tables."""
    return [DescribeTableTool(tables, digests), QueryTablesTool(list(tables.values()))] if tables else []


def _described(table: DataTable) -> Iterator[str]:
    """The table as SQL creates it, with values that help to write conditions."""
    columns = ", ".join(f"{_quoted(each.name)} {each.type}" for each in table.columns[:_SHOWN_COLUMNS])
    yield f"CREATE TABLE {_quoted(table.name)} ({columns}); -- {len(table.rows):,} rows"
    for position, column in enumerate(table.columns[:_SHOWN_COLUMNS]):
        values = {str(row[position]) for row in table.rows if row[position] is not None}
        if (
            column.type == "TEXT"
            and len(values) <= _LISTED_VALUES
            and max(map(len, values), default=0) <= _LISTED_LENGTH
        ):
            yield f"-- {column.name}: {', '.join(sorted(values))}"
    for row in table.rows[:_SAMPLE]:
        yield f"-- a row: {', '.join(_shown(value)[:_LISTED_LENGTH] for value in row[:_SHOWN_COLUMNS])}"


def _quoted(name: str) -> str:
    """A name as SQL takes it: in quotes if it is no word, or a word of SQL."""
    if name.isidentifier() and name.isascii():
        with closing(sqlite3.connect(":memory:")) as database, suppress(sqlite3.Error):
            database.execute(f"CREATE TABLE tried ({name})")
            return name
    return f'"{name}"'


def _load(database: sqlite3.Connection, table: DataTable) -> None:
    columns = ", ".join(f'"{each.name}" {each.type} COLLATE NOCASE' for each in table.columns)
    database.execute(f"CREATE TABLE {_quoted(table.name)} ({columns})")
    places = ", ".join("?" for _ in table.columns)
    database.executemany(f"INSERT INTO {_quoted(table.name)} VALUES ({places})", table.rows)  # noqa: S608  # a checked name


def _restrict(database: sqlite3.Connection) -> None:
    """Let a query read these tables in bounded time and memory, and do nothing else."""

    def authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
        is_allowed = action in _READS and (action != sqlite3.SQLITE_FUNCTION or (second or "") not in _NO_FUNCTIONS)
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    for name, count, function in _FUNCTIONS:
        database.create_function(name, count, function, deterministic=True)
    for name, aggregate in _AGGREGATES:
        database.create_aggregate(name, 1, aggregate)
    until = time.monotonic() + _SECONDS
    database.set_authorizer(authorize)
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_ANSWER)


def _cleaned(reply: str) -> str:
    """The query in a model's words: without a fence, what stands before it, and the semicolon at its end."""
    fenced = _FENCED.search(reply)
    begun = _BEGUN.search(reply)
    query = fenced[1] if fenced else reply[begun.end() :].split("\n\n", maxsplit=1)[0] if begun else reply
    return query.strip().rstrip("`").rstrip().rstrip(";").rstrip()


def _adds_up(query: str, column: DataColumn) -> bool:
    """Whether a query adds up a column that has texts among its numbers, and leaves these out without a word."""
    if not column.texts or column.texts.casefold() in query.casefold():
        return False
    name = re.compile(rf"(?<!\w){re.escape(column.name)}(?!\w)", re.IGNORECASE)
    return any(name.search(_inside(query, found.end())) for found in _ADDING.finditer(query))


def _inside(query: str, start: int) -> str:
    """What stands from a place to the parenthesis that closes it."""
    open_ = 1
    for position in range(start, len(query)):
        open_ += {"(": 1, ")": -1}.get(query[position], 0)
        if not open_:
            return query[start:position]
    return query[start:]


def _absent_values(query: str, tables: Sequence[DataTable]) -> Iterator[str]:
    """What a query looks for in a column of texts, and no row has: "UK" where the data say "United Kingdom"."""
    pairs = ((found["column"].strip('"'), found["sought"].replace("''", "'")) for found in _EQUAL.finditer(query))
    for column, sought in dict.fromkeys(pairs):
        values = [
            str(row[position]).casefold()
            for table in tables
            for position, each in enumerate(table.columns)
            if each.type == "TEXT" and each.name.casefold() == column.casefold()
            for row in table.rows
        ]
        if values and sought.casefold() not in values:
            yield f"No {column} in the data is {sought!r}."


def _with_texts(query: str, tables: Sequence[DataTable]) -> str:
    """The query, which shows a text that stands among the numbers of a column where it selects the column alone."""
    found = _SELECTED.match(query)
    if found is None:
        return query
    texts = {each.name.casefold(): each for table in tables for each in table.columns if each.texts}
    terms = [_with_text(term, texts) for term in _COMMA.split(found["terms"])]
    return f"{found['select']}{','.join(terms)}{query[found.end('terms') :]}"


def _with_text(term: str, texts: Mapping[str, DataColumn]) -> str:
    named = _COLUMN_ALONE.fullmatch(term)
    column = texts.get(named["name"].strip('"').casefold()) if named else None
    if named is None or column is None:
        return term
    table = named["table"] or ""
    return f' COALESCE({table}"{column.name}", {table}"{column.texts}"){named["alias"]} '


def _with_nulls_last(query: str) -> str:
    """The query, with what is not known after everything that is: SQLite takes it for the least of all values."""
    return _ORDERED.sub(
        lambda found: ", ".join(
            term if _SAYS_NULLS.search(term) else f"{term.rstrip()} NULLS LAST " for term in _COMMA.split(found[0])
        ),
        query,
    )


def _written(names: Sequence[str], rows: Sequence[Sequence[Value]], more: int) -> str:
    """The rows for people: one value alone, one column as a list, and several with their headings."""
    if not rows or all(value is None for row in rows for value in row):
        return "Nothing in the data fits."
    rest = [f"... and {more:,} more"] if more else []
    if len(names) == 1:
        separator = "\n" if any("," in _shown(row[0]) for row in rows) or rest else ", "
        return separator.join([*(_shown(row[0]) for row in rows), *rest])
    if len(rows) == 1:
        return ", ".join(f"{name}: {_shown(value)}" for name, value in zip(names, rows[0], strict=True))
    return "\n".join([", ".join(names), *(", ".join(map(_shown, row)) for row in rows), *rest])


def _shown(value: Value) -> str:
    if isinstance(value, float) and isfinite(value):
        return f"{value:.10g}" if abs(value) < 1e15 else str(value)  # noqa: PLR2004  # all digits of a double
    return "none" if value is None else str(value)
