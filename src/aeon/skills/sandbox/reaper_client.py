"""The client of a reaper: starts it, sends requests, replaces it if it died."""

import os
import select
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.invocation import ResourceLimits
from aeon.skills.sandbox.reaper import guard, messages, procfs
from aeon.skills.sandbox.start_errors import too_many_open_files_error

ReaperKind: TypeAlias = Literal["cold", "warm"]

_BOOT = "import sys; sys.path.append(sys.argv[1]); from reaper.main import main; sys.path.pop(); main(sys.argv[2:])"
_SEND_SECONDS = 10.0
"""Seconds that a reaper may take to accept a request before it counts as hung."""

_GUARD_SECONDS = 12.0
"""A little more than a guard needs to end the children of a killed reaper."""

_CLOSE_SECONDS = 15.0
"""A little more than a reaper needs to end what it started."""


_NUMBERS = count(1)


class ReaperChannel:
    """A socket to a reaper, for one script after another, and a file for long requests.

    `epoll` waits for the reaper's messages and for the descriptors that the channel's user registers.
    """

    def __init__(self, reaper: "ReaperProcess") -> None:
        """Raises OSError if too many files are open."""
        self.reaper = reaper
        self.number = next(_NUMBERS)
        with ExitStack() as resources:
            self.request_file = os.memfd_create("request", os.MFD_CLOEXEC)
            resources.callback(os.close, self.request_file)
            self.socket, self.reaper_socket = map(
                resources.enter_context, socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            )
            self.epoll = resources.enter_context(select.epoll())
            self.epoll.register(self.socket, select.EPOLLIN)
            self._resources = resources.pop_all()

    def close(self) -> None:
        """Closes the channel; the reaper ends its script at once."""
        self._resources.close()


class ReaperProcess:
    """One reaper process. Raises SandboxError if it cannot be started."""

    def __init__(self, kind: ReaperKind, limits: ResourceLimits) -> None:
        self._idle: list[ReaperChannel] = []
        # In memory, so that a full disk does not matter. Read after the reaper's death.
        self._stderr = os.fdopen(os.memfd_create("complaints", os.MFD_CLOEXEC), "w+b")
        self._command_socket, reaper_socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._command_socket.settimeout(_SEND_SECONDS)
        with reaper_socket:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own program
                    _command(kind, reaper_socket.fileno(), limits),
                    cwd="/",
                    env={"LANG": "C.UTF-8"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._stderr,
                    pass_fds=(reaper_socket.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                self._release()
                raise SandboxError(f"The process that runs scripts cannot be started: {error}.") from error

    @property
    def pid(self) -> int:
        """The reaper's process id; the child process is the guard, the reaper's parent."""
        return next(iter(procfs.children(self._process.pid)), self._process.pid)

    def spawn(self, request: messages.SpawnRequest, stdio: list[int]) -> ReaperChannel:
        """Sends a request with the script's ends of its pipes.

        Returns the channel for its reports, which the caller must release or close. Raises OSError if the reaper died
        or hung, SandboxError if the request cannot be written.
        """
        channel = self._acquire_channel()
        try:
            length = _write_request(channel.request_file, request)
            start = messages.SpawnCommand(channel.number, stdio, length)
            messages.send_command(self._command_socket, start)
        except BaseException:
            channel.close()
            raise
        return channel

    def release_channel(self, channel: ReaperChannel) -> None:
        """Returns an idle channel for the next request."""
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
        """Returns the error for its death, with the end of its stderr."""
        stderr = ""
        with suppress(ValueError):  # another thread replaced and closed it
            self._stderr.seek(0)
            stderr = self._stderr.read()[-500:].decode(errors="replace").strip()
        return SandboxError(
            f"The process that runs scripts died{': ' + stderr if stderr else '.'}",
            next_step="Run it again; if it happens again, check whether something on this machine kills it.",
        )

    def kill(self) -> None:
        """Kills the reaper and everything below it at once.

        It does so through its guard if that still responds.
        """
        descendants = procfs.children(self._process.pid)
        with suppress(subprocess.TimeoutExpired):
            self._process.send_signal(guard.KILL_SIGNAL)
            self._process.wait(_GUARD_SECONDS)
        self._process.kill()
        self._process.wait()
        for pid in descendants:
            procfs.kill(pid)

    def close(self) -> None:
        """Lets the reaper end everything that it started, and then itself."""
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


def _command(kind: ReaperKind, command_fd: int, limits: ResourceLimits) -> list[str]:
    isolation = ["-P", *messages.WARM_OPTIONS] if kind == "warm" else ["-I", "-S"]
    limit_arguments = map(str, (limits.memory, limits.processes, limits.bytes_written, limits.open_files))
    target = (str(os.getpid()), str(command_fd), kind)
    return [sys.executable, *isolation, "-c", _BOOT, str(Path(__file__).parent), *target, *limit_arguments]


def _open_channel(reaper: ReaperProcess) -> ReaperChannel:
    try:
        return ReaperChannel(reaper)
    except OSError as error:
        raise too_many_open_files_error(error) from error


def _write_request(file: int, request: messages.SpawnRequest) -> int:
    """Writes the request into the file and returns its length."""
    try:
        return messages.write_request(file, request)
    except OSError as error:
        raise SandboxError(
            f"A script cannot be started, since its request cannot be written: {error.strerror}.",
            next_step="Raise the limit on the size of files (ulimit -f) and run it again.",
        ) from error


class ReaperClient:
    """Manages the reaper of one kind: "cold" starts programs, "warm" forks Python scripts.

    Thread-safe.
    """

    def __init__(self, kind: ReaperKind, limits: ResourceLimits) -> None:
        self._kind: ReaperKind = kind
        self._limits = limits
        self._lock = Lock()
        self._reaper: ReaperProcess | None = None
        self._is_closed = False

    def spawn(self, request: messages.SpawnRequest, stdio: list[int]) -> ReaperChannel:
        """Sends a request, to a new reaper if the last one died; see `ReaperProcess.spawn`.

        Raises SandboxError if no reaper accepts it.
        """
        reaper = self._reaper_process()
        with suppress(OSError):
            return reaper.spawn(request, stdio)
        self.discard(reaper)  # it was already dead
        reaper = self._reaper_process()
        try:
            return reaper.spawn(request, stdio)
        except OSError as error:
            raise self.discard(reaper) from error

    def _reaper_process(self) -> ReaperProcess:
        with self._lock:
            if self._is_closed:
                raise SandboxError(
                    "No script can be started: the runner was closed.",
                    next_step="Use the runner inside its `with` block, or make a new one.",
                )
            if self._reaper is None:
                self._reaper = ReaperProcess(self._kind, self._limits)
            return self._reaper

    def discard(self, reaper: ReaperProcess) -> SandboxError:
        """Kills and drops a dead or hung reaper; returns the error for its death.

        It may look alive for a moment: a script that it was starting still holds its descriptors.
        """
        with self._lock:
            reaper.kill()
            error = reaper.exit_error()
            if self._reaper is reaper:
                self._reaper = None
                reaper.close()
            return error

    def close(self) -> None:
        """Ends the reaper and everything that it started; further requests are refused."""
        with self._lock:
            self._is_closed = True
            if self._reaper is not None:
                self._reaper.close()
                self._reaper = None
