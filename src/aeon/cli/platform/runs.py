"""`aeon process run|answer` and `aeon runs`: runs of Processes, begun, followed, looked at, and gone on with."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.processes import ProcessRunner
from aeon.cli import session
from aeon.cli.codes import Code
from aeon.cli.platform.following import Followed, Following
from aeon.cli.platform.inputs import read_inputs, value_of
from aeon.cli.platform.run_views import named
from aeon.cli.say import put, say
from aeon.cli.text import COLUMNS, clean, one_line, pretty
from aeon.platform.ledger import Request
from aeon.platform.processes.runs.accepting import NewRun
from aeon.platform.processes.runs.runs import Question
from aeon.platform.processes.runs.why import reasons

_CODES = {"completed": Code.DONE, "failed": Code.FAILED, "cancelled": Code.FAILED}


def run_process(
    name: str, inputs: Sequence[str], user: str, *, key: str | None, deadline: float | None, as_json: bool
) -> int:
    """Start a run of a Process and follow it to its end, or until only a person can go on (exit code 3)."""
    given = read_inputs(inputs)
    with running(user) as runner:
        process = runner.platform.processes.find(user, name)
        new = NewRun(given, within=deadline, executor=runner.carrier)
        runner.begin()  # a run is not accepted where it could not go on
        run = runner.runs.accept(process, new, Request(user, key))
        if run.executor == runner.carrier:
            runner.engine.start(run.id)
        else:  # the same key was used before: whoever had the run may be gone
            runner.caretaker.take_over(run.id)
        say(f"run {run.id} of {clean(process.name)}")
        return _followed(runner, user, run.id, as_json=as_json)


def answer_run(run: str, step: str, answer: str, user: str, *, waits: bool, as_json: bool) -> int:
    """Give a manual step its answer, and go on with the run as `run_process` does."""
    with running(user) as runner:
        run = named(runner.runs, user, run)
        question = runner.runs.answer(user, run, step, value_of(answer))
        say(f"{clean(step)} of the run {question.run} is answered")
        return _gone_on(runner, user, run, as_json=as_json) if waits else Code.DONE


def resume_run(run: str, user: str, *, as_json: bool) -> int:
    """Go on with a run that nobody carries out, or follow it where somebody does."""
    with running(user) as runner:
        run = named(runner.runs, user, run)
        return _gone_on(runner, user, run, as_json=as_json)


def retry_run(run: str, user: str, *, as_json: bool) -> int:
    """Go on after a run that failed or was cancelled, in a new one that keeps what was completed."""
    with running(user) as runner:
        run = named(runner.runs, user, run)
        runner.begin()
        new = runner.runs.retry(run, Request(user))
        runner.engine.start(new.id)
        say(f"run {new.id} goes on after {run}")
        return _followed(runner, user, new.id, as_json=as_json)


def cancel_run(run: str, user: str) -> int:
    """Have a run stopped; one that nobody carries out is stopped here."""
    with running(user) as runner:
        run = named(runner.runs, user, run)
        runner.runs.cancel(user, run)
        return Code.DONE if _stopped(runner, user, run) else Code.FAILED


def why_run(run: str, user: str, *, as_json: bool) -> int:
    """Why a run's steps are not over."""
    with running(user) as runner:
        run = named(runner.runs, user, run)
        found = reasons(runner.around, user, run)
    if as_json:
        put(pretty([reason.as_dict() for reason in found]))
        return Code.DONE
    for reason in found:
        put(clean(f"{reason.step or 'run'}: {reason.message}"))
    return Code.DONE


def adopt_runs(user: str, *, is_dry: bool, as_json: bool) -> int:
    """Have the record's runs be kept where the settings say. Raises ConfigError while somebody carries out runs."""
    with running(user) as runner:
        before, own, open_runs = runner.adopt_runs(is_dry=is_dry)
    has_moved = before is not None and before.id != own.id
    if as_json:
        told: JsonObject = {"before": before and before.where, "now": own.where, "openRuns": open_runs}
        put(pretty({**told, "adopted": has_moved and not is_dry}))
        return Code.DONE
    if before is None or not has_moved:
        put(f"the runs are kept in {clean(own.where)} already" if before else "no run was kept anywhere yet")
        return Code.DONE
    place, was = clean(own.where), clean(before.where)
    put(
        f"the runs would be kept in {place} instead of {was}" if is_dry else f"the runs are kept in {place} from now on"
    )
    if open_runs:
        say(
            f"{open_runs} open run(s) have lost what their steps came to: they begin again from their first step, and "
            "what was done in the world is done again. Cancel those that must not: aeon runs cancel RUN.",
            "warning: ",
        )
    return Code.DONE


@contextmanager
def running(user: str) -> Generator[ProcessRunner]:
    """What runs the current folder's Processes, closed in the end."""
    with session.opened(session.settings_here(), is_quiet=True) as app, app.process_runner() as runner:
        runner.platform.catalog.add_user(user)
        yield runner


def _gone_on(runner: ProcessRunner, user: str, run: str, *, as_json: bool) -> int:
    root = runner.runs.see(user, run).run.root_id
    runner.begin()
    runner.caretaker.take_over(root)
    return _followed(runner, user, root, as_json=as_json, from_now=True)


def _followed(runner: ProcessRunner, user: str, run: str, *, as_json: bool, from_now: bool = False) -> int:
    following = Following(runner, user, run, say)
    if from_now:
        following.skip()
    try:
        followed = following.to_the_end()
    except KeyboardInterrupt:
        say(f"The run goes on where it stands: aeon runs resume {run}")
        raise
    return _told(followed, run, as_json=as_json)


def _told(followed: Followed, run: str, *, as_json: bool) -> int:
    seen, questions = followed
    if as_json:
        asked: list[Json] = [question._asdict() for question in questions]
        put(pretty({**seen.run.as_dict(), "output": seen.state.output, "questions": asked}))
    elif seen.state.phase == "completed":
        output = seen.state.output
        put(output if isinstance(output, str) else pretty(output))
    elif seen.state.error is not None:
        say(seen.state.error.message, "error: ")
        say(f"{seen.state.error.next_step} Then: aeon runs retry {run}", "next: ")
    for question in questions:
        say(_question(question), "waits for you: ")
    return Code.EXPIRED if questions else _CODES.get(seen.state.phase, Code.FAILED)


def _question(question: Question) -> str:
    shown = one_line(pretty(question.inputs), COLUMNS)
    return f"{clean(question.step)} {clean(shown)}\nanswer with: aeon process answer {question.run} {question.step} yes"


def _stopped(runner: ProcessRunner, user: str, run: str) -> bool:
    root = runner.runs.see(user, run).run.root_id
    runner.begin()
    runner.caretaker.take_over(root)
    ended = runner.engine.wait(run, 30.0)
    say(f"the run {run} {'is cancelled' if ended else 'was told to stop'}")
    return ended
