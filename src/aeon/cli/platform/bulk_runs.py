"""`aeon log cancel|move|retry` with filters: many runs at once, shown before anything is done."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from aeon.application.run_reader import RunPhase, RunReader
from aeon.base.errors import AeonError, InputError
from aeon.cli.confirmation import confirm
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import runtime_session, workspace_session
from aeon.cli.platform.times import parse_since
from aeon.cli.text import indented_json, printable
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import RunSummary

_T = TypeVar("_T")

_MAX_RUNS = 1000
"""Runs that one command acts on."""

_SHOWN = 20

_SETTLE_SECONDS = 10.0
"""How long a moved run is executed here at most; then a worker goes on with it."""


class RunSelection(NamedTuple):
    """The filters of a command; None does not filter. Times are as `parse_since` reads them."""

    process: str | None
    phase: RunPhase | None
    since: str | None
    before: str | None
    code: str | None
    tag: str | None
    text: str | None
    unretried: bool = False

    def is_one(self, run: str | None) -> bool:
        """Whether a command names one run. Raises InputError unless it names a run or has filters, but not both."""
        has_filter = any(
            value is not None for value in (self.process, self.since, self.before, self.code, self.tag, self.text)
        )
        if (run is None) is not has_filter:
            raise InputError(
                "Both a run and filters are given." if run is not None else "Neither a run nor a filter is given.",
                next_step="Name a run, or filter: --process, --tag, --since, --before, --text.",
            )
        return run is not None


def cancel_matching(selection: RunSelection, user: str, *, is_confirmed: bool) -> int:
    """Cancel all open runs that match, after they were shown; the runs end where they are executed."""
    with workspace_session(user) as workspace:
        open_runs = [run for run in _matching(workspace.past_runs, selection) if run.phase not in ENDED_PHASES]
        if not _show(open_runs, "no open run matches", "cancelled", is_confirmed=is_confirmed):
            return ExitCode.DONE
        asked = _each(open_runs, lambda run: workspace.runs.request_cancel(run.id))
    print_message(f"{len(asked)} run(s) were asked to stop")
    return ExitCode.DONE if len(asked) == len(open_runs) else ExitCode.FAILED


def move_matching(selection: RunSelection, user: str, *, is_confirmed: bool, as_json: bool) -> int:
    """Move all open runs that match to the current versions of their Processes, after they were shown.

    Those that cannot be moved are shown with the reasons, and stay as they are.
    """
    with runtime_session(user) as workspace:
        runs = workspace.runs
        open_runs = [run for run in _matching(workspace.past_runs, selection) if run.phase not in ENDED_PHASES]
        refused = {run.id: problems for run in open_runs if (problems := runs.move_problems(run.id))}
        for run, problems in refused.items():
            print_message(f"{run} stays: {printable('; '.join(problems))}")
        movable = [run for run in open_runs if run.id not in refused]
        if not _show(movable, "no open run that matches can be moved", "moved", is_confirmed=is_confirmed):
            return ExitCode.FAILED if refused else ExitCode.DONE
        moved = _each(movable, lambda run: runs.move(run.id))
        for _, (new, _) in moved:
            runs.settle(new.id, _SETTLE_SECONDS)  # until its question is asked again
    if as_json:
        print_data(
            indented_json([{"run": before.id, "movedTo": new.id, "problems": [*why]} for before, (new, why) in moved])
        )
    else:
        for before, (new, problems) in moved:
            print_data(f"{before.id} {new.id}")
            for problem in problems:
                print_message(f"{new.id} is of the old version: {printable(problem)}", "warning: ")
    return ExitCode.DONE if len(moved) == len(open_runs) else ExitCode.FAILED


def retry_matching(selection: RunSelection, user: str, *, is_latest: bool, is_confirmed: bool, as_json: bool) -> int:
    """Retry all failed runs that match, after they were shown, and wait for the new ones.

    A run that was retried before is left out: its retry stands for it.
    """
    with runtime_session(user) as workspace:
        failed_runs = _matching(workspace.past_runs, selection._replace(unretried=True))
        if not _show(failed_runs, "no failed run matches", "retried", is_confirmed=is_confirmed):
            return ExitCode.DONE
        again = _each(failed_runs, lambda run: workspace.runs.retry(run.id, latest=is_latest))
        ended = [(before, workspace.runs.settle(new.id).view.run) for before, new in again]
    if as_json:
        print_data(
            indented_json([{"run": before.id, "retriedBy": new.id, "phase": new.phase} for before, new in ended])
        )
    else:
        for before, new in ended:
            print_data(f"{before.id} {new.id} {new.phase}")
    completed = sum(new.phase == "completed" for _, new in ended)
    return ExitCode.DONE if completed == len(failed_runs) else ExitCode.FAILED


def _each(runs: Sequence[RunSummary], act: Callable[[RunSummary], _T]) -> list[tuple[RunSummary, _T]]:
    """Return the runs on which `act` succeeded, with what it gave; print why it failed on the others."""
    done: list[tuple[RunSummary, _T]] = []
    for run in runs:
        try:
            done.append((run, act(run)))
        except AeonError as error:
            print_message(f"{run.id}: {error.message}", "error: ")
    return done


def _matching(runs: RunReader, selection: RunSelection) -> list[RunSummary]:
    since, before = parse_since(selection.since), parse_since(selection.before)
    wanted = selection._replace(since=since, before=before)._asdict()
    page = runs.list(**wanted, limit=_MAX_RUNS)
    if page.next_cursor is not None:
        raise InputError(f"More than {_MAX_RUNS} runs match.", next_step="Filter more, as by --since and --before.")
    return list(page.items)


def _show(runs: Sequence[RunSummary], none: str, done: str, *, is_confirmed: bool) -> bool:
    """Show which runs are meant, and ask; return whether there are any."""
    if not runs:
        print_message(none)
        return False
    for run in runs[:_SHOWN]:
        print_message(f"{run.id} {run.phase} {run.accepted_at[:19]} {printable(run.process_name)}")
    if len(runs) > _SHOWN:
        print_message(f"and {len(runs) - _SHOWN} more")
    confirm(f"{len(runs)} run(s) are {done}.", is_confirmed=is_confirmed)
    return True
