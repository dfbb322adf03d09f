"""Runs scripts as processes, isolated as well as this machine allows, and leaves none behind."""

import math
import sys
import time
from threading import Lock
from typing import Self, get_args

from aeon.base.errors import ConfigError
from aeon.skills.invocation import (
    Cancellation,
    Ending,
    EventSink,
    Invocation,
    Outcome,
    ResourceLimits,
    SandboxLevel,
    Turn,
)
from aeon.skills.pending import Known, Pending, wait_for
from aeon.skills.process.link import WardenLink
from aeon.skills.process.probe import Wish, best_level
from aeon.skills.process.problems import fault_before_start
from aeon.skills.process.running import Asked, Running
from aeon.skills.process.warden.wire import WARM_OPTIONS
from aeon.skills.process.watch import Caller

_AHEAD = 2
"""Scripts that wait at the warden beside those that run; more gains nothing, and each holds its pipes."""


class ProcessRunner:
    """The port `ScriptRunner` by real processes. A context manager; threads may share one.

    One warden process starts and ends the scripts, so that nothing of them survives, not even this process being
    killed (skills 4). With `fork_server`, Python scripts run by this interpreter without options are forked from a warm
    one, except in bubblewrap and where the environment sets PYTHON variables; those start cold.
    """

    def __init__(
        self, level: Wish = "auto", *, fork_server: bool = False, limits: ResourceLimits | None = None
    ) -> None:
        """Raises ConfigError for a level that there is not."""
        if level not in get_args(Wish):
            known = ", ".join(get_args(Wish))
            raise ConfigError(f"{level!r:.80} is no level of isolation.", next_step=f"Choose one of {known}.")
        self._wish: Wish = level
        self._fork_server = fork_server
        self._level: SandboxLevel | None = None
        self._lock = Lock()
        self._cold = WardenLink("cold", limits or ResourceLimits())
        self._warm = WardenLink("warm", limits or ResourceLimits())

    @property
    def level(self) -> SandboxLevel:
        """How scripts are isolated; found by trying, once.

        Raises SandboxError when what was asked for is not to be had.
        """
        with self._lock:
            if self._level is None:
                self._level = best_level(self._wish, self._try)
            return self._level

    @property
    def ahead(self) -> int:
        """A few: a warden then starts the next as soon as one is over. None where two wardens share a lane."""
        return 0 if self._fork_server else _AHEAD

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: Turn | None = None,
    ) -> Pending[Outcome]:
        """Start it; see ScriptRunner. A script that says `done` and does not exit is timed out in the end."""
        return self._start(invocation, self.level, cancellation, on_event, turn)

    def run(
        self, invocation: Invocation, cancellation: Cancellation | None = None, on_event: EventSink | None = None
    ) -> Outcome:
        """Run it to its end."""
        return wait_for(self.start(invocation, cancellation, on_event))

    def _try(self, level: SandboxLevel, invocation: Invocation) -> Outcome:
        return wait_for(self._start(invocation, level))

    def _start(
        self,
        invocation: Invocation,
        level: SandboxLevel,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: Turn | None = None,
    ) -> Pending[Outcome]:
        if cancellation is not None and cancellation.is_cancelled:
            return Known(Outcome(Ending.CANCELLED, sandbox=level))
        if fault := fault_before_start(invocation):
            return Known(Outcome(Ending.NOT_STARTED, problem=fault, sandbox=level))
        latest = time.monotonic() + turn.seconds if turn is not None else math.inf
        caller = Caller(cancellation, on_event, turn, latest)
        return Running(Asked(invocation, level, self._link(invocation, level), caller))

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
