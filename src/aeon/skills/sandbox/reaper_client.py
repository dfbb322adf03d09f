"""Aeon's end of a reaper: starts it when it is first needed, asks it on channels, starts another when it is gone."""

import os
import select
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.invocation import ResourceLimits
from aeon.skills.sandbox.reaper import guard, messages, procfs
from aeon.skills.sandbox.start_errors import too_many_open_files_error

ReaperKind: TypeAlias = Literal["cold", "warm"]

_BOOT = "import sys; sys.path.append(sys.argv[1]); from reaper.main import main; sys.path.pop(); main(sys.argv[2:])"
_SEND_SECONDS = 10.0
"""How long a reaper may take to accept what it is asked before it counts as hung."""

_GUARD_SECONDS = 12.0
"""A little more than a guard takes to end what a killed reaper left."""

_CLOSE_SECONDS = 15.0
"""A little more than a reaper takes to end what it started."""


_NUMBERS = count(1)


class SpawnOrder(NamedTuple):
    """A request, the script's ends of its pipes, and its lane; with `places` it waits for one there."""

    request: messages.SpawnRequest
    stdio: list[int]
    group: int = 0
    limit: int = 0


class ReaperChannel:
    """A conversation with a reaper about one script after another, and the file for what is too long to say.

    `poll` waits for what the reaper says, and for whatever else whoever uses the channel registers with it meanwhile.
    """

    def __init__(self, reaper: "ReaperProcess") -> None:
        """Raises OSError when too many files are open."""
        self.reaper = reaper
        self.number = next(_NUMBERS)
        with ExitStack() as held:
            self.request_file = os.memfd_create("request", os.MFD_CLOEXEC)
            held.callback(os.close, self.request_file)
            self.socket, self.reaper_socket = map(
                held.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            )
            self.epoll = held.enter_context(select.epoll())
            self.epoll.register(self.socket, select.EPOLLIN)
            self._held = held.pop_all()

    def close(self) -> None:
        """Hang up: what runs by it is ended at once."""
        self._held.close()


class ReaperProcess:
    """One reaper. Raises SandboxError when it cannot be started."""

    def __init__(self, kind: ReaperKind, limits: ResourceLimits) -> None:
        self._idle: list[ReaperChannel] = []
        # In memory: a full disk is no reason not to start. Read when the reaper is gone.
        self._stderr = os.fdopen(os.memfd_create("complaints", os.MFD_CLOEXEC), "w+b")
        self._command_socket, reapers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._command_socket.settimeout(_SEND_SECONDS)
        with reapers:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own program
                    _command(kind, reapers.fileno(), limits),
                    cwd="/",
                    env={"LANG": "C.UTF-8"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._stderr,
                    pass_fds=(reapers.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                self._release()
                raise SandboxError(f"The process that starts scripts cannot be started: {error}.") from error

    @property
    def pid(self) -> int:
        """The reaper's; what was started is its guard, above it."""
        return next(iter(procfs.children(self._process.pid)), self._process.pid)

    def spawn(self, order: SpawnOrder) -> ReaperChannel:
        """Have a request carried out; returns where it reports, which is the caller's to give back or to close.

        Raises OSError when it is gone or hung, SandboxError when the request cannot be written.
        """
        channel = self._acquire_channel()
        try:
            length = _write_request(channel.request_file, order.request)
            start = messages.SpawnCommand(channel.number, order.stdio, length, order.group, order.limit)
            messages.send_command(self._command_socket, start)
        except BaseException:
            channel.close()
            raise
        return channel

    def release_channel(self, channel: ReaperChannel) -> None:
        """Keep a channel on which nothing runs any more for the next request."""
        if self._process.returncode is None:
            self._idle.append(channel)
        else:
            channel.close()

    def _acquire_channel(self) -> ReaperChannel:
        with suppress(IndexError):
            return self._idle.pop()
        channel = _open_channel(self)
        try:
            messages.send_command(
                self._command_socket,
                messages.ChannelOpened(channel.number, [channel.reaper_socket.fileno(), channel.request_file]),
            )
        except BaseException:
            channel.close()
            raise
        channel.reaper_socket.close()
        return channel

    def exit_error(self) -> SandboxError:
        """Why it is gone, as far as it said."""
        said = ""
        with suppress(ValueError):  # another thread has replaced and closed it
            self._stderr.seek(0)
            said = self._stderr.read()[-500:].decode(errors="replace").strip()
        return SandboxError(
            f"The process that starts scripts ended by itself{': ' + said if said else '.'}",
            next_step="Run it again; if that goes on, see whether something on this machine ends it.",
        )

    def kill(self) -> None:
        """End it and everything below it at once, whatever it is doing; by its guard, where that still listens."""
        below = procfs.children(self._process.pid)
        with suppress(subprocess.TimeoutExpired):
            self._process.send_signal(guard.KILL_SIGNAL)
            self._process.wait(_GUARD_SECONDS)
        self._process.kill()
        self._process.wait()
        for pid in below:
            procfs.kill(pid)

    def close(self) -> None:
        """Let it end everything that it started, and then itself."""
        self._command_socket.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)
        self.kill()
        self._release()

    def _release(self) -> None:
        self._command_socket.close()
        while self._idle:
            self._idle.pop().close()
        self._stderr.close()


def _command(kind: ReaperKind, door: int, limits: ResourceLimits) -> list[str]:
    isolation = ["-P", *messages.WARM_OPTIONS] if kind == "warm" else ["-I", "-S"]
    bounds = map(str, (limits.memory, limits.processes, limits.bytes_written, limits.open_files))
    whom = (str(os.getpid()), str(door), kind)
    return [sys.executable, *isolation, "-c", _BOOT, str(Path(__file__).parent), *whom, *bounds]


def _open_channel(reaper: ReaperProcess) -> ReaperChannel:
    try:
        return ReaperChannel(reaper)
    except OSError as error:
        raise too_many_open_files_error(error) from error


def _write_request(file: int, request: messages.SpawnRequest) -> int:
    """How long the request is that now stands in the file."""
    try:
        return messages.write_request(file, request)
    except OSError as error:
        raise SandboxError(
            f"A script cannot be started, since what starts it cannot be told so: {error.strerror}.",
            next_step="Raise the limit on the size of files (ulimit -f) and run it again.",
        ) from error


class ReaperClient:
    """The reaper of one kind: "cold" starts programs, "warm" forks Python scripts. Threads may share it."""

    def __init__(self, kind: ReaperKind, limits: ResourceLimits) -> None:
        self._kind: ReaperKind = kind
        self._limits = limits
        self._lock = Lock()
        self._reaper: ReaperProcess | None = None
        self._is_closed = False

    def spawn(self, order: SpawnOrder) -> ReaperChannel:
        """Have a request carried out, by another reaper where the last one is gone; see `ReaperProcess.ask`.

        Raises SandboxError when no reaper can be had.
        """
        with suppress(OSError):
            return self._try_spawn(order)
        try:
            return self._try_spawn(order)  # the first was gone already
        except OSError as error:
            raise SandboxError(f"The process that starts scripts takes no requests: {error}.") from error

    def _try_spawn(self, order: SpawnOrder) -> ReaperChannel:
        reaper = self._reaper_process()
        try:
            return reaper.spawn(order)
        except OSError:
            self.discard(reaper)
            raise

    def _reaper_process(self) -> ReaperProcess:
        with self._lock:
            if self._is_closed:
                raise SandboxError(
                    "No script can be started any more: what starts them was closed.",
                    next_step="Use the runner inside its `with` block, or make a new one.",
                )
            if self._reaper is None:
                self._reaper = ReaperProcess(self._kind, self._limits)
            return self._reaper

    def discard(self, reaper: ReaperProcess) -> SandboxError:
        """Have no more to do with one that is gone or hung; returns what it said of that.

        It may look alive for a moment still: a script that it was about to start holds its descriptors until then.
        """
        with self._lock:
            reaper.kill()
            why = reaper.exit_error()
            if self._reaper is reaper:
                self._reaper = None
                reaper.close()
            return why

    def close(self) -> None:
        """End the reaper and, by it, everything that it started. Nothing is started any more."""
        with self._lock:
            self._is_closed = True
            if self._reaper is not None:
                self._reaper.close()
                self._reaper = None
