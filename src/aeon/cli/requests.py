"""`aeon run` and `aeon log resume`: from the user's request or plan to the report of the run."""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from aeon.application.attachments import NamedImage, read_images, require_same_images
from aeon.application.models import ModelChoice
from aeon.application.requests import (
    calls_planned_by_code,
    new_log_path,
    open_request_log,
    plan_of_skill,
    request_usage,
)
from aeon.base.errors import AeonError, InputError, LogError, PlanError
from aeon.base.json import JsonObject, canonical_json
from aeon.base.suggestions import closest_name
from aeon.bootstrap.app import App
from aeon.cli.confirmation import WriteQuestion, can_ask
from aeon.cli.console import print_data, print_message
from aeon.cli.displays import Display, QuietDisplay, display_for
from aeon.cli.exit_codes import ExitCode
from aeon.cli.progress import FetchProgress
from aeon.cli.reports import RequestReport, print_report, report_of_error, report_of_interruption, report_of_result
from aeon.cli.request_inputs import RequestOptions, UserPlan, given_attachments, read_asked_request, text_on_stdin
from aeon.cli.session import app_session
from aeon.cli.signals import exit_code_of
from aeon.cli.text import indented_json, printable
from aeon.kernel.input_checks import check_supplied_plan, has_unfit_arguments
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import restore_state
from aeon.observability.events import Event, Observer, PlanningStarted, PlanReady, WarningIssued
from aeon.observability.log import JsonlLog, LogHistory, read_log
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.tools.attachments import Attachments, AttachmentTool
from aeon.tools.registry import ToolRegistry

_NOTHING_DONE_ADVICE = (
    "Nothing was done yet. Free disk space, or choose another file with --log, and run the command again."
)


class _Work(NamedTuple):
    """What a run does. `steps` are those to execute, None before planning; `after` is the log that it continues.

    `is_code_s_plan` says that code made the plan, or may make it.
    """

    execute: Callable[[Orchestrator], JsonObject]
    steps: Sequence[PlanStep] | None = None
    images: Sequence[NamedImage] = ()
    after: LogHistory | None = None
    is_code_s_plan: bool = False


def run_request(request: str | None, supplied: UserPlan, log: Path | None, options: RequestOptions) -> int:
    """Plan a request, or read a plan from a file, and run the plan.

    For a request about images, or texts from files or stdin, code makes the plan: the model reads them and answers.
    """
    loaded = options.load()
    text, plan, attachments, images = read_asked_request(request, supplied, options)
    if attachments is not None and plan is not None and options.ttl is None:
        loaded = options.load(max(loaded.settings.run.ttl, len(plan.steps)))
    display = _display(options)
    with app_session(loaded) as app:
        if images:
            app.require_sight()
        path = log or new_log_path(Path(loaded.settings.run.log_dir).expanduser())
        plan = plan or plan_of_skill(app, text)
        steps = None if plan is None else plan.steps
        _attach(app, attachments)
        app.allow_pages(_own_words(text, plan))
        _register_tools(app, options, display, text if plan is None else "", [step.tool for step in steps or []])
        _, repair, allow_fallback = supplied
        if plan is None:
            steps = calls_planned_by_code(app.registry, text)
        else:
            check_supplied_plan(plan, app.registry, repair=repair, allow_fallback=allow_fallback)

        def execute(orchestrator: Orchestrator) -> JsonObject:
            return orchestrator.execute(text, plan, repair=repair, allow_fallback=allow_fallback)

        work = _Work(execute, steps, images, is_code_s_plan=supplied.file is None)
        return _execute(app, path, work, options, display)


def _attach(app: App, attachments: Attachments | None) -> None:
    """Let the run read these texts."""
    if attachments is not None:
        app.registry.register(AttachmentTool(attachments))


def resume_run(path: Path, options: RequestOptions) -> int:
    """Resume the run of a log from its last complete entry. Raises InputError if the run has ended."""
    loaded = options.load()
    history = read_log(path)
    state = restore_state(history)
    remaining = [step for step in state.plan.steps if step.status in (StepStatus.PENDING, StepStatus.RUNNING)]
    if not remaining:
        raise InputError(
            f"The run in {path} has ended: all of its {len(state.plan.steps)} steps were executed.",
            next_step=f"See `aeon log show {path}`, or start a new run.",
        )
    is_about_texts = any(step.tool == AttachmentTool.name for step in remaining)
    attachments = given_attachments(options, text_on_stdin(options)) if is_about_texts else None
    images = read_images(options.images, folder=Path.cwd())
    require_same_images(remaining, images)
    display = _display(options)
    with app_session(loaded) as app:
        if images:
            app.require_sight()
        _attach(app, attachments)
        app.allow_pages(_own_words(state.request, state.plan if state.policy.is_supplied else None))
        _register_tools(app, options, display, "", [step.tool for step in remaining])

        def execute(orchestrator: Orchestrator) -> JsonObject:
            return orchestrator.resume(state)

        return _execute(app, path, _Work(execute, remaining, images, history), options, display)


def plan_request(request: str | None, supplied: UserPlan, options: RequestOptions) -> int:
    """Print the plan for a request without running it; a plan that was supplied, or that code makes, as it is."""
    loaded = options.load()
    text, plan, attachments, _ = read_asked_request(request, supplied, options)
    display = _display(options)
    with app_session(loaded) as app:
        _attach(app, attachments)
        app.allow_pages(_own_words(text, plan))
        steps = () if plan is None else plan.steps
        _register_tools(app, options, display, text if plan is None else "", [step.tool for step in steps])
        if plan is None:
            _prepare_model(app, calls_planned_by_code(app.registry, text), options)
            with redirect_stdout(sys.stderr), display:
                plan = app.orchestrator(ttl=1, log=None, observer=display).plan(text)
        else:
            _, repair, allow_fallback = supplied
            check_supplied_plan(plan, app.registry, repair=repair, allow_fallback=allow_fallback)
        print_data(indented_json(plan.as_dict()))
    return ExitCode.DONE


def _own_words(request: str, supplied: Plan | None) -> str:
    """What the user wrote: hosts that are named there may be asked."""
    return request if supplied is None else f"{request}\n{canonical_json(supplied.as_dict())}"


def _display(options: RequestOptions) -> Display:
    return QuietDisplay() if options.verbosity == "quiet" else display_for()


def _register_tools(
    app: App, options: RequestOptions, display: Display, request: str, named: Iterable[str | None] = ()
) -> None:
    """Register the tools for files, stored tools if the flags ask for them, and the skills that match the request."""
    may_ask = options.may_fetch and options.verbosity != "quiet" and can_ask()
    app.allow_files(app.folder, confirm=WriteQuestion(display, app.folder) if may_ask else None)
    if options.stored_tools_user is not None:
        app.register_stored_tools(options.stored_tools_user)
    app.register_skills(request, named)
    if app.skills.untrusted_matches:
        names = ", ".join(map(printable, app.skills.untrusted_matches))
        note = f"These skills of the project match the request, but you have not trusted them: {names}."
        print_message(f"{note} They are not used; see `aeon skill trust NAME`.", "note: ", "  ")


def model_reasons(steps: Sequence[PlanStep], registry: ToolRegistry) -> list[str]:
    """Return why these steps need a model; an empty list if they do not."""
    return [f"step {step.step_id!r} {reason}" for step in steps if (reason := _model_reason(step, registry))]


def _model_reason(step: PlanStep, registry: ToolRegistry) -> str | None:
    if step.tool is None:
        return "is for the model" if step.agent else "names neither a tool nor an agent"
    if registry.get(step.tool) is None:
        near = closest_name(step.tool, registry.list_all())
        return f"names the unknown tool {step.tool!r}" + (f" (did you mean {near!r}?)" if near else "")
    if step.arguments is None:
        return "has no arguments for its tool"
    return "has arguments that do not fit its tool" if has_unfit_arguments(step, registry) else None


def _execute(app: App, path: Path, work: _Work, options: RequestOptions, display: Display) -> int:
    """Run with a log and a display, and report any outcome."""
    with open_request_log(path, work.after) as log:
        try:
            outcome = _execute_with_display(app, log, work, options, display)
        except KeyboardInterrupt as stop:
            outcome = report_of_interruption(exit_code_of(stop))
        except LogError as error:
            outcome = report_of_error(error if log.entries else LogError(error.message, next_step=_NOTHING_DONE_ADVICE))
        except AeonError as error:
            outcome = report_of_error(error)
    outcome.log = path if log.entries else None
    return print_report(outcome, as_json=options.as_json, is_quiet=options.verbosity == "quiet")


def _execute_with_display(
    app: App, log: JsonlLog, work: _Work, options: RequestOptions, display: Display
) -> RequestReport:
    choice = _prepare_model(app, work.steps, options)
    ttl = app.settings.run.ttl
    observer = _warning_of_ttl(display, ttl)
    if options.verbosity == "verbose":
        observer = _telling_who_plans(observer, is_code_s_plan=work.is_code_s_plan)
    seen = [each.image for each in work.images]
    # The output of tools must not mix with the answer.
    with redirect_stdout(sys.stderr), display:
        result = work.execute(app.orchestrator(ttl=ttl, log=log, observer=observer, images=seen))
    outcome = report_of_result(result)
    outcome.usage = request_usage(result["final_state"], app.prices)
    if choice is not None and app.model.was_used:
        outcome.model = f"made with the {choice.title}" + _caution(choice)
    return outcome


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
    reasons = [] if steps is None else model_reasons(steps, app.registry)
    for step in steps or []:
        if step.tool is not None and app.registry.get(step.tool) is None:
            print_message(
                f"step {step.step_id!r} {_model_reason(step, app.registry)}; the model will choose another, or none",
                "warning: ",
                "  ",
            )
    if steps is not None and not reasons:
        return None
    try:
        with FetchProgress() as progress:
            return app.prepare_model(progress, may_fetch=options.may_fetch)
    except AeonError as error:
        if steps is None:
            raise
        more = f"; and {len(reasons) - 5} more" if len(reasons) > 5 else ""  # noqa: PLR2004  # a few lines
        raise PlanError(
            f"The plan needs a language model: {'; '.join(reasons[:5])}{more}. {error.message}", next_step=error.next
        ) from error


def _caution(choice: ModelChoice) -> str:
    return "; it is small and can be wrong, so check what matters" if choice.is_embedded else ""
