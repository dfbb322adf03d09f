"""Processes as /proc shows them: who descends from whom, whose they are, and how they are ended."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress


def children(pid: int) -> set[int]:
    """Processes whose parent is `pid` now, those that nobody has waited for included.

    Read twice: the kernel may skip one when another exits while it writes the list.
    """
    found: set[int] = set()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # pathlib is not loaded here
            for _ in range(2):
                found.update(_read_pids(f"/proc/{pid}/task/{thread}/children"))
    return found


class OwnChildren:
    """The children of this process, cheaply looked at again and again. To be made by its main thread.

    The kernel hands orphans to the main thread. What another thread started is listed there once that thread is gone.
    """

    def __init__(self) -> None:
        self._list = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)

    def pids(self) -> set[int]:
        """Those that nobody has waited for included. Read twice, as `children` is."""
        return {int(word) for _ in range(2) for word in self._read().split()}

    def _read(self) -> bytes:
        parts: list[bytes] = []
        while part := os.pread(self._list, 65536, sum(map(len, parts))):
            parts.append(part)
        return b"".join(parts)


def _read_pids(path: str) -> list[int]:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded here
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def with_descendants(roots: Iterable[int]) -> set[int]:
    """`roots` and everything below them."""
    found: set[int] = set()
    unseen = set(roots)
    while unseen:
        found |= unseen
        unseen = {child for pid in unseen for child in children(pid)} - found
    return found


def supports_children_files() -> bool:
    """Whether this kernel says who a process's children are."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110  # pathlib is not loaded here


def session_id(pid: int) -> int | None:
    """The session that it is in; None when it is gone."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def has_exited(pid: int) -> bool:
    """Whether it ended, be it that nobody has waited for it yet."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded here
            return file.read().rpartition(b")")[2].split()[0] in b"ZX"
    except OSError:
        return True


def environment_variable(pid: int, name: str) -> str | None:
    """What the variable `name` was set to when the process began its program; None when that cannot be read."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded here
            variables = file.read().split(b"\0")
    except OSError:
        return None
    start = f"{name}=".encode()
    return next((os.fsdecode(each[len(start) :]) for each in variables if each.startswith(start)), None)


def reap(pid: int) -> bool:
    """Take note of a child that ended; whether it had."""
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def terminate(pids: Iterable[int]) -> None:
    """Ask each to end."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


def kill(pid: int) -> None:
    """End it for good."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_with_groups(pids: Iterable[int], own_group: int) -> None:
    """End each for good, with its process group: a group ends in one stroke, so that it cannot fork away."""
    for pid in pids:
        kill(pid)
        with suppress(OSError):
            group = os.getpgid(pid)
            if group not in (own_group, 0):  # 0 would mean one's own, and is what processes from outside show
                os.killpg(group, signal.SIGKILL)
