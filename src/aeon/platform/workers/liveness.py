"""Whether a process is still there: by its heartbeat anywhere, and at once where it ran on this machine. Pure but for
`this_process` and `is_running`, which ask the system.
"""

import os
import socket
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from aeon.platform.workers.model import HEARTBEAT_TIMEOUT, ExecutorProcess


class ProcessIdentity(NamedTuple):
    """Where this is."""

    host: str
    pid: int
    start_time: str


def current_process() -> ProcessIdentity:
    """The machine's name and boot, the process's number, and when it began."""
    return ProcessIdentity(_host(), os.getpid(), _birth(os.getpid()) or "")


def is_process_running(pid: int, birth: str) -> bool:
    """Whether that process of this machine is there, and is no later one with its number."""
    found = _birth(pid)
    return found is not None and birth in ("", found)


class ObservedHeartbeat(NamedTuple):
    """For how many seconds this process has seen the same heartbeat of another one, and whether it saw one before."""

    beat: str
    seconds: float = 0.0
    has_changed: bool = False


def is_dead(
    executor: ExecutorProcess,
    now: str,
    here: ProcessIdentity,
    is_running: Callable[[int, str], bool] = is_process_running,
    watched: ObservedHeartbeat | None = None,
    lease: float = HEARTBEAT_TIMEOUT,
) -> bool:
    """Whether its work is to be taken over: a lease without a heartbeat (platform 10), or seen to have ended here.

    What was seen here counts more than what clocks say, which may have been set since, or differ between machines.
    """
    if executor.host == here.host and not is_running(executor.pid, executor.birth):
        return True
    if watched is not None and (watched.has_changed or watched.seconds > lease):
        return watched.seconds > lease
    silent = datetime.fromisoformat(now) - datetime.fromisoformat(executor.last_heartbeat)
    return silent.total_seconds() > lease


def _host() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def _birth(pid: int) -> str | None:
    """When a process began, as its system counts; None when there is no such process, or only what is left of it."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _birth_elsewhere(pid)
    fields = said.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else fields[19]


def _birth_elsewhere(pid: int) -> str | None:
    """Where the system has no /proc, only whether there is one is known."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return ""
    return ""
