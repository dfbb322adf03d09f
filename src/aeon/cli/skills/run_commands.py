"""`aeon skills run`, `exec` and `replay`: from what the user gave to what a run of skills came to."""

import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import NamedTuple, TextIO

from pydantic import ValidationError

from aeon.base.errors import AeonError, InputError, PlanError
from aeon.base.json import Json
from aeon.bootstrap.app import App
from aeon.cli.console import print_data, print_message
from aeon.cli.displays import Display, LineDisplay, can_redraw
from aeon.cli.exit_codes import ExitCode
from aeon.cli.inputs import read_json_file, read_request
from aeon.cli.narration import StyledLine
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.interruption import SkillInterruptHandler
from aeon.cli.skills.narration import narrate
from aeon.cli.skills.result_output import TraceFile, keep_trace, new_trace_path, report_result
from aeon.cli.skills.trust_commands import ask_for_trust, writable_folders
from aeon.cli.text import COLUMNS, indented_json, printable
from aeon.observability.events import Event, Observer, RunEnded
from aeon.skills.executor.state_patches import replay_state, verify_replay
from aeon.skills.invocation import Cancellation
from aeon.skills.models import Skill
from aeon.skills.plan.check import NodeFault, check_plan
from aeon.skills.plan_json import ExecutionResult, parse_plan


def display_for(stream: TextIO | None = None) -> Display:
    """The display for stderr: live on a terminal, else lines."""
    target = sys.stderr if stream is None else stream
    if can_redraw(target):
        from aeon.cli.skills.live_display import LivePlanDisplay

        return LivePlanDisplay(target)
    return PlanLineDisplay(target)


class PlanLineDisplay(LineDisplay):
    """A line or a few for each event, without colour."""

    def _lines(self, event: Event) -> list[StyledLine]:
        return narrate(event, COLUMNS)


_MAX_FAULTS_LISTED = 20
"""Faults of a plan that are listed for a person; a program gets them all."""


class SkillGrantFlags(NamedTuple):
    """What the user grants to the scripts of this run."""

    network: bool
    model: bool
    write: Sequence[Path]


class SkillRunOptions(NamedTuple):
    """What the flags of a skills run say."""

    model: str | None
    sandbox: str | None
    parallel: int | None
    timeout: float | None
    trace: Path | None
    grants: SkillGrantFlags
    as_json: bool
    may_fetch: bool


def run_request(argument: str, options: SkillRunOptions) -> int:
    """Plan a request with the skills of this place and run it."""
    request = read_request(argument)
    results: deque[ExecutionResult] = deque(maxlen=1)
    with _app(options) as app:
        _report_untrusted(app.skills.untrusted())
        is_small = _prepare_model(app, options)

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.run(request, observer, cancellation, is_model_small=is_small, on_result=results.append)

        return _execute(app, options, work, results)


def run_plan(path: Path, options: SkillRunOptions) -> int:
    """Run a plan by hand. Raises PlanError for what is no plan and for one that cannot run, before anything runs."""
    plan = parse_plan(read_json_file(path, "The plan"))
    with _app(options) as app:
        if faults := check_plan(plan, app.skills.catalog):
            raise _cannot_run(faults)
        ask_for_trust(app, [tool.tool_path for tool in plan.tools])

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.execute(plan, observer, cancellation, by_hand=True)

        return _execute(app, options, work)


def _report_untrusted(skills: Sequence[Skill]) -> None:
    if skills:
        names = ", ".join(printable(skill.name) for skill in skills[:_MAX_FAULTS_LISTED])
        said = f"These skills came with the project, and you have not trusted them: {names}. They are left out; see "
        print_message(f"{said}`aeon skills trust NAME`.", "note: ", "  ")


def _cannot_run(faults: Sequence[NodeFault]) -> PlanError:
    shown = "\n".join(f"  {fault.failure}: {fault}" for fault in faults[:_MAX_FAULTS_LISTED])
    more = f"\n  ... and {len(faults) - _MAX_FAULTS_LISTED:,} more" if len(faults) > _MAX_FAULTS_LISTED else ""
    problems: list[Json] = [
        {"type": fault.failure.value, "toolId": fault.tool_id, "path": fault.path, "message": fault.message}
        for fault in faults
    ]
    return PlanError(f"The plan cannot run; it has {len(faults):,} problem(s):\n{shown}{more}\n", problems=problems)


def replay_trace(path: Path, *, as_json: bool) -> int:
    """Print the final state that a trace gives. Raises InputError for what is no trace."""
    result = _read_result(read_json_file(path, "The trace"))
    state = replay_state(result)
    is_same = verify_replay(result)
    if as_json:
        print_data(indented_json({"same": is_same, "finalState": state}))
    else:
        print_data(indented_json(state))
    if not is_same:
        print_message("The trace does not give the final state that stands in it: one of them was changed.", "error: ")
        return ExitCode.FAILED
    print_message(f"the same final state, byte for byte, from {len(result.execution_trace)} nodes")
    return ExitCode.DONE


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


def _app(options: SkillRunOptions) -> AbstractContextManager[App]:
    flags: dict[str, tuple[str, Json]] = {
        "skills.sandbox": ("--sandbox", options.sandbox),
        "skills.parallel": ("--parallel", options.parallel),
        "skills.timeout": ("--timeout", options.timeout),
        "skills.allow_network": ("--allow-network", options.grants.network or None),
        "skills.allow_model": ("--allow-model", options.grants.model or None),
        "skills.allow_write": ("--allow-write", [*writable_folders(options.grants.write)] or None),
    }
    return app_session(load_cli_settings(model=options.model, more=flags))


def _prepare_model(app: App, options: SkillRunOptions) -> bool:
    """Have the model ready; without one the request is planned by its words. Whether it is one that runs here."""
    try:
        with FetchProgress() as progress:
            return app.prepare_model(progress, may_fetch=options.may_fetch).is_embedded
    except InputError:
        raise
    except AeonError as error:
        print_message(f"{error.message} {error.advice}", "warning: ", "  ")
        return False


def _execute(
    app: App,
    options: SkillRunOptions,
    work: Callable[[Observer, Cancellation], ExecutionResult],
    results: Sequence[ExecutionResult] = (),
) -> int:
    """Run with a display and a way to stop, keep the trace, tell the outcome.

    `results` are those of the plans that are over while the next one is made: of a request that is interrupted then,
    the last is kept.
    """
    with (
        TraceFile(options.trace or new_trace_path(app)) as trace,
        Cancellation() as cancellation,
        SkillInterruptHandler(cancellation, app.skills.close) as interruption,
    ):
        try:
            with redirect_stdout(sys.stderr), display_for() as display:

                def observe(event: Event) -> None:
                    interruption.observe(event)
                    display(event)

                result = work(observe, cancellation)
                status = "completed" if result.success else "cancelled" if interruption.is_requested else "failed"
                display(RunEnded(status, None, None, None))
        except KeyboardInterrupt:
            if results:
                keep_trace(results[-1], trace)
            raise
        code = report_result(result, trace, as_json=options.as_json)
        if interruption.is_requested:
            print_message("interrupted; every process was ended")
            return interruption.code
        return code
