"""`aeon skill run`."""

import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import NamedTuple, TextIO

from aeon.application.skills import Cancellation, SkillService
from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.app import App
from aeon.cli.console import print_message
from aeon.cli.displays import Display, LineDisplay, can_redraw
from aeon.cli.given_inputs import property_schemas, read_inputs
from aeon.cli.inputs import piped_text, read_json_file, read_request, read_request_or_json
from aeon.cli.narration import StyledLine
from aeon.cli.next_steps import advice_of
from aeon.cli.progress import FetchProgress
from aeon.cli.session import app_session, load_cli_settings
from aeon.cli.skills.interruption import SkillInterruptHandler
from aeon.cli.skills.narration import narrate
from aeon.cli.skills.result_output import TraceFile, keep_trace, new_trace_path, report_result
from aeon.cli.skills.script_words import names_script, take_inputs
from aeon.cli.skills.trust_commands import SkillGrantFlags, ask_for_trust, writable_folders
from aeon.cli.text import COLUMNS, printable
from aeon.observability.events import Event, Observer, RunEnded
from aeon.skills.models import Skill
from aeon.skills.plan_json import ExecutionResult, PlanJson


def display_for(stream: TextIO | None = None) -> Display:
    """Returns the display for stderr: live on a terminal, else line by line."""
    target = sys.stderr if stream is None else stream
    if can_redraw(target):
        from aeon.cli.skills.live_display import LivePlanDisplay

        return LivePlanDisplay(target)
    return PlanLineDisplay(target)


class PlanLineDisplay(LineDisplay):
    """Prints a few lines for each event, without colour."""

    def _lines(self, event: Event) -> list[StyledLine]:
        return narrate(event, COLUMNS)


_MAX_SKILLS_LISTED = 20


class SkillRunOptions(NamedTuple):
    """The flags of a skills run."""

    model: str | None
    sandbox: str | None
    parallel: int | None
    timeout: float | None
    trace: Path | None
    grants: SkillGrantFlags
    as_json: bool
    may_fetch: bool


def run(words: Sequence[str], inputs: Sequence[str], options: SkillRunOptions) -> int:
    """Runs what the words name: a script of a skill, a plan, or a request.

    Raises InputError, RequestError, and PlanError for an invalid plan, before anything runs.
    """
    first = words[0]
    if names_script(first):
        return _run_script(first, words[1:], inputs, options)
    if inputs:
        raise InputError("--input is for one script.", next_step="Name it: NAME/SCRIPT.")
    if len(words) > 1:
        return _run_request(read_request(" ".join(words)), options)
    if first == "-":
        given = read_request_or_json("The plan")
        return _run_request(given, options) if isinstance(given, str) else _run_plan(given, options)
    if first.endswith(".json") or Path(first).is_file():
        return _run_plan(read_json_file(Path(first), "The plan"), options)
    return _run_request(read_request(first), options)


def _run_request(request: str, options: SkillRunOptions) -> int:
    """Plans a request with the current project's skills and runs it; `/name words` calls one skill."""
    results: deque[ExecutionResult] = deque(maxlen=1)
    with _app(options) as app:
        skills = SkillService(app.skills)
        name, _, words = request.partition(" ")
        if called := skills.find_called(name):
            return _call_skill(app, skills, called, words.strip(), options)
        _report_untrusted(skills.list_untrusted())
        is_small = _prepare_model(app, options)

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return skills.run(request, observer, cancellation, is_model_small=is_small, on_result=results.append)

        return _execute(app, options, work, results)


def _call_skill(app: App, skills: SkillService, skill: Skill, words: str, options: SkillRunOptions) -> int:
    is_small = _prepare_model(app, options)

    def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
        return skills.call(skill, words or skill.description, observer, cancellation, is_model_small=is_small)

    return _execute(app, options, work)


def _run_plan(data: Json, options: SkillRunOptions) -> int:
    """Runs the user's own plan."""
    with _app(options) as app:
        skills = SkillService(app.skills)
        plan = skills.read_plan(data, lambda note: print_message(f"the plan: {note}", "note: ", "  "))
        return _execute_plan(app, skills, plan, options)


def _run_script(name: str, words: Sequence[str], inputs: Sequence[str], options: SkillRunOptions) -> int:
    """Runs one script with its own arguments, or with the input that it declares."""
    with _app(options) as app:
        skills = SkillService(app.skills)
        script = skills.find_script(name)
        more, arguments = ([], [*words]) if script.protocol == "plain" else take_inputs(words)
        declared = property_schemas(script.input_schema or {})
        given = read_inputs([*inputs, *more]).fitted(declared, untyped=("string", "boolean"))
        if script.protocol == "plain" and "stdin" not in given and options.may_fetch:
            given = _with_piped_text(given)
        plan = skills.plan_of_script(script, given, arguments)
        return _execute_plan(app, skills, plan, options)


def _with_piped_text(given: JsonObject) -> JsonObject:
    """Returns the input with what another program gives on stdin, as a script gets it that is started by hand."""
    piped = piped_text(is_named=False)
    return given if piped is None else {**given, "stdin": piped}


def _execute_plan(app: App, skills: SkillService, plan: PlanJson, options: SkillRunOptions) -> int:
    ask_for_trust(skills, plan)

    def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
        return skills.execute(plan, observer, cancellation)

    return _execute(app, options, work)


def _report_untrusted(skills: Sequence[Skill]) -> None:
    if skills:
        names = ", ".join(printable(skill.name) for skill in skills[:_MAX_SKILLS_LISTED])
        message = f"These skills came with the project, and you have not trusted them: {names}. They are not used; see "
        print_message(f"{message}`aeon skill trust NAME`.", "note: ", "  ")


def _app(options: SkillRunOptions) -> AbstractContextManager[App]:
    flags: dict[str, tuple[str, Json]] = {
        "skills.sandbox": ("--sandbox", options.sandbox),
        "skills.parallel": ("--parallel", options.parallel),
        "skills.timeout": ("--timeout", options.timeout),
        "skills.allow_network": ("--allow-network", options.grants.network or None),
        "skills.allow_model": ("--allow-model", options.grants.model or None),
        "skills.allow_install": ("--allow-install", options.grants.install or None),
        "skills.packages": ("--with", [*options.grants.packages] or None),
        "skills.allow_write": ("--allow-write", [*writable_folders(options.grants.write)] or None),
    }
    return app_session(load_cli_settings(model=options.model, more=flags))


def _prepare_model(app: App, options: SkillRunOptions) -> bool:
    """Prepares the model; without one, the request is planned by its words.

    Returns whether it is a local model.
    """
    try:
        with FetchProgress() as progress:
            return app.prepare_model(progress, may_fetch=options.may_fetch).is_embedded
    except InputError:
        raise
    except AeonError as error:
        print_message(f"{error.message} {advice_of(error)}", "warning: ", "  ")
        return False


def _execute(
    app: App,
    options: SkillRunOptions,
    work: Callable[[Observer, Cancellation], ExecutionResult],
    results: Sequence[ExecutionResult] = (),
) -> int:
    """Runs `work` with a display and a signal handler, stores the trace and prints the result.

    `results` are those of finished plans: if the user interrupts the planning of the next one, the last result is
    stored.
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
            print_message("interrupted; all processes were ended")
            return interruption.code
        return code
