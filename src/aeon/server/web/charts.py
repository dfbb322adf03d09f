"""The page of metrics: their values over time and by a dimension, as SVG charts and tables (platform 18)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aeon.application.metrics import ENTITY_DIMENSION, MetricPoint, MetricsService
from aeon.base.json import Json
from aeon.platform.metrics.model import MetricGroup, MetricScope
from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.pages import language_of, page
from aeon.server.web.texts import with_marks

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

Window: TypeAlias = Literal["1h", "24h", "7d", "30d", "90d"]


class _Span(NamedTuple):
    """How long a window is, into how many columns it is divided, and the key of its word."""

    length: timedelta
    columns: int
    word: str


_WINDOWS: Final[Mapping[Window, _Span]] = {
    "1h": _Span(timedelta(hours=1), 12, "window_hour"),
    "24h": _Span(timedelta(hours=24), 24, "window_day"),
    "7d": _Span(timedelta(days=7), 28, "window_week"),
    "30d": _Span(timedelta(days=30), 30, "window_month"),
    "90d": _Span(timedelta(days=90), 30, "window_quarter"),
}

DIMENSIONS: Final = (ENTITY_DIMENSION, "userId", "phase", "code")
"""The dimensions of what Aeon itself measures; a metric of a user's own may have others."""

_WIDTH: Final = 1000
_HEIGHT: Final = 200


class Bar(NamedTuple):
    """A value with its place in a drawing of 1,000 by 200 units; one that is not a number has no height."""

    label: str
    value: str
    values: int
    x: float
    y: float
    width: float
    height: float


class ColumnChart(NamedTuple):
    """The bars of a drawing, its greatest and its least value, and where zero is."""

    bars: list[Bar]
    high: str
    low: str
    zero: float


@router.get("/charts")
async def show(
    caller: SignedIn,
    request: Request,
    metric: Annotated[str, Query(max_length=100)] = "",
    scope: MetricScope | None = None,
    window: Window = "7d",
    by: Annotated[str, Query(max_length=100)] = "",
    entity: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """All metrics with their values in a window of time; of one of them, its course, or its values by a dimension."""
    metrics, now, language = caller.workspace.metrics, datetime.now(UTC), language_of(request)
    since = (now - _WINDOWS[window].length).isoformat()

    def read() -> dict[str, object]:
        chosen = metrics.find(metric, scope) if metric else None
        summary = metrics.summarize(metric, scope, entity=entity or None, since=since, by=by) if chosen and by else None
        return {
            "rows": [] if chosen else _overview(metrics, since, language),
            "metric": chosen,
            "groups": []
            if summary is None
            else _rows([(_label(g), g.value, g.values) for g in summary.groups], language),
            "ids": [] if summary is None else [group.label for group in summary.groups],
            "course": _course(metrics, (metric, scope, entity), now, window, language) if chosen and not by else None,
            "windows": {name: span.word for name, span in _WINDOWS.items()},
            "chosen": {"window": window, "by": by, "entity": entity},
            "dimensions": DIMENSIONS,
        }

    return await page(caller, request, "charts.html", await caller.state.call(read))


def draw_columns(values: Sequence[tuple[str, Json, int]], language: str) -> ColumnChart:
    """Columns side by side, each with its label, its value, and from how many values it was made."""
    high, low = _range([value for _, value, _ in values])
    span, width = (high - low) or 1.0, _WIDTH / max(len(values), 1)
    bars: list[Bar] = []
    for place, (label, value, count) in enumerate(values):
        number = _number(value)
        top = _HEIGHT * (high - max(number, 0.0)) / span
        height = _HEIGHT * abs(number) / span
        bars.append(Bar(label, show_number(value, language), count, place * width + 2, top, width - 4, height))
    return ColumnChart(bars, show_number(high, language), show_number(low, language), _HEIGHT * high / span)


def show_number(value: Json, language: str) -> str:
    """A value of a metric for people, with the marks of their language."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    written = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}" if abs(value) < 1 else f"{value:,.1f}"
    return with_marks(language, written)


def _overview(metrics: MetricsService, since: str, language: str) -> list[tuple[object, str, int]]:
    found = [metrics.summarize(each.name, each.scope, since=since) for each in metrics.list_all()]
    return [
        (
            each.metric,
            show_number(each.groups[0].value, language) if each.groups else "-",
            sum(g.values for g in each.groups),
        )
        for each in found
    ]


def _course(
    metrics: MetricsService, of: tuple[str, MetricScope | None, str], now: datetime, window: Window, language: str
) -> ColumnChart:
    (name, scope, entity), span = of, _WINDOWS[window]
    points = metrics.series(name, scope, entity=entity or None, since=now - span.length, until=now, points=span.columns)
    return draw_columns([(_instant(point), point.value, point.values) for point in points], language)


def _instant(point: MetricPoint) -> str:
    return point.since[:16].replace("T", " ")


def _label(group: MetricGroup) -> str:
    return group.name or group.label or ""


def _rows(values: Sequence[tuple[str, Json, int]], language: str) -> list[Bar]:
    """Rows one below the other, whose widths show their values."""
    high, low = _range([value for _, value, _ in values])
    most = max(high, -low) or 1.0
    return [
        Bar(label, show_number(value, language), count, 0, 0, _WIDTH * abs(_number(value)) / most, 8)
        for label, value, count in values
    ]


def _range(values: Sequence[Json]) -> tuple[float, float]:
    """The greatest and the least number, between which there is zero."""
    numbers = [_number(value) for value in values]
    return max([0.0, *numbers]), min([0.0, *numbers])


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
