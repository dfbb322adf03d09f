"""The folders that a script sees at each sandbox level, and the choice of the level."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.invocation import Invocation, InvocationResult, SandboxLevel, ScriptAccess, ScriptExitReason
from aeon.skills.sandbox.reaper.messages import MARKER_VARIABLE, SandboxPolicy, SpawnRequest

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/sys", "/run/systemd/resolve")
_TEMPORARY = "/tmp"  # noqa: S108  # bubblewrap's own
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/fd")
_WRITABLE_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


def build_spawn_request(invocation: Invocation, level: SandboxLevel, token: str) -> SpawnRequest:
    """Returns the reaper's request for an invocation, isolated at `level`.

    Its environment has the marker.
    """
    env = {**invocation.env, MARKER_VARIABLE: token}
    command = tuple(invocation.command)
    cwd = str(invocation.cwd)
    if level == "bubblewrap":
        in_bubblewrap = (*_bubblewrap_command(invocation), *command)
        return SpawnRequest(in_bubblewrap, cwd, env, token, True, _sandbox_policy(invocation))
    return SpawnRequest(command, cwd, env, token, False, _sandbox_policy(invocation) if level == "landlock" else None)


def bubblewrap_path() -> str | None:
    """Returns bubblewrap's path; None if it is not installed."""
    return shutil.which("bwrap")


def _interpreter() -> tuple[str, ...]:
    """Returns the folders of this Python interpreter."""
    program = os.path.dirname(os.path.realpath(sys.executable))  # noqa: PTH120  # strings all through
    return (sys.prefix, sys.base_prefix, sys.exec_prefix, program)


@cache
def _system() -> tuple[str, ...]:
    """Returns the folders that every script may read and execute, not nested.

    They are the system's and this interpreter's.
    """
    return _outermost_folders((*_SYSTEM, *_interpreter()))


@lru_cache(maxsize=64)
def _path_folders(path: str) -> tuple[str, ...]:
    """Returns the folders of a script's PATH outside the system's folders."""
    return tuple(
        folder for folder in _absolute_entries(path) if not any(_is_inside(folder, root) for root in _system())
    )


@lru_cache(maxsize=64)
def _unmounted_folders(path: str) -> tuple[str, ...]:
    """Returns folders of PATH and the interpreter that the system's mounts lack by that name."""
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
    """Returns the folders that no other of them contains."""
    outermost: list[str] = []
    for folder in sorted(dict.fromkeys(folders), key=lambda each: len(os.path.realpath(each))):
        if not any(_is_inside(folder, root) for root in outermost):
            outermost.append(folder)
    return tuple(outermost)


def _is_inside(folder: str, root: str) -> bool:
    """Whether `folder` is inside `root`, with symbolic links resolved."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))


def _sandbox_policy(invocation: Invocation) -> SandboxPolicy:
    access = invocation.access
    system = (*_system(), "/proc", *_DEVICES)
    visible, listed = _without_hidden(access)
    read = (*_path_folders(invocation.env.get("PATH", "")), *visible)
    write = (*_WRITABLE_DEVICES, *map(str, access.write))
    return SandboxPolicy(system, read, write, access.network, access.local_sockets, listed)


def _without_hidden(access: ScriptAccess) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the readable paths, and the folders that can only be listed because they contain a hidden folder.

    Landlock only grants: a folder with a hidden one is granted entry by entry.
    """
    visible: list[str] = []
    listed: list[str] = []
    for folder in access.read:
        if any(hidden.parent == folder for hidden in access.hidden):
            listed.append(str(folder))
            visible += [str(entry) for entry in sorted(folder.iterdir()) if entry not in access.hidden]
        else:
            visible.append(str(folder))
    return tuple(visible), tuple(listed)


def grant_fault(access: ScriptAccess, level: SandboxLevel) -> str | None:
    """Returns why the level cannot grant this access: Landlock cannot hide a folder in a writable one."""
    if level != "landlock":
        return None
    pairs = ((folder, hidden) for folder in access.write for hidden in access.hidden if hidden.is_relative_to(folder))
    return next(
        (
            f"Landlock cannot grant {folder} without its {hidden.name}. "
            "Install bubblewrap, or grant a folder inside it."
            for folder, hidden in pairs
        ),
        None,
    )


def _bubblewrap_command(invocation: Invocation) -> list[str]:
    """Returns bubblewrap's command line.

    It has the same folders, its own processes and /tmp, and no capabilities. The box's own folders are read-only, so
    that a write fails that would vanish with them; programs expect to write to /tmp.
    """
    access = invocation.access
    command = [bubblewrap_path() or "bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if not access.network:
        command.append("--unshare-net")
    command += ["--tmpfs", _TEMPORARY, "--dev", "/dev", "--proc", "/proc"]
    parents = _temporary_parents(access)
    for folder in parents:
        command += ["--tmpfs", folder]
    command += _bubblewrap_system()
    for folder in _unmounted_folders(invocation.env.get("PATH", "")):
        command += ["--ro-bind-try", folder, folder]
    command += _bubblewrap_access(access)
    for folder in (*(str(each) for each in access.hidden if each.is_dir()), *parents, "/"):
        command += ["--remount-ro", folder]
    return [*command, "--chdir", str(invocation.cwd), "--"]


def _temporary_parents(access: ScriptAccess) -> list[str]:
    """Returns the folders of /tmp that contain a folder of the script and are not the script's."""
    mounted = (*access.read, *access.write)
    parents = (Path(*folder.parts[:3]) for folder in mounted if folder.is_relative_to(_TEMPORARY))
    return [str(parent) for parent in dict.fromkeys(parents) if parent not in mounted]


def _bubblewrap_access(access: ScriptAccess) -> list[str]:
    """Returns the mounts of the script's own folders, outer ones first: an inner one keeps its own rights."""
    mounts = {
        **{folder: ("--ro-bind-try", str(folder), str(folder)) for folder in access.read},
        **{folder: ("--bind-try", str(folder), str(folder)) for folder in access.write},
        **{folder: ("--tmpfs", str(folder)) for folder in access.hidden if folder.is_dir()},
    }
    return [word for folder in sorted(mounts, key=lambda each: len(each.parts)) for word in mounts[folder]]


@cache
def _bubblewrap_system() -> tuple[str, ...]:
    """Returns the system's options for bubblewrap.

    They mount each folder, and make a link for each link into one of them.
    """
    options: list[str] = []
    for folder in _system():
        options += ["--ro-bind-try", folder, folder]
    for folder in set(_SYSTEM).difference(_system()):
        if os.path.islink(folder):  # noqa: PTH114  # strings all through
            options += ["--symlink", os.path.realpath(folder), folder]
    return tuple(options)


def asset_roots(invocation: Invocation) -> tuple[Path, ...]:
    """Returns the folders that may contain an asset (skills 2)."""
    return (*invocation.access.write, *invocation.access.read, invocation.cwd)


SandboxMode: TypeAlias = Literal["auto", "require", "bubblewrap", "landlock", "plain"]
"""A level's name, "auto" for the best available level, "require" for the best one except plain."""

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
"""Levels that were found to work, which does not change in one process; a failure may be a lack of memory."""


def best_level(mode: SandboxMode, run: ProbeRun) -> SandboxLevel:
    """Returns the strongest level that was requested and works here.

    Raises SandboxError with the reason for each level if none works.
    """
    reasons: list[str] = []
    for level in _candidates(mode):
        fault = probe_level(level, run)
        if fault is None:
            return level
        reasons.append(f"{level}: {fault}")
    raise SandboxError(f"The requested isolation of scripts is not available here ({'; '.join(reasons)}).")


def _candidates(mode: SandboxMode) -> Sequence[SandboxLevel]:
    if mode == "auto":
        return ("bubblewrap", "landlock", "plain")
    return ("bubblewrap", "landlock") if mode == "require" else (mode,)


def probe_level(level: SandboxLevel, run: ProbeRun) -> str | None:
    """Returns why the level does not work here; None if it works."""
    if level in _working_levels:
        return None
    if level == "bubblewrap" and bubblewrap_path() is None:
        return "bwrap is not installed"
    outcome = run(level, _PROBE_INVOCATION)
    if outcome.exit_reason is ScriptExitReason.EXITED and outcome.exit_code == 0:
        _working_levels.add(level)
        return None
    return outcome.problem or outcome.stderr.strip()[-200:] or f"a trivial command ended with {outcome.exit_code}"
