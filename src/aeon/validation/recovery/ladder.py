"""The ladder from a model's text to a value: strict parse, unwrap, decode, repair; the schema gates each rung."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject, canonical_json, json_problems, parse_strict, unescape_json
from aeon.base.json_schema import CompiledSchema, ValidationProblem
from aeon.validation.recovery.audit import is_spelling_of
from aeon.validation.recovery.closing import close_brackets
from aeon.validation.recovery.passages import UNPARSED, Passage, TextLayout, find_passages, strip_reasoning
from aeon.validation.recovery.proposals import json_repair_value, normalize_tokens

MAX_TIDY = 200_000
"""Characters of one malformed passage; a longer one is not repaired."""


class PassageReading(NamedTuple):
    """A value and the stages that were needed to read it."""

    value: Json
    stages: tuple[str, ...]


def read_passage(passage: Passage, schema: CompiledSchema | None, *, has_stopped: bool) -> PassageReading | None:
    """The value of `passage`: the first reading that fits the schema, else the first reading, else None."""
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
        raise ValueError("the proposal does not match the text")
    return value


def _tidied(text: str) -> Json:
    strict = normalize_tokens(text)
    if strict is None:
        raise ValueError("a token has no strict spelling")
    return parse_strict(strict)


def _escaped(text: str) -> Json:
    """JSON whose quotes are all escaped, as inside a JSON string."""
    if '\\"' not in text[:20]:
        raise ValueError("not escaped")
    return parse_strict(unescape_json(text))


MAX_TEXT = 1_000_000
"""Characters of a text; a longer one is refused unread."""

MAX_PASSAGES = 50
_MARGIN = " \t\r\n\ufeff\u200b\u200c\u200d\u2060\u00a0"


class RecoveredValue(NamedTuple):
    """A value that fits the schema. `stages` names the steps that were needed to read it, empty for strict JSON."""

    value: Json
    stages: tuple[str, ...]


class RecoveryFailure(NamedTuple):
    """No fitting value could be read with certainty.

    `parsed_value`: the one value that was read with certainty although it does not fit, or None. Never a guess.
    """

    problems: tuple[ValidationProblem, ...]
    parsed_value: Json | None
    is_truncated: bool


class _TextEnd(NamedTuple):
    """The end of a text: cut off by the token limit, or stopped by the model."""

    is_truncated: bool
    has_stopped: bool


def recover(
    text: str, schema: CompiledSchema | None = None, *, is_truncated: bool = False, has_stopped: bool = False
) -> RecoveredValue | RecoveryFailure:
    """Reads the JSON value in a model's `text`, without a model and without guessing (core 9).

    `is_truncated`: the token limit cut the text off; then only a complete document is accepted.
    `has_stopped`: the server reported that the model stopped (`finish_reason` "stop"); then forgotten last brackets are
    added even where a cut would look the same. Never raises.
    """
    ending = _TextEnd(is_truncated, has_stopped and not is_truncated)
    if len(text) > MAX_TEXT:
        return _refused(f"is {len(text)} characters long, more than the {MAX_TEXT} that are read", ending)
    try:
        value = parse_strict(text)
    except ValueError:
        return _unwrap(text, schema, ending)
    return _judge([PassageReading(value, ())], schema, ending)


def _unwrap(text: str, schema: CompiledSchema | None, ending: _TextEnd) -> RecoveredValue | RecoveryFailure:
    body = strip_reasoning(text)
    if body is None:
        return _refused("is reasoning that never ends in an answer", ending)
    stages = ("reasoning",) if body != text else ()
    body = body.strip(_MARGIN)
    readings = _read(body, schema, ending, is_wide=False)
    if isinstance(readings, str):
        wider = _read(body, schema, ending, is_wide=True)
        readings = readings if isinstance(wider, str) else wider
    if isinstance(readings, str):
        return _refused(readings, ending)
    return _judge([PassageReading(value, (stages + done) or ("clean",)) for value, done in readings], schema, ending)


def _read(body: str, schema: CompiledSchema | None, ending: _TextEnd, *, is_wide: bool) -> list[PassageReading] | str:
    """Every value in `body`, or the reason why they cannot be read."""
    layout = find_passages(body, MAX_PASSAGES, is_wide=is_wide)
    if layout is None:
        return f"holds more than {MAX_PASSAGES} pieces of JSON"
    if complaint := _complaint(layout, ending):
        return complaint
    wrapping = _wrapping(body, layout)
    readings = [read_passage(passage, schema, has_stopped=ending.has_stopped) for passage in layout.passages]
    if None in readings:
        return "holds JSON that cannot be read with certainty"
    return [PassageReading(reading.value, wrapping + reading.stages) for reading in readings if reading is not None]


def _complaint(layout: TextLayout, ending: _TextEnd) -> str:
    """The reason why the passages may not be the whole answer, or ""."""
    if not layout.passages:
        return "holds no JSON"
    if layout.has_stray_json:
        return "goes on as JSON outside of every complete value"
    if not ending.is_truncated:
        return ""
    is_whole = len(layout.passages) == 1 and layout.passages[0].value is not UNPARSED and layout.ends_with_passage
    return "" if is_whole else "was cut off by the token limit before it ended with a complete document"


def _wrapping(body: str, layout: TextLayout) -> tuple[str, ...]:
    if layout.has_fence:
        return ("unfence",)
    first = layout.passages[0]
    if len(layout.passages) == 1 and len(first.segment or first.text) == len(body):
        return ()
    return ("outermost",)


def _judge(
    readings: list[PassageReading], schema: CompiledSchema | None, ending: _TextEnd
) -> RecoveredValue | RecoveryFailure:
    """Accepts the one value that fits. Refuses if two different values fit."""
    if schema is None:
        readings = [reading for reading in readings if isinstance(reading.value, dict)] or readings
    fitting = list(_fitting(readings, schema, ending))
    if len(fitting) > 1:
        fitting = list({_identity(form.value): form for form in fitting}.values())
    if len(fitting) > 1:
        return _refused(f"holds {len(fitting)} different values that fit; which is meant is not certain", ending)
    for only in fitting:
        if ending.is_truncated and isinstance(only.value, int | float) and not isinstance(only.value, bool):
            return _refused("is a number that may go on after the cut", ending)
        return RecoveredValue(only.value, only.stages)
    return _misfit(readings, schema, ending)


def _fitting(
    readings: list[PassageReading], schema: CompiledSchema | None, ending: _TextEnd
) -> Iterator[PassageReading]:
    for reading in readings:
        if schema is None or schema.is_valid(reading.value):
            yield reading
        else:
            yield from _decoded(reading, schema, ending)


def _decoded(reading: PassageReading, schema: CompiledSchema, ending: _TextEnd) -> Iterator[PassageReading]:
    """Decodes JSON inside a JSON string where the schema allows no string: the whole value, or members of it."""
    value = reading.value
    stages = (*reading.stages, "decode")
    if isinstance(value, str):
        inner = recover(value, schema, is_truncated=ending.is_truncated, has_stopped=ending.has_stopped)
        if isinstance(inner, RecoveredValue):
            yield PassageReading(inner.value, stages + inner.stages)
    else:
        misfits = {problem.path for problem in schema.problems(value)}
        opened = _with_decoded(value, "$", misfits)
        if schema.is_valid(opened):
            yield PassageReading(opened, stages)


def _with_decoded(value: Json, path: str, misfits: set[str]) -> Json:
    """`value` with the JSON strings at the paths `misfits` decoded."""
    if isinstance(value, dict):
        members = cast(JsonObject, value).items()
        return {key: _with_decoded(member, f"{path}.{key}", misfits) for key, member in members}
    if isinstance(value, list):
        return [
            _with_decoded(item, f"{path}[{index}]", misfits) for index, item in enumerate(cast("list[Json]", value))
        ]
    if not isinstance(value, str) or path not in misfits or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return parse_strict(value)
    except ValueError:
        return value


def _misfit(readings: list[PassageReading], schema: CompiledSchema | None, ending: _TextEnd) -> RecoveryFailure:
    values: list[Json] = [reading.value for reading in readings]
    values = [value for value in values if isinstance(value, dict)] or values
    last = values[-1]
    if isinstance(last, str) and len(values) == 1:
        inner = recover(last, schema, is_truncated=ending.is_truncated, has_stopped=ending.has_stopped)
        if isinstance(inner, RecoveryFailure) and inner.parsed_value is not None:
            return inner
    is_only = len({_identity(value) for value in values}) == 1
    problems = () if schema is None else tuple(schema.problems(last))
    return RecoveryFailure(problems, last if is_only else None, ending.is_truncated)


def _identity(value: Json) -> str:
    try:
        return canonical_json(value)
    except (ValueError, RecursionError):
        return repr(id(value))


def _refused(message: str, ending: _TextEnd) -> RecoveryFailure:
    return RecoveryFailure((ValidationProblem("$", f"the text {message}"),), None, ending.is_truncated)
