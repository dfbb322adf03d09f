"""The signals that end a command, and their exit codes."""

import signal

from aeon.cli import TERMINATION_SIGNALS
from aeon.cli.exit_codes import ExitCode


class TerminatedBySignal(KeyboardInterrupt):
    """A signal asked the process to end. A KeyboardInterrupt, so that no tool's error handling hides it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code_of(stop: KeyboardInterrupt) -> ExitCode:
    """Return the exit code of a command that was ended by `stop`."""
    return ExitCode(128 + signal_number_of(stop))


def handled_signals() -> list[signal.Signals]:
    """Return the signals that end this process; under `nohup`, SIGHUP is not among them."""
    handles_hangup = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    return [number for number in TERMINATION_SIGNALS if handles_hangup or number is not signal.SIGHUP]


def signal_number_of(stop: KeyboardInterrupt) -> int:
    """Return the number of the signal behind `stop`; SIGINT for a plain KeyboardInterrupt."""
    return stop.number if isinstance(stop, TerminatedBySignal) else signal.SIGINT
