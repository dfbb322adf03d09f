"""Detects numeric columns and decimal commas, by the column, then by the file."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import math
import re
from collections import Counter
from typing import NamedTuple

MISSING = frozenset({"", "-", "n/a", "na", "nan", "null", "none", "#n/a"})
"""Cells that mean a missing value, in lower case."""

_MOSTLY = 0.9
"""Minimum share of numbers in the cells of a numeric column."""

# No leading zeros: 00123 is an identifier, such as a postal code.
_POINT = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)(?:[eE][+-]?\d{1,3})?")
_COMMA = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:,\d*)?|,\d+|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)(?:[eE][+-]?\d{1,3})?")


class Fit(NamedTuple):
    """The number of nonempty cells of a column, and how many of them each number format matches."""

    present: int
    point: int
    comma: int

    @property
    def is_numeric(self) -> bool:
        """Whether nearly all cells are numbers in one of the formats."""
        return self.present > 0 and max(self.point, self.comma) >= _MOSTLY * self.present


def fit(counts: Counter[str]) -> Fit:
    """Counts a column's cells that match each format.

    `counts` has the distinct cells with their counts.
    """
    present = point = comma = 0
    for cell, count in counts.items():
        if cell.lower() in MISSING:
            continue
        present += count
        point += count if _POINT.fullmatch(cell) else 0
        comma += count if _COMMA.fullmatch(cell) else 0
    return Fit(present, point, comma)


def has_decimal_commas(own: Fit, others: list[Fit]) -> bool:
    """Whether the column's commas are decimal.

    A column that fits both formats follows the file's other columns.
    """
    if own.point != own.comma:
        return own.comma > own.point
    numeric = [other for other in others if other.is_numeric]
    return sum(other.comma for other in numeric) > sum(other.point for other in numeric)


def parsed(cell: str, *, decimal_comma: bool) -> float | None:
    """Returns the number in a cell, or None."""
    if not (_COMMA if decimal_comma else _POINT).fullmatch(cell):
        return None
    plain = cell.replace(".", "").replace(",", ".") if decimal_comma else cell.replace(",", "")
    number = float(plain)
    return number if math.isfinite(number) else None
