"""One run of a script: its command, access, limits and result, and the port `ScriptRunner`."""

import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self, TypeAlias

from aeon.base.json import JsonObject
from aeon.skills.poll_loop import Pollable

SandboxLevel: TypeAlias = Literal["bubblewrap", "landlock", "plain"]
"""The isolation of an invocation, strongest level first (design.md, scripts)."""

OUTPUT_BUDGET_BYTES = 32 * 1024 * 1024
"""Maximum bytes of events and output kept for all scripts of one plan (skills 18)."""

_EVENT_COST = 1024
"""Bytes that a small event takes in memory, as objects of the result and again while the trace is written."""

GRACE_SECONDS = 5.0
"""Seconds between the request to end a script and its forced end (skills 4)."""


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Bytes that an invocation may write (skills 4).

    Only the last `stderr` bytes of stderr are kept.
    """

    line: int = 1024 * 1024
    total: int = 16 * 1024 * 1024
    stderr: int = 64 * 1024


class ResourceLimits(NamedTuple):
    """Resources that a script with all its processes may use (skills 18).

    Bytes of memory, number of processes, bytes written (pipes included), and open files of each process. Interpreters
    need at least 64 MiB of memory to start.
    """

    memory: int = 1024**3
    processes: int = 64
    bytes_written: int = 1024**3
    open_files: int = 1024


@dataclass(frozen=True, slots=True)
class ScriptAccess:
    """The files and sockets that a script may access beyond the system's.

    Enforced from level "landlock" up. `local_sockets`: unix sockets by path; in all folders under landlock, in the
    visible folders in bubblewrap. `hidden` folders are neither read nor written although a folder in `read` or `write`
    contains them; they need not exist.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    network: bool = False
    local_sockets: bool = False
    hidden: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Invocation:
    """A script to run: command line, stdin, working folder, environment, timeout in seconds.

    The environment is complete: nothing is inherited.
    """

    command: Sequence[str]
    stdin: bytes
    cwd: Path
    env: Mapping[str, str] = field(repr=False)
    is_ndjson: bool = True
    """Whether stdout follows the process protocol; else stdout is kept unchanged (skills 9)."""
    timeout: float = 30.0
    access: ScriptAccess = ScriptAccess()
    limits: OutputLimits = OutputLimits()
    grace_seconds: float = GRACE_SECONDS
    has_lasting_effects: bool = False
    """Whether the script was granted a folder to write, the network or the model: an attempt may do what stays."""


class ScriptExitReason(StrEnum):
    """Why an invocation ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    OUTPUT_EXCEEDED = "overflowed"
    """A line or the whole output exceeded its limit."""
    RESOURCES_EXCEEDED = "limited"
    """The script exceeded a resource limit; `problem` names it."""
    NOT_STARTED = "not_started"
    """The operating system did not start it: missing, no interpreter, not permitted. `problem` has the reason."""


class InvocationResult(NamedTuple):
    """The result of an invocation.

    `exit_code` is negative for a signal and None if nothing was started.
    """

    exit_reason: ScriptExitReason
    exit_code: int | None = None
    events: Sequence[JsonObject] = ()
    """Every valid event up to `done`, as data, in order."""
    stdout: bytes = b""
    """The output of a plain script; empty under the protocol."""
    stderr: str = ""
    """The end of its diagnostics, undecodable bytes replaced."""
    violation: str | None = None
    """Its first violation of the protocol, with the line number; None if there was none."""
    problem: str | None = None
    """Why it could not be started, or which limit it exceeded."""
    milliseconds: int = 0
    sandbox: SandboxLevel = "plain"
    dropped_events: int = 0
    """Number of valid events that are not in `events` because they exceeded the plan's `OutputBudget`."""
    budget_cost: int = 0
    """The share of the plan's output budget that `events` and `stdout` use, in bytes."""


EventSink: TypeAlias = Callable[[JsonObject], None]
"""Called with each event as it is read."""


class Cancellation:
    """A request to stop that wakes all threads polling its file descriptor.

    It can be cancelled only once.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.is_cancelled = False

    def cancel(self) -> None:
        """Requests the stop. May be called from any thread and from a signal handler."""
        self.is_cancelled = True
        with suppress(OSError):
            os.write(self._write, b"x")

    def fileno(self) -> int:
        """Returns a descriptor that is readable from the cancellation on."""
        return self._read

    def close(self) -> None:
        for end in (self._read, self._write):
            with suppress(OSError):
                os.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class OutputBudget:
    """The bytes of output that Aeon keeps for all scripts and attempts of one plan (skills 18).

    Not thread-safe. An event also costs the memory that it takes beyond its own bytes. Half of the budget is reserved
    for patches, assets and output, which a result requires. The other half is for dispensable events, which may be
    dropped; the dropped events are counted.
    """

    def __init__(self, limit: int = OUTPUT_BUDGET_BYTES) -> None:
        self.limit = limit
        self._used = 0

    def reserve(self, size: int, events: int = 0, *, is_dispensable: bool) -> int | None:
        """Charges `size` bytes in `events` events.

        Returns their cost, or None if they must not be kept.
        """
        cost = size + events * _EVENT_COST
        if self._used + cost > (self.limit // 2 if is_dispensable else self.limit):
            return None
        self._used += cost
        return cost

    def release(self, cost: int) -> None:
        """Returns the cost of output that is no longer kept."""
        self._used -= cost

    @property
    def is_scarce(self) -> bool:
        """Whether all further dispensable output is dropped."""
        return self._used > self.limit // 2


class CancellableSleep:
    """A `Pollable` that sleeps; its result is whether a cancellation cut the sleep short."""

    def __init__(self, seconds: float, cancellation: Cancellation) -> None:
        self.deadline = time.monotonic() + seconds
        self._cancellation = cancellation
        self._poll = select.epoll()
        self._poll.register(cancellation.fileno(), select.EPOLLIN)

    def fileno(self) -> int:
        return self._poll.fileno()

    def poll(self) -> bool | None:
        is_cancelled = self._cancellation.is_cancelled
        if not is_cancelled and time.monotonic() < self.deadline:
            return None
        self._poll.close()
        return is_cancelled


class ScriptRunner(Protocol):
    """Runs scripts. Thread-safe."""

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        budget: OutputBudget | None = None,
    ) -> Pollable[InvocationResult]:
        """Starts the script at once; its timeout begins now.

        It leaves no process behind if polled to its end. A script's fault raises nothing. Starting and polling raise
        SandboxError if the requested sandbox level is not available. What `on_event` raises is raised again once the
        script has been ended. `budget` limits how much of its output is kept; without one, all output within its own
        limits is kept.
        """
        ...
