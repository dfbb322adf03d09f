"""Reads a CSV or TSV file as columns of text, and notes its guesses of encoding and format."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from .protocol import ReportRefusalError

MOST_COLUMNS = 500
_DELIMITERS = ",;\t|"
_SAMPLE = 8192
"""Characters for the sniffer, which is slow on more."""

_MOST_LINES_NAMED = 5


class Table(NamedTuple):
    """`columns[i]` has the stripped cells of column `names[i]`, one per row.

    A missing cell is empty.
    """

    names: list[str]
    columns: list[list[str]]
    rows: int
    delimiter: str
    ragged_rows: int
    notes: list[str]
    """Remarks about how the file was read."""


class _Lines(Protocol):
    """The used part of a csv reader's interface."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...


def read_table(path: Path, max_bytes: int) -> Table:
    """Reads a file with a header.

    Raises ReportRefusalError if it contains no table, or a larger one than allowed.
    """
    notes: list[str] = []
    text = _decoded(_content(path, max_bytes), notes)
    delimiter = _delimiter(text[:_SAMPLE])
    csv.field_size_limit(max(max_bytes, 1))
    # newline="" leaves line ends inside quoted cells to the csv module.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next((row for row in reader if any(cell.strip() for cell in row)), None)
        if header is None:
            raise ReportRefusalError("empty_file", f"{path.name} has no rows; it needs a header and at least one row.")
        if len(header) > MOST_COLUMNS:
            raise ReportRefusalError(
                "too_wide", f"{path.name} has {len(header)} columns; at most {MOST_COLUMNS} are read."
            )
        rows, ragged = _rows(reader, len(header))
    except csv.Error as error:
        raise ReportRefusalError(
            "bad_csv", f"{path.name}, line {reader.line_num}: {error}; is it a CSV file?"
        ) from None
    if ragged:
        lines = ", ".join(str(line) for line in ragged[:_MOST_LINES_NAMED])
        more = ", ..." if len(ragged) > _MOST_LINES_NAMED else ""
        notes.append(
            f"{len(ragged)} rows have more or fewer cells than the header's {len(header)} (lines {lines}{more}): "
            "missing cells count as empty, surplus cells are ignored."
        )
    columns = [[row[i] for row in rows] for i in range(len(header))]
    return Table(_names(header), columns, len(rows), delimiter, len(ragged), notes)


def _content(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except IsADirectoryError:
        raise ReportRefusalError("no_file", f"{path} is a folder; name a CSV or TSV file.") from None
    except OSError as error:
        raise ReportRefusalError("no_file", f"{path} cannot be read ({error.strerror}); check the path.") from None
    if len(content) > max_bytes:
        message = (
            f"{path.name} is larger than {max_bytes} bytes; raise maxBytes in the configuration, or report on a part."
        )
        raise ReportRefusalError("too_large", message)
    return content


def _decoded(content: bytes, notes: list[str]) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.append("The file is not UTF-8; it was read as Windows-1252, so special characters may be wrong.")
        return content.decode("cp1252", "replace")


def _delimiter(sample: str) -> str:
    """Returns the sniffer's delimiter if the first line has it.

    Otherwise it returns that line's most frequent one, or a comma.
    """
    head = sample.lstrip().partition("\n")[0]
    try:
        sniffed = csv.Sniffer().sniff(sample, _DELIMITERS).delimiter
    except csv.Error:
        sniffed = ""
    if sniffed and sniffed in head:
        return sniffed
    return max(_DELIMITERS, key=head.count)


def _rows(reader: _Lines, width: int) -> tuple[list[list[str]], list[int]]:
    """Returns the rows, each as wide as the header, and the lines of rows that were not."""
    rows: list[list[str]] = []
    ragged: list[int] = []
    for row in reader:
        if len(row) <= 1 and not "".join(row).strip():
            continue  # a blank line; a row of empty cells counts as a row
        if len(row) != width:
            ragged.append(reader.line_num)
            row = (row + [""] * width)[:width]  # noqa: PLW2901  # pad or cut to the header's width
        rows.append([cell.strip() for cell in row])
    return rows, ragged


def _names(header: list[str]) -> list[str]:
    """Returns unique column names from the header, with a name for each empty cell."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for position, cell in enumerate(header, 1):
        name = " ".join(cell.split())[:100] or f"column {position}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names
