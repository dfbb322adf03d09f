"""What a script may use of the machine (skills 18): held by the kernel, or looked at while it runs."""

import resource
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

_MEMORY_FIELDS = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
_SHARED_MEMORY_FIELDS = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
_WRITTEN_FIELDS = (b"wchar:", b"write_bytes:")


_OWN_FILES = 4096
"""Files that whoever starts scripts may need open."""


class ScriptLimits(NamedTuple):
    """Of one script with all its processes: bytes of memory, processes, bytes written; open files of each process."""

    memory: int
    processes: int
    bytes_written: int
    open_files: int


def apply_limits(limits: ScriptLimits) -> None:
    """Bound the memory of each process, and each file, for the calling process and all that it will start.

    Memory at twice the limit: the kernel counts what was asked for and never touched, too, and would not say what it
    was that failed. It stops what grows faster than the looks at it come.
    """
    _lower(resource.RLIMIT_DATA, 2 * limits.memory)
    _lower(resource.RLIMIT_FSIZE, limits.bytes_written)
    _lower(resource.RLIMIT_NOFILE, max(limits.open_files, _OWN_FILES))


@contextmanager
def limited_open_files(limits: ScriptLimits) -> Generator[None]:
    """While it lasts, what is started may open few files; the caller must open none."""
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_files(limits, own[1]), own[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)


def limit_open_files(pid: int, limits: ScriptLimits) -> None:
    """Bound the open files of a process that was just started for good, 0 for the calling one."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = _files(limits, hard)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))


def _files(limits: ScriptLimits, hard: int) -> int:
    return limits.open_files if hard == resource.RLIM_INFINITY else min(limits.open_files, hard)


def exceeded_limit(limits: ScriptLimits, pids: Iterable[int], own: int = 0) -> str:
    """Which limit the processes are over together, as the end of a sentence; empty while they are over none.

    `own`: how many of them are the sandbox's and do not count.
    """
    found = list(pids)
    if len(found) - own > limits.processes:
        return f"it had more than {limits.processes} processes at once"
    if sum(_written(pid) for pid in found) > limits.bytes_written:
        return f"it wrote more than {_size(limits.bytes_written)}"
    if sum(_kilobytes(pid, "status", _MEMORY_FIELDS) for pid in found) * 1024 <= limits.memory:
        return ""
    shared = sum(_kilobytes(pid, "smaps_rollup", _SHARED_MEMORY_FIELDS) for pid in found)  # forks share pages
    return f"it used more than {_size(limits.memory)} of memory" if shared * 1024 > limits.memory else ""


def _lower(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))


def _written(pid: int) -> int:
    """Bytes that it and the children it waited for wrote, whether by calls or through memory."""
    return max(_fields(pid, "io", _WRITTEN_FIELDS), default=0)


def _kilobytes(pid: int, file: str, names: tuple[bytes, ...]) -> int:
    return sum(_fields(pid, file, names))


def _fields(pid: int, file: str, names: tuple[bytes, ...]) -> list[int]:
    """The numbers after these names; none of a process that is gone."""
    try:
        with open(f"/proc/{pid}/{file}", "rb", buffering=0) as opened:  # noqa: PTH123  # pathlib is not loaded here
            lines = opened.read().split(b"\n")
    except OSError:
        return []
    return [int(line.split()[1]) for line in lines if line.startswith(names)]


def _size(size: int) -> str:
    for unit, name in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"
