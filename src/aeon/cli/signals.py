"""The signals that end a command, and the exit codes they lead to."""

import signal

from aeon.cli import TERMINATION_SIGNALS
from aeon.cli.exit_codes import ExitCode


class TerminatedBySignal(KeyboardInterrupt):
    """The process was asked to end by that signal. A KeyboardInterrupt, so that no tool's failure hides it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code_of(stop: KeyboardInterrupt) -> ExitCode:
    """The exit code of a command that ended so."""
    return ExitCode(128 + signal_number_of(stop))


def handled_signals() -> list[signal.Signals]:
    """The signals that end this process: under `nohup` it outlives its terminal."""
    is_tied = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [number for number in TERMINATION_SIGNALS if is_tied or number is not signal.SIGHUP]


def signal_number_of(stop: KeyboardInterrupt) -> int:
    """The number of the signal that interrupted; SIGINT for a plain KeyboardInterrupt."""
    return stop.number if isinstance(stop, TerminatedBySignal) else signal.SIGINT
