"""Closing of a text that stops early: only if the model forgot its last brackets and nothing else can be missing."""

import re
from typing import Any, cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.base.json_schema import CompiledSchema
from aeon.base.lazy_pattern import LazyPattern

_PART = LazyPattern(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|"', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}


def open_brackets(text: str) -> str | None:
    """The brackets still open at the end of JSON text, outermost first; None inside a string or on a mismatch."""
    stack: list[str] = []
    for match in _PART.finditer(text):
        part = match[0]
        if part in _CLOSER:
            stack.append(part)
        elif part == '"' or (part in "}]" and (not stack or _CLOSER[stack.pop()] != part)):
            return None
    return "".join(stack)


def close_brackets(text: str, schema: CompiledSchema | None, *, has_ended: bool) -> Json:
    """The value of `text` with its missing last brackets. Raises ValueError unless every value in it is complete.

    With `has_ended` (a closing fence, or a server that reported that the model stopped) any number of brackets may
    be missing. Without it a forgotten bracket and a cut between two values look the same, so each open object must
    already have every key that the schema allows, and each open array as many items (core 9).
    """
    stack = open_brackets(text)
    body = text.rstrip()
    if not stack or body[-1:] in _CLOSER:
        raise ValueError("no bracket is missing at the end, or nothing follows the last open one")
    if body[-1:].isalnum() and not has_ended:
        raise ValueError("the last number or word may be incomplete")
    value = parse_strict(body + "".join(_CLOSER[mark] for mark in reversed(stack)))
    if not has_ended and not _is_full(value, schema, len(stack)):
        raise ValueError("more values may be missing")
    return value


def _is_full(value: Json, schema: CompiledSchema | None, levels: int) -> bool:
    """Whether the last `levels` containers at the end of `value` are full."""
    rule: Json = schema.schema if schema is not None else {}
    for _ in range(levels):
        if not isinstance(rule, dict):
            return False
        if isinstance(value, dict):
            value, rule = _last_member(cast(JsonObject, value), cast(JsonObject, rule))
        else:
            value, rule = _last_item(cast("list[Json]", value), cast(JsonObject, rule))
        if rule is None:
            return False
    return True


def _last_member(value: JsonObject, rule: JsonObject) -> tuple[Json, Any]:
    known: JsonObject = rule.get("properties") or {}
    is_fixed = rule.get("additionalProperties") is False and "patternProperties" not in rule
    if not is_fixed or not value or set(known) != set(value):
        return None, None
    key = next(reversed(value))
    return value[key], known[key]


def _last_item(value: list[Json], rule: JsonObject) -> tuple[Json, Any]:
    if not value or rule.get("maxItems") != len(value) or "prefixItems" in rule:
        return None, None
    return value[-1], rule.get("items", {})
