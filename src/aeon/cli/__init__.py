"""The command `aeon`: a thin layer over the packages below. Data on stdout, everything else on stderr."""

import gc
import os
import signal
import sys

TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a command to end: from Ctrl-C, from the parent process, from a terminal that closes."""

_COLLECTION_THRESHOLD = 100_000
"""New objects between two garbage collections: more than a short command makes (decision 44)."""


def main() -> None:
    """Run the command line of this process and end the process with its exit code."""
    # Many modules loaded here turn an interruption into another error, or drop it: block it until the entry point.
    signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATION_SIGNALS)
    gc.set_threshold(_COLLECTION_THRESHOLD)
    # Pydantic looks through all installed packages for plugins otherwise; a command has no use for any.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from aeon.cli.entrypoint import run_process

    run_process(sys.argv[1:])
