"""One run of one script: what is started, what it may touch, how it ended; and the port that runs it."""

import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self, TypeAlias

from aeon.base.json import JsonObject
from aeon.skills.poll_loop import Pollable

SandboxLevel: TypeAlias = Literal["bubblewrap", "landlock", "plain"]
"""How an invocation was isolated, strongest first (design.md, scripts)."""

OUTPUT_BUDGET_BYTES = 32 * 1024 * 1024
"""What is kept of the events and output of a plan's scripts, at most (skills 18)."""

_EVENT_COST = 1024
"""Bytes that a small event takes as objects, in the result and again while that is written to the trace."""

GRACE_SECONDS = 5.0
"""How long a script that is ended has for ending itself (skills 4)."""


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Bytes that an invocation may write (skills 4). Of stderr the last `stderr` are kept, the rest is dropped."""

    line: int = 1024 * 1024
    total: int = 16 * 1024 * 1024
    stderr: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What a script with all its processes may use of the machine (skills 18).

    Bytes of memory and of what it writes, pipes included, its processes, and the open files of each. Less memory than
    64 MiB is too little for interpreters to start.
    """

    memory: int = 1024**3
    processes: int = 64
    bytes_written: int = 1024**3
    open_files: int = 1024


@dataclass(frozen=True, slots=True)
class ScriptAccess:
    """What a script may touch beyond the system it runs on. Enforced from the level "landlock" up.

    `local_sockets`: unix sockets by their path, of all folders under landlock, of those it sees in bubblewrap.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    network: bool = False
    local_sockets: bool = False


@dataclass(frozen=True, slots=True)
class Invocation:
    """A script to run: its command line, stdin, working folder, whole environment, time in seconds."""

    command: Sequence[str]
    stdin: bytes
    cwd: Path
    env: Mapping[str, str] = field(repr=False)
    is_ndjson: bool = True
    """Whether stdout is the process protocol; else it is kept as it is (skills 9)."""
    timeout: float = 30.0
    access: ScriptAccess = ScriptAccess()
    limits: OutputLimits = OutputLimits()
    grace_seconds: float = GRACE_SECONDS


class ScriptExitReason(StrEnum):
    """Why an invocation is over."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    OUTPUT_EXCEEDED = "overflowed"
    """A line, or the whole of its output, was over its limit."""
    RESOURCES_EXCEEDED = "limited"
    """It used more of the machine than it may. `problem` says what."""
    NOT_STARTED = "not_started"
    """The operating system would not start it: missing, no interpreter, not permitted. `problem` says which."""


class InvocationResult(NamedTuple):
    """What an invocation did. `exit_code` is negative for a signal and None when nothing was started."""

    exit_reason: ScriptExitReason
    exit_code: int | None = None
    events: Sequence[JsonObject] = ()
    """Every event up to `done`, as data, in order; valid ones only."""
    stdout: bytes = b""
    """What a plain script wrote; empty under the protocol."""
    stderr: str = ""
    """The last of its diagnostics, undecodable bytes replaced."""
    violation: str | None = None
    """How it broke the protocol first, with the line's number; None when it did not."""
    problem: str | None = None
    """Why it could not be started, how it overflowed, or which limit it was over."""
    milliseconds: int = 0
    sandbox: SandboxLevel = "plain"
    dropped_events: int = 0
    """Events that were valid and are not among `events`: the plan's `OutputBudget` had no room for them."""
    budget_cost: int = 0
    """What `events` and `stdout` cost of the plan's allowance."""


EventSink: TypeAlias = Callable[[JsonObject], None]
"""Receives each event as it is read."""


class Cancellation:
    """A wish to stop, which wakes whoever waits for a file descriptor. Made once, wished once, seen by all."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.is_cancelled = False

    def cancel(self) -> None:
        """Ask everything that watches to stop. May be called from any thread and from a signal handler."""
        self.is_cancelled = True
        with suppress(OSError):
            os.write(self._write, b"x")

    def fileno(self) -> int:
        """Readable from the moment of the wish."""
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
    """Bytes that Aeon keeps of what the scripts of one plan write, all attempts together (skills 18). For one thread.

    An event counts with what it takes in memory beyond its own bytes. Half of it is kept free for what a result cannot
    do without: patches, assets and output; the other half is for what may be dropped, which is then counted.
    """

    def __init__(self, limit: int = OUTPUT_BUDGET_BYTES) -> None:
        self.limit = limit
        self._used = 0

    def reserve(self, size: int, events: int = 0, *, is_dispensable: bool) -> int | None:
        """Charge so many bytes in so many events. Returns what they cost, None when they are not to be kept."""
        cost = size + events * _EVENT_COST
        if self._used + cost > (self.limit // 2 if is_dispensable else self.limit):
            return None
        self._used += cost
        return cost

    def release(self, cost: int) -> None:
        """Note that something that was charged is not kept any more."""
        self._used -= cost

    @property
    def is_scarce(self) -> bool:
        """Whether nothing more is kept that can be dropped."""
        return self._used > self.limit // 2


class ConcurrencyGroup:
    """Places that invocations share: what is started beyond them waits, in order, where processes are started.

    Once one that runs is cancelled, or ended because its turn's time is over, none begins that waits: it is so for all
    of them. For one thread. `under_way` counts those that run or wait, which is for the runner to keep.
    """

    def __init__(self, places: int) -> None:
        self.limit = places
        self.number = next(_GROUP_NUMBERS)
        self.active = 0


_GROUP_NUMBERS = count(1)


class StartSlot(NamedTuple):
    """An invocation's turn in a lane. Its timeout runs from its start, of which `on_start` is told.

    `seconds`: after that many from now it is ended whatever its timeout, or never begins. `allowance`: what is kept of
    what it writes; without one all of it is, within its own limits.
    """

    group: ConcurrencyGroup
    on_start: Callable[[], None]
    seconds_left: float
    budget: OutputBudget | None = None


class CancellableSleep:
    """A `Pollable` for a time in which nothing happens; its result is whether it was cut short by a cancellation."""

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
    """Runs scripts. Threads may share one."""

    @property
    def prefetch(self) -> int:
        """How many more than run in a lane are worth starting, since they begin the sooner for it."""
        ...

    def start(
        self,
        invocation: Invocation,
        cancellation: Cancellation | None = None,
        on_event: EventSink | None = None,
        turn: StartSlot | None = None,
    ) -> Pollable[InvocationResult]:
        """Start it, at its `turn` if it has one. Attended to until it is over, it leaves no process behind.

        A script's fault raises nothing. Starting and attending raise SandboxError when the level that was asked for is
        not to be had, and what `on_event` raises once the script was ended.
        """
        ...
