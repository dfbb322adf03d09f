"""Keeping this process's memory and first environment from the same user's other processes."""

import sys

_SET_DUMPABLE = 4


def make_undumpable() -> bool:
    """Have the kernel refuse `/proc/PID/environ`, `/proc/PID/mem` and ptrace of this process; returns whether it does.

    Taking a variable out of `os.environ` leaves it in `/proc/PID/environ`. What this process starts is not concerned.
    Only Linux can do it, and not against root (prctl(2), PR_SET_DUMPABLE).
    """
    if sys.platform != "linux":
        return False
    import ctypes  # 3 ms, for commands that hold a secret

    return ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0) == 0
