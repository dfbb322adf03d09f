"""The reaper's entry point: sets up the process, then serves requests.

No descendant can escape from it.
"""

import ctypes
import os
import resource
import signal
import socket
import sys

from . import guard, landlock, procfs, spawn
from .resource_limits import ScriptLimits, apply_limits
from .server import Reaper, Spawner

_CHILD_SUBREAPER = 36


def main(arguments: list[str]) -> None:
    """Serves process `arguments[0]` through descriptor `arguments[1]`.

    It forks scripts if `arguments[2]` is "warm". The remaining arguments are the limits of each script.
    """
    aeon_pid, command_fd, kind = int(arguments[0]), int(arguments[1]), arguments[2]
    if os.getppid() != aeon_pid:
        return
    os.set_inheritable(command_fd, False)
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, lambda _signal, _frame: None)  # not SIG_IGN, which scripts would inherit
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _adopt_orphans()
    if not procfs.supports_children_files():
        sys.exit("this kernel does not list a process's children in /proc (CONFIG_PROC_CHILDREN is missing)")
    landlock.set_no_new_privileges()
    guard_pid = guard.fork_reaper(command_fd)
    _adopt_orphans()
    limits = ScriptLimits(*map(int, arguments[3:]))
    spawner = _spawner(kind, limits)
    apply_limits(limits)
    Reaper(socket.socket(fileno=command_fd), aeon_pid, spawner, limits, guard_pid).serve()


def _adopt_orphans() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit("this kernel has no child subreapers, so the reaper cannot adopt orphaned processes")


def _spawner(kind: str, limits: ScriptLimits) -> Spawner:
    if kind != "warm":
        return spawn.ProgramSpawner(limits).spawn
    from . import fork_server

    return fork_server.ForkServer(limits).spawn
