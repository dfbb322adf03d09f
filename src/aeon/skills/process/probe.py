"""Finds out which level of isolation works here, by running something at it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation, InvocationResult, SandboxLevel, ScriptExitReason
from aeon.skills.process.levels import bubblewrap_path

SandboxMode: TypeAlias = Literal["auto", "require", "bubblewrap", "landlock", "plain"]
"""A level by name, "auto" for the best to be had, "require" for the best that is not plain."""

ProbeRun: TypeAlias = Callable[[SandboxLevel, Invocation], InvocationResult]

_PROBE_INVOCATION = Invocation(
    ("/bin/sh", "-c", "exit 0"),
    b"",
    Path("/"),
    {"PATH": "/usr/bin:/bin"},
    is_ndjson=False,
    timeout=10.0,
    grace_seconds=0,
)

_working_levels: set[SandboxLevel] = set()
"""What was found to work; that does not change while a process runs, unlike what failed for want of memory."""


def best_level(wish: SandboxMode, run: ProbeRun) -> SandboxLevel:
    """The strongest level that was asked for and works here.

    Raises SandboxError, with the reason of each, when none does.
    """
    reasons: list[str] = []
    for level in _candidates(wish):
        fault = probe_level(level, run)
        if fault is None:
            return level
        reasons.append(f"{level}: {fault}")
    raise SandboxError(f"Scripts cannot be isolated here as was asked ({'; '.join(reasons)}).")


def _candidates(wish: SandboxMode) -> Sequence[SandboxLevel]:
    if wish == "auto":
        return ("bubblewrap", "landlock", "plain")
    return ("bubblewrap", "landlock") if wish == "require" else (wish,)


def probe_level(level: SandboxLevel, run: ProbeRun) -> str | None:
    """Why the level does not work here; None when it does."""
    if level in _working_levels:
        return None
    if level == "bubblewrap" and bubblewrap_path() is None:
        return "bwrap is not installed"
    outcome = run(level, _PROBE_INVOCATION)
    if outcome.exit_reason is ScriptExitReason.EXITED and outcome.exit_code == 0:
        _working_levels.add(level)
        return None
    return outcome.problem or outcome.stderr.strip()[-200:] or f"a trivial command ended with {outcome.exit_code}"
