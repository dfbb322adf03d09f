"""Asks before something is lost."""

import sys

import typer

from aeon.base.errors import InputError
from aeon.cli.console import print_message
from aeon.cli.text import printable


def confirm(loss: str, *, is_confirmed: bool) -> None:
    """Ask on the terminal whether to go on; `loss` says what is lost, as "This deletes x.".

    Raises InputError without a terminal unless it `is_confirmed` by `--yes`, and if the user says no.
    """
    if is_confirmed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{printable(loss)} Nobody can be asked here.", next_step="If you want it, add --yes.")
    print_message(loss)
    if not typer.confirm("Go on?", err=True):
        raise InputError("Nothing was changed.", next_step="Answer y to go on.")
