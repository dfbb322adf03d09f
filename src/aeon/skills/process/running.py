"""One invocation by a warden, from its request to its outcome."""

import os
import signal
import time
from contextlib import ExitStack
from typing import NamedTuple

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Cancellation, Ending, EventSink, Invocation, Outcome, SandboxLevel
from aeon.skills.process import levels
from aeon.skills.process.aftermath import end_marked
from aeon.skills.process.assets import asset_check
from aeon.skills.process.link import WardenLink
from aeon.skills.process.output import PlainOutput
from aeon.skills.process.problems import refused, unboxed
from aeon.skills.process.warden import wire
from aeon.skills.process.watch import Pipes, Watch
from aeon.skills.protocol import EventReader

_WARDEN_ENDED = "The process that starts scripts was ended while this one ran, and this one with it."
_SIGNAL_BASE = 128


class Asked(NamedTuple):
    """A script to run, how, by which warden, and who may stop and hear it."""

    invocation: Invocation
    level: SandboxLevel
    link: WardenLink
    cancellation: Cancellation | None
    on_event: EventSink | None


class Running:
    """A script under way; a `Pending`. It is begun again, once, when the warden was gone before it came to it."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._is_last = False
        self._attempt = _Attempt(asked)

    @property
    def deadline(self) -> float:
        return self._attempt.watch.deadline

    def fileno(self) -> int:
        return self._attempt.watch.fileno()

    def attend(self) -> Outcome | None:
        outcome = self._attempt.attend()
        if not isinstance(outcome, SandboxError):
            return outcome
        if self._is_last:
            raise outcome
        self._is_last = True
        self._attempt = _Attempt(self._asked)
        return None


class _Attempt:
    """What one request holds: its pipes, the file it is written in, the conversation with the warden."""

    def __init__(self, asked: Asked) -> None:
        invocation = asked.invocation
        self._invocation = invocation
        self._level: SandboxLevel = asked.level
        self._began = time.monotonic()
        self._output = _output(invocation)
        self._token = os.urandom(16).hex()
        with ExitStack() as held:
            self._request = _written(levels.request(invocation, asked.level, self._token))
            held.callback(os.close, self._request)
            pipes = Pipes(invocation.stdin)
            held.callback(pipes.close)
            self._warden, conversation = asked.link.open(self._request, pipes.theirs)
            held.callback(conversation.close)
            pipes.hand_over()
            self.watch = Watch(invocation, conversation, pipes, self._output, asked.cancellation, asked.on_event)
            held.callback(self.watch.close)
            self._held = held.pop_all()

    def attend(self) -> Outcome | SandboxError | None:
        """The outcome once it is over; an error when the warden was gone before it began to start anything."""
        try:
            self.watch.attend()
            outcome = self._concluded() if self.watch.is_settled else None
        except BaseException:
            self._held.close()
            raise
        if outcome is not None:
            self._held.close()
        return outcome

    def _concluded(self) -> Outcome | SandboxError:
        watch = self.watch
        if watch.warden_is_gone:
            self._warden.kill()
            leader = wire.noted_leader(self._request)
            end_marked(self._token, leader or 0)
            if leader is None and watch.wish is None:
                return self._warden.failure()
        watch.read_rest()
        milliseconds = round((time.monotonic() - self._began) * 1000)
        return _outcome(self._invocation, watch, self._output, self._level, milliseconds)


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
