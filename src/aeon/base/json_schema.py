"""JSON Schema validation (draft 2020-12 by default), compiled once, every problem with its path."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn, cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.base.schema_size import SchemaSize, schema_size

if TYPE_CHECKING:
    import jsonschema_rs

_CONDITIONAL = frozenset(
    {"if", "then", "else", "not", "anyOf", "oneOf", "dependentSchemas", "contains"}
    | {"unevaluatedProperties", "unevaluatedItems"}
)
"""Keywords whose result may depend on any part of the value."""

_STRUCTURAL = frozenset(
    {"type", "required", "additionalProperties", "dependentRequired"}
    | {"minProperties", "maxProperties", "minItems", "maxItems"}
)
"""Keywords that check only an object's keys or a list's length, not the values inside."""


_MAX_EXPANDED = 20_000
"""Subschemas, with references expanded; checking one part of a value against all of them takes 0.4 ms."""

_MAX_WORK = 100_000_000
"""Expanded subschemas times parts of a value: 2 s."""

_MAX_REPORTED, _MAX_MULTIPLIED = 50_000, 10_000
"""Parts of a value up to which every problem is reported, and the same times the schema's multiplication factor.

Each costs some 20 microseconds and, in nested `anyOf`, up to 20 KB.
"""

_MAX_BRANCHING_DEPTH = 64
"""Levels at which any branching recursion is too much."""

UNESCAPED_CHARACTER = r'[^{}"\\\x00-\x1f]'
"""The pattern of one character that is not a brace and needs no escape in JSON.

llama.cpp matches a pattern against a string's JSON, not against the string: `[^{}]` would match the closing quote, and
the rest of the object with it.
"""


class ValidationProblem(NamedTuple):
    """One problem of a value: its path (`$.steps[0].tool`) and a message."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class CompiledSchema:
    """A compiled schema. Remote references are refused: validation never opens a connection.

    Time and memory are bounded: a schema that is too large with its references expanded is refused, and if finding
    all problems could take too long, only the first is reported, or that there is one.
    """

    def __init__(self, schema: JsonObject, *, asserts_formats: bool = False, is_checked: bool = False) -> None:
        """`asserts_formats` makes a `format` such as uri a requirement; by default it is only an annotation.

        A schema that is known to be valid `is_checked`: it is compiled at its first use.
        Raises ValueError if `schema` is not a valid JSON Schema or is too large.
        """
        self.schema = schema
        self._asserts_formats = asserts_formats
        if not is_checked:
            _ = self._validator

    @cached_property
    def _size(self) -> SchemaSize:
        size = schema_size(self.schema)
        if size.expanded > _MAX_EXPANDED:
            raise ValueError(
                f"with its references expanded it has {size.expanded:,} parts, more than {_MAX_EXPANDED:,}; "
                "use fewer references to definitions that contain several references themselves"
            )
        return size

    @cached_property
    def _validator(self) -> "jsonschema_rs.Validator":
        _ = self._size  # refuses a schema that is too large
        import jsonschema_rs  # slow to load

        try:
            return jsonschema_rs.validator_for(
                self.schema, retriever=_refuse_remote, validate_formats=self._asserts_formats or None
            )
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
            raise ValueError(str(error).partition("\n")[0]) from None

    def is_valid(self, value: Json) -> bool:
        """Whether `value` fits the schema; False for anything that is not JSON."""
        try:
            return not self._is_too_much(value) and self._validator.is_valid(value)
        except ValueError:
            return False

    def problems(self, value: Json) -> list[ValidationProblem]:
        """All problems of `value`, empty if it fits; only the first problem if the value is too large."""
        return [traced.problem for traced in self._traced_problems(value)]

    def certain_problems(self, value: Json, unknown: Collection[str]) -> list[ValidationProblem]:
        """Those of `problems` that remain for every possible value at the paths `unknown`.

        A doubtful problem is left out: a later check of the whole value finds it.
        """
        if not unknown:
            return self.problems(value)
        under = frozenset(unknown)
        traced = [each for each in self._traced_problems(value) if each.problem.path not in under]
        above = frozenset(part for path in unknown for part in _prefixes(path)) if traced else under
        return [each.problem for each in traced if not each.keywords or _is_certain(each, under, above)]

    def _traced_problems(self, value: Json) -> "list[_TracedProblem]":
        try:
            if self._is_too_much(value):
                return [_root_problem("is too large for a schema with this many references")]
            if self._validator.is_valid(value):
                return []
            if self._are_all_reported(value):
                return [_traced(error) for error in self._validator.iter_errors(value)]
            return [self._first(value)]
        except ValueError as error:
            return [_root_problem(f"is not a JSON value ({error})")]

    def _is_too_much(self, value: Json) -> bool:
        if not self._size.can_multiply:
            return False
        limit = _MAX_WORK // self._size.expanded
        return _measured(value, limit)[0] > limit

    def _are_all_reported(self, value: Json) -> bool:
        parts, depth = _measured(value, _MAX_REPORTED)
        if not self._size.can_multiply:
            return parts <= _MAX_REPORTED
        times = self._size.expanded * max(1, self._size.recursions) ** min(depth, _MAX_BRANCHING_DEPTH)
        return parts * times <= _MAX_MULTIPLIED

    def _first(self, value: Json) -> "_TracedProblem":
        """The first problem, if its text is bounded: in nested `anyOf` it contains all the branches."""
        if self._size.can_multiply:
            unlocated = ValidationProblem("$", "does not fit the schema, which has too many references to say where")
            return _TracedProblem(unlocated, ["anyOf", ""])  # it may depend on any part of the value
        import jsonschema_rs

        try:
            self._validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            return _traced(error)
        raise AssertionError("is_valid and validate disagree")


class _TracedProblem(NamedTuple):
    """A problem, and the keywords that led to it; none for a problem that does not depend on other values."""

    problem: ValidationProblem
    keywords: Sequence[str | int]


def _root_problem(message: str) -> _TracedProblem:
    return _TracedProblem(ValidationProblem("$", message), [])


def _traced(error: "jsonschema_rs.ValidationError") -> _TracedProblem:
    return _TracedProblem(ValidationProblem(_path(error.instance_path), error.message[:500]), error.evaluation_path)


def _measured(value: Json, limit: int) -> tuple[int, int]:
    """The number of parts of a value, counted to a little more than `limit`, and their depth."""
    parts, depth, level = 0, 0, [value]
    while level and parts <= limit:
        parts += len(level)
        depth += 1
        level = [part for each in level for part in _parts(each)]
    return parts, depth


def _parts(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return cast(JsonObject, value).values()
    return cast("list[Json]", value) if isinstance(value, list) else ()


def schema_problem(schema: JsonObject) -> str | None:
    """The reason why `schema` is not a valid JSON Schema, or None."""
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
    """`schema` as a part of another schema, and the definitions that the other needs in its root `$defs`.

    References by pointer keep their meaning: they lead into the whole schema, defined as `name`.
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
    """The path itself and every path above it; a key with dots counts as several."""
    yield path
    for index, letter in enumerate(path):
        if letter in ".[":
            yield path[:index]


def _is_certain(traced: _TracedProblem, under: Collection[str], above: Collection[str]) -> bool:
    path, keywords = traced.problem.path, traced.keywords
    return not any(part in under for part in _prefixes(path)) and _is_decided(keywords, path in above)


def _is_decided(keywords: Sequence[str | int], is_above_unknown: bool) -> bool:
    if _CONDITIONAL.intersection(keywords[:-1]):
        return False
    return not is_above_unknown or keywords[-1] in _STRUCTURAL


def _refuse_remote(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema; put the definition under $defs")
