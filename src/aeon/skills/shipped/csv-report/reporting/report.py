"""The script itself: from the request to the files and the patch."""  # noqa: INP001  # a folder beside its script, no part of the package aeon

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from . import chart, choice, markdown
from .protocol import RefusalError, emit, read_request
from .summary import Column, Group, columns_of, groups_of
from .table import Table, read_table

_Result = TypeVar("_Result")

_MAX_BYTES = 50 * 1024 * 1024
_MOST_COLUMNS_TOLD = 100
_MOST_GROUPS_TOLD = 50


def report() -> None:
    """Read, sum up, draw, and say where it stands."""
    request = read_request()
    given = request.given
    chart.require_pillow()
    config: dict[str, Any] = json.loads(os.environ.get("AEON_SKILL_CONFIG") or "{}")
    if not isinstance(given.get("path"), str):
        raise RefusalError("bad_input", "path is missing; name a CSV or TSV file.")
    path = Path(given["path"])
    table = read_table(path, int(config.get("maxBytes", _MAX_BYTES)))
    for note in table.notes:
        emit("log", level="warn", message=note)
    columns = columns_of(table)
    column = _chosen(columns, given.get("column"), "column")
    groups = _grouped(table, columns, column, given)
    title = str(given.get("title") or "")
    folder = _folder(request.request_id, given)
    drawn = choice.chart_of(columns, column, groups, title)
    summed = groups is not None and column is not None
    page = markdown.written(title or f"Report on {path.name}", table, columns, groups, summed)
    if not _place(folder / "chart.png", lambda place: chart.draw(drawn, place)):
        emit("log", level="warn", message="No font here has every letter of the chart: some were replaced in it.")
    _place(folder / "summary.md", lambda place: place.write_text(page, encoding="utf-8"))
    told = _told(path, table, columns, groups, drawn)
    emit("asset", assetId="chart", kind="chart", mediaType="image/png", path=str(folder / "chart.png"),
         metadata={"title": drawn.title, "width": chart.WIDTH, "height": chart.HEIGHT})  # fmt: skip
    emit("asset", assetId="report", kind="report", mediaType="text/markdown", path=str(folder / "summary.md"))
    emit("state_patch", patch={"report": _patch(table, columns, column, groups, told)})
    emit("done", ok=True, summary=told)


def main() -> int:
    """Exit code 0 also for a refusal, which is said in events."""
    try:
        report()
    except RefusalError as refusal:
        refusal.report()
    return 0


def _chosen(columns: list[Column], name: Any, field: str) -> Column | None:
    """The column of that name, in any case. Raises RefusalError that lists the columns there are."""
    if name is None:
        return None
    wanted = str(name).strip()
    found = next((one for one in columns if one.name == wanted), None)
    found = found or next((one for one in columns if one.name.casefold() == wanted.casefold()), None)
    if found is None:
        there = ", ".join(one.name for one in columns)[:1000]
        raise RefusalError("no_column", f"There is no column {wanted[:100]!r} for {field}; there are: {there}.")
    return found


def _grouped(
    table: Table, columns: list[Column], column: Column | None, given: dict[str, Any]
) -> tuple[str, list[Group]] | None:
    by = _chosen(columns, given.get("groupBy"), "groupBy")
    if by is None:
        return None
    if column is not None and not column.is_numeric:
        said = f"The column {column.name} holds text, which cannot be summed by group; choose one of numbers, or none."
        raise RefusalError("not_numeric", said)
    return by.name, groups_of(table.columns[columns.index(by)], column)


def _folder(request_id: str, given: dict[str, Any]) -> Path:
    """A folder for the request, and in it one for the input: two reports of one plan do not meet."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", request_id)[:80] or "request"
    digest = hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:12]
    folder = Path.cwd() / "reports" / name / digest
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _place(path: Path, write: Callable[[Path], _Result]) -> _Result:
    """All of the file at once, also while the same report is made twice."""
    beside = path.with_name(f".{os.getpid()}-{path.name}")
    result = write(beside)
    beside.replace(path)
    return result


def _told(path: Path, table: Table, columns: list[Column], groups: Any, drawn: chart.Chart) -> str:
    parts = f"{path.name}: {table.rows} rows, {len(columns)} columns"
    parts += f", {len(groups[1])} groups" if groups else ""
    return f"{parts}; chart: {drawn.title}."[:500]


def _patch(
    table: Table, columns: list[Column], column: Column | None, groups: tuple[str, list[Group]] | None, told: str
) -> dict[str, Any]:
    patch: dict[str, Any] = {"text": told, "rows": table.rows, "raggedRows": table.ragged_rows}
    patch["columns"] = [one.as_data() for one in columns[:_MOST_COLUMNS_TOLD]]
    if len(columns) > _MOST_COLUMNS_TOLD:
        patch["columnsLeftOut"] = len(columns) - _MOST_COLUMNS_TOLD
    if column is not None:
        patch["column"] = column.as_data()
    if groups is not None:
        has_column = column is not None
        patch["groups"] = [group.as_data(has_column=has_column) for group in groups[1][:_MOST_GROUPS_TOLD]]
        if len(groups[1]) > _MOST_GROUPS_TOLD:
            patch["groupsLeftOut"] = len(groups[1]) - _MOST_GROUPS_TOLD
    return patch
