"""Runs of Processes: start, follow, answer, cancel, retry (platform 8 to 10, 15 to 18)."""

from collections.abc import AsyncGenerator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from aeon.application.processes import DrawingForm
from aeon.application.run_reader import ENDED_PHASES, RunPhase, RunView
from aeon.base.json import JsonObject
from aeon.platform.runs.model import RunSummary
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.streams import END, HEARTBEAT, StreamEvent, Waker, resume_point, stream
from aeon.server.rest.answers import PREFIX, PROBLEM, Asked, Change, Cursor, Limit, Wait, listed, page, thing
from aeon.server.rest.route import RestRoute

router = APIRouter(route_class=RestRoute, prefix=PREFIX, tags=["runs"], responses=dict(PROBLEM))


class RunStart(BaseModel):
    """What a run begins with; it fails if it has not ended after `deadline` seconds."""

    model_config = ConfigDict(extra="forbid")

    inputs: dict[str, Any] = Field(default_factory=dict[str, Any])
    deadline: float | None = Field(default=None, gt=0, le=31_536_000)
    tags: dict[str, str] = Field(default_factory=dict[str, str], description="names and values that lists filter by")
    priority: Literal["high", "normal", "low"] = Field(default="normal", description="what busy workers take first")


class StepAnswer(BaseModel):
    """The answer to the question of a step."""

    model_config = ConfigDict(extra="forbid")

    step: str = Field(min_length=1, max_length=200)
    value: Any


@router.post("/processes/{process}/runs", status_code=202)
async def start(
    process: str,
    caller: SignedIn,
    asked: Asked,
    seconds: Wait,
    new: RunStart | None = None,
) -> JSONResponse:
    """Start a run of a Process. With `Prefer: wait=30`, the answer is 200 with the whole run once it has ended."""
    wish = new or RunStart()
    runs = caller.workspace.runs
    begun = await caller.state.call(
        lambda: runs.start(
            process, wish.inputs, key=asked.key, deadline=wish.deadline, tags=wish.tags, priority=wish.priority
        )
    )
    if seconds:
        await caller.state.call(lambda: runs.settle(begun.id, seconds))
    return started(await caller.state.call(lambda: runs.view(begun.id)), asked, is_awaited=seconds > 0)


@router.get("/runs")
async def list_runs(  # noqa: PLR0913, PLR0917  # one for each filter
    caller: SignedIn,
    phase: RunPhase | None = None,
    process: Annotated[str | None, Query(max_length=200)] = None,
    since: Annotated[str | None, Query(max_length=40)] = None,
    before: Annotated[str | None, Query(max_length=40)] = None,
    code: Annotated[str | None, Query(max_length=100)] = None,
    tag: Annotated[str | None, Query(max_length=401, description="a name, or name=value")] = None,
    text: Annotated[str | None, Query(max_length=200, description="in inputs, failures and tags")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> JSONResponse:
    """Your runs, newest first, without those that other runs called."""
    runs = caller.workspace.past_runs
    found = await caller.state.call(
        lambda: runs.list(
            phase=phase,
            process=process,
            since=since,
            before=before,
            code=code,
            tag=tag,
            text=text,
            after=cursor,
            limit=limit,
        )
    )
    return page(found, RunSummary.as_dict)


@router.get("/runs/{run}")
async def get_run(run: str, caller: SignedIn) -> JSONResponse:
    """A run with its inputs, its steps and its output."""
    return thing(run_json(await caller.state.call(lambda: caller.workspace.past_runs.view(run))))


@router.get("/runs/{run}/entries")
async def list_entries(
    run: str, caller: SignedIn, after: Annotated[int, Query(ge=0)] = 0, limit: Limit = 200
) -> JSONResponse:
    """The events of a run after one number; they never change."""
    found = await caller.state.call(lambda: _entries(caller, run, after))
    return listed(found[:limit])


@router.get("/runs/{run}/events")
async def follow(run: str, request: Request, caller: SignedIn, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    """The events of a run as they happen, then `end` with the whole run (platform 32)."""
    place = resume_point(request, after)
    await caller.state.call(lambda: caller.workspace.past_runs.view(run))  # 404 before the stream begins
    return stream(caller.state, caller.reader, _events(request, caller, run, place))


@router.get("/runs/{run}/attempts")
async def list_attempts(run: str, caller: SignedIn) -> JSONResponse:
    """Every attempt of the steps: its inputs, output or error, and times."""
    runs = caller.workspace.past_runs
    return listed([asdict(each) for each in await caller.state.call(lambda: runs.trace(runs.view(run)))])


@router.get("/runs/{run}/why")
async def explain(run: str, caller: SignedIn) -> JSONResponse:
    """Why a run does not continue."""
    found = await caller.state.call(lambda: caller.workspace.runs.explain(run))
    return listed([each.as_dict() for each in found])


@router.get("/runs/{run}/usage")
async def get_usage(run: str, caller: SignedIn) -> JSONResponse:
    """The model calls, tokens and costs of a run and of all that it called."""
    return thing((await caller.state.call(lambda: caller.workspace.runs.usage(run))).as_dict())


@router.get("/runs/{run}/questions")
async def list_questions(run: str, caller: SignedIn) -> JSONResponse:
    """The questions to people that a run waits for."""
    found = await caller.state.call(lambda: caller.workspace.past_runs.list_questions(run))
    return listed([each._asdict() for each in found])


@router.post("/runs/{run}/answers", status_code=201)
async def answer(run: str, given: StepAnswer, caller: SignedIn) -> JSONResponse:
    """Answer the question of a step; 409 if another answer came first."""
    asked = await caller.state.call(lambda: caller.workspace.runs.answer(run, given.step, given.value))
    return thing({**asked._asdict(), "value": given.value}, status=201)


@router.post("/runs/{run}/cancel", status_code=202)
async def cancel(run: str, caller: SignedIn) -> JSONResponse:
    """Cancel a run and all that it called."""
    await caller.state.call(lambda: caller.workspace.runs.cancel(run, wait=1))
    view = await caller.state.call(lambda: caller.workspace.past_runs.view(run))
    return thing(run_json(view), status=200 if view.state.phase in ENDED_PHASES else 202, location=f"/runs/{run}")


@router.post("/runs/{run}/pause", status_code=202)
async def pause(run: str, caller: SignedIn) -> JSONResponse:
    """Pause a run and all that it called: what runs goes on, and nothing more starts."""
    await caller.state.call(lambda: caller.workspace.runs.pause(run))
    view = await caller.state.call(lambda: caller.workspace.past_runs.view(run))
    return thing(run_json(view), status=202, location=f"/runs/{run}")


@router.post("/runs/{run}/retry", status_code=202)
async def retry(
    run: str,
    caller: SignedIn,
    asked: Asked,
    latest: Annotated[bool, Query(description="In the current version of its Process.")] = False,
) -> JSONResponse:
    """Retry a run that failed or was cancelled, as a new run that keeps the completed steps."""
    again = await caller.state.call(lambda: caller.workspace.runs.retry(run, key=asked.key, latest=latest))
    return thing(again.as_dict(), status=202, location=f"/runs/{again.id}", change=asked)


@router.post("/runs/{run}/move", status_code=202)
async def move(run: str, caller: SignedIn) -> JSONResponse:
    """Move a run that waits to the current version of its Process, as a new run that keeps what is done.

    `problems` is why the new run is of the old version after all, if it is.
    """
    moved = await caller.state.call(lambda: caller.workspace.runs.move(run))
    return thing({**moved.run.as_dict(), "problems": [*moved.problems]}, status=202, location=f"/runs/{moved.run.id}")


@router.post("/runs/{run}/resume", status_code=202)
async def resume(run: str, caller: SignedIn) -> JSONResponse:
    """Let a paused run go on, and go on with a run here if the process that executed it has died."""
    root = await caller.state.call(lambda: caller.workspace.runs.resume(run))
    return thing(root.as_dict(), status=202, location=f"/runs/{root.id}")


@router.get("/runs/{run}/picture", response_class=Response)
async def draw(
    run: str,
    caller: SignedIn,
    form: Annotated[DrawingForm, Query(alias="format")] = "svg",
    events: Annotated[  # noqa: ARG001  # it makes another address, so that a browser fetches the picture again
        int | None, Query(ge=0, description="The run's number of events; the picture is always the newest.")
    ] = None,
) -> Response:
    """The steps of a run with their states, as SVG or as a Mermaid flowchart."""
    own = caller.workspace
    return drawing(await caller.state.call(lambda: own.processes.draw_run(own.past_runs.view(run), form)), form)


def started(view: RunView, asked: Change, *, is_awaited: bool) -> JSONResponse:
    """The answer with a run that was started: 200 if it was awaited and has ended, else 202."""
    status = 200 if is_awaited and view.state.phase in ENDED_PHASES else 202
    return thing(run_json(view), status=status, location=f"/runs/{view.run.id}", change=asked)


def run_json(view: RunView) -> JsonObject:
    """A run with its state under the published names."""
    state = view.state.as_dict(view.plan)
    return {**view.run.as_dict(), "phase": view.state.phase, "state": state, "output": view.state.output}


def drawing(text: str, form: DrawingForm) -> Response:
    """A drawing, which a browser must not run as a page of ours."""
    return svg(text) if form == "svg" else Response(text, media_type="text/plain; charset=utf-8")


def svg(text: str) -> Response:
    """A drawing, which a browser must not run as a page of ours."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return Response(text, media_type="image/svg+xml", headers={"content-security-policy": policy})


def _entries(caller: Caller, run: str, after: int) -> list[JsonObject]:
    return [each.as_dict() for each in caller.workspace.past_runs.entries(run, after)]


async def _events(request: Request, caller: Caller, run: str, after: int) -> AsyncGenerator[StreamEvent | None]:
    runs, waker, idle = caller.workspace.past_runs, Waker(), caller.state.idle_streams
    with caller.workspace.runs.watch(run, waker.tell), idle.opened(caller.credential, request, waker):
        while True:
            entries, are_last = await caller.state.call(lambda place=after: runs.read_on(run, place))
            for entry in entries:
                after = entry.n
                yield StreamEvent("entry", entry.as_dict(), after)
            entries.clear()  # while it sleeps, a stream keeps nothing of a long run
            if are_last:
                yield StreamEvent(END, run_json(await caller.state.call(lambda: runs.view(run))))
                return
            while not await waker.wait(HEARTBEAT):
                yield None
