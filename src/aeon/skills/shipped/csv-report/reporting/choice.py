"""Chooses the chart for a table, and computes its numbers."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import math

from .chart import Chart, short_number
from .summary import Column, Group

MOST_BARS = 12
_MOST_BINS = 20


def chart_of(columns: list[Column], column: Column | None, groups: tuple[str, list[Group]] | None, title: str) -> Chart:
    """Returns bars by group if there are groups.

    Without groups, it charts the chosen, first numeric, or first column.
    """
    if groups is not None:
        return _by_group(groups[0], groups[1], column, title)
    shown = column or next((one for one in columns if one.present), columns[0])
    return _histogram(shown, title) if shown.present else _frequencies(shown, title)


def _by_group(group_by: str, groups: list[Group], column: Column | None, title: str) -> Chart:
    is_summed = column is not None
    bars = [(group.name, group.total if is_summed else float(group.rows)) for group in groups]
    rest = bars[MOST_BARS - 1 :] if len(bars) > MOST_BARS else []
    if rest:
        bars = [*bars[: MOST_BARS - 1], (f"other ({len(rest)})", math.fsum(value for _, value in rest))]
    measure = f"sum of {column.name}" if column is not None else "rows"
    labels, values = [name for name, _ in bars], [value for _, value in bars]
    return Chart(title or f"{measure} by {group_by}", group_by, measure, labels, values, False)


def _histogram(column: Column, title: str) -> Chart:
    numbers = column.present
    edges = bin_edges(numbers)
    low, width, count = edges[0], edges[1] - edges[0], len(edges) - 1
    values = [0.0] * count
    for number in numbers:
        values[min(count - 1, max(0, int((number - low) / width)))] += 1
    labels = [short_number(0.0 if abs(edge) < width * 1e-9 else edge) for edge in edges]
    return Chart(title or f"How {column.name} is spread", column.name, "rows", labels, values, True)


def bin_edges(numbers: list[float]) -> list[float]:
    """Returns round edges for about as many bins as Sturges' rule gives.

    Bins of whole numbers are equally wide.
    """
    low, high = min(numbers), max(numbers)
    is_whole = all(number.is_integer() for number in numbers)
    bins = min(_MOST_BINS, max(5, math.ceil(math.log2(len(numbers))) + 1))
    span = high - low + (1.0 if is_whole else 0.0)
    finest = 2 * math.ulp(max(abs(low), abs(high)))  # below it, edges would coincide
    step = max(finest, _round_step(span / bins or abs(high) or 1.0, is_whole=is_whole))
    first, last = math.floor(low / step), math.floor(high / step) + 1
    if not is_whole and last - 1 > first and high == (last - 1) * step:
        last -= 1  # the highest number stands on an edge: it belongs to the bin below
    return [index * step for index in range(first, last + 1)]


def _round_step(rough: float, *, is_whole: bool) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    steps = (size * power for size in (1, 2, 2.5, 5, 10))
    step = next((step for step in steps if step >= rough), 10 * power)
    return float(max(1, math.ceil(step))) if is_whole else step


def _frequencies(column: Column, title: str) -> Chart:
    labels = [value for value, _ in column.frequent]
    values = [float(count) for _, count in column.frequent]
    return Chart(title or f"Most frequent in {column.name}", column.name, "rows", labels, values, False)
