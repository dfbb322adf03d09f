"""One invocation by a reaper, from its request to its outcome."""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation, InvocationResult, OutputBudget, SandboxLevel, ScriptExitReason
from aeon.skills.protocol import AssetCheck, ScriptEventReader
from aeon.skills.sandbox import isolation
from aeon.skills.sandbox.monitor import LaunchOptions, ScriptMonitor, StdioPipes
from aeon.skills.sandbox.output_buffers import PlainOutputReader
from aeon.skills.sandbox.reaper import messages, procfs
from aeon.skills.sandbox.reaper.messages import MARKER_VARIABLE
from aeon.skills.sandbox.reaper_client import ReaperClient, SpawnOrder
from aeon.skills.sandbox.start_errors import sandbox_failure_message, start_failure_message, too_many_open_files_error

_SECONDS = 5.0
_PAUSE = 0.01


def kill_orphans(token: str, leader: int) -> None:
    """End every process that carries the marker, and the leader's session, for good. Returns when none is left.

    `leader` is 0 when it is not known; that is never taken for a session, for some processes say theirs is 0.

    What has scrubbed its environment and left the session is not found: a reaper would have ended that too.
    """
    deadline = time.monotonic() + _SECONDS
    while (left := _find_orphans(token, leader)) and time.monotonic() < deadline:
        procfs.kill_with_groups(left, os.getpgrp())
        time.sleep(_PAUSE)


def _find_orphans(token: str, leader: int) -> set[int]:
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        if _is_ours(int(entry.name), token, leader):
            found.add(int(entry.name))
    return found


def _is_ours(pid: int, token: str, leader: int) -> bool:
    is_named = procfs.environment_variable(pid, MARKER_VARIABLE) == token or (
        leader > 0 and procfs.session_id(pid) == leader
    )
    return is_named and not procfs.has_exited(pid)


def asset_check(cwd: Path, roots: Sequence[Path]) -> AssetCheck:
    """The check for a script that runs in `cwd` and may name files below `roots`, whatever links lead where."""

    def check(path: str) -> str | None:
        if "\0" in path:
            return f"the asset {path!r:.200} is no path"
        real = Path(os.path.realpath(cwd / path))
        if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            return f"the asset {path!r:.200} is outside the folders that the script may read or write"
        return None if _is_readable(real) else f"the asset {path!r:.200} is no file that can be read"

    return check


def _is_readable(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except OSError:
        return False


_REAPER_DIED = "The process that starts scripts was ended while this one ran, and this one with it."
_SIGNAL_BASE = 128


class ScriptLaunch(NamedTuple):
    """A script to run, how, by which reaper, and for whom."""

    invocation: Invocation
    level: SandboxLevel
    client: ReaperClient
    options: LaunchOptions


class ScriptProcess:
    """A script under way; a `Pollable`. It is begun again, once, when the reaper was gone before it came to it."""

    def __init__(self, asked: ScriptLaunch) -> None:
        self._launch = asked
        self._is_retry = False
        self._attempt = _LaunchAttempt(asked)

    @property
    def deadline(self) -> float:
        return self._attempt.monitor.deadline

    def fileno(self) -> int:
        return self._attempt.monitor.fileno()

    def poll(self) -> InvocationResult | None:
        outcome = self._attempt.poll()
        if not isinstance(outcome, SandboxError):
            return outcome
        if self._is_retry:
            raise outcome
        self._is_retry = True
        self._attempt = _LaunchAttempt(self._relaunch_spec())
        return None

    def _relaunch_spec(self) -> ScriptLaunch:
        """What is to be begun again; that it begins is told once."""
        turn = self._launch.options.slot
        if turn is None or not self._attempt.monitor.has_started:
            return self._launch
        told = turn._replace(on_start=lambda: None)
        return self._launch._replace(options=self._launch.options._replace(slot=told))


class _LaunchAttempt:
    """What one request holds: its pipes, the channel to the reaper, a place in its lane."""

    def __init__(self, asked: ScriptLaunch) -> None:
        invocation, self._slot = asked.invocation, asked.options.slot
        self._invocation = invocation
        self._client = asked.client
        self._level: SandboxLevel = asked.level
        self._output = _output_reader(invocation, self._slot.budget if self._slot else None)
        self._token = os.urandom(16).hex()
        self._pipes = _open_pipes(invocation.stdin)
        try:
            order = self._order()
            if self._slot is not None and not order.limit:
                self._slot.on_start()
            self._channel = asked.client.spawn(order)
        except BaseException:
            self._pipes.close()
            raise
        if self._slot is not None:
            self._slot.group.active += 1
        self._pipes.close_child_stdin()
        self.monitor = ScriptMonitor(invocation, self._channel, self._pipes, self._output, asked.options)
        if not order.limit:
            self.monitor.mark_started(time.monotonic())

    def _order(self) -> SpawnOrder:
        """What the reaper is asked for: at once while the lane has a place, which only this end needs to count."""
        request = isolation.build_spawn_request(self._invocation, self._level, self._token)
        if self._slot is None:
            return SpawnOrder(request, self._pipes.child_fds)
        lane = self._slot.group
        return SpawnOrder(request, self._pipes.child_fds, lane.number, lane.limit if lane.active >= lane.limit else 0)

    def poll(self) -> InvocationResult | SandboxError | None:
        """The outcome once it is over; an error when the reaper was gone before it began to start anything."""
        try:
            self.monitor.poll()
            outcome = self._conclude() if self.monitor.is_finished else None
        except BaseException:
            self._close()
            raise
        if outcome is not None:
            self._close()
        return outcome

    def _conclude(self) -> InvocationResult | SandboxError:
        watch = self.monitor
        if watch.is_reaper_gone:
            why = self._client.discard(self._channel.reaper)
            leader = messages.read_leader(self._channel.request_file)
            kill_orphans(self._token, leader or 0)
            if leader is None and watch.stop_reason is None:
                return why
        watch.read_rest()
        return _build_result(self._invocation, watch, self._output, self._level)

    def _close(self) -> None:
        if self._slot is not None:
            self._slot.group.active -= 1
        self.monitor.close()
        self._pipes.close()
        if self.monitor.last_report is None:
            self._channel.close()
        else:
            self._channel.reaper.release_channel(self._channel)


def _open_pipes(given: bytes) -> StdioPipes:
    try:
        return StdioPipes(given)
    except OSError as error:
        raise too_many_open_files_error(error) from error


def _output_reader(invocation: Invocation, allowance: OutputBudget | None) -> ScriptEventReader | PlainOutputReader:
    if not invocation.is_ndjson:
        return PlainOutputReader(invocation.limits.total, allowance)
    check = asset_check(invocation.cwd, isolation.asset_roots(invocation))
    return ScriptEventReader(invocation.limits, check, allowance)


def _build_result(
    invocation: Invocation, watch: ScriptMonitor, output: ScriptEventReader | PlainOutputReader, level: SandboxLevel
) -> InvocationResult:
    """What the report and the output come to."""
    milliseconds = round(watch.seconds * 1000)
    report, diagnostics = watch.last_report, watch.diagnostics.text
    if report is not None and report.kind == messages.DEQUEUED:
        return InvocationResult(watch.stop_reason or ScriptExitReason.CANCELLED, sandbox=level)
    if (
        report is not None
        and watch.stop_reason is None
        and report.kind in (messages.START_FAILED, messages.SANDBOX_FAILED)
    ):
        problem = (
            start_failure_message(invocation, report)
            if report.kind == messages.START_FAILED
            else sandbox_failure_message(invocation, diagnostics)
        )
        return InvocationResult(
            ScriptExitReason.NOT_STARTED, problem=problem, stderr=diagnostics, milliseconds=milliseconds, sandbox=level
        )
    exit_code = _exit_code(report, level)
    limit = report.text if report is not None and report.kind in (messages.EXITED, messages.SANDBOX_FAILED) else ""
    return InvocationResult(
        ScriptExitReason.RESOURCES_EXCEEDED if limit else watch.stop_reason or ScriptExitReason.EXITED,
        exit_code,
        output.events,
        stdout=output.stdout if isinstance(output, PlainOutputReader) else b"",
        stderr=diagnostics,
        violation=_violation(output, watch.stop_reason, exit_code),
        problem=limit or _problem(output, watch, report),
        milliseconds=milliseconds,
        sandbox=level,
        dropped_events=output.dropped_events,
        budget_cost=output.budget_cost,
    )


def _problem(
    output: ScriptEventReader | PlainOutputReader, watch: ScriptMonitor, report: messages.ReaperReport | None
) -> str | None:
    """How it overflowed, or that its reaper is gone; None when neither."""
    if watch.stop_reason is ScriptExitReason.OUTPUT_EXCEEDED:
        return output.overflow
    return None if report else _REAPER_DIED


def _exit_code(report: messages.ReaperReport | None, level: SandboxLevel) -> int | None:
    """The leader's; bubblewrap says of a death by signal 128 and its number, which is undone here."""
    if report is None:
        return -signal.SIGKILL
    if report.kind == messages.START_FAILED:
        return None
    is_signal = level == "bubblewrap" and _SIGNAL_BASE < report.number <= _SIGNAL_BASE + signal.SIGRTMAX
    return _SIGNAL_BASE - report.number if is_signal else report.number


def _violation(
    output: ScriptEventReader | PlainOutputReader, wish: ScriptExitReason | None, exit_code: int | None
) -> str | None:
    """The first breach; a script that ends well without `done` commits one by that (skills 4)."""
    is_mute = isinstance(output, ScriptEventReader) and not output.is_done and wish is None and exit_code == 0
    return output.violation or ("it ended without a done event" if is_mute else None)
