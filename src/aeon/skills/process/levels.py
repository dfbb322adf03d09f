"""What a script sees at each level of isolation: the folders, and bubblewrap's command line for them."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from aeon.skills.invocation import Invocation, SandboxLevel
from aeon.skills.process.warden.wire import MARKER, Fence, Request

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/sys", "/run/systemd/resolve")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/fd")
_OWN_WRITABLE = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")


def request(invocation: Invocation, level: SandboxLevel, token: str) -> Request:
    """The invocation as the warden takes it: isolated at `level`, its environment as given and the marker."""
    env = {**invocation.env, MARKER: token}
    command = tuple(invocation.command)
    cwd = str(invocation.cwd)
    if level == "bubblewrap":
        return Request((*_box(invocation), *command), cwd, env, token, True, None)
    return Request(command, cwd, env, token, False, _fence(invocation) if level == "landlock" else None)


def bubblewrap() -> str | None:
    """Where bubblewrap is; None when it is not installed."""
    return shutil.which("bwrap")


def _visible(env: Mapping[str, str]) -> tuple[str, ...]:
    """What every script may read and execute: the system, the folders of its PATH, and this interpreter's."""
    path = [folder for folder in env.get("PATH", "").split(os.pathsep) if folder.startswith("/")]
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable)))  # noqa: PTH120  # strings all through
    return tuple(dict.fromkeys((*_SYSTEM, *path, *prefixes)))


def _fence(invocation: Invocation) -> Fence:
    access = invocation.access
    read = (*_visible(invocation.env), "/proc", *_DEVICES, *map(str, access.read))
    return Fence(read, (*_OWN_WRITABLE, *map(str, access.write)), access.network)


def _box(invocation: Invocation) -> list[str]:
    """Bubblewrap's command line: the same view, processes and /tmp of its own, no capability."""
    access = invocation.access
    box = [bubblewrap() or "bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if not access.network:
        box.append("--unshare-net")
    box += ["--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc"]  # noqa: S108  # the box's own
    for folder in (*_visible(invocation.env), *map(str, access.read)):
        box += ["--ro-bind-try", folder, folder]
    for folder in map(str, access.write):
        box += ["--bind-try", folder, folder]
    return [*box, "--chdir", str(invocation.cwd), "--"]


def asset_roots(invocation: Invocation) -> tuple[Path, ...]:
    """The folders that an asset may stand in (skills 2)."""
    return (*invocation.access.write, *invocation.access.read, invocation.cwd)
