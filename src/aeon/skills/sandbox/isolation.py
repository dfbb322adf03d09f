"""What a script sees at each level of isolation: the folders, and bubblewrap's command line for them."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation, InvocationResult, SandboxLevel, ScriptExitReason
from aeon.skills.sandbox.reaper.messages import MARKER_VARIABLE, SandboxPolicy, SpawnRequest

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/sys", "/run/systemd/resolve")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/fd")
_OWN_WRITABLE = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


def build_spawn_request(invocation: Invocation, level: SandboxLevel, token: str) -> SpawnRequest:
    """The invocation as the reaper takes it: isolated at `level`, its environment as given and the marker."""
    env = {**invocation.env, MARKER_VARIABLE: token}
    command = tuple(invocation.command)
    cwd = str(invocation.cwd)
    if level == "bubblewrap":
        in_bubblewrap = (*_bubblewrap_command(invocation), *command)
        return SpawnRequest(in_bubblewrap, cwd, env, token, True, _sandbox_policy(invocation))
    return SpawnRequest(command, cwd, env, token, False, _sandbox_policy(invocation) if level == "landlock" else None)


def bubblewrap_path() -> str | None:
    """Where bubblewrap is; None when it is not installed."""
    return shutil.which("bwrap")


def _interpreter() -> tuple[str, ...]:
    """The folders of the interpreter that runs this."""
    program = os.path.dirname(os.path.realpath(sys.executable))  # noqa: PTH120  # strings all through
    return (sys.prefix, sys.base_prefix, sys.exec_prefix, program)


@cache
def _system() -> tuple[str, ...]:
    """What every script may read and execute: the system and this interpreter's folders, none inside another."""
    return _outermost_folders((*_SYSTEM, *_interpreter()))


@lru_cache(maxsize=64)
def _path_folders(path: str) -> tuple[str, ...]:
    """The folders of a script's PATH that the system's do not contain."""
    return tuple(
        folder for folder in _absolute_entries(path) if not any(_is_inside(folder, root) for root in _system())
    )


@lru_cache(maxsize=64)
def _unmounted_folders(path: str) -> tuple[str, ...]:
    """The folders of a script's PATH, and of the interpreter, that the system's mounts do not show by that name."""
    names = (*_SYSTEM, *_system())
    return tuple(
        folder
        for folder in dict.fromkeys((*_interpreter(), *_absolute_entries(path)))
        if not any(Path(folder).is_relative_to(name) for name in names)
        or not any(_is_inside(folder, root) for root in _system())
    )


def _absolute_entries(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if folder.startswith("/")]


def _outermost_folders(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders without those that another of them contains."""
    kept: list[str] = []
    for folder in sorted(dict.fromkeys(folders), key=lambda each: len(os.path.realpath(each))):
        if not any(_is_inside(folder, root) for root in kept):
            kept.append(folder)
    return tuple(kept)


def _is_inside(folder: str, root: str) -> bool:
    """Whether everything in `folder` is in `root`, wherever links lead."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def _sandbox_policy(invocation: Invocation) -> SandboxPolicy:
    access = invocation.access
    system = (*_system(), "/proc", *_DEVICES)
    read = (*_path_folders(invocation.env.get("PATH", "")), *map(str, access.read))
    return SandboxPolicy(system, read, (*_OWN_WRITABLE, *map(str, access.write)), access.network, access.local_sockets)


def _bubblewrap_command(invocation: Invocation) -> list[str]:
    """Bubblewrap's command line: the same view, processes and /tmp of its own, no capability."""
    access = invocation.access
    box = [bubblewrap_path() or "bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if not access.network:
        box.append("--unshare-net")
    box += ["--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc", *_bubblewrap_system()]  # noqa: S108  # the box's own
    for folder in (
        *_unmounted_folders(invocation.env.get("PATH", "")),
        *(str(each) for each in access.read if each not in access.write),
    ):
        box += ["--ro-bind-try", folder, folder]
    for folder in map(str, access.write):
        box += ["--bind-try", folder, folder]
    return [*box, "--chdir", str(invocation.cwd), "--"]


@cache
def _bubblewrap_system() -> tuple[str, ...]:
    """The system in bubblewrap: a mount for each folder apart, a link where a link leads into one of those."""
    view: list[str] = []
    for folder in _system():
        view += ["--ro-bind-try", folder, folder]
    for folder in set(_SYSTEM).difference(_system()):
        if os.path.islink(folder):  # noqa: PTH114  # strings all through
            view += ["--symlink", os.path.realpath(folder), folder]
    return tuple(view)


def asset_roots(invocation: Invocation) -> tuple[Path, ...]:
    """The folders that an asset may stand in (skills 2)."""
    return (*invocation.access.write, *invocation.access.read, invocation.cwd)


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
