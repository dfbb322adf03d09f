"""The process above the warden: should that be killed, what it leaves behind comes here and is ended.

A script of the same user can kill the warden at the level plain. Its orphans go to the nearest process above it that
adopts them, which is this one; without it they would be init's, and nobody's to end. Should this one be killed, the
warden hears of it and ends everything itself.
"""

import os
import signal
import sys
import time
from typing import NoReturn

from . import tree

KILL_SIGNAL = signal.SIGUSR1
"""Asks the guard to end the warden at once, and everything below it."""

_SECONDS = 10.0
_PAUSE = 0.002


def fork_reaper(door: int) -> int:
    """Go on as the warden, in a child of the guard, which is this process; returns the guard's number.

    `door` is the warden's alone, so that its end is seen by who holds the other.
    """
    guard = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [KILL_SIGNAL])
    warden = os.fork()
    if warden != 0:
        os.close(door)
        _guard(warden)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    if os.getppid() != guard:
        os._exit(1)
    return guard


def _guard(warden: int) -> NoReturn:
    """Wait for the warden's end, end what it left, and end as it did."""
    signal.signal(KILL_SIGNAL, lambda _signal, _frame: tree.kill(warden))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [KILL_SIGNAL])
    code = os.waitstatus_to_exitcode(os.waitpid(warden, 0)[1])
    children = tree.OwnChildren()
    deadline = time.monotonic() + _SECONDS
    while (left := children.pids()) and time.monotonic() < deadline:
        tree.kill_with_groups(tree.with_descendants(left), os.getpgrp())
        for pid in left:
            tree.reap(pid)
        time.sleep(_PAUSE)
    sys.stderr.flush()
    os._exit(code if code >= 0 else 128 - code)
