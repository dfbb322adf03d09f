"""`SandboxRunner`: runs scripts as real processes at the best available sandbox level."""

import sys
from threading import Lock
from typing import Self, get_args

from aeon.base.errors import ConfigError
from aeon.skills.invocation import (
    Cancellation,
    EventSink,
    Invocation,
    InvocationResult,
    OutputBudget,
    ResourceLimits,
    SandboxLevel,
    ScriptExitReason,
)
from aeon.skills.poll_loop import Pollable, ReadyResult, poll_until_done
from aeon.skills.sandbox.isolation import SandboxMode, best_level, grant_fault
from aeon.skills.sandbox.reaper.messages import WARM_OPTIONS
from aeon.skills.sandbox.reaper_client import ReaperClient
from aeon.skills.sandbox.script_process import ScriptLaunch, ScriptProcess
from aeon.skills.sandbox.start_errors import validate_invocation


class SandboxRunner:
    """Implements `ScriptRunner` with real processes. A context manager; thread-safe.

    One reaper process starts and ends the scripts, so that none of their processes survives, even if this process is
    killed (skills 4). With `fork_server`, Python scripts that this interpreter runs without options are forked from a
    warm process, except in bubblewrap or if the environment sets PYTHON variables; those start cold.
    """

    def __init__(
        self, level: SandboxMode = "auto", *, fork_server: bool = False, limits: ResourceLimits | None = None
    ) -> None:
        """Raises ConfigError for an unknown level."""
        if level not in get_args(SandboxMode):
            known = ", ".join(get_args(SandboxMode))
            raise ConfigError(f"{level!r:.80} is not a sandbox level.", next_step=f"Choose one of {known}.")
        self._mode: SandboxMode = level
        self._fork_server = fork_server
        self._level: SandboxLevel | None = None
        self._lock = Lock()
        self._cold = ReaperClient("cold", limits or ResourceLimits())
        self._warm = ReaperClient("warm", limits or ResourceLimits())

    @property
    def level(self) -> SandboxLevel:
        """The sandbox level of all scripts, found once by probing.

        Raises SandboxError if the requested level is not available.
        """
        with self._lock:
            if self._level is None:
                self._level = best_level(self._mode, self._try)
            return self._level

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        budget: OutputBudget | None = None,
    ) -> Pollable[InvocationResult]:
        """Starts the script; see `ScriptRunner`.

        A script that reports `done` and does not exit times out.
        """
        return self._start(invocation, self.level, cancellation, on_event, budget)

    def run(
        self, invocation: Invocation, cancellation: Cancellation | None = None, on_event: EventSink | None = None
    ) -> InvocationResult:
        """Runs the script to its end."""
        return poll_until_done(self.start(invocation, cancellation, on_event))

    def _try(self, level: SandboxLevel, invocation: Invocation) -> InvocationResult:
        return poll_until_done(self._start(invocation, level))

    def _start(
        self,
        invocation: Invocation,
        level: SandboxLevel,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        budget: OutputBudget | None = None,
    ) -> Pollable[InvocationResult]:
        if cancellation is not None and cancellation.is_cancelled:
            return ReadyResult(InvocationResult(ScriptExitReason.CANCELLED, sandbox=level))
        if fault := validate_invocation(invocation) or grant_fault(invocation.access, level):
            return ReadyResult(InvocationResult(ScriptExitReason.NOT_STARTED, problem=fault, sandbox=level))
        client = self._client_for(invocation, level)
        return ScriptProcess(ScriptLaunch(invocation, level, client, cancellation, on_event, budget))

    def _client_for(self, invocation: Invocation, level: SandboxLevel) -> ReaperClient:
        is_warm = self._fork_server and level != "bubblewrap" and _can_fork(invocation)
        return self._warm if is_warm else self._cold

    def close(self) -> None:
        """Ends all running scripts."""
        self._cold.close()
        self._warm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _can_fork(invocation: Invocation) -> bool:
    """Whether a fork of this interpreter is equivalent to the command."""
    program, *words = invocation.command
    script = next((word for word in words if word not in WARM_OPTIONS), "")
    is_configured = any(name.startswith("PYTHON") for name in invocation.env)
    return program == sys.executable and script.endswith(".py") and not is_configured
