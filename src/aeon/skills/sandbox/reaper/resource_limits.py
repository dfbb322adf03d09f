"""Resource limits of scripts, by the kernel or by checks at run time (skills 18)."""

import resource
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

_MEMORY_FIELDS = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
_SHARED_MEMORY_FIELDS = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
_WRITTEN_FIELDS = (b"wchar:", b"write_bytes:")


_OWN_FILES = 4096
"""Open files that the reaper itself may need."""


class ScriptLimits(NamedTuple):
    """Limits of one script: bytes of memory, processes and bytes written in total.

    `open_files` is per process.
    """

    memory: int
    processes: int
    bytes_written: int
    open_files: int


def apply_limits(limits: ScriptLimits) -> None:
    """Limits memory and file sizes of the calling process and of all that it starts.

    Memory is limited to twice the limit: the kernel also counts memory that was allocated and never used, and does not
    report which limit failed. This stops processes that grow faster than the checks run.
    """
    _lower(resource.RLIMIT_DATA, 2 * limits.memory)
    _lower(resource.RLIMIT_FSIZE, limits.bytes_written)
    _lower(resource.RLIMIT_NOFILE, max(limits.open_files, _OWN_FILES))


@contextmanager
def limited_open_files(limits: ScriptLimits) -> Generator[None]:
    """Limits the open files of processes started inside the block.

    The caller must open no files in it.
    """
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_files(limits, own[1]), own[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)


def limit_open_files(pid: int, limits: ScriptLimits) -> None:
    """Limits the open files of a started process permanently; `pid` 0 is the calling process."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = _files(limits, hard)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))


def _files(limits: ScriptLimits, hard: int) -> int:
    return limits.open_files if hard == resource.RLIM_INFINITY else min(limits.open_files, hard)


def exceeded_limit(limits: ScriptLimits, pids: Iterable[int], own: int = 0) -> str:
    """Returns the limit that the processes exceed together, as the end of a message.

    The result is empty if they exceed none. `own`: number of the sandbox's own processes, which do not count.
    """
    processes = list(pids)
    if len(processes) - own > limits.processes:
        return f"it had more than {limits.processes} processes at once"
    if sum(_written(pid) for pid in processes) > limits.bytes_written:
        return f"it wrote more than {_size(limits.bytes_written)}"
    if sum(_kilobytes(pid, "status", _MEMORY_FIELDS) for pid in processes) * 1024 <= limits.memory:
        return ""
    shared = sum(_kilobytes(pid, "smaps_rollup", _SHARED_MEMORY_FIELDS) for pid in processes)  # forks share pages
    return f"it used more than {_size(limits.memory)} of memory" if shared * 1024 > limits.memory else ""


def _lower(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))


def _written(pid: int) -> int:
    """Returns the bytes written by the process and its collected children.

    Both calls and memory maps count.
    """
    return max(_fields(pid, "io", _WRITTEN_FIELDS), default=0)


def _kilobytes(pid: int, file: str, names: tuple[bytes, ...]) -> int:
    return sum(_fields(pid, file, names))


def _fields(pid: int, file: str, names: tuple[bytes, ...]) -> list[int]:
    """Returns the numbers after these names; empty if the process is gone."""
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
