"""How a command inside `aeon chat` is written, and what it does."""

from typing import NamedTuple


class SlashCommand(NamedTuple):
    """A command, how it is written, and what it does."""

    name: str
    usage: str
    help: str
