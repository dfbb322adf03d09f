"""The process that keeps the engine: it starts it, holds its lock, and ends it when its last user is gone.

Runs as a script with nothing but the standard library, so that it starts at once and stays small. It is nobody's
child: whoever started it may be killed. The engine's lock is inherited by the engine, so that there is one engine as
long as either of them lives, and the engine ends when its keeper does.
"""

import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_REFUSED = 1

_TICK_SECONDS = 0.25
_LISTEN_SECONDS = 5.0
_STOP_SECONDS = 20.0
_LOG_BYTES = 1_000_000
_PR_SET_PDEATHSIG = 1


class Order(NamedTuple):
    """What to keep: files of the graph, all absolute, and how the engine is called."""

    folder: str
    running: str
    users: str
    log: str
    runtime: str
    socket: str
    command: list[str]
    is_kept: bool


def main(order: Order) -> int:
    """Carry out an order. Returns to who gave it when the lock is had; from there a process of its own goes on."""
    os.umask(0o077)
    lock = os.open(order.running, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _REFUSED
    with suppress(FileExistsError):
        Path(order.runtime).mkdir(0o700)
    if not is_private(Path(order.runtime)):
        return _REFUSED
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(0))
    try:
        keep(order, lock)
    finally:
        tidy(order)
    return 0


def is_private(folder: Path) -> bool:
    """Whether the folder of the socket is there, a folder, and nobody else's."""
    try:
        return _is_ours_alone(folder.lstat())
    except OSError:
        return False


def is_foreign(folder: Path) -> bool:
    """Whether something else is in the folder's place. One that is not there, or just being removed, is not."""
    try:
        return not _is_ours_alone(folder.lstat())
    except FileNotFoundError:
        return False


def _is_ours_alone(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def keep(order: Order, lock: int) -> None:
    """Run the engine until it ends, its users are gone, or its socket is."""
    Path(order.socket).unlink(missing_ok=True)
    sweep(Path(order.folder))
    users = os.open(order.users, os.O_RDWR | os.O_CREAT, 0o600)
    speak_to(Path(order.log))
    living, life = os.pipe()
    engine = started(order.command, (lock, life))
    os.close(life)
    try:
        watch(order, users, living)
    finally:
        stop(engine)


def sweep(folder: Path) -> None:
    """Remove what engines that were killed had begun to write anew; whoever holds the engine's lock is alone here."""
    for part in folder.glob("temp-*"):
        if part.suffix in (".aof", ".rdb"):
            part.unlink(missing_ok=True)


def speak_to(log: Path) -> None:
    """From here on, what this process and the engine say outside the engine's own log goes to it as well."""
    with log.open("ab") as said, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)


def started(command: list[str], inherited: tuple[int, ...]) -> "subprocess.Popen[bytes]":
    """The engine. `inherited` stay open in it."""
    keeper = os.getpid()
    libc = ctypes.CDLL(None)

    def end_with_keeper() -> None:
        if sys.platform == "linux":
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != keeper:
                os._exit(1)

    return subprocess.Popen(  # noqa: S603  # the command that our own supervisor made
        command,
        pass_fds=inherited,
        preexec_fn=end_with_keeper,  # noqa: PLW1509  # this process has one thread
    )


def watch(order: Order, users: int, living: int) -> None:
    """Until it is time to stop. `living` can be read when the engine is gone: nobody holds the other end any more."""
    begun = time.monotonic()
    while not select.select([living], [], [], _TICK_SECONDS)[0]:
        if not Path(order.socket).exists() and time.monotonic() - begun > _LISTEN_SECONDS:
            return  # swept away: nobody can reach this engine any more
        with suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        shorten(Path(order.log))


def shorten(log: Path) -> None:
    """Put a long log aside; the one before goes. The engine opens its log anew for every line."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > _LOG_BYTES:
            log.replace(log.with_suffix(".log.1"))


def stop(engine: "subprocess.Popen[bytes]") -> None:
    """End the engine: it writes what it has to when it is asked, and is killed when it does not end."""
    engine.terminate()
    try:
        engine.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        engine.kill()
        engine.wait()


def tidy(order: Order) -> None:
    """Leave no socket behind, and nothing at all of a graph that is not kept."""
    shutil.rmtree(order.runtime, ignore_errors=True)
    if not order.is_kept:
        shutil.rmtree(order.folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(Order(**json.loads(sys.argv[1]))))
