"""The script report: from the request to the files and the patch."""  # noqa: INP001  # a folder beside its script, not in the package aeon

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from . import chart, choice, markdown
from .protocol import ReportRefusalError, emit, read_request
from .summary import Column, Group, columns_of, groups_of
from .table import Table, read_table

_Result = TypeVar("_Result")

_MAX_BYTES = 50 * 1024 * 1024
_MAX_REPORTED_COLUMNS = 100
_MAX_REPORTED_GROUPS = 50


def report() -> None:
    """Reads the table, summarizes it, draws the chart, and emits the results."""
    request = read_request()
    input_data = request.input_data
    chart.require_pillow()
    config: dict[str, Any] = json.loads(os.environ.get("AEON_SKILL_CONFIG") or "{}")
    if not isinstance(input_data.get("path"), str):
        raise ReportRefusalError("bad_input", "path is missing; name a CSV or TSV file.")
    path = Path(input_data["path"])
    table = read_table(path, int(config.get("maxBytes", _MAX_BYTES)))
    for note in table.notes:
        emit("log", level="warn", message=note)
    columns = columns_of(table)
    column = _chosen(columns, input_data.get("column"), "column")
    groups = _grouped(table, columns, column, input_data)
    title = str(input_data.get("title") or "")
    folder = _folder(request.request_id, input_data)
    drawn = choice.chart_of(columns, column, groups, title)
    summed = groups is not None and column is not None
    page = markdown.report_page(title or f"Report on {path.name}", table, columns, groups, summed)
    if not _write_atomically(folder / "chart.png", lambda place: chart.draw(drawn, place)):
        emit("log", level="warn", message="No font here has every letter of the chart: some letters were replaced.")
    _write_atomically(folder / "summary.md", lambda place: place.write_text(page, encoding="utf-8"))
    summary = _summary(path, table, columns, groups, drawn)
    emit("asset", assetId="chart", kind="chart", mediaType="image/png", path=str(folder / "chart.png"),
         metadata={"title": drawn.title, "width": chart.WIDTH, "height": chart.HEIGHT})  # fmt: skip
    emit("asset", assetId="report", kind="report", mediaType="text/markdown", path=str(folder / "summary.md"))
    emit("state_patch", patch={"report": _patch(table, columns, column, groups, summary)})
    emit("done", ok=True, summary=summary)


def main() -> int:
    """Runs the script. The exit code is 0 even for a refusal, which is reported in events."""
    try:
        report()
    except ReportRefusalError as refusal:
        refusal.report()
    return 0


def _chosen(columns: list[Column], name: Any, field: str) -> Column | None:
    """Returns the column with that name, in any case.

    Raises ReportRefusalError that lists the existing columns.
    """
    if name is None:
        return None
    wanted = str(name).strip()
    match = next((one for one in columns if one.name == wanted), None)
    match = match or next((one for one in columns if one.name.casefold() == wanted.casefold()), None)
    if match is None:
        names = ", ".join(one.name for one in columns)[:1000]
        raise ReportRefusalError(
            "no_column", f"The column {wanted[:100]!r} for {field} does not exist; the columns are: {names}."
        )
    return match


def _grouped(
    table: Table, columns: list[Column], column: Column | None, input_data: dict[str, Any]
) -> tuple[str, list[Group]] | None:
    by = _chosen(columns, input_data.get("groupBy"), "groupBy")
    if by is None:
        return None
    if column is not None and not column.is_numeric:
        message = f"The column {column.name} contains text, which cannot be summed; choose a numeric column, or none."
        raise ReportRefusalError("not_numeric", message)
    return by.name, groups_of(table.columns[columns.index(by)], column)


def _folder(request_id: str, input_data: dict[str, Any]) -> Path:
    """Returns a folder per request and input, so that two reports of one plan do not collide."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", request_id)[:80] or "request"
    digest = hashlib.sha256(json.dumps(input_data, sort_keys=True).encode()).hexdigest()[:12]
    folder = Path(os.environ["AEON_SKILL_DATA"]) / "reports" / name / digest
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_atomically(path: Path, write: Callable[[Path], _Result]) -> _Result:
    """Writes a file atomically, even if the same report is made twice at once."""
    beside = path.with_name(f".{os.getpid()}-{path.name}")
    result = write(beside)
    beside.replace(path)
    return result


def _summary(path: Path, table: Table, columns: list[Column], groups: Any, drawn: chart.Chart) -> str:
    parts = f"{path.name}: {table.rows} rows, {len(columns)} columns"
    parts += f", {len(groups[1])} groups" if groups else ""
    return f"{parts}; chart: {drawn.title}."[:500]


def _patch(
    table: Table, columns: list[Column], column: Column | None, groups: tuple[str, list[Group]] | None, summary: str
) -> dict[str, Any]:
    patch: dict[str, Any] = {"text": summary, "rows": table.rows, "raggedRows": table.ragged_rows}
    patch["columns"] = [one.as_data() for one in columns[:_MAX_REPORTED_COLUMNS]]
    if len(columns) > _MAX_REPORTED_COLUMNS:
        patch["columnsLeftOut"] = len(columns) - _MAX_REPORTED_COLUMNS
    if column is not None:
        patch["column"] = column.as_data()
    if groups is not None:
        has_column = column is not None
        patch["groups"] = [group.as_data(has_column=has_column) for group in groups[1][:_MAX_REPORTED_GROUPS]]
        if len(groups[1]) > _MAX_REPORTED_GROUPS:
            patch["groupsLeftOut"] = len(groups[1]) - _MAX_REPORTED_GROUPS
    return patch
