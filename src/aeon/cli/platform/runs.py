"""`aeon process run|answer` and `aeon runs`: runs of Processes, begun, followed, looked at, and gone on with."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from aeon.application.run_follower import RunFollower, SettledRun
from aeon.application.runs import RunService
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict
from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.run_follower import RunLines
from aeon.cli.platform.run_views import resolve_run_id
from aeon.cli.text import COLUMNS, indented_json, one_line, printable
from aeon.platform.runs.service import PendingQuestion

_EXIT_CODES = {"completed": ExitCode.DONE, "failed": ExitCode.FAILED, "cancelled": ExitCode.FAILED}


def run_process(
    name: str, inputs: Sequence[str], user: str, *, key: str | None, deadline: float | None, as_json: bool
) -> int:
    """Start a run of a Process and follow it to its end, or until only a person can go on (exit code 3)."""
    given = read_inputs(inputs)
    with runtime_session(user) as runner:
        runs = RunService(runner, user)
        run = runs.start(name, given, key=key, deadline=deadline)
        print_message(f"run {run.id} of {printable(run.process_name)}")
        return _print_updates(runs.follow(run.id), run.id, as_json=as_json)


def answer_run(run: str, step: str, answer: str, user: str, *, waits: bool, as_json: bool) -> int:
    """Give a manual step its answer, and go on with the run as `run_process` does."""
    with runtime_session(user) as runner:
        run = resolve_run_id(runner.runs, user, run)
        runs = RunService(runner, user)
        question = runs.answer(run, step, parse_value(answer))
        print_message(f"{printable(step)} of the run {question.run} is answered")
        return _continue_run(runs, run, as_json=as_json) if waits else ExitCode.DONE


def resume_run(run: str, user: str, *, as_json: bool) -> int:
    """Go on with a run that nobody carries out, or follow it where somebody does."""
    with runtime_session(user) as runner:
        run = resolve_run_id(runner.runs, user, run)
        return _continue_run(RunService(runner, user), run, as_json=as_json)


def retry_run(run: str, user: str, *, as_json: bool) -> int:
    """Go on after a run that failed or was cancelled, in a new one that keeps what was completed."""
    with runtime_session(user) as runner:
        run = resolve_run_id(runner.runs, user, run)
        runs = RunService(runner, user)
        new = runs.retry(run)
        print_message(f"run {new.id} goes on after {run}")
        return _print_updates(runs.follow(new.id), new.id, as_json=as_json)


def cancel_run(run: str, user: str) -> int:
    """Have a run stopped; one that nobody carries out is stopped here."""
    with runtime_session(user) as runner:
        run = resolve_run_id(runner.runs, user, run)
        ended = RunService(runner, user).cancel(run)
        print_message(f"the run {run} {'is cancelled' if ended else 'was told to stop'}")
        return ExitCode.DONE if ended else ExitCode.FAILED


def why_run(run: str, user: str, *, as_json: bool) -> int:
    """Why a run's steps are not over."""
    with runtime_session(user) as runner:
        run = resolve_run_id(runner.runs, user, run)
        found = RunService(runner, user).explain(run)
    if as_json:
        print_data(indented_json([reason.as_dict() for reason in found]))
        return ExitCode.DONE
    for reason in found:
        print_data(printable(f"{reason.step or 'run'}: {reason.message}"))
    return ExitCode.DONE


def read_inputs(inputs: Sequence[str]) -> JsonObject:
    """`name=value` each; a value that is JSON is that, else it is text. Raises InputError with all that are neither."""
    wrong = [each for each in inputs if "=" not in each or each.startswith("=")]
    if wrong:
        raise InputError(
            f"These inputs are not of the form name=value: {', '.join(wrong)}.",
            next_step='Write, for example: --input topic="tea"',
        )
    pairs = (each.partition("=") for each in inputs)
    return {name: parse_value(value) for name, _, value in pairs}


def adopt_runs(user: str, *, is_dry: bool, as_json: bool) -> int:
    """Have the record's runs be kept where the settings say. Raises ConfigError while somebody carries out runs."""
    with runtime_session(user) as runner:
        before, own, open_runs = runner.adopt_runs(is_dry=is_dry)
    has_moved = before is not None and before.id != own.id
    if as_json:
        told: JsonObject = {"before": before and before.where, "now": own.where, "openRuns": open_runs}
        print_data(indented_json({**told, "adopted": has_moved and not is_dry}))
        return ExitCode.DONE
    if before is None or not has_moved:
        print_data(f"the runs are kept in {printable(own.where)} already" if before else "no run was kept anywhere yet")
        return ExitCode.DONE
    place, was = printable(own.where), printable(before.where)
    print_data(
        f"the runs would be kept in {place} instead of {was}" if is_dry else f"the runs are kept in {place} from now on"
    )
    if open_runs:
        print_message(
            f"{open_runs} open run(s) have lost what their steps came to: they begin again from their first step, and "
            "what was done in the world is done again. Cancel those that must not: aeon runs cancel RUN.",
            "warning: ",
        )
    return ExitCode.DONE


@contextmanager
def runtime_session(user: str) -> Generator[ProcessRuntime]:
    """What runs the current folder's Processes, closed in the end."""
    with session.app_session(session.load_cli_settings(), is_quiet=True) as app, app.process_runtime() as runner:
        runner.platform.catalog.add_user(user)
        yield runner


def _continue_run(runs: RunService, run: str, *, as_json: bool) -> int:
    root = runs.resume(run).id
    return _print_updates(runs.follow(root, from_now=True), root, as_json=as_json)


def _print_updates(follower: RunFollower, run: str, *, as_json: bool) -> int:
    shown = RunLines()
    try:
        for update in follower:
            for line in shown.lines(update):
                print_message(line)
    except KeyboardInterrupt:
        print_message(f"The run goes on where it stands: aeon runs resume {run}")
        raise
    return _print_result(follower.result, run, as_json=as_json)


def _print_result(settled: SettledRun, run: str, *, as_json: bool) -> int:
    seen, questions = settled.view, settled.questions
    if as_json:
        asked: list[Json] = [question._asdict() for question in questions]
        print_data(indented_json({**seen.run.as_dict(), "output": seen.state.output, "questions": asked}))
    elif seen.state.phase == "completed":
        output = seen.state.output
        print_data(output if isinstance(output, str) else indented_json(output))
    elif seen.state.error is not None:
        print_message(seen.state.error.message, "error: ")
        print_message(f"{seen.state.error.next_step} Then: aeon runs retry {run}", "next: ")
    for question in questions:
        print_message(_question_text(question), "waits for you: ")
    return ExitCode.EXPIRED if questions else _EXIT_CODES.get(seen.state.phase, ExitCode.FAILED)


def _question_text(question: PendingQuestion) -> str:
    shown = one_line(indented_json(question.inputs), COLUMNS)
    command = f"aeon process answer {question.run} {question.step} yes"
    return f"{printable(question.step)} {printable(shown)}\nanswer with: {command}"


def parse_value(text: str) -> Json:
    """What is JSON as that, else the text."""
    try:
        return parse_strict(text)
    except ValueError:
        return text
