"""`aeon runs list|show|events`: what there is to see of runs, without an engine."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.runs import runs_of
from aeon.cli.codes import Code
from aeon.cli.platform.opening import opened
from aeon.cli.say import put
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.errors import NotFoundError
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.runs import Runs
from aeon.platform.processes.runs.trace import attempts

_LOOKS_EVERY = 0.2
"""Seconds between two looks at a run that is followed."""


def list_runs(user: str, *, limit: int, as_json: bool) -> int:
    """The user's runs, newest first."""
    with reading(user) as runs:
        found = runs.page(user, limit)
    if as_json:
        put(pretty([run.as_dict() for run in found]))
        return Code.DONE
    for run in found:
        put(one_line(clean(f"{run.id} {run.phase} {run.accepted_at[:19]} {run.process_name}"), COLUMNS))
    return Code.DONE


def show_run(run: str, user: str, *, as_json: bool) -> int:
    """A run: what it was given, every attempt at its steps, what it came to."""
    with reading(user) as runs:
        run = named(runs, user, run)
        seen = runs.see(user, run)
        found = attempts(seen.plan, runs.entries(user, run))
    shown: JsonObject = {
        **seen.run.as_dict(),
        "steps": [asdict(attempt) for attempt in found],
        "output": seen.state.output,
    }
    if as_json:
        put(pretty(shown))
        return Code.DONE
    put(f"{seen.run.phase}: {clean(seen.run.process_name)}, begun {seen.run.accepted_at[:19]}")
    put(f"inputs {one_line(pretty(seen.run.inputs), COLUMNS)}")
    for attempt in found:
        told = ", from the cache" if attempt.about.get("cached") else ""
        told += f", {attempt.tokens} tokens" if attempt.tokens else ""
        put(one_line(clean(f"  {attempt.step} {attempt.outcome}{told}: {_said(attempt.output, attempt.error)}"), 160))
    if seen.run.failure:
        put(f"failed: {clean(str(seen.run.failure['message']))}")
    elif seen.state.phase == "completed":
        put(f"output {pretty(seen.state.output)}")
    return Code.DONE


def show_events(run: str, after: int, user: str, *, follows: bool) -> int:
    """A run's entries as JSON lines, from any number on; with `follows`, to the run's end."""
    with reading(user) as runs:
        run = named(runs, user, run)
        runs.see(user, run)
        while True:
            is_over = runs.book.phase(run) in ENDED
            for entry in runs.entries(user, run, after):
                after = entry.n
                put(_line(entry.as_dict()))
            if is_over or not follows:
                return Code.DONE
            time.sleep(_LOOKS_EVERY)


def named(runs: Runs, user: str, run: str) -> str:
    """The id of a run; `last` is the newest. Raises NotFoundError where there is none."""
    if run != "last":
        return run
    newest = runs.page(user, 1)
    if not newest:
        raise NotFoundError("You have no run.", next_step="Start one: aeon process run NAME.")
    return newest[0].id


@contextmanager
def reading(user: str) -> Generator[Runs]:
    """The runs of the current folder's record, closed in the end."""
    with opened(user) as platform:
        yield runs_of(platform, Path.cwd())


def _said(output: Json, error: JsonObject | None) -> str:
    return str(error["message"]) if error else pretty(output)


def _line(value: JsonObject) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
