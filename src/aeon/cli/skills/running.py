"""`aeon skills run`, `exec` and `replay`: from what the user gave to what a run of skills came to."""

import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from aeon.base.errors import AeonError, InputError, PlanError
from aeon.base.json import Json
from aeon.bootstrap.app import App
from aeon.cli.codes import Code
from aeon.cli.intake import read_json_file, read_request
from aeon.cli.progress import FetchProgress
from aeon.cli.say import put, say
from aeon.cli.session import opened, settings_here
from aeon.cli.skills.displays import display_for
from aeon.cli.skills.interruption import Interruption
from aeon.cli.skills.outcome import TraceFile, fresh_trace, keep, tell
from aeon.cli.skills.trusting import ask_for_trust, writable_folders
from aeon.cli.text import clean, pretty
from aeon.observability.events import Event, Observer, RunEnded
from aeon.skills.executor.replay import replay_result, verify
from aeon.skills.invocation import Cancellation
from aeon.skills.models import Skill
from aeon.skills.plan.check import NodeFault, check_plan
from aeon.skills.plan.reading import parse_plan
from aeon.skills.plan_json import ExecutionResult

_MOST_FAULTS = 20
"""Faults of a plan that are listed for a person; a program gets them all."""


class Allowed(NamedTuple):
    """What the user grants to the scripts of this run."""

    network: bool
    model: bool
    write: Sequence[Path]


class SkillOptions(NamedTuple):
    """What the flags of a skills run say."""

    model: str | None
    sandbox: str | None
    parallel: int | None
    timeout: float | None
    trace: Path | None
    allowed: Allowed
    as_json: bool
    may_fetch: bool


def run_request(argument: str, options: SkillOptions) -> int:
    """Plan a request with the skills of this place and run it."""
    request = read_request(argument)
    results: deque[ExecutionResult] = deque(maxlen=1)
    with _app(options) as app:
        _tell_untrusted(app.skills.untrusted())
        is_small = _prepare_model(app, options)

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.run(request, observer, cancellation, is_model_small=is_small, on_result=results.append)

        return _carry_out(app, options, work, results)


def run_plan(path: Path, options: SkillOptions) -> int:
    """Run a plan by hand. Raises PlanError for what is no plan and for one that cannot run, before anything runs."""
    plan = parse_plan(read_json_file(path, "The plan"))
    with _app(options) as app:
        if faults := check_plan(plan, app.skills.catalog):
            raise _cannot_run(faults)
        ask_for_trust(app, [tool.tool_path for tool in plan.tools])

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.execute(plan, observer, cancellation, by_hand=True)

        return _carry_out(app, options, work)


def _tell_untrusted(skills: Sequence[Skill]) -> None:
    if skills:
        names = ", ".join(clean(skill.name) for skill in skills[:_MOST_FAULTS])
        said = f"These skills came with the project, and you have not trusted them: {names}. They are left out; see "
        say(f"{said}`aeon skills trust NAME`.", "note: ", "  ")


def _cannot_run(faults: Sequence[NodeFault]) -> PlanError:
    shown = "\n".join(f"  {fault.failure}: {fault}" for fault in faults[:_MOST_FAULTS])
    more = f"\n  ... and {len(faults) - _MOST_FAULTS:,} more" if len(faults) > _MOST_FAULTS else ""
    problems: list[Json] = [
        {"type": fault.failure.value, "toolId": fault.tool_id, "path": fault.path, "message": fault.message}
        for fault in faults
    ]
    return PlanError(f"The plan cannot run; it has {len(faults):,} problem(s):\n{shown}{more}\n", problems=problems)


def replay_trace(path: Path, *, as_json: bool) -> int:
    """Print the final state that a trace gives. Raises InputError for what is no trace."""
    result = _read_result(read_json_file(path, "The trace"))
    state = replay_result(result)
    is_same = verify(result)
    if as_json:
        put(pretty({"same": is_same, "finalState": state}))
    else:
        put(pretty(state))
    if not is_same:
        say("The trace does not give the final state that stands in it: one of them was changed.", "error: ")
        return Code.FAILED
    say(f"the same final state, byte for byte, from {len(result.execution_trace)} nodes")
    return Code.DONE


def _read_result(data: Json) -> ExecutionResult:
    try:
        return ExecutionResult.model_validate(data)
    except ValidationError as error:
        wrong = [f"${''.join(f'.{part}' for part in item['loc'])}: {item['msg']}" for item in error.errors()[:5]]
        listed = "\n".join(f"  {line}" for line in wrong)
        raise InputError(
            f"This is no result of a skills run:\n{listed}\n",
            next_step="Give the file that the run named as its trace.",
        ) from None


def _app(options: SkillOptions) -> AbstractContextManager[App]:
    flags: dict[str, tuple[str, Json]] = {
        "skills.sandbox": ("--sandbox", options.sandbox),
        "skills.parallel": ("--parallel", options.parallel),
        "skills.timeout": ("--timeout", options.timeout),
        "skills.allow_network": ("--allow-network", options.allowed.network or None),
        "skills.allow_model": ("--allow-model", options.allowed.model or None),
        "skills.allow_write": ("--allow-write", [*writable_folders(options.allowed.write)] or None),
    }
    return opened(settings_here(model=options.model, more=flags))


def _prepare_model(app: App, options: SkillOptions) -> bool:
    """Have the model ready; without one the request is planned by its words. Whether it is one that runs here."""
    try:
        with FetchProgress() as progress:
            return app.prepare_model(progress, may_fetch=options.may_fetch).is_embedded
    except InputError:
        raise
    except AeonError as error:
        say(f"{error.message} {error.advice}", "warning: ", "  ")
        return False


def _carry_out(
    app: App,
    options: SkillOptions,
    work: Callable[[Observer, Cancellation], ExecutionResult],
    results: Sequence[ExecutionResult] = (),
) -> int:
    """Run with a display and a way to stop, keep the trace, tell the outcome.

    `results` are those of the plans that are over while the next one is made: of a request that is interrupted then,
    the last is kept.
    """
    with (
        TraceFile(options.trace or fresh_trace(app)) as trace,
        Cancellation() as cancellation,
        Interruption(cancellation, app.skills.close) as interruption,
    ):
        try:
            with redirect_stdout(sys.stderr), display_for() as display:

                def observe(event: Event) -> None:
                    interruption.watch(event)
                    display(event)

                result = work(observe, cancellation)
                status = "completed" if result.success else "cancelled" if interruption.is_wished else "failed"
                display(RunEnded(status, None, None, None))
        except KeyboardInterrupt:
            if results:
                keep(results[-1], trace)
            raise
        code = tell(result, trace, as_json=options.as_json)
        if interruption.is_wished:
            say("interrupted; every process was ended")
            return interruption.code
        return code
