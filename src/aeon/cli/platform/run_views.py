"""`aeon runs list|show|events`: shows runs without opening an engine."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.runs import project_runs
from aeon.cli.console import print_data
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import platform_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.errors import NotFoundError
from aeon.platform.runs.service import Runs
from aeon.platform.runs.trace import trace_attempts

_POLL_INTERVAL = 0.2
"""Seconds between two polls of a run that is followed."""


def list_runs(user: str, *, limit: int, as_json: bool) -> int:
    """Print the user's runs, newest first."""
    with runs_session(user) as runs:
        listed = runs.list_runs(user, limit)
    if as_json:
        print_data(indented_json([run.as_dict() for run in listed]))
        return ExitCode.DONE
    for run in listed:
        print_data(one_line(printable(f"{run.id} {run.phase} {run.accepted_at[:19]} {run.process_name}"), COLUMNS))
    return ExitCode.DONE


def show_run(run: str, user: str, *, as_json: bool) -> int:
    """Print a run: its inputs, every attempt of its steps, and its output or failure."""
    with runs_session(user) as runs:
        run = resolve_run_id(runs, user, run)
        view = runs.view(user, run)
        attempts = trace_attempts(view.plan, runs.list_entries(user, run))
    shown: JsonObject = {
        **view.run.as_dict(),
        "steps": [asdict(attempt) for attempt in attempts],
        "output": view.state.output,
    }
    if as_json:
        print_data(indented_json(shown))
        return ExitCode.DONE
    print_data(f"{view.run.phase}: {printable(view.run.process_name)}, started {view.run.accepted_at[:19]}")
    print_data(f"inputs {one_line(indented_json(view.run.inputs), COLUMNS)}")
    for attempt in attempts:
        details = ", from the cache" if attempt.about.get("cached") else ""
        details += f", {attempt.tokens} tokens" if attempt.tokens else ""
        print_data(
            one_line(
                printable(
                    f"  {attempt.step} {attempt.outcome}{details}: {_result_text(attempt.output, attempt.error)}"
                ),
                160,
            )
        )
    if view.run.failure:
        print_data(f"failed: {printable(str(view.run.failure['message']))}")
    elif view.state.phase == "completed":
        print_data(f"output {indented_json(view.state.output)}")
    return ExitCode.DONE


def show_events(run: str, after: int, user: str, *, follows: bool) -> int:
    """Print a run's entries after number `after` as JSON lines; with `follows`, to the run's end."""
    with runs_session(user) as runs:
        run = resolve_run_id(runs, user, run)
        runs.view(user, run)
        while True:
            is_over = runs.has_ended(user, run)
            for entry in runs.list_entries(user, run, after):
                after = entry.n
                print_data(_line(entry.as_dict()))
            if is_over or not follows:
                return ExitCode.DONE
            time.sleep(_POLL_INTERVAL)


def resolve_run_id(runs: Runs, user: str, run: str) -> str:
    """Return the id of a run; `last` is the newest. Raises NotFoundError if the user has no run."""
    if run != "last":
        return run
    newest = runs.list_runs(user, 1)
    if not newest:
        raise NotFoundError("You have no runs.", next_step="Start one: aeon process run NAME.")
    return newest[0].id


@contextmanager
def runs_session(user: str) -> Generator[Runs]:
    """Open the runs of the current folder's record, and close them at the end."""
    with platform_session(user) as platform:
        yield project_runs(platform, Path.cwd())


def _result_text(output: Json, error: JsonObject | None) -> str:
    return str(error["message"]) if error else indented_json(output)


def _line(value: JsonObject) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
