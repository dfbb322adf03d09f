"""The words of `aeon skill run` that belong to a script, and the input that options give it."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from aeon.cli.command_class import OutputCommand

if TYPE_CHECKING:
    from typer._click.core import Context  # the base class names it; typer exports another

_SCRIPT_PATH = re.compile(
    r"(skills/)?[\w-]+(/[\w.-]+)+|(skills/)?[\w-]+(/[\w. -]+)+\.(py|sh|bash|js|mjs|cjs|ts|rb|pl|ps1)"
)
"""`NAME/script.py`, `NAME/scripts/deep/script.py`, `NAME/my script.py`.

A request has blanks, too, so a name with blanks must have the suffix of a script.
"""

_INPUT = "--input"


def names_script(word: str) -> bool:
    """Whether a word names a script of a skill, and no plan."""
    return _SCRIPT_PATH.fullmatch(word) is not None and not word.endswith(".json")


class ScriptAwareCommand(OutputCommand):
    """A command whose options end at the name of a script: all that follows belongs to the script."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        ctx.allow_interspersed_args = not self._is_for_script(ctx, args)
        return super().parse_args(ctx, args)

    def _is_for_script(self, ctx: "Context", args: Sequence[str]) -> bool:
        ctx.allow_interspersed_args = False
        opts, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
        words = [*cast(Sequence[str], opts.get("what") or ()), *rest]
        return bool(words) and names_script(words[0])


def take_inputs(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the values of `--input` among a script's words, and the other words."""
    inputs: list[str] = []
    others: list[str] = []
    left = iter(words)
    for word in left:
        if word == _INPUT:
            inputs.append(next(left, ""))
        elif word.startswith(f"{_INPUT}="):
            inputs.append(word.removeprefix(f"{_INPUT}="))
        else:
            others.append(word)
    return inputs, others
