"""The words of `aeon skill run` that belong to a script, and the input that options give it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_strict
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


def read_inputs(inputs: Sequence[str], schema: JsonObject | None) -> JsonObject:
    """Returns the input that these values of `--input` give; later ones win.

    A VALUE is text; where the schema takes no text it is read as JSON. Raises InputError.
    """
    properties = cast(Mapping[str, Json], (schema or {}).get("properties") or {})
    result: JsonObject = {}
    for written in inputs:
        result |= _object(written) if written.startswith(("{", "@")) else _field(written, properties)
    return result


def _object(written: str) -> JsonObject:
    try:
        text = Path(written[1:]).read_text("utf-8") if written.startswith("@") else written
        value = parse_strict(text)
    except OSError as error:
        message = f"The input {written} cannot be read: {error.strerror}."
        raise InputError(message, next_step="Check the path.") from None
    except ValueError as error:
        raise InputError(f"The input is not JSON: {error}.", next_step="Correct it.") from None
    if not isinstance(value, dict):
        raise InputError("The input is JSON, but not an object.", next_step="Give an object of fields.")
    return cast(JsonObject, value)


def _field(written: str, properties: Mapping[str, Json]) -> JsonObject:
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise InputError(
            f"Not an input: {written!r}.", next_step="Write --input NAME=VALUE, --input JSON, or --input @FILE."
        )
    if _takes_text(properties.get(name)):
        return {name: value}
    try:
        return {name: parse_strict(value)}
    except ValueError:
        return {name: value}


def _takes_text(schema: Json) -> bool:
    kinds: Json = cast(JsonObject, schema).get("type", "string") if isinstance(schema, dict) else "string"
    return kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
