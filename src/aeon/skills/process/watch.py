"""Aeon's side of one invocation: feeds stdin, reads what comes, keeps the limits, asks for the end when it is time."""

import os
import select
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from aeon.base.json import JsonObject
from aeon.skills.invocation import Cancellation, Ending, EventSink, Invocation
from aeon.skills.process.output import Tail
from aeon.skills.process.warden import wire

_CHUNK = 65536
_GRACE = 0.3
"""Seconds for reading what is in the pipes when everything that wrote is gone (skills 4)."""
_LAST_READS = 64
"""More than it takes to empty two pipes of the largest size."""
_LONGEST_WAIT = 3600.0
"""Seconds that one call of poll can be asked for without doubt."""
_WARDEN_SECONDS = 10.0
"""Seconds beyond the polite ones after which a warden that has not ended a script counts as hung."""


class Output(Protocol):
    """What reads stdout."""

    overflow: str | None

    def feed(self, data: bytes, /) -> Sequence[JsonObject]: ...
    def finish(self) -> Sequence[JsonObject]: ...


class Pipes:
    """Aeon's ends of a script's stdin, stdout and stderr, and the script's own until they are handed over."""

    def __init__(self) -> None:
        self.theirs: list[int] = []
        self.ours: list[int] = []
        try:
            for is_input in (True, False, False):
                read, write = os.pipe2(os.O_CLOEXEC)
                self.theirs.append(read if is_input else write)
                self.ours.append(write if is_input else read)
                os.set_blocking(self.ours[-1], False)
        except OSError:
            self.close()
            raise

    def hand_over(self) -> None:
        """Close the script's ends: whoever was to have them has them."""
        self._close(self.theirs)

    def close_one(self, fd: int) -> None:
        self.ours.remove(fd)
        os.close(fd)

    def close(self) -> None:
        self._close(self.theirs)
        self._close(self.ours)

    def _close(self, fds: list[int]) -> None:
        while fds:
            os.close(fds.pop())


class Watch:
    """One invocation, from the request on. `wait` returns when nothing of it is left, or the warden is gone."""

    def __init__(
        self,
        invocation: Invocation,
        conversation: socket.socket,
        pipes: Pipes,
        output: Output,
        cancellation: Cancellation | None,
        on_event: EventSink | None,
    ) -> None:
        self._invocation = invocation
        self._conversation = conversation
        self._pipes = pipes
        self._stdin, self._stdout, self._stderr = pipes.ours
        self._output = output
        self._on_event = on_event
        self._to_write = memoryview(invocation.stdin)
        self._deadline = time.monotonic() + invocation.timeout
        self.diagnostics = Tail(invocation.limits.stderr)
        self.wish: Ending | None = None
        """Why it was asked to end; None while it was not."""
        self.last_report: wire.Report | None = None
        self.warden_is_gone = False
        self._poll = select.poll()
        self._readers: dict[int, Callable[[], None]] = {}
        self._register(cancellation)

    def _register(self, cancellation: Cancellation | None) -> None:
        readers: dict[int, Callable[[], None]] = {
            self._conversation.fileno(): self._hear,
            self._stdout: self._read_stdout,
            self._stderr: self._read_stderr,
        }
        if cancellation is not None:
            readers[cancellation.fileno()] = lambda: self._cancel(cancellation.fileno())
        for fd, reader in readers.items():
            self._readers[fd] = reader
            self._poll.register(fd, select.POLLIN)
        self._readers[self._stdin] = self._write_stdin
        self._poll.register(self._stdin, select.POLLOUT)

    def wait(self) -> None:
        """Attend to everything until it is over. What `on_event` raises goes through, once the script is ended."""
        try:
            while not self._is_settled():
                self._turn(self._deadline)
                if time.monotonic() >= self._deadline:
                    self._deadline_passed()
        finally:
            self._abandon()
        self._read_rest()

    def _is_settled(self) -> bool:
        return self.last_report is not None or self.warden_is_gone

    def _turn(self, until: float) -> bool:
        """Wait for something to happen, and attend to it; whether something did."""
        seconds = min(max(0.0, until - time.monotonic()), _LONGEST_WAIT)
        ready = self._poll.poll(seconds * 1000)
        for fd, _ in ready:
            if fd in self._readers:
                self._readers[fd]()
        return bool(ready)

    def _read_rest(self) -> None:
        """Read what is still in the pipes; whoever may hold them open is not waited for, nor listened to for ever."""
        for fd in self._readers.keys() - {self._stdout, self._stderr}:
            self._forget(fd)
        until = time.monotonic() + _GRACE
        for _ in range(_LAST_READS):
            if not self._readers or not self._turn(until):
                break
        self._emit(self._output.finish())

    def _abandon(self) -> None:
        """Left by an exception: end the script before it is passed on."""
        if self._is_settled():
            return
        wire.send_ending(self._conversation, 0)
        self._conversation.settimeout(_WARDEN_SECONDS)
        while not self._is_settled():
            self._hear()

    def _hear(self) -> None:
        report = wire.received_report(self._conversation)
        if report is None:
            self.warden_is_gone = True
        else:
            self.last_report = report
        if self._is_settled():
            self._forget(self._conversation.fileno())

    def _cancel(self, fd: int) -> None:
        self._forget(fd)
        self._end(Ending.CANCELLED)

    def _end(self, why: Ending) -> None:
        """Ask for the end, once."""
        if self.wish is None:
            self.wish = why
            self._deadline = time.monotonic() + self._invocation.polite_seconds + _WARDEN_SECONDS
            wire.send_ending(self._conversation, self._invocation.polite_seconds)

    def _deadline_passed(self) -> None:
        if self.wish is None:
            self._end(Ending.TIMED_OUT)
        else:
            self.warden_is_gone = True  # it was asked, and has not answered

    def _write_stdin(self) -> None:
        try:
            written = os.write(self._stdin, self._to_write[:_CHUNK]) if self._to_write else 0
            self._to_write = self._to_write[written:]
        except BlockingIOError:
            return
        except OSError:
            self._to_write = memoryview(b"")  # it does not want any, which is its right
        if not self._to_write:
            self._close(self._stdin)

    def _read_stdout(self) -> None:
        data = self._read(self._stdout)
        if data:
            self._emit(self._output.feed(data))
            if self._output.overflow is not None:
                self._end(Ending.OVERFLOWED)

    def _emit(self, events: Sequence[JsonObject]) -> None:
        if self._on_event is not None:
            for event in events:
                self._on_event(event)

    def _read_stderr(self) -> None:
        self.diagnostics.feed(self._read(self._stderr))

    def _read(self, fd: int) -> bytes:
        """What there is; at the end of the stream nothing, and it is forgotten."""
        with suppress(BlockingIOError):
            data = os.read(fd, _CHUNK)
            if data:
                return data
            self._close(fd)
        return b""

    def _close(self, fd: int) -> None:
        self._forget(fd)
        self._pipes.close_one(fd)

    def _forget(self, fd: int) -> None:
        del self._readers[fd]
        self._poll.unregister(fd)
