"""The classes of all commands and groups: what every one of them understands besides its own options."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_JSON, _INPUT = "--json", "--input"

_TEXTS = ("request", "message", "text", "question", "query")
"""The names of arguments that are texts of several words."""

_MAX_PLACES = 4
"""The places of a word that are shown; a word in more of them, such as "list", says nothing about what is meant."""


class OutputCommand(TyperCommand):
    """A command whose `--json` is short for `-o json`, if it has the option `-o`.

    Of words too many, it says how they are written: inputs with their option, and a text in quotes.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; see the class."""
        if any(each.name == "output" for each in self.params):
            own = options_of(args)
            args = [*("--output=json" if each == _JSON else each for each in own), *args[len(own) :]]
        if not ctx.resilient_parsing:
            self._refuse_repeated(ctx, args)
        ctx.allow_extra_args = True
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            ctx.fail(f"Unexpected: {_quoted(*extra)}.{self._advice(ctx, extra)}")
        return extra

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        """Fail if an option that takes one value is given twice: all but the last would have no effect."""
        _, _, given = self.make_parser(ctx).parse_args(args=[*args])
        for option, times in Counter(id(each) for each in given if _takes_one_value(each)).items():
            if times > 1:
                name = next(each for each in given if id(each) == option).opts[0]
                ctx.fail(f"{name} was given {times} times, and takes one value. Give it once.")

    def _advice(self, ctx: Any, extra: list[str]) -> str:
        """How the words that are too many are probably meant."""
        if any(_INPUT in each.opts for each in self.params) and all("=" in each for each in extra):
            options = " ".join(f"{_INPUT} {_quoted(each)}" for each in extra)
            return f" Give inputs as options: {options}."
        texts = [value for name, value in ctx.params.items() if name in _TEXTS and value]
        return f" Put a text in quotes: {_quoted(' '.join([*texts, *extra]))}." if texts else ""


def _takes_one_value(param: Any) -> bool:
    """Whether a parameter is an option with a value of which only the last would count."""
    return param.param_type_name == "option" and not (param.multiple or param.is_flag or param.count)


class CommandGroup(TyperGroup):
    """A group that knows where in it a word belongs that is not its own: `aeon user` is `aeon serve user`.

    Several words in one argument of the outermost group are a request, for which it names `run`.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command that the arguments name. Fails with the command's place, or with near names of its own."""
        word = args[0]
        if " " in word and ctx.parent is None:
            ctx.fail(f"No such command. For a request: {ctx.command_path} run {_quoted(word)}.")
        names = {word, word.removesuffix("s")}
        if not names & self.commands.keys():
            places = [place for place in _places_in(self) if place.split()[-1] in names]
            if 0 < len(places) <= _MAX_PLACES:
                listed = ", ".join(f"`{ctx.command_path} {place}`" for place in places)
                ctx.fail(f"No such command {word!r}. It is a part of another: {listed}.")
        return super().resolve_command(ctx, args)


def _quoted(*words: str) -> str:
    """The words as one writes them in a shell."""
    from aeon.cli.text import printable  # slow to load

    return printable(shlex.join(words))


def _places_in(group: TyperGroup) -> Iterator[str]:
    """The words after a group that name what is in its groups, at every depth: "serve user"."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from (f"{name} {each}" for each in (*command.commands, *_places_in(command)))


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
