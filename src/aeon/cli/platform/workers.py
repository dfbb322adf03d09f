"""`aeon worker`: a process that is there for runs, and who is there."""

import threading
from collections.abc import Sequence
from contextlib import suppress

from aeon.base.errors import InputError
from aeon.base.json import Json
from aeon.bootstrap.processes import ProcessRunner
from aeon.cli import session
from aeon.cli.codes import Code
from aeon.cli.platform.asking import answer_questions
from aeon.cli.platform.queues import HUMAN, PROCESS, refuse_unknown
from aeon.cli.platform.runs import running
from aeon.cli.say import put, say
from aeon.cli.text import clean, pretty
from aeon.platform.catalog.model import Tool
from aeon.platform.store import QueryError
from aeon.platform.workers.attending import (
    CHECKS_HEALTH_EVERY,
    LOOKS_EVERY,
    TAKES_OVER_EVERY,
    TIDIES_EVERY,
    Duty,
    Rounds,
)
from aeon.platform.workers.model import TAKES_OVER_ITSELF, TYPES
from aeon.settings import Loaded


def attend(types: Sequence[str], concurrency: int | None, user: str) -> int:
    """Be there for runs and their jobs, for runs alone, for jobs of some types alone, or for questions to the user.

    Until interrupted. Raises InputError, ConfigError, EngineError.
    """
    refuse_unknown(types)
    _refuse_beside_others(types)
    if HUMAN in types:
        answer_questions(user)
    with session.opened(_settings(types, concurrency), is_quiet=True) as app, app.process_runner() as runner:
        if PROCESS in types or not types:
            _look_after_runs(runner)
        else:
            _serve(runner, types)
    return Code.DONE


def prune_runs(days: int | None, user: str, *, as_json: bool) -> int:
    """Remove what ended so many days ago, or as many as the settings keep."""
    with running(user) as runner:
        gone = runner.prune(days)
    cached = f", and {gone.cached} kept result(s) of tools" if gone.cached else ""
    said = f"removed {gone.runs} run(s) and {gone.results} large result(s){cached}"
    put(pretty(gone._asdict()) if as_json else said)
    return Code.DONE


def _serve(runner: ProcessRunner, types: Sequence[str]) -> None:
    runner.serve(types)
    say(f"worker {runner.executor} is there for jobs: {', '.join(types)}")
    done_by_runs = [kind for kind in types if session.settings_here().settings.engine.slots[kind]]
    if done_by_runs and runner.carrier != TAKES_OVER_ITSELF:
        wanted = ", ".join(f"{kind} = 0" for kind in done_by_runs)
        say(f"by the settings here runs carry these out themselves; to have them come here: [engine] {wanted}")
    while True:
        runner.clock.sleep(LOOKS_EVERY)


def _look_after_runs(runner: ProcessRunner) -> None:
    """Take over runs, start what is due, remove what is too old; tell of it on stderr."""
    runner.begin([PROCESS])
    attending = runner.attending
    duties = [
        Duty(LOOKS_EVERY, attending.look_at_ends),
        Duty(TAKES_OVER_EVERY, attending.take_over),
        Duty(LOOKS_EVERY, attending.start_due),
        Duty(TAKES_OVER_EVERY, lambda: _measured(runner)),
        Duty(TIDIES_EVERY, lambda: _tidied(runner)),
    ]
    rounds = Rounds(duties, runner.clock, lambda line: say(clean(line)))
    say(f"worker {runner.executor} is there for runs")
    threading.Thread(target=_watch_health, args=(runner,), name="aeon-health", daemon=True).start()
    try:
        while True:
            rounds.go()
            runner.clock.sleep(LOOKS_EVERY)
    finally:
        say(f"{attending.under_way} run(s) under way here go on with the next worker, or with `aeon runs resume`")


def _watch_health(runner: ProcessRunner) -> None:
    """Check what tools reach when that is due (platform 5). Apart from the other duties: a check may wait for 5 s."""
    rounds = Rounds([Duty(CHECKS_HEALTH_EVERY, lambda: _checked(runner))], runner.clock, lambda line: say(clean(line)))
    with suppress(QueryError):  # the store is closed: the worker ends
        while True:
            rounds.go()
            runner.clock.sleep(LOOKS_EVERY)


def _checked(runner: ProcessRunner) -> list[str]:
    changed = runner.platform.health.run_due()
    return [f"tool {tool.name} of {tool.owner_id} is {tool.status}{_why(tool)}" for tool in changed]


def _why(tool: Tool) -> str:
    return f": {tool.error_message}" if tool.error_message else ""


def _measured(runner: ProcessRunner) -> list[str]:
    runner.measuring.catch_up()
    return []


def _tidied(runner: ProcessRunner) -> list[str]:
    """Runs and values of metrics that are too old are removed."""
    gone, values = runner.prune(), runner.platform.metrics.values.prune(runner.clock.now())
    return [f"removed {gone.runs} run(s) and {values} value(s) that were too old"] if gone.runs or values else []


def _settings(types: Sequence[str], concurrency: int | None) -> Loaded:
    """With so many slots of each type, where that is said; whoever is there for runs alone has none."""
    given = ("--type process", 0) if PROCESS in types else ("--concurrency", concurrency)
    slots: dict[str, tuple[str, Json]] = {f"engine.{kind}": given for kind in TYPES}
    return session.settings_here(more=slots)


def _refuse_beside_others(types: Sequence[str]) -> None:
    kinds = set(types)
    if len(kinds) > 1 and (alone := [kind for kind in (PROCESS, HUMAN) if kind in kinds]):
        raise InputError(
            f"A worker of the type {alone[0]} does nothing else.",
            next_step=f"Start two: aeon worker --type {alone[0]}, and another one for the other types.",
        )
