"""The command `aeon`: a thin face on the rooms below. Data on stdout, everything else on stderr."""

import signal
import sys

TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks a command to end: Ctrl-C, whoever started it, its terminal when that goes away."""


def main() -> None:
    """Run the command line of this process and end the process with its exit code."""
    # Half of what is loaded here turns an interruption into another error, or drops it: it waits for the boundary.
    signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
    from aeon.cli.entrypoint import run_process

    run_process(sys.argv[1:])
