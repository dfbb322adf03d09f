"""Monitors one invocation: feeds stdin, reads output, enforces limits and deadlines."""

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from aeon.base.json import JsonObject
from aeon.skills.invocation import Cancellation, EventSink, Invocation, ScriptExitReason
from aeon.skills.sandbox.output_buffers import TailBuffer
from aeon.skills.sandbox.reaper import messages
from aeon.skills.sandbox.reaper_client import ReaperChannel

_CHUNK = 65536
_LAST_READS = 64
"""More reads than needed to empty a pipe of the largest size."""
_UNHEARD_SECONDS = 0.005
"""Seconds before Aeon reads output, so that a short script wakes it only once."""
_REAPER_SECONDS = 10.0
"""Seconds after the grace period when a reaper that has not ended a script counts as hung."""


class ScriptOutput(Protocol):
    """The reader of stdout."""

    overflow: str | None

    def feed(self, data: bytes, /) -> Sequence[JsonObject]: ...
    def finish(self) -> Sequence[JsonObject]: ...


class StdioPipes:
    """Both ends of a script's stdin, stdout and stderr.

    The script's ends of stdout and stderr stay open here too: the reaper reports when everything is over, and the end
    of a stream would only wake Aeon once more before that.
    """

    def __init__(self, input_data: bytes) -> None:
        """`input_data`: the content of stdin.

        As much as the pipe takes is written before the script starts.
        """
        self.child_fds: list[int] = []
        self.parent_fds: list[int] = []
        self._pending_input = memoryview(input_data)
        try:
            for is_input in (True, False, False):
                read, write = os.pipe2(os.O_CLOEXEC)
                self.child_fds.append(read if is_input else write)
                self.parent_fds.append(write if is_input else read)
                os.set_blocking(self.parent_fds[-1], False)
            self.stdin, self.stdout, self.stderr = self.parent_fds
            self.write_stdin()
            if not self.has_pending_input:
                self.close_stdin()
        except OSError:
            self.close()
            raise

    @property
    def has_pending_input(self) -> bool:
        """Whether some input has not been written to stdin yet."""
        return bool(self._pending_input)

    def write_stdin(self) -> None:
        """Writes to stdin as much as the pipe takes."""
        try:
            while self._pending_input:
                self._pending_input = self._pending_input[os.write(self.stdin, self._pending_input[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._pending_input = memoryview(b"")  # the script closed stdin, which is allowed

    def close_stdin(self) -> None:
        """Closes stdin after the last input."""
        self.parent_fds.remove(self.stdin)
        os.close(self.stdin)

    def close_child_stdin(self) -> None:
        """Closes the script's end of stdin in this process.

        Aeon then notices when no process reads it any longer.
        """
        os.close(self.child_fds.pop(0))

    def close_child_fds(self) -> None:
        """Closes the script's ends here, so that an empty pipe has ended."""
        self._close(self.child_fds)

    def close(self) -> None:
        self._close(self.child_fds)
        self._close(self.parent_fds)

    def _close(self, fds: list[int]) -> None:
        while fds:
            os.close(fds.pop())


class ScriptMonitor:
    """Monitors one invocation, just started, until all its processes have ended, or the reaper has died."""

    def __init__(
        self,
        invocation: Invocation,
        channel: ReaperChannel,
        pipes: StdioPipes,
        output: ScriptOutput,
        cancellation: Cancellation | None,
        on_event: EventSink | None,
    ) -> None:
        self._invocation = invocation
        self._socket = channel.socket
        self._pipes = pipes
        self._output = output
        self._on_event = on_event
        self._started_at = time.monotonic()
        self._stop_at = self._started_at + invocation.timeout
        self.deadline = min(self._started_at + _UNHEARD_SECONDS, self._stop_at)
        """The latest time of the next poll: to start reading, later to enforce the timeout."""
        self.diagnostics = TailBuffer(invocation.limits.stderr)
        self.stop_reason: ScriptExitReason | None = None
        """Why its end was requested; None if it was not."""
        self.last_report: messages.ReaperReport | None = None
        self.is_reaper_gone = False
        self._epoll = channel.epoll
        self._reactions: dict[int, Callable[[], object]] = {self._socket.fileno(): self._receive_report}
        if pipes.has_pending_input:
            self._register(pipes.stdin, self._write_stdin, select.EPOLLOUT)
        if cancellation is not None:
            self._register(cancellation.fileno(), lambda: self._cancel(cancellation.fileno()))

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_at

    def _register(self, fd: int, react: Callable[[], object], event: int = select.EPOLLIN) -> None:
        self._reactions[fd] = react
        self._epoll.register(fd, event)

    def _unregister(self, fd: int) -> None:
        del self._reactions[fd]
        self._epoll.unregister(fd)

    def fileno(self) -> int:
        """Returns a descriptor that is readable when `poll` has work to do."""
        return self._epoll.fileno()

    @property
    def is_finished(self) -> bool:
        return self.last_report is not None or self.is_reaper_gone

    def poll(self) -> None:
        """Handles events and the deadline.

        What `on_event` raises is raised again once the script has been ended.
        """
        try:
            for fd, _ in self._epoll.poll(0):
                self._reactions[fd]()
            now = time.monotonic()
            if now >= self.deadline and not self.is_finished:
                self._start_reading()
                if now >= self._stop_at:
                    self._limit_passed()
        except BaseException:
            self._kill_and_wait()
            raise

    def close(self) -> None:
        """Removes all registrations from the epoll."""
        del self._reactions[self._socket.fileno()]
        for fd in self._reactions:
            with suppress(OSError):  # a cancellation that was closed before the script ended
                self._epoll.unregister(fd)

    def read_rest(self) -> None:
        """Reads the rest of the pipes after all writers have ended (skills 4)."""
        self._pipes.close_child_fds()
        for read in (self._read_stdout, self._read_stderr):
            for _ in range(_LAST_READS):
                if not read():
                    break
        self._emit(self._output.finish())

    def _start_reading(self) -> None:
        """Reads output as it arrives, from now on."""
        if self._pipes.stdout not in self._reactions:
            self._register(self._pipes.stdout, self._read_stdout)
            self._register(self._pipes.stderr, self._read_stderr)
        self.deadline = self._stop_at

    def _kill_and_wait(self) -> None:
        """Ends the script at once and waits for it, before an exception is raised."""
        if self.is_finished:
            return
        messages.send_stop(self._socket, messages.ScriptStopCommand(0.0))
        self._socket.settimeout(_REAPER_SECONDS)
        while not self.is_finished:
            self._receive_report()
        self._socket.settimeout(None)

    def _receive_report(self) -> None:
        report = messages.receive_report(self._socket)
        if report is None:
            self.is_reaper_gone = True
        else:
            self.last_report = report

    def _cancel(self, fd: int) -> None:
        self._unregister(fd)
        self._request_stop(ScriptExitReason.CANCELLED)

    def _request_stop(self, reason: ScriptExitReason) -> None:
        """Requests the end, once."""
        if self.stop_reason is None:
            self.stop_reason = reason
            self._stop_at = time.monotonic() + self._invocation.grace_seconds + _REAPER_SECONDS
            self._start_reading()
            messages.send_stop(self._socket, messages.ScriptStopCommand(self._invocation.grace_seconds))

    def _limit_passed(self) -> None:
        if self.stop_reason is None:
            self._request_stop(ScriptExitReason.TIMED_OUT)
        else:
            self.is_reaper_gone = True  # it did not answer the request

    def _write_stdin(self) -> None:
        self._pipes.write_stdin()
        if not self._pipes.has_pending_input:
            self._unregister(self._pipes.stdin)
            self._pipes.close_stdin()

    def _read_stdout(self) -> bool:
        """Reads stdout once. Returns whether there was data."""
        data = self._read(self._pipes.stdout)
        if data:
            self._emit(self._output.feed(data))
            if self._output.overflow is not None:
                self._request_stop(ScriptExitReason.OUTPUT_EXCEEDED)
        return bool(data)

    def _emit(self, events: Sequence[JsonObject]) -> None:
        if self._on_event is not None:
            for event in events:
                self._on_event(event)

    def _read_stderr(self) -> bool:
        """Reads stderr once. Returns whether there was data."""
        data = self._read(self._pipes.stderr)
        self.diagnostics.feed(data)
        return bool(data)

    def _read(self, fd: int) -> bytes:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            return b""
