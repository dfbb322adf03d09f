"""Where the reaper begins: it sets itself up so that nothing below it escapes, says whom it serves, and serves."""

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
    """Serve process `arguments[0]` through descriptor `arguments[1]`, by forking if `arguments[2]` is "warm".

    The rest are the limits of each script.
    """
    aeon, door, kind = int(arguments[0]), int(arguments[1]), arguments[2]
    if os.getppid() != aeon:
        return
    os.set_inheritable(door, False)
    for survived in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(survived, lambda _signal, _frame: None)  # what is ignored, scripts would inherit as ignored
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _adopt_orphans()
    if not procfs.supports_children_files():
        sys.exit("this kernel does not say in /proc who a process's children are (CONFIG_PROC_CHILDREN)")
    landlock.set_no_new_privileges()
    guard_pid = guard.fork_reaper(door)
    _adopt_orphans()
    limits = ScriptLimits(*map(int, arguments[3:]))
    starter = _spawner(kind, limits)
    apply_limits(limits)
    Reaper(socket.socket(fileno=door), aeon, starter, limits, guard_pid).serve()


def _adopt_orphans() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit("this kernel lets no process adopt what its children leave behind")


def _spawner(kind: str, limits: ScriptLimits) -> Spawner:
    if kind != "warm":
        return spawn.ProgramSpawner(limits).spawn
    from . import fork_server

    return fork_server.ForkServer(limits).spawn
