"""`aeon process run|answer` and `aeon log`: starts, follows, answers, resumes, retries and cancels runs."""

import json
import re
import shlex
from collections.abc import Sequence
from typing import Literal, NamedTuple

from aeon.application.run_follower import RunFollower, SettledRun
from aeon.application.run_reader import PendingQuestion
from aeon.application.runs import RunService
from aeon.application.workspace import Workspace
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_exact_text
from aeon.base.next_steps import NextStep, words_of
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.given_inputs import read_inputs
from aeon.cli.next_steps import COMMANDS
from aeon.cli.output import OutputFormat, Reason, print_as, print_reasons
from aeon.cli.platform.run_follower import RunLines
from aeon.cli.platform.session import runtime_session, workspace_session
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.wait_reasons import WaitReason
from aeon.platform.runs.model import DETACHED

_START_WORKER = "aeon serve worker"
_EXIT_CODES = {"completed": ExitCode.DONE, "failed": ExitCode.FAILED, "cancelled": ExitCode.FAILED}


class RunOptions(NamedTuple):
    """The options of `aeon process run` about the run itself; `timeout` is in seconds."""

    key: str | None = None
    timeout: float | None = None
    tags: Sequence[str] = ()
    is_detached: bool = False
    priority: Literal["high", "normal", "low"] = "normal"


def read_tags(given: Sequence[str]) -> dict[str, str]:
    """Return the tags of `--tag NAME=VALUE`. Raises InputError for one without a value."""
    pairs = [each.partition("=") for each in given]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise InputError(f"The tag {wrong[0]!r} has no value.", next_step="Write --tag NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def _accept_run(
    name: str, inputs: Sequence[str], tags: dict[str, str], user: str, options: RunOptions, *, as_json: bool
) -> int:
    given = read_inputs(inputs)
    with workspace_session(user) as workspace:
        values = given.fitted(workspace.processes.get(name).inputs)
        run = workspace.runs.start_detached(
            name, values, key=options.key, deadline=options.timeout, tags=tags, priority=options.priority
        )
        has_worker, outage = workspace.jobs.has_live_executor(), workspace.runs.find_outage()
    if as_json:
        print_data(indented_json(run.as_dict()))
    else:
        print_data(run.id)
    if not has_worker:
        print_message("No worker is up: the run begins once there is one. Start one: aeon serve worker", "warning: ")
    if outage is not None:
        print_message(f"{printable(outage.message)} The run begins once it answers.", "warning: ")
    return ExitCode.DONE


def run_process(name: str, inputs: Sequence[str], user: str, options: RunOptions, *, as_json: bool) -> int:
    """Start a run of a Process and follow it to its end, or until it waits only for a person (exit code 3).

    The run of a paused Process is accepted and waits, with exit code 3, too. Detached, it is only accepted: a worker
    executes it.
    """
    tags = read_tags(options.tags)
    if options.is_detached:
        return _accept_run(name, inputs, tags, user, options, as_json=as_json)
    given = read_inputs(inputs)
    with runtime_session(user) as workspace:
        runs = workspace.runs
        values = given.fitted(workspace.processes.get(name).inputs)
        run = runs.start(name, values, key=options.key, deadline=options.timeout, tags=tags, priority=options.priority)
        print_message(f"run {run.id} of {printable(run.process_name)}")
        if run.executor == DETACHED:
            resume = f"aeon process resume {printable(run.process_name)}"
            print_message(f"It waits because its process is paused; let it go on: {resume}", "warning: ")
            if as_json:
                print_data(indented_json(run.as_dict()))
            return ExitCode.EXPIRED
        return _print_updates(runs.follow(run.id), run.id, as_json=as_json)


def answer_run(run: str, step: str, answer: str, user: str, *, waits: bool, as_json: bool) -> int:
    """Answer a manual step, and follow the run as `run_process` does."""
    with runtime_session(user) as workspace:
        runs = workspace.runs
        run = runs.find_id(run)
        question = runs.answer(run, step, parse_exact_text(answer))
        print_message(f"{printable(step)} of the run {question.run} is answered")
        if not waits:
            _warn_without_worker(workspace, question.run)
            return ExitCode.DONE
        return _print_news(runs, runs.adopt(run).id, as_json=as_json)


def answer_another(run: str, step: str, answer: str, user: str) -> bool:
    """Answer the question that another user's run asks this one by name; return whether there is one."""
    with workspace_session(user) as workspace:
        asking = workspace.past_runs.find_asking_run(run, step)
        if asking is None:
            return False
        question = workspace.runs.answer(asking, step, parse_exact_text(answer))
        print_message(f"{printable(step)} of the run {question.run} is answered")
        _warn_without_worker(workspace, question.run)
    return True


def _warn_without_worker(workspace: Workspace, run: str) -> None:
    """Warn that an answer has no effect yet, if no process executes runs."""
    if not workspace.jobs.has_live_executor():
        owner = f"or its owner resumes it: aeon log resume {run}"
        print_message(f"No worker is up: the run goes on once there is one ({_START_WORKER}), {owner}", "warning: ")


def resume_run(run: str, user: str, *, as_json: bool) -> int:
    """Adopt an orphaned run, or follow a run that is running elsewhere."""
    with runtime_session(user) as workspace:
        runs = workspace.runs
        return _print_news(runs, runs.resume(runs.find_id(run)).id, as_json=as_json)


def move_run(run: str, user: str, *, as_json: bool) -> int:
    """Move a waiting run to the current version of its Process, and follow the one that continues it."""
    with runtime_session(user) as workspace:
        runs = workspace.runs
        new, problems = runs.move(run)
        print_message(f"run {new.id} continues {run}")
        for problem in problems:
            print_message(f"It is of the old version: {problem}.", "warning: ")
        return _print_updates(runs.follow(new.id), new.id, as_json=as_json)


def retry_run(run: str, user: str, *, is_latest: bool, as_json: bool) -> int:
    """Retry a run that failed or was cancelled, as a new run that keeps the completed steps."""
    with runtime_session(user) as workspace:
        runs = workspace.runs
        run = runs.find_id(run)
        new = runs.retry(run, latest=is_latest)
        print_message(f"run {new.id} continues after {run}")
        return _print_updates(runs.follow(new.id), new.id, as_json=as_json)


def cancel_run(run: str, user: str) -> int:
    """Cancel a run; an orphaned run is adopted and cancelled here."""
    with runtime_session(user) as workspace:
        run = workspace.runs.find_id(run)
        ended = workspace.runs.cancel(run)
        print_message(f"the run {run} {'is cancelled' if ended else 'was asked to stop'}")
        return ExitCode.DONE if ended else ExitCode.FAILED


def pause_run(run: str, user: str) -> int:
    """Pause a run, with the runs that it called."""
    with workspace_session(user) as workspace:
        workspace.runs.pause(run)
    print_message(f"the run {run} is paused; it goes on with: aeon log resume {run}")
    return ExitCode.DONE


def why_run(run: str, user: str, *, output: OutputFormat) -> int:
    """Print why steps of a run have not completed."""
    with workspace_session(user) as workspace:
        run = workspace.runs.find_id(run)
        reasons = workspace.runs.explain(run)
    if print_as(output, [_reason_data(reason) for reason in reasons], key="step"):
        return ExitCode.DONE
    print_reasons((Reason(each.step, each.message, words_of(each.next_step, COMMANDS)) for each in reasons), run)
    return ExitCode.DONE


def _reason_data(reason: WaitReason) -> JsonObject:
    """Return a reason under its published keys: its kind is `why`."""
    data = {**reason.as_dict(), "nextStep": words_of(reason.next_step, COMMANDS)}
    return {"why" if name == "kind" else name: value for name, value in data.items()}


def adopt_runs(user: str, *, is_dry: bool, as_json: bool) -> int:
    """Move the record's runs to the engine of the settings. Raises ConfigError while a process executes runs."""
    with runtime_session(user) as workspace:
        before, own, open_runs = workspace.workers.adopt_runs(is_dry=is_dry)
    has_moved = before is not None and before.id != own.id
    if as_json:
        data: JsonObject = {"before": before and before.where, "now": own.where, "openRuns": open_runs}
        print_data(indented_json({**data, "adopted": has_moved and not is_dry}))
        return ExitCode.DONE
    if before is None or not has_moved:
        print_data(f"the runs are kept in {printable(own.where)} already" if before else "no engine has kept runs yet")
        return ExitCode.DONE
    place, was = printable(own.where), printable(before.where)
    print_data(
        f"the runs would be kept in {place} instead of {was}" if is_dry else f"the runs are kept in {place} from now on"
    )
    if open_runs:
        print_message(
            f"{open_runs} open run(s) continue from what the record has of them. A call that was running, or whose "
            "result only the place before had, is made again, but not if its effect is `once`. Cancel those that must "
            "not go on: aeon log cancel RUN.",
            "warning: ",
        )
    return ExitCode.DONE


def _print_news(runs: RunService, root: str, *, as_json: bool) -> int:
    return _print_updates(runs.follow(root, from_now=True), root, as_json=as_json)


def _print_updates(follower: RunFollower, run: str, *, as_json: bool) -> int:
    lines = RunLines()
    try:
        for update in follower:
            for line in lines.lines(update):
                print_message(line)
    except KeyboardInterrupt:
        print_message(f"The run is kept; continue it with: aeon log resume {run}")
        raise
    return _print_result(follower.result, run, as_json=as_json)


def _print_result(settled: SettledRun, run: str, *, as_json: bool) -> int:
    view, questions = settled.view, settled.questions
    if as_json:
        open_questions: list[Json] = [question._asdict() for question in questions]
        about: JsonObject = {"output": view.state.output, "questions": open_questions, "usage": settled.usage.as_dict()}
        print_data(indented_json({**view.run.as_dict(), **about}))
    elif view.state.phase == "completed":
        output = view.state.output
        print_data(output if isinstance(output, str) else indented_json(output))
    elif view.state.error is not None:
        print_message(view.state.error.message, "error: ")
        print_message(f"{view.state.error.next_step} {NextStep('runs.retry', run=run).worded(COMMANDS)}", "next: ")
    elif view.state.phase == "cancelled":
        by = f" by {printable(view.state.cancelled_by)}" if view.state.cancelled_by else ""
        print_message(f"The run was cancelled{by}.", "error: ")
        print_message(f"Go on from what it completed: aeon log retry {run}", "next: ")
    if settled.usage.calls:
        print_message(f"used: {printable(str(settled.usage))}")
    for question in questions:
        fields = _fields_read(view.plan, question.step) if question.run == view.run.id else []
        _print_question(question, view.run.owner_id, fields)
    if settled.status == "paused":
        print_message(f"The run is paused; it goes on with: aeon log resume {run}", "warning: ")
    return (
        ExitCode.EXPIRED
        if questions or settled.status == "paused"
        else _EXIT_CODES.get(view.state.phase, ExitCode.FAILED)
    )


def _fields_read(plan: RunPlan, step: str) -> list[str]:
    """Return the fields of a step's result that the Process reads."""
    variable = plan.steps[plan.positions[step]].output.variable
    text = indented_json(plan.definition.as_dict())
    return list(dict.fromkeys(re.findall(rf"\bstep\.{re.escape(variable)}\.([A-Za-z_]\w*)", text)))


def _print_question(question: PendingQuestion, user: str, fields: Sequence[str]) -> None:
    """Print what a step asks, whom it asks if that is not the user, and the command that answers.

    `fields` are those that the answer must have, as later steps read them; without them any value will do.
    """
    shown = one_line(indented_json(question.inputs), COLUMNS)
    asked = f"{printable(question.step)} {printable(shown)}"
    example = shlex.quote(json.dumps(dict.fromkeys(fields, "..."))) if fields else "yes"
    command = f"aeon log answer {question.run} {question.step} {example}"
    if question.asks in (None, user):
        print_message(f"{asked}\nanswer with: {command}", "waits for you: ")
    else:
        other = printable(question.asks or "")
        print_message(f"{asked}\nonly {other} can answer: {command} --user {other}", f"waits for {other}: ")
