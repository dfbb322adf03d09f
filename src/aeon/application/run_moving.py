"""Moves an open run to the current version of its Process: it is paused, checked again, ended and continued."""

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aeon.base.errors import AeonError
from aeon.platform.errors import ConflictError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import Run
from aeon.platform.runs.moves import move_refusal

if TYPE_CHECKING:
    from aeon.bootstrap.process_runtime import ProcessRuntime
    from aeon.platform.runs.service import RunView

_SECONDS = 20.0
"""How long an executor has to take a signal."""

_POLL_SECONDS = 0.05


class MovedRun(NamedTuple):
    """The run that continues a moved one; `problems` is why it is of the old version, empty if it is not."""

    run: Run
    problems: list[str]


def move_run(runtime: "ProcessRuntime", user: str, run: str) -> MovedRun:
    """Move a user's run that waits to the current version of its Process, and start the one that continues it.

    Whatever stops it in between, calling it again goes on. Raises NotFoundError; RuleError with every reason why the
    run cannot be moved; ConflictError if its executor does not answer.
    """
    view = runtime.runs.view(user, run)
    if view.state.moved_to is None:
        _refuse(view, runtime.runs.moves.problems(view.planned, view.state))
        view = _ended(runtime, user, view)
    moved, problems = runtime.runs.moves.finish(view.planned, view.state, MutationRequest(user))
    if moved.phase not in ENDED_PHASES:
        if moved.executor in ("", runtime.run_executor):
            runtime.engine.start(moved.id)
        else:  # it was moved before, and is executed elsewhere
            runtime.orphan_recovery.adopt(moved.id)
    return MovedRun(moved, problems)


def _refuse(view: "RunView", problems: list[str]) -> None:
    if view.state.phase in ENDED_PHASES:
        raise RuleError(f"The run {view.run.id} has ended: it is {view.state.phase}.", rule="run_open")
    if problems:
        raise move_refusal(view.run, problems)


def _ended(runtime: "ProcessRuntime", user: str, view: "RunView") -> "RunView":
    """Pause a run, so that nothing of it starts, check it again and end it; if that cannot be, it is as before."""
    moves, run = runtime.runs.moves, view.run.id
    before = moves.after_signals(view.planned, view.state)
    was_paused = before.phase == "paused"
    # Paused with its Process, the next run is paused by that.
    stays_paused = was_paused and before.paused_with is None
    if not was_paused:
        runtime.runs.pause(user, run)
    try:
        paused = _waited(runtime, user, run, "paused")
        _refuse(paused, moves.problems(paused.planned, paused.state))
        moves.request(paused.planned, paused.state, user, stays_paused=stays_paused)
        ended = _waited(runtime, user, run, "cancelled")
        if ended.state.moved_to is None:
            raise RuleError(f"The run {run} has ended in the meantime: it is {ended.state.phase}.", rule="run_open")
    except AeonError:
        if not was_paused:
            with suppress(AeonError):
                runtime.runs.unpause(user, run)
                runtime.engine.wake(run)
        raise
    else:
        return ended


def _waited(runtime: "ProcessRuntime", user: str, run: str, phase: str) -> "RunView":
    """Wait until a run is in that phase, executed here if its process has died."""
    runtime.orphan_recovery.adopt(run)
    until = runtime.clock.monotonic() + _SECONDS
    while runtime.runs.repository.get_phase(run) not in (phase, *ENDED_PHASES):
        if runtime.clock.monotonic() > until:
            raise ConflictError(
                f"The executor of the run {run} does not answer.",
                next_step="Look at why it does not go on, and move it again.",
            )
        runtime.engine.wake(run)
        runtime.clock.sleep(_POLL_SECONDS)
    return runtime.runs.view(user, run)
