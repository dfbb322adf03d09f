"""The signals that end a command, and their exit codes."""

import signal
from types import FrameType
from typing import NoReturn

from aeon.cli import TERMINATION_SIGNALS
from aeon.cli.exit_codes import ExitCode

_REPEAT_DELAY = 0.01


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
            from _thread import interrupt_main
            from threading import Timer

            timer = Timer(_REPEAT_DELAY, interrupt_main, (self.number,))
            timer.daemon = True
            timer.start()


def raise_termination(number: int, frame: FrameType | None) -> NoReturn:
    """Handle a signal: raise TerminatedBySignal in the main thread."""
    del frame
    raise TerminatedBySignal(number)


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
