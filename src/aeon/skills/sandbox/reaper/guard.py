"""The reaper's parent process: if the reaper is killed, it ends the orphans.

At level plain, a script of the same user can kill the reaper. The reaper's orphans are adopted by the nearest
subreaper above it, which is the guard; without it, init would adopt them and nothing would end them. If the guard is
killed, the reaper notices and ends everything itself.
"""

import os
import signal
import sys
import time
from typing import NoReturn

from . import procfs

KILL_SIGNAL = signal.SIGUSR1
"""Tells the guard to end the reaper and everything below it at once."""

_KILL_SECONDS = 10.0
_PAUSE_SECONDS = 0.002


def fork_reaper(command_fd: int) -> int:
    """Continues as the reaper, in a child of this process, which becomes the guard.

    Returns the guard's process id. Only the reaper keeps `command_fd` open, so that Aeon notices when the reaper ends.
    """
    guard = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [KILL_SIGNAL])
    reaper = os.fork()
    if reaper != 0:
        os.close(command_fd)
        _guard(reaper)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    if os.getppid() != guard:
        os._exit(1)
    return guard


def _guard(reaper: int) -> NoReturn:
    """Waits for the reaper's end, ends its orphans, and exits with its exit code."""
    signal.signal(KILL_SIGNAL, lambda _signal, _frame: procfs.kill(reaper))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    code = os.waitstatus_to_exitcode(os.waitpid(reaper, 0)[1])
    children = procfs.OwnChildren()
    deadline = time.monotonic() + _KILL_SECONDS
    while (orphans := children.pids()) and time.monotonic() < deadline:
        procfs.kill_with_groups(procfs.with_descendants(orphans), os.getpgrp())
        for pid in orphans:
            procfs.reap(pid)
        time.sleep(_PAUSE_SECONDS)
    sys.stderr.flush()
    os._exit(code if code >= 0 else 128 - code)
