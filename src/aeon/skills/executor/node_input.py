"""Binds a node's input: fills in references, then checks the schema (skills 5, 7)."""

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
    """Returns the input with outputs of earlier nodes filled in, or the failure.

    `absent` are the optional nodes without an output. A reference to one of them is left out of its object, null in a
    list, and empty inside a longer text (skills 5). If `refers` is false, the input is used as written.
    """
    try:
        known = {*outputs, *absent}
        bound: JsonObject = (
            bind(_without_absent(written, frozenset(absent), known), outputs, prefix=TOOL_PREFIX) if refers else written
        )
    except BindingError as error:
        return NodeFailure(FailureClass.UNKNOWN_REFERENCE, error.message)
    if json_faults := json_problems(bound):
        return NodeFailure(FailureClass.INVALID_INPUT, f"The input is not valid JSON: {join_problems(json_faults)}")
    check = compile_declared_schema(script.input_schema)
    if isinstance(check, str):
        return NodeFailure(FailureClass.CONFIGURATION, f"The script's input schema is not a valid JSON Schema: {check}")
    if check is None or check.is_valid(bound):
        return bound
    problems = join_problems(check.problems(bound))
    return NodeFailure(FailureClass.INVALID_INPUT, f"The input does not fit the script's schema: {problems}")


def fill_text(text: str, outputs: Mapping[str, Json]) -> tuple[str, list[str]]:
    """Returns `text` with every reference filled in, and the references without a value.

    The latter become empty.
    """
    missing: list[str] = []

    def fill(match: re.Match[str]) -> str:
        try:
            return as_text(bind(match[0], outputs, prefix=TOOL_PREFIX))
        except BindingError:
            missing.append(match[0])
            return ""

    return _REFERENCE.sub(fill, text), missing


def _without_absent(value: Json, absent: frozenset[str], known: Collection[str]) -> Json:
    """Returns `value` without its references to `absent` nodes."""
    if not absent:
        return value
    if isinstance(value, dict):
        kept = cast(JsonObject, value).items()
        return {key: _without_absent(item, absent, known) for key, item in kept if not _is_absent(item, absent, known)}
    if isinstance(value, list):
        items = cast(list[Json], value)
        return [None if _is_absent(item, absent, known) else _without_absent(item, absent, known) for item in items]
    if isinstance(value, str):
        return _REFERENCE.sub(lambda match: "" if _is_absent(match[0], absent, known) else match[0], value)
    return value


def _is_absent(value: Json, absent: frozenset[str], known: Collection[str]) -> bool:
    """Whether `value` is exactly one reference, and that to an absent node."""
    whole = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    reference = split_reference(whole[1], known) if whole else None
    return reference is not None and reference[0] in absent
