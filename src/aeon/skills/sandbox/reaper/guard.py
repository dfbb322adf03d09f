"""The process above the reaper: should that be killed, what it leaves behind comes here and is ended.

A script of the same user can kill the reaper at the level plain. Its orphans go to the nearest process above it that
adopts them, which is this one; without it they would be init's, and nobody's to end. Should this one be killed, the
reaper hears of it and ends everything itself.
"""

import os
import signal
import sys
import time
from typing import NoReturn

from . import procfs

KILL_SIGNAL = signal.SIGUSR1
"""Asks the guard to end the reaper at once, and everything below it."""

_SECONDS = 10.0
_PAUSE = 0.002


def fork_reaper(door: int) -> int:
    """Go on as the reaper, in a child of the guard, which is this process; returns the guard's number.

    `door` is the reaper's alone, so that its end is seen by who holds the other.
    """
    guard = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [KILL_SIGNAL])
    reaper = os.fork()
    if reaper != 0:
        os.close(door)
        _guard(reaper)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    if os.getppid() != guard:
        os._exit(1)
    return guard


def _guard(reaper: int) -> NoReturn:
    """Wait for the reaper's end, end what it left, and end as it did."""
    signal.signal(KILL_SIGNAL, lambda _signal, _frame: procfs.kill(reaper))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    code = os.waitstatus_to_exitcode(os.waitpid(reaper, 0)[1])
    children = procfs.OwnChildren()
    deadline = time.monotonic() + _SECONDS
    while (left := children.pids()) and time.monotonic() < deadline:
        procfs.kill_with_groups(procfs.with_descendants(left), os.getpgrp())
        for pid in left:
            procfs.reap(pid)
        time.sleep(_PAUSE)
    sys.stderr.flush()
    os._exit(code if code >= 0 else 128 - code)
