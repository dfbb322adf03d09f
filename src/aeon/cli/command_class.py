"""The class of all commands: what every one of them understands besides its own options."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand

_JSON = "--json"


class OutputCommand(TyperCommand):
    """A command whose `--json` is short for `-o json`, if it has the option `-o`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; see the class."""
        if any(each.name == "output" for each in self.params):
            own = options_of(args)
            args = [*("--output=json" if each == _JSON else each for each in own), *args[len(own) :]]
        return super().parse_args(ctx, args)


def options_of(argv: Sequence[str]) -> Sequence[str]:
    """The arguments before `--`, among which options are."""
    return argv[: argv.index("--")] if "--" in argv else argv


def asks_for_json(argv: Sequence[str]) -> bool:
    """Whether a command line wants JSON, also where it is too wrong to be parsed."""
    own = [*options_of(argv)]
    pairs = pairwise(own)
    return bool({_JSON, "-ojson", "--output=json"} & set(own)) or any(
        option in ("-o", "--output") and value == "json" for option, value in pairs
    )


def use_class(group: typer.Typer) -> None:
    """Let every command of a group and of the groups in it be of this class, or of its own subclass."""
    for command in group.registered_commands:
        if command.cls is None or not issubclass(command.cls, OutputCommand):
            command.cls = OutputCommand
    for child in group.registered_groups:
        if child.typer_instance is not None:
            use_class(child.typer_instance)
