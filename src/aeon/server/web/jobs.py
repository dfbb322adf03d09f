"""The page of jobs: what the user's open runs wait for, what failed for good, and for operators the workers."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from aeon.server.auth.caller import SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.pages import page

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/jobs")

_PAGE: Final = 50

JOB_STATES: Final = {"queued": "job_queued", "running": "running", "waits": "waiting"}
"""The keys of the texts for the states of open jobs."""

WORKER_STATES: Final = {
    "idle": "worker_idle",
    "busy": "worker_busy",
    "draining": "worker_draining",
    "offline": "worker_offline",
}
"""The keys of the texts for the states of workers."""

Cursor = Annotated[str | None, Query(max_length=1000)]


@router.get("")
async def list_jobs(caller: SignedIn, request: Request, after: Cursor = None, dead_after: Cursor = None) -> Response:
    """The user's open and dead jobs; for operators, the workers of all users, too."""
    own = caller.workspace

    def read() -> dict[str, object]:
        return {
            "open": own.jobs.list_open(after=after, limit=_PAGE),
            "dead": own.past_runs.list_dead_jobs(after=dead_after, limit=_PAGE),
            "workers": own.jobs.list_workers() if caller.may("see_workers") else None,
            "job_states": JOB_STATES,
            "worker_states": WORKER_STATES,
        }

    return await page(caller, request, "jobs.html", await caller.state.call(read))
