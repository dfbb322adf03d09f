"""JSON Schema (draft 2020-12 unless the schema says otherwise), compiled once, every error with its path."""

from functools import lru_cache
from typing import NamedTuple, NoReturn

import jsonschema_rs

from aeon.base.json import Json, JsonObject, canonical, parse_strict


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


def _path(parts: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


def _refuse_remote(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema; put the definition under $defs")
