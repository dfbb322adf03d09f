"""What operators ask of a server: whether it is healthy, and its metrics for Prometheus (platform 18, 31)."""

from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from aeon.application.knowledge import ExtractionBacklog
from aeon.application.metrics import MetricsService, format_exposition
from aeon.server.auth.caller import WithToken
from aeon.server.edge.routes import QuickRoute
from aeon.server.edge.state import state_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False)

_WAITING: Final = "aeon_knowledge_waiting"

_EXPOSITION: Final = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/health/live")
async def is_live() -> JSONResponse:
    """Whether the process answers; nobody needs to be signed in."""
    return JSONResponse({"status": "ok"})


@router.get("/health/ready")
async def is_ready(request: Request) -> JSONResponse:
    """Whether the record and the engine answer, else 503; nobody needs to be signed in, so it does not say why."""
    state = state_of(request)
    if await state.call(state.is_ready):
        return JSONResponse({"status": "ok"})
    return JSONResponse({"status": "unavailable"}, 503)


@router.get("/metrics")
async def get_metrics(caller: WithToken) -> Response:
    """The counters of this server process, the metrics of what the token's user sees, and what waits for extraction."""
    measured = await caller.state.call(lambda: _measured(caller.workspace.metrics))
    backlog = await caller.state.call(caller.workspace.knowledge.backlog)
    own = caller.state.counters.format(caller.state.streams.total)
    return Response(own + measured + _gauges(backlog), media_type=_EXPOSITION)


def _gauges(backlog: ExtractionBacklog) -> str:
    """How far the extraction of the messages of the token's user is behind."""
    lines = [
        f"# HELP {_WAITING} Messages and answers of the token's user that wait for extraction.",
        f"# TYPE {_WAITING} gauge",
        f"{_WAITING} {backlog.episodes}",
        f"# HELP {_WAITING}_seconds Seconds since the oldest of them was written; 0 if none waits.",
        f"# TYPE {_WAITING}_seconds gauge",
        f"{_WAITING}_seconds {backlog.seconds!r}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _measured(metrics: MetricsService) -> str:
    return format_exposition([metrics.summarize(each.name, each.scope) for each in metrics.list_all()])
