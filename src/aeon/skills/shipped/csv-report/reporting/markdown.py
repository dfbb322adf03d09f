"""Writes the report as Markdown."""  # noqa: INP001  # a folder beside its script, not in the package aeon

from collections.abc import Sequence

from .summary import Column, Group, tidy
from .table import Table

_MOST_GROUPS = 50


def report_page(
    title: str, table: Table, columns: list[Column], groups: tuple[str, list[Group]] | None, has_column: bool
) -> str:
    """Returns the whole page."""
    lines = [f"# {_cell(title)}", "", f"{table.rows} rows, {len(columns)} columns.", ""]
    lines += [f"- {note}" for note in table.notes] + [""] * bool(table.notes)
    lines += ["![Chart](chart.png)", ""]
    numeric, texts = [one for one in columns if one.is_numeric], [one for one in columns if not one.is_numeric]
    lines += _numbers(numeric) if numeric else []
    lines += _texts(texts) if texts else []
    lines += _groups(*groups, has_column=has_column) if groups else []
    return "\n".join(lines).rstrip() + "\n"


def _numbers(columns: list[Column]) -> list[str]:
    names = ("count", "missing", "unreadable", "min", "max", "mean", "median", "sum")
    rows = [(one.name, *(one.as_data().get(name, "") for name in names)) for one in columns]
    return ["## Numbers", "", *_table(("column", *names), rows)]


def _texts(columns: list[Column]) -> list[str]:
    rows = [(one.name, one.count, one.missing, one.distinct, _frequent(one)) for one in columns]
    return ["## Text", "", *_table(("column", "count", "missing", "distinct", "most frequent"), rows)]


def _frequent(column: Column) -> str:
    return ", ".join(f"{value} ({count})" for value, count in column.frequent)


def _groups(group_by: str, groups: list[Group], *, has_column: bool) -> list[str]:
    names = ("rows", "count", "sum", "mean") if has_column else ("rows",)
    shown = [(group.name, *(group.as_data(has_column=has_column).get(name, "") for name in names)) for group in groups]
    left_out = len(groups) - _MOST_GROUPS
    more = [f"{left_out} more groups are left out.", ""] if left_out > 0 else []
    return [f"## By {_cell(group_by)}", "", *_table((group_by, *names), shown[:_MOST_GROUPS]), *more]


def _table(header: tuple[object, ...], rows: Sequence[tuple[object, ...]]) -> list[str]:
    lines = [_row(header), _row(["---"] * len(header)), *(_row(row) for row in rows)]
    return [*lines, ""]


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(value: object) -> str:
    text = str(tidy(float(f"{value:.6g}"))) if isinstance(value, float) else str(value)
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
