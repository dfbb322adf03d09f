"""The pages of runs: which there are, what each did, why one waits; answering, cancelling and retrying."""

from typing import Annotated, Final, get_args

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from aeon.application.processes import ProcessService
from aeon.application.run_reader import ENDED_PHASES, RunPhase, RunReader, RunView
from aeon.base.json import parse_exact_text
from aeon.platform.errors import NotFoundError
from aeon.platform.runs.model import RunSummary
from aeon.server.auth.caller import Caller, SignedIn
from aeon.server.edge.routes import QuickRoute
from aeon.server.web.forms import Key, key_of, normalized
from aeon.server.web.pages import go_to, page
from aeon.server.web.run_view import STEPS_ON_A_PAGE, list_steps, seconds_of

router = APIRouter(route_class=QuickRoute, include_in_schema=False, prefix="/runs")

PHASES: Final[tuple[RunPhase, ...]] = get_args(RunPhase)

_PAGE: Final = 50
_OTHERS: Final = 20
_CANCEL_SECONDS: Final = 2.0


@router.get("")
async def list_runs(
    caller: SignedIn,
    request: Request,
    phase: Annotated[str, Query(max_length=20)] = "",
    process: Annotated[str, Query(max_length=300)] = "",
    since: Annotated[str, Query(max_length=50)] = "",
    after: str | None = None,
) -> Response:
    """The runs, newest first; the address says which."""
    reader: RunReader = caller.workspace.past_runs
    wanted = {"phase": phase if phase in PHASES else None, "process": process or None, "since": _day(since) or None}
    found = await caller.state.call(lambda: reader.list(**wanted, after=after, limit=_PAGE))  # pyright: ignore[reportArgumentType]  # one of PHASES
    rows = [(run, seconds_of(run.accepted_at, run.ended_at)) for run in found.items]
    chosen = {"phase": phase, "process": process, "since": since}
    has_open = any(run.phase not in ENDED_PHASES for run in found.items)
    values = {"rows": rows, "phases": PHASES, "chosen": chosen, "next": found.next_cursor, "has_open": has_open}
    values |= {"current": None, "is_newest": after is None}
    return await page(caller, request, "runs.html", values)


@router.get("/{run}")
async def show_run(
    run: str, caller: SignedIn, request: Request, first: Annotated[int, Query(alias="from", ge=0)] = 0
) -> Response:
    """A run: its steps, every attempt with its inputs and outputs, and why it does not continue.

    Of another user's run, only the questions that ask this user by name.
    """
    runs = caller.workspace.runs

    def read() -> dict[str, object] | None:
        try:
            view = runs.view(run)
        except NotFoundError:
            return None
        has_ended = view.state.phase in ENDED_PHASES
        return {
            "current": None,
            "view": view,
            "steps": list_steps(runs, view, first),
            "next": first + STEPS_ON_A_PAGE if first + STEPS_ON_A_PAGE < len(view.plan.steps) else None,
            "seconds": seconds_of(view.run.accepted_at, view.run.ended_at),
            "has_ended": has_ended,
            "reasons": [] if has_ended else runs.explain(run),
            "questions": [] if has_ended else runs.list_questions(run),
            "others": _others(runs, view),
            "is_outdated": _is_outdated(caller.workspace.processes, view),
            "begins_anew": runs.begins_anew(view),
        }

    values = await caller.state.call(read)
    if values is None:
        return await _show_assigned(run, caller, request)
    return await page(caller, request, "run.html", values)


async def _show_assigned(run: str, caller: Caller, request: Request) -> Response:
    """What another user's run asks this user. Raises NotFoundError if it asks nothing."""
    runs = caller.workspace.runs

    def read() -> dict[str, object]:
        assigned = runs.list_assigned(run)
        if not assigned:
            runs.get(run)  # which says that there is none
        return {"run": run, "assigned": assigned, "current": None}

    return await page(caller, request, "assigned.html", await caller.state.call(read))


@router.get("/{run}/compare")
async def compare(
    run: str, caller: SignedIn, request: Request, with_: Annotated[str, Query(alias="with", max_length=200)]
) -> Response:
    """Two runs of one Process side by side: the one that is named, then this one."""
    reader: RunReader = caller.workspace.past_runs
    found = await caller.state.call(lambda: reader.compare(with_, run))
    return await page(caller, request, "run-comparison.html", {"compared": found})


@router.post("/{run}/cancel")
async def cancel(run: str, caller: SignedIn) -> Response:
    """Cancel a run and all that it called."""
    await caller.state.call(lambda: caller.workspace.runs.cancel(run, wait=_CANCEL_SECONDS))
    return go_to(f"/runs/{run}")


@router.post("/{run}/pause")
async def pause(run: str, caller: SignedIn) -> Response:
    """Pause a run and all that it called."""
    await caller.state.call(lambda: caller.workspace.runs.pause(run))
    return go_to(f"/runs/{run}")


@router.post("/{run}/resume")
async def resume(run: str, caller: SignedIn) -> Response:
    """Let a paused run go on."""
    await caller.state.call(lambda: caller.workspace.runs.resume(run))
    return go_to(f"/runs/{run}")


@router.post("/{run}/retry")
async def retry(run: str, caller: SignedIn, key: Key, latest: Annotated[str, Form(max_length=10)] = "") -> Response:
    """Retry a run that failed or was cancelled; what is completed is kept."""
    runs, once = caller.workspace.runs, key_of(key)
    again = await caller.state.call(lambda: runs.retry(run, key=once, latest=bool(latest)))
    return go_to(f"/runs/{again.id}")


@router.post("/{run}/move")
async def move(run: str, caller: SignedIn) -> Response:
    """Move a run that waits to the current version of its Process."""
    moved = await caller.state.call(lambda: caller.workspace.runs.move(run))
    return go_to(f"/runs/{moved.run.id}")


@router.post("/{run}/answer")
async def answer_question(
    run: str, caller: SignedIn, step: Annotated[str, Form()], value: Annotated[str, Form(max_length=100_000)]
) -> Response:
    """Answer the question of a manual step, and let the user's own run go on."""
    runs, given = caller.workspace.runs, parse_exact_text(normalized(value))

    def work() -> str:
        runs.answer(run, step, given)
        try:
            runs.adopt(run)
        except NotFoundError:  # another user's, whose question names this one
            return "/jobs"
        return f"/runs/{run}"

    return go_to(await caller.state.call(work))


def _is_outdated(processes: ProcessService, view: RunView) -> bool:
    """Whether the Process of a run has another version by now; no for one that its user does not see any more."""
    try:
        return processes.get(view.run.process_id).digest != view.run.digest
    except NotFoundError:
        return False


def _others(runs: RunReader, view: RunView) -> list[RunSummary]:
    """The newest other runs of the same Process, with which a run can be compared."""
    found = runs.list(process=view.run.process_id, limit=_OTHERS + 1).items
    return [each for each in found if each.id != view.run.id][:_OTHERS]


def _day(since: str) -> str:
    """An instant; a day alone, as the field for dates gives it, begins at midnight in UTC."""
    return f"{since}T00:00:00Z" if since and "T" not in since else since
