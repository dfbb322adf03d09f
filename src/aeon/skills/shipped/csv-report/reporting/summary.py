"""Summarizes a table by column and by group."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import math
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .numbers import MISSING, Fit, fit, has_decimal_commas, parsed
from .table import Table

MOST_FREQUENT = 5
_LONGEST_CELL = 80


@dataclass(frozen=True, slots=True)
class Column:
    """A column's summary.

    `values` has a number or None per row if the column is numeric, else it is empty.
    """

    name: str
    is_numeric: bool
    count: int
    missing: int
    unreadable: int
    """Number of cells of a numeric column that are not numbers."""
    distinct: int
    frequent: list[tuple[str, int]]
    values: list[float | None]

    @property
    def present(self) -> list[float]:
        """The numbers, without missing values."""
        return [value for value in self.values if value is not None]

    def as_data(self) -> dict[str, Any]:
        """Returns the column as data for the state patch."""
        data: dict[str, Any] = {"name": self.name, "kind": "number" if self.is_numeric else "text"}
        data |= {"count": self.count, "missing": self.missing, "distinct": self.distinct}
        if not self.is_numeric:
            return data | {"mostFrequent": [{"value": value, "count": count} for value, count in self.frequent]}
        numbers = self.present
        data["unreadable"] = self.unreadable
        if numbers:
            data |= {"min": tidy(min(numbers)), "max": tidy(max(numbers)), "sum": tidy(math.fsum(numbers))}
            data |= {"mean": tidy(statistics.fmean(numbers)), "median": tidy(statistics.median(numbers))}
        return data


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that share a value: their number, and the column's numbers in them.

    `count` and `total` are the numbers' count and sum.
    """

    name: str
    rows: int
    count: int
    total: float

    def as_data(self, *, has_column: bool) -> dict[str, Any]:
        """Returns the group as data for the state patch."""
        data: dict[str, Any] = {"group": self.name, "rows": self.rows}
        if not has_column:
            return data
        data |= {"count": self.count, "sum": tidy(self.total)}
        return data | ({"mean": tidy(self.total / self.count)} if self.count else {})


def tidy(number: float) -> float:
    """Returns the number without binary rounding noise; whole numbers as int."""
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded  # noqa: PLR2004  # exact to here


def columns_of(table: Table) -> list[Column]:
    """Returns the summaries of all columns."""
    counters = [Counter(cells) for cells in table.columns]
    fits = [fit(counts) for counts in counters]
    return [
        _column(name, cells, counts, own, fits)
        for name, cells, counts, own in zip(table.names, table.columns, counters, fits, strict=True)
    ]


def _column(name: str, cells: list[str], counts: Counter[str], own: Fit, fits: list[Fit]) -> Column:
    missing = sum(count for cell, count in counts.items() if cell.lower() in MISSING)
    real = Counter({cell: count for cell, count in counts.items() if cell.lower() not in MISSING})
    frequent = [(cell[:_LONGEST_CELL], count) for cell, count in real.most_common(MOST_FREQUENT)]
    if not own.is_numeric:
        return Column(name, False, own.present, missing, 0, len(real), frequent, [])
    decimal_comma = has_decimal_commas(own, fits)
    known = {cell: parsed(cell, decimal_comma=decimal_comma) for cell in real}
    values = [known.get(cell) for cell in cells]
    count = len(values) - values.count(None)
    return Column(name, True, count, missing, own.present - count, len(real), frequent, values)


def groups_of(keys: list[str], column: Column | None) -> list[Group]:
    """Returns the groups: largest sum first if a numeric column is summed, else most rows first."""
    rows = Counter(key[:_LONGEST_CELL] or "(empty)" for key in keys)
    if column is None:
        return [Group(name, count, 0, 0.0) for name, count in rows.most_common()]
    numbers: dict[str, list[float]] = {name: [] for name in rows}
    for key, value in zip(keys, column.values, strict=True):
        if value is not None:
            numbers[key[:_LONGEST_CELL] or "(empty)"].append(value)
    groups = [
        Group(name, rows[name], len(group_numbers), math.fsum(group_numbers)) for name, group_numbers in numbers.items()
    ]
    return sorted(groups, key=lambda group: (-group.total, group.name))
