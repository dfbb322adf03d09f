"""Runs scripts as processes, isolated as well as this machine allows, and leaves none behind."""

import os
import signal
import sys
import time
from threading import Lock
from typing import Self

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Cancellation, Ending, EventSink, Invocation, Outcome, SandboxLevel
from aeon.skills.process import levels
from aeon.skills.process.aftermath import end_marked
from aeon.skills.process.assets import asset_check
from aeon.skills.process.link import WardenLink
from aeon.skills.process.output import PlainOutput
from aeon.skills.process.probe import Wish, best_level
from aeon.skills.process.problems import fault_before_start, refused, unboxed
from aeon.skills.process.warden import wire
from aeon.skills.process.warden.wire import WARM_OPTIONS
from aeon.skills.process.watch import Pipes, Watch
from aeon.skills.protocol import EventReader

_WARDEN_ENDED = "The process that starts scripts was ended while this one ran, and this one with it."
_SIGNAL_BASE = 128


class ProcessRunner:
    """The port `ScriptRunner` by real processes. A context manager; threads may share one.

    One warden process starts and ends the scripts, so that nothing of them survives, not even this process being
    killed (skills 4). With `fork_server`, Python scripts run by this interpreter without options are forked from a warm
    one, except in bubblewrap and where the environment sets PYTHON variables; those start cold.
    """

    def __init__(self, level: Wish = "auto", *, fork_server: bool = False) -> None:
        self._wish: Wish = level
        self._fork_server = fork_server
        self._level: SandboxLevel | None = None
        self._lock = Lock()
        self._cold = WardenLink("cold")
        self._warm = WardenLink("warm")

    @property
    def level(self) -> SandboxLevel:
        """How scripts are isolated; found by trying, once.

        Raises SandboxError when what was asked for is not to be had.
        """
        with self._lock:
            if self._level is None:
                self._level = best_level(self._wish, self._try)
            return self._level

    def run(
        self, invocation: Invocation, cancellation: Cancellation | None = None, on_event: EventSink | None = None
    ) -> Outcome:
        """Run it to its end; see ScriptRunner. A script that says `done` and does not exit is timed out in the end."""
        return self._run(invocation, self.level, cancellation, on_event)

    def _try(self, level: SandboxLevel, invocation: Invocation) -> Outcome:
        return self._run(invocation, level, None, None)

    def _run(
        self,
        invocation: Invocation,
        level: SandboxLevel,
        cancellation: Cancellation | None,
        on_event: EventSink | None,
    ) -> Outcome:
        if cancellation is not None and cancellation.is_cancelled:
            return Outcome(Ending.CANCELLED, sandbox=level)
        if fault := fault_before_start(invocation):
            return Outcome(Ending.NOT_STARTED, problem=fault, sandbox=level)
        outcome = self._attempt(invocation, level, cancellation, on_event)
        if isinstance(outcome, SandboxError):
            outcome = self._attempt(invocation, level, cancellation, on_event)
        if isinstance(outcome, SandboxError):
            raise outcome
        return outcome

    def _attempt(
        self,
        invocation: Invocation,
        level: SandboxLevel,
        cancellation: Cancellation | None,
        on_event: EventSink | None,
    ) -> Outcome | SandboxError:
        """Run it; an error when the warden was gone before it began to start anything."""
        began = time.monotonic()
        output = _output(invocation)
        token = os.urandom(16).hex()
        request = _written(levels.request(invocation, level, token))
        pipes = Pipes(invocation.stdin)
        try:
            warden, conversation = self._link(invocation, level).open(request, pipes.theirs)
            with conversation:
                pipes.hand_over()
                watch = Watch(invocation, conversation, pipes, output, cancellation, on_event)
                watch.wait()
            if watch.warden_is_gone:
                warden.kill()
                leader = wire.noted_leader(request)
                end_marked(token, leader or 0)
                if leader is None and watch.wish is None:
                    return warden.failure()
            watch.read_rest()
        finally:
            os.close(request)
            pipes.close()
        return _outcome(invocation, watch, output, level, round((time.monotonic() - began) * 1000))

    def _link(self, invocation: Invocation, level: SandboxLevel) -> WardenLink:
        is_warm = self._fork_server and level != "bubblewrap" and _may_be_forked(invocation)
        return self._warm if is_warm else self._cold

    def close(self) -> None:
        """End whatever still runs."""
        self._cold.close()
        self._warm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _may_be_forked(invocation: Invocation) -> bool:
    """Whether a fork of this interpreter does what its command would."""
    program, *words = invocation.command
    script = next((word for word in words if word not in WARM_OPTIONS), "")
    is_configured = any(name.startswith("PYTHON") for name in invocation.env)
    return program == sys.executable and script.endswith(".py") and not is_configured


def _written(request: wire.Request) -> int:
    try:
        return wire.written(request)
    except OSError as error:
        raise SandboxError(
            f"A script cannot be started, since what starts it cannot be told so: {error.strerror}.",
            next_step="Raise the limit on the size of files (ulimit -f) and run it again.",
        ) from error


def _output(invocation: Invocation) -> EventReader | PlainOutput:
    if not invocation.is_ndjson:
        return PlainOutput(invocation.limits.total)
    return EventReader(invocation.limits, asset_check(invocation.cwd, levels.asset_roots(invocation)))


def _outcome(
    invocation: Invocation, watch: Watch, output: EventReader | PlainOutput, level: SandboxLevel, milliseconds: int
) -> Outcome:
    """What the report and the output come to."""
    report, diagnostics = watch.last_report, watch.diagnostics.text
    if report is not None and watch.wish is None and report.kind in (wire.REFUSED, wire.UNBOXED):
        problem = refused(invocation, report) if report.kind == wire.REFUSED else unboxed(invocation, diagnostics)
        return Outcome(
            Ending.NOT_STARTED, problem=problem, stderr=diagnostics, milliseconds=milliseconds, sandbox=level
        )
    exit_code = _exit_code(report, level)
    return Outcome(
        watch.wish or Ending.EXITED,
        exit_code,
        output.events,
        stdout=output.stdout if isinstance(output, PlainOutput) else b"",
        stderr=diagnostics,
        violation=_violation(output, watch.wish, exit_code),
        problem=output.overflow if watch.wish is Ending.OVERFLOWED else None if report else _WARDEN_ENDED,
        milliseconds=milliseconds,
        sandbox=level,
    )


def _exit_code(report: wire.Report | None, level: SandboxLevel) -> int | None:
    """The leader's; bubblewrap says of a death by signal 128 and its number, which is undone here."""
    if report is None:
        return -signal.SIGKILL
    if report.kind == wire.REFUSED:
        return None
    is_signal = level == "bubblewrap" and _SIGNAL_BASE < report.number <= _SIGNAL_BASE + signal.SIGRTMAX
    return _SIGNAL_BASE - report.number if is_signal else report.number


def _violation(output: EventReader | PlainOutput, wish: Ending | None, exit_code: int | None) -> str | None:
    """The first breach; a script that ends well without `done` commits one by that (skills 4)."""
    is_mute = isinstance(output, EventReader) and not output.is_done and wish is None and exit_code == 0
    return output.violation or ("it ended without a done event" if is_mute else None)
