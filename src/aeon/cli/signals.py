"""The signals that end a command, and their exit codes."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from aeon.cli import TERMINATION_SIGNALS
from aeon.cli.exit_codes import ExitCode

_REPEAT_DELAY = 0.01
"""Seconds until a signal that could not end the command is sent again."""

_LONGEST_IMPORT = 1.5
"""Seconds for which an import may go on after a signal."""

_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"

_importing_since: float | None = None
"""When the first signal came that waits for the end of an import."""

_dropped: list[int] = []
"""The signals whose exceptions were dropped. What dropped one may have failed because of it."""


class TerminatedBySignal(KeyboardInterrupt):
    """A signal asked the process to end. A KeyboardInterrupt, so that no tool's error handling hides it.

    It is raised again if it is dropped before somebody asked for its exit code: native code, callbacks and class
    creation drop what is raised in them, some without a trace.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.is_handled = False

    def __del__(self) -> None:
        """Raise it again, a moment later and outside of the code that dropped it."""
        if not self.is_handled:
            _dropped.append(self.number)
            _repeat(self.number)


def raise_termination(number: int, frame: FrameType | None) -> None:
    """Handle a signal: raise TerminatedBySignal in the main thread.

    An import is completed first: after one that was cut off, importing the same package again can fail (its submodules
    stay loaded, but are not bound to the new package), and what closes the command's resources imports, too.
    """
    global _importing_since  # noqa: PLW0603  # there is one main thread, and signals reach it alone
    now = time.monotonic()
    if _is_importing(frame):
        _importing_since = _importing_since or now
        if now - _importing_since < _LONGEST_IMPORT:
            _repeat(number)
            return
    _importing_since = None
    raise TerminatedBySignal(number)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False


def _repeat(number: int) -> None:
    """Send the main thread a signal again, a moment later; a real one, so that it wakes from whatever it waits for."""
    timer = threading.Timer(_REPEAT_DELAY, signal.pthread_kill, (threading.main_thread().ident, number))
    timer.daemon = True
    timer.start()


def dropped_termination() -> TerminatedBySignal | None:
    """Return the termination that was dropped and not handled since, if any."""
    return TerminatedBySignal(_dropped[-1]) if _dropped else None


def exit_code_of(stop: KeyboardInterrupt) -> ExitCode:
    """Return the exit code of a command that was ended by `stop`, which counts as handled from now on."""
    if not isinstance(stop, TerminatedBySignal):
        return ExitCode.INTERRUPTED
    stop.is_handled = True
    return exit_code_for(stop.number)


def exit_code_for(number: int) -> ExitCode:
    """Return the exit code of a command that signal `number` ended."""
    return ExitCode(128 + number)


def handled_signals() -> list[signal.Signals]:
    """Return the signals that end this process; under `nohup`, SIGHUP is not among them."""
    handles_hangup = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [number for number in TERMINATION_SIGNALS if handles_hangup or number is not signal.SIGHUP]


def drain_requested_by_signal() -> Callable[[], bool]:
    """Let the first SIGTERM from now on request a drain, and a second one end the process; return whether one came."""
    requests: list[int] = []

    def request(number: int, frame: FrameType | None) -> None:
        requests.append(number)
        if len(requests) > 1:
            raise_termination(number, frame)

    signal.signal(signal.SIGTERM, request)
    return lambda: bool(requests)
