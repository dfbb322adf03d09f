"""`aeon skills run`, `exec` and `replay`: from what the user gave to what a run of skills came to."""

import secrets
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from types import FrameType, TracebackType
from typing import NamedTuple, Self

from pydantic import ValidationError

from aeon.base.errors import AeonError, InputError
from aeon.base.json import Json, canonical
from aeon.bootstrap import App
from aeon.cli.boundary import Terminated
from aeon.cli.codes import Code
from aeon.cli.intake import read_json_file, read_request
from aeon.cli.progress import FetchProgress
from aeon.cli.say import put, say
from aeon.cli.session import opened, settings_here
from aeon.cli.skills.displays import display_for
from aeon.cli.text import clean, pretty
from aeon.observability.events import Event, Observer, PlanReady, Replanned, RunEnded
from aeon.skills.answer import answer_of
from aeon.skills.executor.replay import replay_result
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Cancellation
from aeon.skills.plan.reading import parse_plan
from aeon.skills.plan_json import ExecutionResult, PlanJson


class SkillOptions(NamedTuple):
    """What the flags of a skills run say."""

    model: str | None
    sandbox: str | None
    parallel: int | None
    timeout: float | None
    trace: Path | None
    as_json: bool
    may_fetch: bool


def run_request(argument: str, options: SkillOptions) -> int:
    """Plan a request with the skills of this place and run it."""
    request = read_request(argument)
    with _app(options) as app:
        _prepare_model(app, options)

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.run(request, observer, cancellation)

        return _carry_out(app, options, work)


def run_plan(path: Path, options: SkillOptions) -> int:
    """Run a plan by hand. Raises PlanError for what is no plan; what is wrong inside it stands in the result."""
    plan: PlanJson = parse_plan(read_json_file(path, "The plan"))
    with _app(options) as app:

        def work(observer: Observer, cancellation: Cancellation) -> ExecutionResult:
            return app.skills.execute(plan, observer, cancellation, by_hand=True)

        return _carry_out(app, options, work)


def replay_trace(path: Path, *, as_json: bool) -> int:
    """Print the final state that a trace gives. Raises InputError for what is no trace."""
    result = _read_result(read_json_file(path, "The trace"))
    state = replay_result(result)
    is_same = canonical(state) == canonical(result.final_state)
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
    }
    return opened(settings_here(model=options.model, more=flags))


def _prepare_model(app: App, options: SkillOptions) -> None:
    """Have the model ready; without one the request is planned by its words (skills 7, planning without a model)."""
    try:
        with FetchProgress() as progress:
            app.prepare_model(progress, may_fetch=options.may_fetch)
    except InputError:
        raise
    except AeonError as error:
        say(f"{error.message} {error.advice}", "warning: ", "  ")


def _carry_out(app: App, options: SkillOptions, work: Callable[[Observer, Cancellation], ExecutionResult]) -> int:
    """Run with a display and a way to stop, keep the trace, tell the outcome."""
    with Cancellation() as cancellation, _Interruption(cancellation) as interruption:
        with redirect_stdout(sys.stderr), display_for() as display:

            def observe(event: Event) -> None:
                interruption.watch(event)
                display(event)

            result = work(observe, cancellation)
            status = "completed" if result.success else "cancelled" if interruption.is_wished else "failed"
            display(RunEnded(status, None, None, None))
        kept = _keep(result, options.trace or _fresh_trace(app))
        return _tell(result, kept, interruption, as_json=options.as_json)


def _tell(result: ExecutionResult, kept: Path | None, interruption: "_Interruption", *, as_json: bool) -> int:
    if as_json:
        put(pretty(result.as_dict()))
    elif answer := answer_of(result):
        put(clean(answer))
    for node in result.execution_trace:
        if node.error is not None and node.error.type not in _FOLLOWS and not as_json:
            say(f"{node.tool_id} ({node.tool_path}): {node.error.type}: {node.error.message}", "error: ", "  ")
    for warning in result.warnings:
        say(warning, "warning: ", "  ")
    if kept is not None:
        say(f"trace: {kept}")
    if interruption.is_wished:
        say("interrupted; every process was ended")
        return interruption.code
    return Code.DONE if result.success else Code.FAILED


_FOLLOWS = (FailureClass.DEPENDENCY_FAILED, FailureClass.PLAN_REJECTED, FailureClass.CANCELLED)
"""What a node's error says when another node is the reason."""


def _keep(result: ExecutionResult, path: Path) -> Path | None:
    """Write the result with its trace. Raises LogError when the place is one that was asked for and cannot be had."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = canonical(result.as_dict()) + "\n"
        partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            partial.write_text(text, "ascii")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        say(f"The trace could not be kept in {path}: {error.strerror}.", "warning: ", "  ")
        return None
    return path


def _fresh_trace(app: App) -> Path:
    folder = Path(app.settings.run.log_dir).expanduser()
    return folder / f"skills-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}.json"


class _Interruption:
    """Ctrl-C and SIGTERM during a run: while scripts run they are ended and the result is kept; else at once.

    Asked a second time, it stops at once in any case.
    """

    def __init__(self, cancellation: Cancellation) -> None:
        self.code = Code.INTERRUPTED
        self.is_wished = False
        self._cancellation = cancellation
        self._is_executing = False
        self._before: dict[int, object] = {}

    def watch(self, event: Event) -> None:
        """Note whether scripts run just now."""
        if isinstance(event, PlanReady):
            self._is_executing = True
        elif isinstance(event, Replanned):
            self._is_executing = False

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # pyright: ignore[reportArgumentType]  # what signal.signal returned

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.code = Code.TERMINATED if number == signal.SIGTERM else Code.INTERRUPTED
        if not self._is_executing or self.is_wished:
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        self.is_wished = True
        self._cancellation.cancel()
