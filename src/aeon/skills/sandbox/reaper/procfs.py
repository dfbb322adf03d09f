"""Processes in /proc: their descendants, sessions and environments, and how to end them."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress


def children(pid: int) -> set[int]:
    """Returns the current children of `pid`, zombies included.

    The list is read twice: the kernel may skip a child if another exits during the read.
    """
    pids: set[int] = set()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # pathlib is not loaded here
            for _ in range(2):
                pids.update(_read_pids(f"/proc/{pid}/task/{thread}/children"))
    return pids


class OwnChildren:
    """The children of this process, cheap to list repeatedly. Create it in the main thread.

    The kernel assigns orphans to the main thread. Another thread's children are listed there once that thread ended.
    """

    def __init__(self) -> None:
        self._list = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)

    def pids(self) -> set[int]:
        """Returns the children, zombies included. The list is read twice, as in `children`."""
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
    """Returns `roots` and all their descendants."""
    pids: set[int] = set()
    unseen = set(roots)
    while unseen:
        pids |= unseen
        unseen = {child for pid in unseen for child in children(pid)} - pids
    return pids


def supports_children_files() -> bool:
    """Whether this kernel lists a process's children."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110  # pathlib is not loaded here


def session_id(pid: int) -> int | None:
    """Returns the process's session; None if the process is gone."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def has_exited(pid: int) -> bool:
    """Whether the process has ended, even if it is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded here
            return file.read().rpartition(b")")[2].split()[0] in b"ZX"
    except OSError:
        return True


def environment_variable(pid: int, name: str) -> str | None:
    """Returns a variable of the process's initial environment; None if unset or unreadable."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded here
            variables = file.read().split(b"\0")
    except OSError:
        return None
    start = f"{name}=".encode()
    return next((os.fsdecode(each[len(start) :]) for each in variables if each.startswith(start)), None)


def reap(pid: int) -> bool:
    """Reaps a child if it has ended. Returns whether it had."""
    with suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def terminate(pids: Iterable[int]) -> None:
    """Sends SIGTERM to each process."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


def kill(pid: int) -> None:
    """Sends SIGKILL to the process."""
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_with_groups(pids: Iterable[int], own_group: int) -> None:
    """Kills each process and its process group.

    Killing a group is atomic, so it cannot escape by forking.
    """
    for pid in pids:
        kill(pid)
        with suppress(OSError):
            group = os.getpgid(pid)
            if group not in (
                own_group,
                0,
            ):  # 0 would mean the caller's group; processes outside the PID namespace show 0
                os.killpg(group, signal.SIGKILL)
