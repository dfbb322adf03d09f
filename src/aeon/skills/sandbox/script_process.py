"""Runs one invocation through a reaper, from its request to its result."""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.base.errors import SandboxError
from aeon.skills.invocation import (
    Cancellation,
    EventSink,
    Invocation,
    InvocationResult,
    OutputBudget,
    SandboxLevel,
    ScriptExitReason,
)
from aeon.skills.protocol import AssetCheck, ScriptEventReader
from aeon.skills.sandbox import isolation
from aeon.skills.sandbox.monitor import ScriptMonitor, StdioPipes
from aeon.skills.sandbox.output_buffers import PlainOutputReader
from aeon.skills.sandbox.reaper import messages, procfs
from aeon.skills.sandbox.reaper.messages import MARKER_VARIABLE
from aeon.skills.sandbox.reaper_client import ReaperClient
from aeon.skills.sandbox.start_errors import sandbox_failure_message, start_failure_message, too_many_open_files_error

_KILL_SECONDS = 5.0
_PAUSE_SECONDS = 0.01


def kill_orphans(token: str, leader: int) -> None:
    """Kills every process with the marker and the leader's session.

    Returns when none is left or after 5 s. `leader` is 0 if unknown, which never counts as a session: some processes
    report session 0.

    A process that cleared its environment and left the session is not found; a reaper would have ended it too.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while (remaining := _find_orphans(token, leader)) and time.monotonic() < deadline:
        procfs.kill_with_groups(remaining, os.getpgrp())
        time.sleep(_PAUSE_SECONDS)


def _find_orphans(token: str, leader: int) -> set[int]:
    orphans: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        if _is_ours(int(entry.name), token, leader):
            orphans.add(int(entry.name))
    return orphans


def _is_ours(pid: int, token: str, leader: int) -> bool:
    is_named = procfs.environment_variable(pid, MARKER_VARIABLE) == token or (
        leader > 0 and procfs.session_id(pid) == leader
    )
    return is_named and not procfs.has_exited(pid)


def asset_check(cwd: Path, roots: Sequence[Path]) -> AssetCheck:
    """Returns the check for the assets of a script in `cwd`.

    Assets must be below `roots`, with links resolved.
    """

    def check(path: str) -> str | None:
        if "\0" in path:
            return f"the asset {path!r:.200} is not a path"
        real = Path(os.path.realpath(cwd / path))
        if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            return f"the asset {path!r:.200} is outside the folders that the script may read or write"
        return None if _is_readable(real) else f"the asset {path!r:.200} is not a readable file"

    return check


def _is_readable(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except OSError:
        return False


_REAPER_DIED = "The process that runs scripts was killed, and this script with it."
_SIGNAL_BASE = 128


class ScriptLaunch(NamedTuple):
    """A script to run with its sandbox level and its reaper, and what its caller gave to `ScriptRunner.start`."""

    invocation: Invocation
    level: SandboxLevel
    client: ReaperClient
    cancellation: Cancellation | None = None
    on_event: EventSink | None = None
    budget: OutputBudget | None = None


class ScriptProcess:
    """A running script; a `Pollable`.

    It is launched again, once, if the reaper died before starting it.
    """

    def __init__(self, launch: ScriptLaunch) -> None:
        self._launch = launch
        self._is_retry = False
        self._attempt = _LaunchAttempt(launch)

    @property
    def deadline(self) -> float:
        return self._attempt.monitor.deadline

    def fileno(self) -> int:
        return self._attempt.monitor.fileno()

    def poll(self) -> InvocationResult | None:
        result = self._attempt.poll()
        if not isinstance(result, SandboxError):
            return result
        if self._is_retry:
            raise result
        self._is_retry = True
        self._attempt = _LaunchAttempt(self._launch)
        return None


class _LaunchAttempt:
    """One launch request: it holds the pipes and the channel to the reaper."""

    def __init__(self, launch: ScriptLaunch) -> None:
        invocation = self._invocation = launch.invocation
        self._client = launch.client
        self._level: SandboxLevel = launch.level
        self._output = _output_reader(invocation, launch.budget)
        self._token = os.urandom(16).hex()
        self._pipes = _open_pipes(invocation.stdin)
        try:
            request = isolation.build_spawn_request(invocation, launch.level, self._token)
            self._channel = launch.client.spawn(request, self._pipes.child_fds)
        except BaseException:
            self._pipes.close()
            raise
        self._pipes.close_child_stdin()
        self.monitor = ScriptMonitor(
            invocation, self._channel, self._pipes, self._output, launch.cancellation, launch.on_event
        )

    def poll(self) -> InvocationResult | SandboxError | None:
        """Returns the result once it has ended, or an error if the reaper started nothing.

        The reaper died in the latter case.
        """
        try:
            self.monitor.poll()
            result = self._conclude() if self.monitor.is_finished else None
        except BaseException:
            self._close()
            raise
        if result is not None:
            self._close()
        return result

    def _conclude(self) -> InvocationResult | SandboxError:
        monitor = self.monitor
        if monitor.is_reaper_gone:
            error = self._client.discard(self._channel.reaper)
            leader = messages.read_leader(self._channel.request_file)
            kill_orphans(self._token, leader or 0)
            if leader is None and monitor.stop_reason is None:
                return error
        monitor.read_rest()
        return _build_result(self._invocation, monitor, self._output, self._level)

    def _close(self) -> None:
        self.monitor.close()
        self._pipes.close()
        if self.monitor.last_report is None:
            self._channel.close()
        else:
            self._channel.reaper.release_channel(self._channel)


def _open_pipes(input_data: bytes) -> StdioPipes:
    try:
        return StdioPipes(input_data)
    except OSError as error:
        raise too_many_open_files_error(error) from error


def _output_reader(invocation: Invocation, budget: OutputBudget | None) -> ScriptEventReader | PlainOutputReader:
    if not invocation.is_ndjson:
        return PlainOutputReader(invocation.limits.total, budget)
    check = asset_check(invocation.cwd, isolation.asset_roots(invocation))
    return ScriptEventReader(invocation.limits, check, budget)


def _build_result(
    invocation: Invocation, monitor: ScriptMonitor, output: ScriptEventReader | PlainOutputReader, level: SandboxLevel
) -> InvocationResult:
    """Builds the result from the reaper's report and the output."""
    milliseconds = round(monitor.seconds * 1000)
    report, diagnostics = monitor.last_report, monitor.diagnostics.text
    if (
        report is not None
        and monitor.stop_reason is None
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
        ScriptExitReason.RESOURCES_EXCEEDED if limit else monitor.stop_reason or ScriptExitReason.EXITED,
        exit_code,
        output.events,
        stdout=output.stdout if isinstance(output, PlainOutputReader) else b"",
        stderr=diagnostics,
        violation=_violation(output, monitor.stop_reason, exit_code),
        problem=limit or _problem(output, monitor, report),
        milliseconds=milliseconds,
        sandbox=level,
        dropped_events=output.dropped_events,
        budget_cost=output.budget_cost,
    )


def _problem(
    output: ScriptEventReader | PlainOutputReader, monitor: ScriptMonitor, report: messages.ReaperReport | None
) -> str | None:
    """Returns how the output exceeded its limit, or that the reaper died; None if neither."""
    if monitor.stop_reason is ScriptExitReason.OUTPUT_EXCEEDED:
        return output.overflow
    return None if report else _REAPER_DIED


def _exit_code(report: messages.ReaperReport | None, level: SandboxLevel) -> int | None:
    """Returns the leader's exit code.

    Converts bubblewrap's 128 + signal back to the negative signal.
    """
    if report is None:
        return -signal.SIGKILL
    if report.kind == messages.START_FAILED:
        return None
    is_signal = level == "bubblewrap" and _SIGNAL_BASE < report.number <= _SIGNAL_BASE + signal.SIGRTMAX
    return _SIGNAL_BASE - report.number if is_signal else report.number


def _violation(
    output: ScriptEventReader | PlainOutputReader, stop_reason: ScriptExitReason | None, exit_code: int | None
) -> str | None:
    """Returns the first violation.

    A script that exits with 0 without `done` violates the protocol (skills 4).
    """
    has_no_done = (
        isinstance(output, ScriptEventReader) and not output.is_done and stop_reason is None and exit_code == 0
    )
    return output.violation or ("it ended without a done event" if has_no_done else None)
