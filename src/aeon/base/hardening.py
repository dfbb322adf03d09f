"""Protection of this process's memory and initial environment from the same user's other processes."""

import sys

_SET_DUMPABLE = 4


def make_undumpable() -> bool:
    """Makes the kernel deny access to `/proc/PID/environ`, `/proc/PID/mem` and ptrace; returns whether it worked.

    Removing a variable from `os.environ` leaves it in `/proc/PID/environ`. Child processes are not affected.
    Linux only, and not effective against root (prctl(2), PR_SET_DUMPABLE).
    """
    if sys.platform != "linux":
        return False
    import ctypes  # 3 ms, for commands that hold a secret

    return ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0) == 0
