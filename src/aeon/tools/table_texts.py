"""Texts that are tables, CSV with its dialects or JSON, read with the types of their columns. Pure."""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject, parse_strict, text_of
from aeon.base.lazy_pattern import LazyPattern

Value: TypeAlias = str | int | float | None

_DELIMITERS: Final = ",;\t|"
_SUFFIXES: Final = (".csv", ".tsv", ".tab")
_SURE_ROWS: Final = 3
"""Rows that a text without such a suffix must have, all with as many cells, to be a table."""

_SURE_COLUMNS: Final = 3
"""Columns that such a text must have between commas, unless one has numbers alone."""

_MAX_COLUMNS: Final = 200
_MAX_HEADING: Final = 60

_INTEGER: Final = LazyPattern(r"[-+]?(?:0|[1-9]\d{0,14})")
_THOUSANDS: Final = LazyPattern(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL: Final = LazyPattern(r"[-+]?(?:0|[1-9]\d{0,14})?\.\d{1,15}")
_GERMAN: Final = LazyPattern(r"[-+]?(?:0|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,14})(?:,\d{1,15})?")
_DECIMAL_COMMA: Final = LazyPattern(r"[-+]?\d+,\d{1,2}")
_DIGIT: Final = LazyPattern(r"\d")
_MISSING: Final = frozenset({"n/a", "na", "nan", "null", "none", "-", "–", "k. a.", "k.a."})  # noqa: RUF001  # as people type it
"""Cells that say that a number is not known."""

_SIGN: Final = "[$€£¥]|EUR|USD|CHF"
_CURRENCY: Final = LazyPattern(rf"(?P<before>{_SIGN})?\s?(?P<number>[-+\d.,]+)\s?(?P<after>{_SIGN})?")
_GERMAN_DATE: Final = LazyPattern(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})")


_Type: TypeAlias = Literal["INTEGER", "REAL", "TEXT"]


class DataColumn(NamedTuple):
    """A column of a table: its heading, and the type of all its values."""

    name: str
    type: _Type
    texts: str = ""
    """The column with the texts that stand among its numbers; empty if there are none."""


class DataTable(NamedTuple):
    """A table with its name, which is that of the text without its suffix."""

    name: str
    columns: Sequence[DataColumn]
    rows: Sequence[Sequence[Value]]


def read_tables(texts: Mapping[str, str]) -> dict[str, DataTable]:
    """The tables that texts are, by the names of the texts; none unless each is one, with a name of its own."""
    found = {name: read_table(name, text) for name, text in texts.items()}
    tables = {name: table for name, table in found.items() if table is not None}
    is_whole = len({table.name for table in tables.values()}) == len(found)
    return tables if is_whole else {}


def read_table(name: str, text: str) -> DataTable | None:
    """The table that a text is, by its name and its form; None if it is another text.

    A column of numbers in English or German style becomes numbers, one of German dates ISO dates, an empty cell None.
    Between semicolons, 1.234 is more than a thousand. Amounts in several currencies stay texts. Of a column that has
    mostly numbers, the texts, such as "sold out", become a column of their own.
    """
    found = _records(text) or _delimited(name, text)
    if found is None:
        return None
    headings, cells, is_german = found
    columns: dict[DataColumn, Sequence[Value]] = {}
    for heading, each in zip(headings, zip(*cells, strict=True), strict=True):
        columns |= _columns(heading, each, headings, is_german=is_german)
    return DataTable(_table_name(name), list(columns), list(zip(*columns.values(), strict=True)))


_Cells: TypeAlias = tuple[list[str], list[list[str]], bool]
"""Headings, rows, and whether numbers are in German style."""


def _delimited(name: str, text: str) -> _Cells | None:
    is_named = name.lower().endswith(_SUFFIXES)
    for delimiter in sorted(_DELIMITERS, key=text[:10_000].count, reverse=True):
        rows = _split(text, delimiter)
        if len(rows) < 2 or not 2 <= len(rows[0]) <= _MAX_COLUMNS:  # noqa: PLR2004  # headings and a row, two columns
            continue
        headings, *cells = rows
        is_even = all(len(row) == len(headings) for row in cells)
        if _are_headings(headings) and is_even and (is_named or _is_surely_table(delimiter, cells)):
            return _distinct(headings), cells, delimiter == ";" or (delimiter == "\t" and _has_decimal_comma(cells))
    return None


def _has_decimal_comma(cells: Sequence[Sequence[str]]) -> bool:
    return any(_DECIMAL_COMMA.fullmatch(cell) for row in cells for cell in row)


def _is_surely_table(delimiter: str, cells: Sequence[Sequence[str]]) -> bool:
    """Whether rows are those of a table, not sentences that have as many commas by chance."""
    has_numbers = any(all(_is_number(cell) for cell in column) for column in zip(*cells, strict=True))
    return len(cells) >= _SURE_ROWS and (delimiter != "," or has_numbers or len(cells[0]) >= _SURE_COLUMNS)


def _split(text: str, delimiter: str) -> list[list[str]]:
    """The rows of a text with at least one cell that is not empty."""
    rows: list[list[str]] = []
    with suppress(csv.Error):
        for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True):
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append(cells)
        return rows
    return []


def _are_headings(cells: Sequence[str]) -> bool:
    """Whether a row can name columns: short texts, of which no one is a number."""
    return any(cells) and all(len(each) <= _MAX_HEADING and not _is_number(each) for each in cells)


def _is_number(cell: str) -> bool:
    return any(pattern.fullmatch(cell) for pattern in (_INTEGER, _THOUSANDS, _DECIMAL, _GERMAN))


def _distinct(headings: Sequence[str]) -> list[str]:
    """Headings of which none is empty or stands twice, whatever its case."""
    taken: list[str] = []
    for number, heading in enumerate(headings, 1):
        wanted = " ".join(heading.replace('"', "'").split()) or f"column {number}"
        while wanted.casefold() in (each.casefold() for each in taken):
            wanted = f"{wanted} {number}"
        taken.append(wanted)
    return taken


def _records(text: str) -> _Cells | None:
    """The cells of a JSON list of flat objects, of an object with one such list, or of a JSON object on each line."""
    objects = _objects(text.strip())
    if not objects or any(not isinstance(each, dict) for each in objects):
        return None
    records = cast(list[JsonObject], objects)
    headings = list(dict.fromkeys(key for each in records for key in each))
    if not 0 < len(headings) <= _MAX_COLUMNS:
        return None
    rows = [[_cell(each.get(heading)) for heading in headings] for each in records]
    return _distinct(headings), rows, False


def _objects(text: str) -> list[Json] | None:
    if not text.startswith(("[", "{")):
        return None
    try:
        found = parse_strict(text)
    except ValueError:
        try:
            return [parse_strict(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return None
    if isinstance(found, dict):
        lists = [cast(list[Json], value) for value in cast(JsonObject, found).values() if isinstance(value, list)]
        return lists[0] if len(lists) == 1 else None
    return cast(list[Json], found) if isinstance(found, list) else None


def _cell(value: Json) -> str:
    return "" if value is None else text_of(value)


def _columns(
    heading: str, cells: Sequence[str], headings: Sequence[str], *, is_german: bool
) -> dict[DataColumn, Sequence[Value]]:
    """A column with its values, and another one for the texts that stand among its numbers."""
    known = ["" if cell.casefold() in _MISSING else cell for cell in cells]
    readers = _readers_of_amounts(known, is_german=is_german)
    for read in [_read_integer, *readers, _read_german_date]:
        values = [read(cell) for cell in known]
        if any(known) and not _others(known, values):
            return {DataColumn(heading, _type_of(values)): values}
    values = _mostly_numbers(known, readers)
    if values is None:
        return {DataColumn(heading, "TEXT"): [cell or None for cell in cells]}
    texts = [cell if cell and value is None else None for cell, value in zip(cells, values, strict=True)]
    *_, name = _distinct([*headings, f"{heading}_text"])
    return {DataColumn(heading, "REAL", name): values, DataColumn(name, "TEXT"): texts}


def _readers_of_amounts(cells: Sequence[str], *, is_german: bool) -> Sequence[Callable[[str], Value]]:
    """What reads numbers with or without a currency; nothing for amounts in several currencies."""
    signs = {found[1] or found[3] for cell in cells if (found := _CURRENCY.fullmatch(cell))}
    if len(signs - {None}) > 1:
        return ()
    return (_read_german, _read_real) if is_german else (_read_real, _read_german)


def _others(cells: Sequence[str], values: Sequence[Value]) -> list[str]:
    """The cells that are not empty and have no value."""
    return [cell for cell, value in zip(cells, values, strict=True) if cell and value is None]


def _type_of(values: Sequence[Value]) -> _Type:
    kinds = {type(value) for value in values if value is not None}
    return "TEXT" if str in kinds else "REAL" if float in kinds else "INTEGER"


def _mostly_numbers(cells: Sequence[str], readers: Sequence[Callable[[str], Value]]) -> list[Value] | None:
    """The numbers of cells, and None for each other one; None unless half of them are numbers, and the others words.

    What has digits and is no number, such as the house number 12a, is a name, and so are its neighbours.
    """
    for read in readers:
        values = [read(cell) for cell in cells]
        others = _others(cells, values)
        count = sum(value is not None for value in values)
        if 0 < count >= len(others) and not any(map(_DIGIT.search, others)):
            return values
    return None


def _read_integer(cell: str) -> Value:
    return int(cell) if _INTEGER.fullmatch(cell) else None


def _read_real(cell: str) -> Value:
    amount = _amount(cell)
    if amount is None or not any(each.fullmatch(amount) for each in (_INTEGER, _DECIMAL, _THOUSANDS)):
        return None
    return float(amount.replace(",", ""))


def _read_german(cell: str) -> Value:
    amount = _amount(cell)
    if amount is None or not _GERMAN.fullmatch(amount):
        return None
    return float(amount.replace(".", "").replace(",", "."))


def _amount(cell: str) -> str | None:
    """The number of a cell that may have a currency before or after it."""
    found = _CURRENCY.fullmatch(cell)
    return None if found is None or (found["before"] and found["after"]) else found["number"]


def _read_german_date(cell: str) -> Value:
    found = _GERMAN_DATE.fullmatch(cell)
    return None if found is None else f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}"


def _table_name(name: str) -> str:
    """A name that SQL takes without quotes."""
    stem = re.split(r"[/\\]", name)[-1].partition(".")[0]
    plain = re.sub(r"\W+", "_", stem).strip("_").lower()
    return plain if plain and not plain[0].isdigit() else f"table_{plain}".rstrip("_")
