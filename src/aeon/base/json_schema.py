"""JSON Schema (draft 2020-12 unless the schema says otherwise), compiled once, every error with its path."""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn, cast

import jsonschema_rs

from aeon.base.json import Json, JsonObject, canonical, parse_strict

_CONDITIONAL = frozenset(
    {"if", "then", "else", "not", "anyOf", "oneOf", "dependentSchemas", "contains"}
    | {"unevaluatedProperties", "unevaluatedItems"}
)
"""Keywords whose verdict may turn on any value of the whole."""

_STRUCTURAL = frozenset(
    {"type", "required", "additionalProperties", "dependentRequired"}
    | {"minProperties", "maxProperties", "minItems", "maxItems"}
)
"""Keywords that look at an object's keys or a list's length alone, not at the values inside."""


UNESCAPED = r'[^{}"\\\x00-\x1f]'
"""One character, as a pattern: no brace, and none that JSON has to escape.

llama.cpp holds a pattern against a string's JSON, not against the string: `[^{}]` takes the quote that ends it, and the
rest of the object with it.
"""


class Problem(NamedTuple):
    """One thing wrong with a value: where (`$.steps[0].tool`) and what."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class SchemaCheck:
    """A compiled schema. Remote references are refused: checking never opens a connection."""

    def __init__(self, schema: JsonObject) -> None:
        """Raises ValueError when `schema` is no valid JSON Schema."""
        self.schema = schema
        try:
            self._validator = jsonschema_rs.validator_for(schema, retriever=_refuse_remote)
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
            raise ValueError(str(error).partition("\n")[0]) from None

    def is_valid(self, value: Json) -> bool:
        """Whether `value` fits; False also for what is no JSON at all."""
        try:
            return self._validator.is_valid(value)
        except ValueError:
            return False

    def problems(self, value: Json) -> list[Problem]:
        """Everything wrong with `value`, empty when it fits."""
        try:
            return [Problem(_path(e.instance_path), e.message[:500]) for e in self._validator.iter_errors(value)]
        except ValueError as error:
            return [Problem("$", f"is no JSON value ({error})")]

    def certain_problems(self, value: Json, unknown: Collection[str]) -> list[Problem]:
        """Those of `problems` that hold whatever will stand at the paths `unknown` in place of what stands there now.

        In doubt a problem is left out: a later check of the whole value finds it.
        """
        if not unknown:
            return self.problems(value)
        under = frozenset(unknown)
        try:
            found = [
                (path, e) for e in self._validator.iter_errors(value) if (path := _path(e.instance_path)) not in under
            ]
        except ValueError as error:
            return [Problem("$", f"is no JSON value ({error})")]
        above = frozenset(part for path in unknown for part in _prefixes(path)) if found else under
        return [
            Problem(path, error.message[:500])
            for path, error in found
            if under.isdisjoint(_prefixes(path)) and _is_certain(error.evaluation_path, path in above)
        ]


def schema_problem(schema: JsonObject) -> str | None:
    """Why `schema` is no valid JSON Schema, or None."""
    try:
        SchemaCheck(schema)
    except (ValueError, TypeError) as error:
        return str(error)
    return None


def schema_check(schema: JsonObject) -> SchemaCheck:
    """The compiled form of `schema`, from a cache keyed by its canonical text."""
    return _compiled(canonical(schema))


@lru_cache(maxsize=512)
def _compiled(text: str) -> SchemaCheck:
    return SchemaCheck(parse_strict(text))


def embedded(schema: JsonObject, name: str) -> tuple[JsonObject, JsonObject]:
    """`schema` as a part of another one, and the definitions which that has to have at its root under `$defs`.

    References by pointer go on meaning what they mean: they lead into the whole schema, defined as `name`.
    """
    moved = cast(JsonObject, _moved(schema, f"#/$defs/{name}"))
    if moved == schema:
        return schema, {}
    return {key: value for key, value in moved.items() if key not in ("$defs", "definitions")}, {name: moved}


def _moved(schema: Json, root: str) -> Json:
    if isinstance(schema, list):
        return [_moved(item, root) for item in cast(list[Json], schema)]
    if not isinstance(schema, dict):
        return schema
    node = {key: _moved(value, root) for key, value in cast(JsonObject, schema).items()}
    reference = node.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        node["$ref"] = root + reference.removeprefix("#")
    return node


def _path(parts: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


def _prefixes(path: str) -> Iterator[str]:
    """The path itself and every path above it, keys with dots in them read as several."""
    yield path
    for index, letter in enumerate(path):
        if letter in ".[":
            yield path[:index]


def _is_certain(keywords: Sequence[str | int], is_above_unknown: bool) -> bool:
    if _CONDITIONAL.intersection(keywords[:-1]):
        return False
    return not is_above_unknown or keywords[-1] in _STRUCTURAL


def _refuse_remote(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema; put the definition under $defs")
