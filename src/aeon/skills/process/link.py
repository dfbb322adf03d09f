"""Aeon's end of a warden: starts it when it is first needed, hands it requests, starts another when it is gone."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from aeon.base.errors import SandboxError
from aeon.skills.process.warden.wire import WARM_OPTIONS

Kind: TypeAlias = Literal["cold", "warm"]

_BOOT = "import sys; sys.path.append(sys.argv[1]); from warden.main import main; sys.path.pop(); main(sys.argv[2:])"
_SEND_SECONDS = 10.0
"""How long a warden may take to accept a request before it counts as hung."""

_CLOSE_SECONDS = 15.0
"""A little more than a warden takes to end what it started."""


class WardenProcess:
    """One warden. Raises SandboxError when it cannot be started."""

    def __init__(self, kind: Kind) -> None:
        # In memory: a full disk is no reason not to start. Read when the warden is gone.
        self._complaints = os.fdopen(os.memfd_create("complaints", os.MFD_CLOEXEC), "w+b")
        self._door, wardens = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._door.settimeout(_SEND_SECONDS)
        with wardens:
            try:
                self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and our own program
                    _command(kind, wardens.fileno()),
                    cwd="/",
                    env={"LANG": "C.UTF-8"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._complaints,
                    pass_fds=(wardens.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                self._release()
                raise SandboxError(f"The process that starts scripts cannot be started: {error}.") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, fds: list[int]) -> None:
        """Hand over a request's descriptors. Raises OSError when it is gone or hung."""
        socket.send_fds(self._door, [b"start"], fds, socket.MSG_NOSIGNAL)

    def failure(self) -> SandboxError:
        """Why it is gone, as far as it said."""
        said = ""
        with suppress(ValueError):  # another thread has replaced and closed it
            self._complaints.seek(0)
            said = self._complaints.read()[-500:].decode(errors="replace").strip()
        return SandboxError(
            f"The process that starts scripts ended by itself{': ' + said if said else '.'}",
            next_step="Run it again; if that goes on, see whether something on this machine ends it.",
        )

    def kill(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Let it end everything that it started, and then itself."""
        self._door.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)
        self.kill()
        self._release()

    def _release(self) -> None:
        self._door.close()
        self._complaints.close()


def _command(kind: Kind, door: int) -> list[str]:
    isolation = ["-P", *WARM_OPTIONS] if kind == "warm" else ["-I", "-S"]
    return [sys.executable, *isolation, "-c", _BOOT, str(Path(__file__).parent), str(os.getpid()), str(door), kind]


class WardenLink:
    """The warden of one kind: "cold" starts programs, "warm" forks Python scripts. Threads may share it."""

    def __init__(self, kind: Kind) -> None:
        self._kind: Kind = kind
        self._lock = Lock()
        self._warden: WardenProcess | None = None

    def open(self, request: int, stdio: list[int]) -> tuple[WardenProcess, socket.socket]:
        """Have the written request started; returns by whom, and the conversation on which the warden reports.

        Raises SandboxError when no warden can be had.
        """
        mine, wardens = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            return self._send([*stdio, wardens.fileno(), request]), mine
        except BaseException:
            mine.close()
            raise
        finally:
            wardens.close()

    def _send(self, fds: list[int]) -> WardenProcess:
        with suppress(OSError):
            return self._handed(fds)
        try:
            return self._handed(fds)  # the first was gone already
        except OSError as error:
            raise SandboxError(f"The process that starts scripts takes no requests: {error}.") from error

    def _handed(self, fds: list[int]) -> WardenProcess:
        warden = self._running()
        try:
            warden.send(fds)
        except OSError:
            warden.kill()
            raise
        return warden

    def _running(self) -> WardenProcess:
        with self._lock:
            if self._warden is None or not self._warden.is_alive:
                if self._warden is not None:
                    self._warden.close()
                self._warden = WardenProcess(self._kind)
            return self._warden

    def close(self) -> None:
        """End the warden and, by it, everything that it started."""
        with self._lock:
            if self._warden is not None:
                self._warden.close()
                self._warden = None
