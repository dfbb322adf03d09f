"""The two ways out: data to stdout, words for people to stderr."""

import sys
from contextlib import suppress

from aeon.base.errors import AeonError


def put(text: str) -> None:
    """Data, or an answer. A reader that has gone away ends the command."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say(text: str, first: str = "", rest: str = "") -> None:
    """Words for people, wrapped at spaces only. Nobody listening is no reason to stop."""
    from aeon.cli.text import COLUMNS, wrapped

    with suppress(OSError, ValueError):
        sys.stderr.write("\n".join(wrapped(text, COLUMNS, first, rest, keeps_words=True)) + "\n")
        sys.stderr.flush()


def say_error(error: AeonError) -> None:
    """What went wrong, and what to do next."""
    say(error.message.rstrip(), "error: ")
    if error.advice:
        say(error.advice, "next: ")
