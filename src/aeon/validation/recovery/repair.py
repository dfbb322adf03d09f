"""Reads one passage: the proposals in order of trust, each believed only when the audit finds it in the text."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from aeon.base.json import Json, json_problems, parse_strict, unescape_json
from aeon.base.json_schema import CompiledSchema
from aeon.validation.recovery.audit import is_spelling_of
from aeon.validation.recovery.closing import close_brackets
from aeon.validation.recovery.passages import UNPARSED, Passage
from aeon.validation.recovery.proposals import json_repair_value, normalize_tokens

MAX_TIDY = 200_000
"""Characters of one malformed passage that are looked at."""


class PassageReading(NamedTuple):
    """A value and what was done to read it."""

    value: Json
    stages: tuple[str, ...]


def read_passage(passage: Passage, schema: CompiledSchema | None, *, has_stopped: bool) -> PassageReading | None:
    """The value that `passage` spells: the first reading that fits, else the first at all, else None."""
    if passage.value is not UNPARSED:
        return PassageReading(passage.value, ())
    readings: list[PassageReading] = []
    for reading in _readings(passage, schema, has_stopped=has_stopped):
        if schema is None or schema.is_valid(reading.value):
            return reading
        readings.append(reading)
    return readings[0] if readings else None


def _readings(passage: Passage, schema: CompiledSchema | None, *, has_stopped: bool) -> Iterator[PassageReading]:
    text, opened = ("{" + passage.text, ("open",)) if passage.lacks_opener else (passage.text, ())
    has_ended = has_stopped or passage.is_closed_by_fence
    attempts: tuple[tuple[str, Callable[[], Json]], ...] = (
        ("open" if opened else "strict", lambda: parse_strict(text)),
        ("decode", lambda: _escaped(text)),
        ("tidy", lambda: _audited(text, _tidied)),
        ("close", lambda: close_brackets(passage.segment, schema, has_ended=has_ended)),
        ("repair", lambda: _audited(text, json_repair_value)),
    )
    for stage, attempt in attempts:
        try:
            value = attempt()
        except (ValueError, RecursionError):
            continue
        yield PassageReading(value, tuple(dict.fromkeys((*opened, stage))))


def _audited(text: str, propose: Callable[[str], Json]) -> Json:
    if len(text) > MAX_TIDY:
        raise ValueError("too long to repair")
    value = propose(text)
    if json_problems(value) or not is_spelling_of(text, value):
        raise ValueError("the proposal does not stand in the text")
    return value


def _tidied(text: str) -> Json:
    strict = normalize_tokens(text)
    if strict is None:
        raise ValueError("a token has no strict spelling")
    return parse_strict(strict)


def _escaped(text: str) -> Json:
    """JSON whose quotes are all escaped, as it stands inside a JSON string."""
    if '\\"' not in text[:20]:
        raise ValueError("not escaped")
    return parse_strict(unescape_json(text))
