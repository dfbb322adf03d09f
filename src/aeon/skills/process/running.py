"""One invocation by a warden, from its request to its outcome."""

import os
import signal
import time
from typing import NamedTuple

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Allowance, Ending, Invocation, Outcome, SandboxLevel
from aeon.skills.process import levels
from aeon.skills.process.aftermath import end_marked
from aeon.skills.process.assets import asset_check
from aeon.skills.process.link import Order, WardenLink
from aeon.skills.process.output import PlainOutput
from aeon.skills.process.problems import out_of_files, refused, unboxed
from aeon.skills.process.warden import wire
from aeon.skills.process.watch import Caller, Pipes, Watch
from aeon.skills.protocol import EventReader

_WARDEN_ENDED = "The process that starts scripts was ended while this one ran, and this one with it."
_SIGNAL_BASE = 128


class Asked(NamedTuple):
    """A script to run, how, by which warden, and for whom."""

    invocation: Invocation
    level: SandboxLevel
    link: WardenLink
    caller: Caller


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
        self._attempt = _Attempt(self._again())
        return None

    def _again(self) -> Asked:
        """What is to be begun again; that it begins is told once."""
        turn = self._asked.caller.turn
        if turn is None or not self._attempt.watch.has_begun:
            return self._asked
        told = turn._replace(on_start=lambda: None)
        return self._asked._replace(caller=self._asked.caller._replace(turn=told))


class _Attempt:
    """What one request holds: its pipes, the channel to the warden, a place in its lane."""

    def __init__(self, asked: Asked) -> None:
        invocation, self._turn = asked.invocation, asked.caller.turn
        self._invocation = invocation
        self._link = asked.link
        self._level: SandboxLevel = asked.level
        self._output = _output(invocation, self._turn.allowance if self._turn else None)
        self._token = os.urandom(16).hex()
        self._pipes = _pipes(invocation.stdin)
        try:
            order = self._order()
            if self._turn is not None and not order.places:
                self._turn.on_start()
            self._channel = asked.link.ask(order)
        except BaseException:
            self._pipes.close()
            raise
        if self._turn is not None:
            self._turn.lane.under_way += 1
        self._pipes.hand_over()
        self.watch = Watch(invocation, self._channel, self._pipes, self._output, asked.caller)
        if not order.places:
            self.watch.begin(time.monotonic())

    def _order(self) -> Order:
        """What the warden is asked for: at once while the lane has a place, which only this end needs to count."""
        request = levels.request(self._invocation, self._level, self._token)
        if self._turn is None:
            return Order(request, self._pipes.theirs)
        lane = self._turn.lane
        return Order(request, self._pipes.theirs, lane.number, lane.places if lane.under_way >= lane.places else 0)

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
            why = self._link.give_up(self._channel.warden)
            leader = wire.noted_leader(self._channel.file)
            end_marked(self._token, leader or 0)
            if leader is None and watch.wish is None:
                return why
        watch.read_rest()
        return _outcome(self._invocation, watch, self._output, self._level)

    def _close(self) -> None:
        if self._turn is not None:
            self._turn.lane.under_way -= 1
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


def _output(invocation: Invocation, allowance: Allowance | None) -> EventReader | PlainOutput:
    if not invocation.is_ndjson:
        return PlainOutput(invocation.limits.total, allowance)
    check = asset_check(invocation.cwd, levels.asset_roots(invocation))
    return EventReader(invocation.limits, check, allowance)


def _outcome(invocation: Invocation, watch: Watch, output: EventReader | PlainOutput, level: SandboxLevel) -> Outcome:
    """What the report and the output come to."""
    milliseconds = round(watch.seconds * 1000)
    report, diagnostics = watch.last_report, watch.diagnostics.text
    if report is not None and report.kind == wire.WITHDRAWN:
        return Outcome(watch.wish or Ending.CANCELLED, sandbox=level)
    if report is not None and watch.wish is None and report.kind in (wire.REFUSED, wire.UNBOXED):
        problem = refused(invocation, report) if report.kind == wire.REFUSED else unboxed(invocation, diagnostics)
        return Outcome(
            Ending.NOT_STARTED, problem=problem, stderr=diagnostics, milliseconds=milliseconds, sandbox=level
        )
    exit_code = _exit_code(report, level)
    limit = report.text if report is not None and report.kind in (wire.OVER, wire.UNBOXED) else ""
    return Outcome(
        Ending.LIMITED if limit else watch.wish or Ending.EXITED,
        exit_code,
        output.events,
        stdout=output.stdout if isinstance(output, PlainOutput) else b"",
        stderr=diagnostics,
        violation=_violation(output, watch.wish, exit_code),
        problem=limit or _problem(output, watch, report),
        milliseconds=milliseconds,
        sandbox=level,
        dropped=output.dropped,
        charged=output.charged,
    )


def _problem(output: EventReader | PlainOutput, watch: Watch, report: wire.Report | None) -> str | None:
    """How it overflowed, or that its warden is gone; None when neither."""
    if watch.wish is Ending.OVERFLOWED:
        return output.overflow
    return None if report else _WARDEN_ENDED


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
