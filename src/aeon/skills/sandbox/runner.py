"""Runs scripts as processes, isolated as well as this machine allows, and leaves none behind."""

import math
import sys
import time
from threading import Lock
from typing import Self, get_args

from aeon.base.errors import ConfigError
from aeon.skills.invocation import (
    Cancellation,
    EventSink,
    Invocation,
    InvocationResult,
    ResourceLimits,
    SandboxLevel,
    ScriptExitReason,
    StartSlot,
)
from aeon.skills.poll_loop import Pollable, ReadyResult, poll_until_done
from aeon.skills.sandbox.isolation import SandboxMode, best_level
from aeon.skills.sandbox.monitor import LaunchOptions
from aeon.skills.sandbox.reaper.messages import WARM_OPTIONS
from aeon.skills.sandbox.reaper_client import ReaperClient
from aeon.skills.sandbox.script_process import ScriptLaunch, ScriptProcess
from aeon.skills.sandbox.start_errors import validate_invocation

_PREFETCH = 2
"""Scripts that wait at the reaper beside those that run; more gains nothing, and each holds its pipes."""


class SandboxRunner:
    """The port `ScriptRunner` by real processes. A context manager; threads may share one.

    One reaper process starts and ends the scripts, so that nothing of them survives, not even this process being
    killed (skills 4). With `fork_server`, Python scripts run by this interpreter without options are forked from a warm
    one, except in bubblewrap and where the environment sets PYTHON variables; those start cold.
    """

    def __init__(
        self, level: SandboxMode = "auto", *, fork_server: bool = False, limits: ResourceLimits | None = None
    ) -> None:
        """Raises ConfigError for a level that there is not."""
        if level not in get_args(SandboxMode):
            known = ", ".join(get_args(SandboxMode))
            raise ConfigError(f"{level!r:.80} is no level of isolation.", next_step=f"Choose one of {known}.")
        self._mode: SandboxMode = level
        self._fork_server = fork_server
        self._level: SandboxLevel | None = None
        self._lock = Lock()
        self._cold = ReaperClient("cold", limits or ResourceLimits())
        self._warm = ReaperClient("warm", limits or ResourceLimits())

    @property
    def level(self) -> SandboxLevel:
        """How scripts are isolated; found by trying, once.

        Raises SandboxError when what was asked for is not to be had.
        """
        with self._lock:
            if self._level is None:
                self._level = best_level(self._mode, self._try)
            return self._level

    @property
    def prefetch(self) -> int:
        """A few: a reaper then starts the next as soon as one is over. None where two reapers share a lane."""
        return 0 if self._fork_server else _PREFETCH

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: StartSlot | None = None,
    ) -> Pollable[InvocationResult]:
        """Start it; see ScriptRunner. A script that says `done` and does not exit is timed out in the end."""
        return self._start(invocation, self.level, cancellation, on_event, turn)

    def run(
        self, invocation: Invocation, cancellation: Cancellation | None = None, on_event: EventSink | None = None
    ) -> InvocationResult:
        """Run it to its end."""
        return poll_until_done(self.start(invocation, cancellation, on_event))

    def _try(self, level: SandboxLevel, invocation: Invocation) -> InvocationResult:
        return poll_until_done(self._start(invocation, level))

    def _start(
        self,
        invocation: Invocation,
        level: SandboxLevel,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: StartSlot | None = None,
    ) -> Pollable[InvocationResult]:
        if cancellation is not None and cancellation.is_cancelled:
            return ReadyResult(InvocationResult(ScriptExitReason.CANCELLED, sandbox=level))
        if fault := validate_invocation(invocation):
            return ReadyResult(InvocationResult(ScriptExitReason.NOT_STARTED, problem=fault, sandbox=level))
        latest = time.monotonic() + turn.seconds_left if turn is not None else math.inf
        caller = LaunchOptions(cancellation, on_event, turn, latest)
        return ScriptProcess(ScriptLaunch(invocation, level, self._client_for(invocation, level), caller))

    def _client_for(self, invocation: Invocation, level: SandboxLevel) -> ReaperClient:
        is_warm = self._fork_server and level != "bubblewrap" and _can_fork(invocation)
        return self._warm if is_warm else self._cold

    def close(self) -> None:
        """End whatever still runs."""
        self._cold.close()
        self._warm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _can_fork(invocation: Invocation) -> bool:
    """Whether a fork of this interpreter does what its command would."""
    program, *words = invocation.command
    script = next((word for word in words if word not in WARM_OPTIONS), "")
    is_configured = any(name.startswith("PYTHON") for name in invocation.env)
    return program == sys.executable and script.endswith(".py") and not is_configured
