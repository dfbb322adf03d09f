"""JSON Schema (draft 2020-12 unless the schema says otherwise), compiled once, every error with its path."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn, cast

import jsonschema_rs

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.base.schema_size import schema_size

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


_MOST_EXPANDED = 20_000
"""Subschemas, references written out; 0.4 ms for each part of a value that is held against all of them."""

_MOST_WORK = 100_000_000
"""Those, times the parts of a value: 2 s."""

_MOST_TOLD, _MOST_MULTIPLIED = 50_000, 10_000
"""Parts of a value of which every problem is told, and the same times what the schema multiplies them by.

Each costs some 20 microseconds and, in nested `anyOf`, up to 20 KB.
"""

_DEEP = 64
"""Levels at which any recursion that branches is too much."""

UNESCAPED_CHARACTER = r'[^{}"\\\x00-\x1f]'
"""One character, as a pattern: no brace, and none that JSON has to escape.

llama.cpp holds a pattern against a string's JSON, not against the string: `[^{}]` takes the quote that ends it, and the
rest of the object with it.
"""


class ValidationProblem(NamedTuple):
    """One thing wrong with a value: where (`$.steps[0].tool`) and what."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class CompiledSchema:
    """A compiled schema. Remote references are refused: checking never opens a connection.

    Time and memory are bounded: a schema that is too large with its references written out is refused, and where
    finding all problems could be too much work only the first is told, or that there is one.
    """

    def __init__(self, schema: JsonObject, *, asserts_formats: bool = False) -> None:
        """`asserts_formats`: a `format` such as uri must hold; it is a note only, unless that is asked for.

        Raises ValueError when `schema` is no valid JSON Schema or is too large.
        """
        self.schema = schema
        self._size = schema_size(schema)
        if self._size.expanded > _MOST_EXPANDED:
            raise ValueError(
                f"with its references written out it has {self._size.expanded:,} parts, more than {_MOST_EXPANDED:,}; "
                "let fewer references lead to definitions that have several references themselves"
            )
        try:
            self._validator = jsonschema_rs.validator_for(
                schema, retriever=_refuse_remote, validate_formats=asserts_formats or None
            )
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
            raise ValueError(str(error).partition("\n")[0]) from None

    def is_valid(self, value: Json) -> bool:
        """Whether `value` fits; False also for what is no JSON at all."""
        try:
            return not self._is_too_much(value) and self._validator.is_valid(value)
        except ValueError:
            return False

    def problems(self, value: Json) -> list[ValidationProblem]:
        """Everything wrong with `value`, empty when it fits; of a value that is too large the first problem alone."""
        return [found.problem for found in self._found(value)]

    def certain_problems(self, value: Json, unknown: Collection[str]) -> list[ValidationProblem]:
        """Those of `problems` that hold whatever will stand at the paths `unknown` in place of what stands there now.

        In doubt a problem is left out: a later check of the whole value finds it.
        """
        if not unknown:
            return self.problems(value)
        under = frozenset(unknown)
        found = [each for each in self._found(value) if each.problem.path not in under]
        above = frozenset(part for path in unknown for part in _prefixes(path)) if found else under
        return [each.problem for each in found if not each.keywords or _holds(each, under, above)]

    def _found(self, value: Json) -> "list[_TracedProblem]":
        try:
            if self._is_too_much(value):
                return [_whole("is too large for a schema with so many references")]
            if self._validator.is_valid(value):
                return []
            if self._are_all_told(value):
                return [_found(error) for error in self._validator.iter_errors(value)]
            return [self._first(value)]
        except ValueError as error:
            return [_whole(f"is no JSON value ({error})")]

    def _is_too_much(self, value: Json) -> bool:
        if not self._size.can_multiply:
            return False
        most = _MOST_WORK // self._size.expanded
        return _measured(value, most)[0] > most

    def _are_all_told(self, value: Json) -> bool:
        parts, depth = _measured(value, _MOST_TOLD)
        if not self._size.can_multiply:
            return parts <= _MOST_TOLD
        times = self._size.expanded * max(1, self._size.recursions) ** min(depth, _DEEP)
        return parts * times <= _MOST_MULTIPLIED

    def _first(self, value: Json) -> "_TracedProblem":
        """The first problem, where the text of one is bounded itself: in nested `anyOf` it has all of its branches."""
        if self._size.can_multiply:
            unsaid = ValidationProblem("$", "does not fit the schema, which has too many references to say where")
            return _TracedProblem(unsaid, ["anyOf", ""])  # it may turn on any value of the whole
        try:
            self._validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            return _found(error)
        raise AssertionError("is_valid and validate disagree")


class _TracedProblem(NamedTuple):
    """A problem, and the keywords that led to it; none for one that is certain, whatever stands elsewhere."""

    problem: ValidationProblem
    keywords: Sequence[str | int]


def _whole(message: str) -> _TracedProblem:
    return _TracedProblem(ValidationProblem("$", message), [])


def _found(error: jsonschema_rs.ValidationError) -> _TracedProblem:
    return _TracedProblem(ValidationProblem(_path(error.instance_path), error.message[:500]), error.evaluation_path)


def _measured(value: Json, most: int) -> tuple[int, int]:
    """How many parts a value has, counted to a little more than `most`, and how deep they lie."""
    parts, depth, level = 0, 0, [value]
    while level and parts <= most:
        parts += len(level)
        depth += 1
        level = [part for each in level for part in _parts(each)]
    return parts, depth


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return cast(JsonObject, value).values()
    return cast("list[Json]", value) if isinstance(value, list) else ()


def schema_problem(schema: JsonObject) -> str | None:
    """Why `schema` is no valid JSON Schema, or None."""
    try:
        CompiledSchema(schema)
    except (ValueError, TypeError) as error:
        return str(error)
    return None


def compile_schema(schema: JsonObject, *, asserts_formats: bool = False) -> CompiledSchema:
    """The compiled form of `schema`, from a cache keyed by its canonical text."""
    return _compiled(canonical_json(schema), asserts_formats)


@lru_cache(maxsize=512)
def _compiled(text: str, asserts_formats: bool) -> CompiledSchema:  # a part of the key
    return CompiledSchema(parse_strict(text), asserts_formats=asserts_formats)


def nest_schema(schema: JsonObject, name: str) -> tuple[JsonObject, JsonObject]:
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


def _holds(found: _TracedProblem, under: Collection[str], above: Collection[str]) -> bool:
    path, keywords = found.problem.path, found.keywords
    return not any(part in under for part in _prefixes(path)) and _is_certain(keywords, path in above)


def _is_certain(keywords: Sequence[str | int], is_above_unknown: bool) -> bool:
    if _CONDITIONAL.intersection(keywords[:-1]):
        return False
    return not is_above_unknown or keywords[-1] in _STRUCTURAL


def _refuse_remote(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema; put the definition under $defs")
