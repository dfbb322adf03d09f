"""The two ways out: data to stdout, words for people to stderr."""

import os
import sys
from contextlib import suppress

from aeon.base.errors import AeonError


def print_data(text: str) -> None:
    """Data, or an answer. A reader that has gone away ends the command."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def discard_stdout() -> None:
    """What is left for a stdout that cannot be written goes nowhere; else Python tries again as the process ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def print_message(text: str, first: str = "", rest: str = "") -> None:
    """Words for people, wrapped at spaces only. Nobody listening is no reason to stop."""
    from aeon.cli.text import COLUMNS, wrap

    with suppress(OSError, ValueError):
        sys.stderr.write("\n".join(wrap(text, COLUMNS, first, rest, keeps_words=True)) + "\n")
        sys.stderr.flush()


def print_error(error: AeonError) -> None:
    """What went wrong, and what to do next."""
    print_message(error.message.rstrip(), "error: ")
    if error.advice:
        print_message(error.advice, "next: ")
