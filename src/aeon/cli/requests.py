"""`aeon run` and `aeon log resume`: from the user's request or plan to the report of the run."""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from aeon.application.attachments import read_images, tools_of_texts
from aeon.application.models import ModelChoice
from aeon.application.prepared_runs import (
    AskedRequest,
    PreparedRun,
    about_named_table,
    make_plan,
    model_needs,
    plan_of_skill,
    prepare_request,
    read_interrupted_run,
    register_tools,
    register_tools_again,
)
from aeon.application.requests import KernelRunOptions, execute_run, new_log_path, open_request_log
from aeon.base.errors import AeonError, LogError
from aeon.bootstrap.app import App
from aeon.cli.confirmation import WriteQuestion, can_ask
from aeon.cli.console import print_data, print_message
from aeon.cli.displays import Display, QuietDisplay, display_for
from aeon.cli.exit_codes import ExitCode
from aeon.cli.progress import FetchProgress
from aeon.cli.reports import print_report, report_of_error, report_of_interruption, report_of_result
from aeon.cli.request_inputs import RequestOptions, UserPlan, given_attachments, read_asked_request, text_on_stdin
from aeon.cli.session import app_session
from aeon.cli.signals import exit_code_of
from aeon.cli.text import indented_json, printable
from aeon.observability.events import Event, Observer, PlanningStarted, PlanReady, WarningIssued
from aeon.plan.models import PlanStep, StepStatus

_NOTHING_DONE_ADVICE = (
    "Nothing was done yet. Free disk space, or choose another file with --log, and run the command again."
)


def run_request(request: str | None, supplied: UserPlan, log: Path | None, options: RequestOptions) -> int:
    """Plan a request, or read a plan from a file, and run the plan.

    For a request about images, or texts from files or stdin, code makes the plan: the model reads them and answers.
    """
    loaded = options.load()
    asked = read_asked_request(request, supplied, options)
    if asked.attachments is not None and asked.plan is not None and options.ttl is None:
        loaded = options.load(max(loaded.settings.run.ttl, len(asked.plan.steps)))
    display = _display(options)
    with app_session(loaded) as app:
        if asked.images:
            app.require_sight()
        path = log or new_log_path(Path(loaded.settings.run.log_dir).expanduser())
        asked = asked._replace(plan=asked.plan or plan_of_skill(app, asked.request))
        asked = _with_tools(app, asked, options, display)
        run = prepare_request(asked, app.registry, app.skills.tool_names)
        return _execute(app, path, run, options, display, is_code_s_plan=supplied.file is None)


def resume_run(path: Path, options: RequestOptions) -> int:
    """Resume the run of a log from its last complete entry. Raises InputError if the run has ended."""
    loaded = options.load()
    interrupted = read_interrupted_run(path)
    attachments = given_attachments(options, text_on_stdin(options)) if interrupted.is_about_texts else None
    run = interrupted.prepared(attachments, read_images(options.images, folder=Path.cwd()))
    display = _display(options)
    with app_session(loaded) as app:
        if run.images:
            app.require_sight()
        stored_for, confirm = options.stored_tools_user, _write_question(app, options, display)
        register_tools_again(app, interrupted, attachments, stored_for=stored_for, confirm=confirm)
        return _execute(app, path, run, options, display)


def plan_request(request: str | None, supplied: UserPlan, options: RequestOptions) -> int:
    """Print the plan for a request without running it; a plan that was supplied, or that code makes, as it is."""
    loaded = options.load()
    asked = read_asked_request(request, supplied, options)
    display = _display(options)
    with app_session(loaded) as app:
        asked = _with_tools(app, asked, options, display)
        run, plan = prepare_request(asked, app.registry, app.skills.tool_names), asked.plan
        if plan is None:
            _prepare_model(app, run.steps, options)
            with redirect_stdout(sys.stderr), display:
                plan = make_plan(app, asked.request, display)
        print_data(indented_json(plan.as_dict()))
    return ExitCode.DONE


def _display(options: RequestOptions) -> Display:
    return QuietDisplay() if options.verbosity == "quiet" else display_for()


def _with_tools(app: App, asked: AskedRequest, options: RequestOptions, display: Display) -> AskedRequest:
    """Register what the request may use, and say which skills match it that the user has not trusted.

    A request that names a table becomes one about it.
    """
    confirm = _write_question(app, options, display)
    register_tools(app, asked, stored_for=options.stored_tools_user, confirm=confirm)
    if app.skills.untrusted_matches:
        names = ", ".join(map(printable, app.skills.untrusted_matches))
        note = f"These skills of the project match the request, but you have not trusted them: {names}."
        print_message(f"{note} They are not used; see `aeon skill trust NAME`.", "note: ", "  ")
    about = about_named_table(asked, app.registry, app.folder)
    if about is not asked and about.attachments is not None:
        for tool in tools_of_texts(about.attachments):
            app.registry.register(tool)
    return about


def _write_question(app: App, options: RequestOptions, display: Display) -> WriteQuestion | None:
    """What asks the user before a file is written; None if nobody can be asked."""
    may_ask = options.may_fetch and options.verbosity != "quiet" and can_ask()
    return WriteQuestion(display, app.folder) if may_ask else None


def _execute(
    app: App, path: Path, run: PreparedRun, options: RequestOptions, display: Display, *, is_code_s_plan: bool = False
) -> int:
    """Run with a log and a display, and report any outcome."""
    with open_request_log(path, run.after) as log:
        try:
            choice = _prepare_model(app, run.steps, options)
            observer = _warning_of_ttl(display, app.settings.run.ttl)
            if options.verbosity == "verbose":
                observer = _telling_who_plans(observer, is_code_s_plan=is_code_s_plan)
            # The output of tools must not mix with the answer.
            with redirect_stdout(sys.stderr), display:
                result = execute_run(app, run, log, KernelRunOptions(observer))
            outcome = report_of_result(result)
            if choice is not None and app.model.was_used:
                outcome.model = f"made with the {choice.title}" + _caution(choice)
        except KeyboardInterrupt as stop:
            outcome = report_of_interruption(exit_code_of(stop))
        except LogError as error:
            outcome = report_of_error(error if log.entries else LogError(error.message, next_step=_NOTHING_DONE_ADVICE))
        except AeonError as error:
            outcome = report_of_error(error)
    outcome.log = path if log.entries else None
    return print_report(outcome, as_json=options.as_json, is_quiet=options.verbosity == "quiet")


def _telling_who_plans(observer: Observer, *, is_code_s_plan: bool) -> Observer:
    """Return the observer wrapped so that it says what the planner is offered, or that code made the plan."""
    is_planned = False

    def observe(event: Event) -> None:
        nonlocal is_planned
        observer(event)
        if isinstance(event, PlanningStarted):
            is_planned = True
            print_message(f"the planner is offered: {printable(', '.join(event.tools)) or 'no tools'}", "", "  ")
        elif isinstance(event, PlanReady) and is_code_s_plan and not is_planned:
            print_message("code made the plan; the model was not asked for one")

    return observe


def _warning_of_ttl(display: Display, ttl: int) -> Observer:
    """Return the display wrapped so that it warns before the first step if the plan exceeds the TTL."""

    def observe(event: Event) -> None:
        display(event)
        if isinstance(event, PlanReady):
            remaining = sum(step["status"] in (StepStatus.PENDING, StepStatus.RUNNING) for step in event.plan["steps"])
            if remaining > ttl:
                message = f"the run stops after {ttl} of {remaining} steps; give --ttl {remaining} to run them all"
                display(WarningIssued(None, message))

    return observe


def _prepare_model(app: App, steps: Sequence[PlanStep] | None, options: RequestOptions) -> ModelChoice | None:
    """Prepare the model if the run needs one; None if not. A plan that needs a missing model fails before it starts."""
    needs = None if steps is None else model_needs(steps, app.registry)
    if needs is not None and not needs.reasons:
        return None
    for each in () if needs is None else needs.unknown_tools:
        print_message(f"{each}; the model will choose another, or none", "warning: ", "  ")
    try:
        with FetchProgress() as progress:
            return app.prepare_model(progress, may_fetch=options.may_fetch)
    except AeonError as error:
        if needs is None:
            raise
        raise needs.error(error) from error


def _caution(choice: ModelChoice) -> str:
    return "; it is small and can be wrong, so check what matters" if choice.is_embedded else ""
