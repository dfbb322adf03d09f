"""Output: data to stdout, messages for people to stderr."""

import os
import sys
from contextlib import suppress
from typing import TextIO

from aeon.base.errors import AeonError
from aeon.cli.next_steps import advice_of


def print_data(text: str) -> None:
    """Print data or an answer to stdout. If its reader has closed the pipe, the command ends."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def discard_unwritten(stream: TextIO) -> None:
    """Send what is left for an unwritable stream to /dev/null; else Python tries again when the process exits."""
    with suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)


def print_message(text: str, first: str = "", rest: str = "") -> None:
    """Print a message to stderr, wrapped at spaces only. A closed stderr does not end the command."""
    from aeon.cli.text import COLUMNS, wrap

    with suppress(OSError, ValueError):
        sys.stderr.write("\n".join(wrap(text, COLUMNS, first, rest, keeps_words=True)) + "\n")
        sys.stderr.flush()


def print_command(command: str) -> None:
    """Print a command to stderr, indented and in one line, so that it can be copied."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"  {command}\n")
        sys.stderr.flush()


def print_error(error: AeonError) -> None:
    """Print what went wrong, and what to do next."""
    print_message(error.message.rstrip(), "error: ")
    if advice := advice_of(error):
        print_message(advice, "next: ")
