"""One invocation by a warden, from its request to its outcome."""

import os
import signal
import time
from typing import NamedTuple

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Cancellation, Ending, EventSink, Invocation, Outcome, SandboxLevel
from aeon.skills.process import levels
from aeon.skills.process.aftermath import end_marked
from aeon.skills.process.assets import asset_check
from aeon.skills.process.link import WardenLink
from aeon.skills.process.output import PlainOutput
from aeon.skills.process.problems import out_of_files, refused, unboxed
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
    """What one request holds: its pipes, and the channel to the warden."""

    def __init__(self, asked: Asked) -> None:
        invocation = asked.invocation
        self._invocation = invocation
        self._level: SandboxLevel = asked.level
        self._began = time.monotonic()
        self._output = _output(invocation)
        self._token = os.urandom(16).hex()
        self._pipes = _pipes(invocation.stdin)
        try:
            request = levels.request(invocation, asked.level, self._token)
            self._channel = asked.link.ask(request, self._pipes.theirs)
        except BaseException:
            self._pipes.close()
            raise
        try:
            self._pipes.hand_over()
            self.watch = Watch(
                invocation,
                self._channel.conversation,
                self._channel.poll,
                self._pipes,
                self._output,
                asked.cancellation,
                asked.on_event,
            )
        except BaseException:
            self._channel.close()
            self._pipes.close()
            raise

    def attend(self) -> Outcome | SandboxError | None:
        """The outcome once it is over; an error when the warden was gone before it began to start anything."""
        try:
            self.watch.attend()
            outcome = self._concluded() if self.watch.is_settled else None
        except BaseException:
            self._close()
            raise
        if outcome is not None:
            self._close()
        return outcome

    def _concluded(self) -> Outcome | SandboxError:
        watch = self.watch
        if watch.warden_is_gone:
            self._channel.warden.kill()
            leader = wire.noted_leader(self._channel.file)
            end_marked(self._token, leader or 0)
            if leader is None and watch.wish is None:
                return self._channel.warden.failure()
        watch.read_rest()
        milliseconds = round((time.monotonic() - self._began) * 1000)
        return _outcome(self._invocation, watch, self._output, self._level, milliseconds)

    def _close(self) -> None:
        self.watch.close()
        self._pipes.close()
        if self.watch.last_report is None:
            self._channel.close()
        else:
            self._channel.warden.give_back(self._channel)


def _pipes(given: bytes) -> Pipes:
    try:
        return Pipes(given)
    except OSError as error:
        raise out_of_files(error) from error


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
