"""What Processes have besides other stored things: versions, differences, drawings."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from aeon.application.processes import CURRENT, DrawingForm, ProcessPause, ProcessService
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Change, listed, thing
from aeon.server.rest.route import RestRoute
from aeon.server.rest.runs import drawing

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["processes"], responses=dict(PROBLEM))

Version = Annotated[str | None, Query(min_length=4, max_length=64, pattern=r"^[0-9a-f]+$")]


@router.get("/processes/{name}/versions")
async def list_versions(name: str, caller: SignedIn) -> JSONResponse:
    """Every definition that a Process had, oldest first."""
    found = await caller.state.call(lambda: caller.workspace.processes.list_versions(name))
    return listed([each._asdict() for each in found])


@router.get("/processes/{name}/versions/{digest}")
async def get_version(name: str, digest: str, caller: SignedIn) -> JSONResponse:
    """One definition, by the beginning of its digest."""
    return thing(await caller.state.call(lambda: caller.workspace.processes.get_version(name, digest)))


@router.get("/processes/{name}/diff")
async def compare(name: str, caller: SignedIn, old: Version = None, new: Version = None) -> JSONResponse:
    """How two versions differ, step by step; by default the last change."""
    processes = caller.workspace.processes
    found = await caller.state.call(lambda: processes.compare(name, old, CURRENT if new is None else new))
    differences = [each._asdict() for each in found.differences]
    return thing({"old": found.old, "new": found.new, "differences": [*differences]})


@router.post("/processes/{name}/pause")
async def pause(name: str, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Pause your Process with all of its open runs: what runs goes on, nothing more starts, and new runs wait."""
    return await _switch(caller, asked, lambda processes: processes.pause, name)


@router.post("/processes/{name}/resume")
async def resume(name: str, caller: SignedIn, asked: Asked) -> JSONResponse:
    """Let your paused Process go on, with the runs that were paused with it."""
    return await _switch(caller, asked, lambda processes: processes.resume, name)


async def _switch(
    caller: Caller, asked: Change, verb: Callable[[ProcessService], Callable[..., ProcessPause]], name: str
) -> JSONResponse:
    call = verb(caller.workspace.processes)
    done = await caller.state.call(lambda: call(name, key=asked.key, expected_version=asked.expected))
    return thing(done.process.as_dict(), done.process.version, change=asked)


@router.get("/processes/{name}/picture", response_class=Response)
async def draw(name: str, caller: SignedIn, form: Annotated[DrawingForm, Query(alias="format")] = "svg") -> Response:
    """The steps of a Process and their dependencies, as SVG or as a Mermaid flowchart."""
    return drawing(await caller.state.call(lambda: caller.workspace.processes.draw(name, form)), form)
