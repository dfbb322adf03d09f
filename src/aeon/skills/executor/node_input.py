"""A node's input at the moment it runs: references filled in, then held against the script's schema (skills 5, 7)."""

import re
from collections.abc import Collection, Mapping
from typing import cast

from aeon.base.binding import as_text, bind, reference_pattern, split_reference
from aeon.base.errors import BindingError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.skills.executor.node_verdict import NodeFailure, join_problems
from aeon.skills.failures import FailureClass
from aeon.skills.models import SkillScript
from aeon.skills.plan.check import compile_declared_schema
from aeon.skills.plan.graph import TOOL_PREFIX

_REFERENCE = reference_pattern(TOOL_PREFIX)


def bind_input(
    written: JsonObject,
    outputs: Mapping[str, Json],
    absent: Collection[str],
    script: SkillScript,
    *,
    refers: bool = True,
) -> JsonObject | NodeFailure:
    """The input with the outputs of earlier nodes in it, or why the script cannot have it.

    `absent` are the optional nodes that gave nothing. What refers to one of them is left out of its object, null in a
    list, and empty inside a longer text (skills 5). Where nothing `refers`, all is taken as it is written.
    """
    try:
        known = {*outputs, *absent}
        bound: JsonObject = (
            bind(_without_absent(written, frozenset(absent), known), outputs, prefix=TOOL_PREFIX) if refers else written
        )
    except BindingError as error:
        return NodeFailure(FailureClass.UNKNOWN_REFERENCE, error.message)
    if impure := json_problems(bound):
        return NodeFailure(
            FailureClass.INVALID_INPUT, f"The input is no JSON that can be passed on: {join_problems(impure)}"
        )
    check = compile_declared_schema(script.input_schema)
    if isinstance(check, str):
        return NodeFailure(FailureClass.CONFIGURATION, f"The script's input schema is no valid JSON Schema: {check}")
    if check is None or check.is_valid(bound):
        return bound
    said = join_problems(check.problems(bound))
    return NodeFailure(FailureClass.INVALID_INPUT, f"The input does not fit the script's schema: {said}")


def fill_text(text: str, outputs: Mapping[str, Json]) -> tuple[str, list[str]]:
    """`text` with every reference filled in, and those that could not be, which leave nothing behind."""
    missing: list[str] = []

    def fill(found: re.Match[str]) -> str:
        try:
            return as_text(bind(found[0], outputs, prefix=TOOL_PREFIX))
        except BindingError:
            missing.append(found[0])
            return ""

    return _REFERENCE.sub(fill, text), missing


def _without_absent(value: Json, absent: frozenset[str], known: Collection[str]) -> Json:
    """`value` without its references to `absent` nodes."""
    if not absent:
        return value
    if isinstance(value, dict):
        kept = cast(JsonObject, value).items()
        return {key: _without_absent(item, absent, known) for key, item in kept if not _is_absent(item, absent, known)}
    if isinstance(value, list):
        listed_values = cast(list[Json], value)
        return [
            None if _is_absent(item, absent, known) else _without_absent(item, absent, known) for item in listed_values
        ]
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: "" if _is_absent(found[0], absent, known) else found[0], value)
    return value


def _is_absent(value: Json, absent: frozenset[str], known: Collection[str]) -> bool:
    """Whether `value` is exactly one reference, and to a node that gave nothing."""
    whole = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    named = split_reference(whole[1], known) if whole else None
    return named is not None and named[0] in absent
