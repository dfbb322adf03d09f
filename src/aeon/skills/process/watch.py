"""Aeon's side of one invocation: feeds stdin, reads what comes, keeps the limits, asks for the end when it is time."""

import math
import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from aeon.base.json import JsonObject
from aeon.skills.invocation import Cancellation, Ending, EventSink, Invocation, Turn
from aeon.skills.process.link import Channel
from aeon.skills.process.output import Tail
from aeon.skills.process.warden import wire

_CHUNK = 65536
_LAST_READS = 64
"""More than it takes to empty a pipe of the largest size."""
_UNHEARD_SECONDS = 0.005
"""How long a script is left alone: one that ends within it wakes Aeon once, not for what it wrote before that too."""
_WARDEN_SECONDS = 10.0
"""Seconds beyond the polite ones after which a warden that has not ended a script counts as hung."""


class Output(Protocol):
    """What reads stdout."""

    overflow: str | None

    def feed(self, data: bytes, /) -> Sequence[JsonObject]: ...
    def finish(self) -> Sequence[JsonObject]: ...


class Pipes:
    """Both ends of a script's stdin, stdout and stderr.

    The script's ends of stdout and stderr stay open here too: that everything is over is the warden's to say, and the
    end of a stream would only wake Aeon once more before that.
    """

    def __init__(self, given: bytes) -> None:
        """`given`: what stdin shall hold; as much of it as a pipe takes is there before the script is."""
        self.theirs: list[int] = []
        self.ours: list[int] = []
        self._given = memoryview(given)
        try:
            for is_input in (True, False, False):
                read, write = os.pipe2(os.O_CLOEXEC)
                self.theirs.append(read if is_input else write)
                self.ours.append(write if is_input else read)
                os.set_blocking(self.ours[-1], False)
            self.stdin, self.stdout, self.stderr = self.ours
            self.write()
            if not self.wants_more:
                self.end_input()
        except OSError:
            self.close()
            raise

    @property
    def wants_more(self) -> bool:
        """Whether there is more for stdin than it has taken yet."""
        return bool(self._given)

    def write(self) -> None:
        """Write to stdin what it takes."""
        try:
            while self._given:
                self._given = self._given[os.write(self.stdin, self._given[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._given = memoryview(b"")  # it does not want any, which is its right

    def end_input(self) -> None:
        """Close stdin after the last of it."""
        self.ours.remove(self.stdin)
        os.close(self.stdin)

    def hand_over(self) -> None:
        """Close the script's end of stdin, so that Aeon hears when nobody reads it any more."""
        os.close(self.theirs.pop(0))

    def close_theirs(self) -> None:
        """Close what the script had, so that an empty pipe is one that has ended."""
        self._close(self.theirs)

    def close(self) -> None:
        self._close(self.theirs)
        self._close(self.ours)

    def _close(self, fds: list[int]) -> None:
        while fds:
            os.close(fds.pop())


class Caller(NamedTuple):
    """Who had a script started: may stop it, hears what it says, and when its turn comes.

    `latest` is the monotonic time by which it has to be over.
    """

    cancellation: Cancellation | None
    on_event: EventSink | None
    turn: Turn | None
    latest: float


class Watch:
    """One invocation, from the request on. It is settled when nothing of it is left, or the warden is gone."""

    def __init__(self, invocation: Invocation, channel: Channel, pipes: Pipes, output: Output, caller: Caller) -> None:
        self._invocation = invocation
        self._conversation = channel.conversation
        self._pipes = pipes
        self._output = output
        self._on_event = caller.on_event
        self._turn = caller.turn
        self._latest = caller.latest
        self._limit = self._latest
        self.deadline = self._latest
        """When to attend to it at the latest: to begin listening, and then because its time is over."""
        self._began = math.inf
        self.diagnostics = Tail(invocation.limits.stderr)
        self.wish: Ending | None = None
        """Why it was asked to end; None while it was not."""
        self.last_report: wire.Report | None = None
        self.warden_is_gone = False
        self._poll = channel.poll
        self._reactions: dict[int, Callable[[], object]] = {self._conversation.fileno(): self._hear}
        if pipes.wants_more:
            self._register(pipes.stdin, self._write_stdin, select.EPOLLOUT)
        if (cancellation := caller.cancellation) is not None:
            self._register(cancellation.fileno(), lambda: self._cancel(cancellation.fileno()))

    def begin(self, moment: float) -> None:
        """It was started at that monotonic time, in seconds, from which its own time runs."""
        self._began = moment
        if self.wish is None:
            self._limit = min(moment + self._invocation.timeout, self._latest)
            self.deadline = min(moment + _UNHEARD_SECONDS, self._limit)

    @property
    def has_begun(self) -> bool:
        """Whether it counts as started."""
        return self._began < math.inf

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return max(0.0, time.monotonic() - self._began)

    def _register(self, fd: int, react: Callable[[], object], event: int = select.EPOLLIN) -> None:
        self._reactions[fd] = react
        self._poll.register(fd, event)

    def _unregister(self, fd: int) -> None:
        del self._reactions[fd]
        self._poll.unregister(fd)

    def fileno(self) -> int:
        """Readable when there is something to attend to."""
        return self._poll.fileno()

    @property
    def is_settled(self) -> bool:
        return self.last_report is not None or self.warden_is_gone

    def attend(self) -> None:
        """Attend to what has happened, and to the deadline. What `on_event` raises goes through once it is ended."""
        try:
            for fd, _ in self._poll.poll(0):
                self._reactions[fd]()
            now = time.monotonic()
            if now >= self.deadline and not self.is_settled:
                self._listen()
                if now >= self._limit:
                    self._limit_passed()
        except BaseException:
            self._abandon()
            raise

    def close(self) -> None:
        """Register with the poll no longer."""
        del self._reactions[self._conversation.fileno()]
        for fd in self._reactions:
            with suppress(OSError):  # a cancellation that was closed before the script was over
                self._poll.unregister(fd)

    def read_rest(self) -> None:
        """Read what is still in the pipes, now that whatever wrote there is gone (skills 4)."""
        self._pipes.close_theirs()
        for read in (self._read_stdout, self._read_stderr):
            for _ in range(_LAST_READS):
                if not read():
                    break
        self._emit(self._output.finish())

    def _listen(self) -> None:
        """Read what it writes from now on, as it comes."""
        if self._pipes.stdout not in self._reactions:
            self._register(self._pipes.stdout, self._read_stdout)
            self._register(self._pipes.stderr, self._read_stderr)
        self.deadline = self._limit

    def _abandon(self) -> None:
        """Left by an exception: end the script before it is passed on."""
        if self.is_settled:
            return
        self._turn = None
        wire.send_end(self._conversation, wire.End(0.0))
        self._conversation.settimeout(_WARDEN_SECONDS)
        while not self.is_settled:
            self._hear()
        self._conversation.settimeout(None)

    def _hear(self) -> None:
        report = wire.received_report(self._conversation)
        if report is None:
            self.warden_is_gone = True
        elif report.kind == wire.BEGAN:
            self.begin(report.number / 1e9)
            if self._turn is not None:
                self._turn.on_start()
        else:
            self.last_report = report

    def _cancel(self, fd: int) -> None:
        self._unregister(fd)
        self._end(Ending.CANCELLED)

    def _end(self, why: Ending) -> None:
        """Ask for the end, once."""
        if self.wish is None:
            self.wish = why
            self._limit = time.monotonic() + self._invocation.polite_seconds + _WARDEN_SECONDS
            self._listen()
            # What others wait for in the lane is not to begin because this one makes room: their time is over, too.
            is_for_all = why is Ending.CANCELLED or time.monotonic() >= self._latest
            wire.send_end(self._conversation, wire.End(self._invocation.polite_seconds, is_for_all))

    def _limit_passed(self) -> None:
        if self.wish is None:
            self._end(Ending.TIMED_OUT)
        else:
            self.warden_is_gone = True  # it was asked, and has not answered

    def _write_stdin(self) -> None:
        self._pipes.write()
        if not self._pipes.wants_more:
            self._unregister(self._pipes.stdin)
            self._pipes.end_input()

    def _read_stdout(self) -> bool:
        """Whether there was something."""
        data = self._read(self._pipes.stdout)
        if data:
            self._emit(self._output.feed(data))
            if self._output.overflow is not None:
                self._end(Ending.OVERFLOWED)
        return bool(data)

    def _emit(self, events: Sequence[JsonObject]) -> None:
        if self._on_event is not None:
            for event in events:
                self._on_event(event)

    def _read_stderr(self) -> bool:
        """As above."""
        data = self._read(self._pipes.stderr)
        self.diagnostics.feed(data)
        return bool(data)

    def _read(self, fd: int) -> bytes:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            return b""
