"""`--input`: the one form in which commands take the inputs of Processes, tools and scripts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, parse_typed_text
from aeon.base.json_schema import compile_schema
from aeon.cli.inputs import read_json_object, read_text_file

_EXAMPLES = """Write --input topic=tea, --input topic@tea.txt, --input '{"topic": "tea"}', or --input @inputs.json."""


class GivenInputs(NamedTuple):
    """The inputs of all `--input` options together, and the words of those that were given as NAME=VALUE or NAME@FILE.

    The words are read as JSON if they are some, until a schema says that they are a text.
    """

    values: JsonObject
    words: Mapping[str, str]

    def fitted(self, schemas: Mapping[str, Json], *, untyped: Sequence[str] = ()) -> JsonObject:
        """The inputs, with the words themselves where the schema takes a text and not what they say as JSON.

        `customer=12` is the text "12" where the schema of `customer` has the type string. `untyped` are the types of
        an input whose schema has none. Raises InputError for `rows=@FILE` where `rows` is not a text.
        """
        for name, words in self.words.items():
            if words.startswith("@") and _takes_no_text(schemas.get(name)):
                message = f"The input {name!r} is not a text, so {words!r} is not for it."
                raise InputError(message, next_step=f"To take it from a file, write --input {name}{words}")
        types = {name: _types(schemas.get(name)) or [*untyped] for name in self.words}
        texts = {
            name: words
            for name, words in self.words.items()
            if "string" in types[name] and not _fits(types[name], self.values[name])
        }
        return {**self.values, **texts}


def property_schemas(schema: JsonObject) -> Mapping[str, Json]:
    """The schemas of the fields of an object's schema, also of those that one of several forms of it declares."""
    forms = [schema, *(each for word in ("anyOf", "oneOf", "allOf") for each in schema.get(word) or ())]
    fields: JsonObject = {}
    for form in reversed(forms):
        if isinstance(form, dict):
            fields |= cast(JsonObject, form).get("properties") or {}
    return fields


def read_inputs(inputs: Sequence[str]) -> GivenInputs:
    """Return the inputs of all `--input` options together.

    Each is NAME=VALUE with JSON or text, NAME@FILE with the same in a file, a JSON object, `@FILE` with one, or `-` or
    `@-` for one on stdin. A later one replaces what an earlier object has. Raises InputError with all that are
    malformed, or all names given twice.
    """
    named = {each: _named(each) for each in inputs if not each.lstrip().startswith(("{", "[", "@")) and each != "-"}
    if malformed := [written for written, each in named.items() if not each.name]:
        raise InputError(
            f"These inputs are not of the form NAME=VALUE or NAME@FILE: {', '.join(malformed)}.", next_step=_EXAMPLES
        )
    names = Counter(named[each].name for each in inputs if each in named)
    if repeated := [name for name, times in names.items() if times > 1]:
        raise InputError(
            f"These inputs are given more than once: {', '.join(repeated)}.",
            next_step='Give each once; several values are a list, such as --input \'topics=["tea", "milk"]\'.',
        )
    values: JsonObject = {}
    words: dict[str, str] = {}
    for each in inputs:
        if each in named:
            name = named[each].name
            words[name] = named[each].words()
            values[name] = parse_typed_text(words[name])
        else:
            given = read_json_object(each)
            values |= given
            words = {name: text for name, text in words.items() if name not in given}
    return GivenInputs(values, words)


class _NamedInput(NamedTuple):
    """One NAME=VALUE or NAME@FILE; the name is empty if it is neither."""

    name: str
    value: str
    is_file: bool

    def words(self) -> str:
        """The value, or what the file has, without one line end after it."""
        if not self.is_file:
            return self.value
        text = read_text_file(Path(self.value), f"The input {self.name!r}")
        return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _named(written: str) -> _NamedInput:
    """Only the part before a "=" decides: a value may contain "@" and is never taken for the name of a file."""
    name, equals, value = written.partition("=")
    if equals:
        return _NamedInput(name, value, is_file=False)
    name, at, file = written.partition("@")
    return _NamedInput(name if at and file else "", file, is_file=True)


def _types(schema: Json) -> list[Json]:
    """The types that a schema names; empty if it names none."""
    types: Json = cast(JsonObject, schema).get("type", []) if isinstance(schema, dict) else []
    return cast(list[Json], types) if isinstance(types, list) else [types]


def _takes_no_text(schema: Json) -> bool:
    types = _types(schema)
    return bool(types) and "string" not in types


def _fits(types: list[Json], value: Json) -> bool:
    """Whether a value has one of the types: a text in quotes, or JSON that is taken beside texts."""
    return isinstance(value, str) or compile_schema({"type": types}).is_valid(value)
