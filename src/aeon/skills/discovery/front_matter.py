"""Parses SKILL.md: YAML front matter and a body (skills 9).

It reads leniently, by the standard's guide for clients. Every value stays text as written: dates, booleans and numbers
are not guessed.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import yaml

from aeon.base.json import MAX_DEPTH, Json, JsonObject
from aeon.skills.bounded_files import UnreadableFileError

_FIELD = re.compile(r"^([A-Za-z][\w-]*):[ \t]+(\S.*?)[ \t]*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def keep_as_written(front: str) -> str:
    return front


def quote_plain_values(front: str) -> str:
    """Quotes unquoted one-line values.

    A missing quote is the commonest mistake in published skills.
    """
    return _quote_lines(_replace_controls(front), lambda value: value[0] not in "\"'|>[{")


def quote_all_values(front: str) -> str:
    return _quote_lines(_replace_controls(front), lambda value: not re.fullmatch(r"[|>][+-]?\d?[+-]?", value))


def keep_top_level(front: str) -> str:
    """Keeps only fields of one line and text blocks, without nested or broken parts."""
    kept = [line for line in quote_all_values(front).split("\n") if re.match(r'[A-Za-z][\w-]*: "', line) or not line]
    return "\n".join(kept)


def _replace_controls(front: str) -> str:
    return _CONTROL.sub(" ", front).replace("\t", "  ")


def _quote_lines(front: str, is_quoted: Callable[[str], bool]) -> str:
    """Puts the values for which `is_quoted` is true in double quotes.

    They are joined with their continuation lines.
    """
    lines: list[str] = []
    open_value: list[str] | None = None
    blanks = 0
    for line in front.split("\n"):
        field = _FIELD.match(line)
        if field and is_quoted(field[2]):
            _write_value(lines, open_value, blanks)
            lines.append(field[1])
            open_value, blanks = [field[2]], 0
        elif open_value is not None and line[:1] in (" ", ""):
            open_value.append(line.strip())
            blanks += 1
        else:
            _write_value(lines, open_value, blanks)
            open_value, blanks = None, 0
            lines.append(line)
    _write_value(lines, open_value, blanks)
    return "\n".join(lines)


def _write_value(lines: list[str], value: list[str] | None, blanks: int) -> None:
    """Appends the value to its field's line.

    Adds blank lines for its continuations, so that line numbers hold.
    """
    if value is None:
        return
    text = " ".join(part for part in value if part)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines[-1] = f'{lines[-1]}: "{escaped}"'
    lines.extend([""] * blanks)


MAX_FRONT_MATTER = 64 * 1024
"""Maximum length in characters, far above what a planner can use."""


class SkillRemark(NamedTuple):
    """A remark about lenient reading: the line (None for the whole file) and the message."""

    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class SkillDocument:
    """A parsed SKILL.md.

    `fields` has strings, lists and mappings; `lines` has the line of each field.
    """

    fields: JsonObject
    lines: dict[str, int]
    body: str
    remarks: tuple[SkillRemark, ...] = ()


def read_document(data: bytes) -> SkillDocument:
    """Parses a SKILL.md.

    Raises UnreadableFileError with reason and line if the front matter is unusable.
    """
    text, remarks = _decode(data)
    front, body = _split(text)
    fields, lines, more = _parse(front)
    return SkillDocument(fields, lines, body, (*remarks, *more))


def read_body(data: bytes) -> str:
    """Returns the text after the front matter; the whole text without front matter."""
    text, _ = _decode(data)
    try:
        return _split(text)[1]
    except UnreadableFileError:
        return text


def _decode(data: bytes) -> tuple[str, list[SkillRemark]]:
    remarks: list[SkillRemark] = []
    if data.startswith(b"\xef\xbb\xbf"):
        remarks.append(SkillRemark(1, "begins with a byte order mark"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        remarks.append(SkillRemark(line, "is not UTF-8; undecodable bytes are shown as \N{REPLACEMENT CHARACTER}"))
        text = data.decode("utf-8-sig", errors="replace")
    if "\r" in text:
        remarks.append(SkillRemark(None, "has the line endings of another system"))
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, remarks


def _split(text: str) -> tuple[str, str]:
    """Returns the front matter, padded with blank lines so that line numbers hold, and the body."""
    begin = re.match(r"\n*---[ \t]*\n", text)
    if begin is None:
        raise UnreadableFileError(1, "has no front matter: the first line is not ---")
    end = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, begin.end())
    if end is None:
        raise UnreadableFileError(1, "its front matter is not closed by a --- line")
    if end.start() > MAX_FRONT_MATTER:
        raise UnreadableFileError(1, f"its front matter is longer than {MAX_FRONT_MATTER // 1024} KiB")
    return "\n" * begin[0].count("\n") + text[begin.end() : end.start()], text[end.end() :].strip("\n")


_REPAIR_STEPS: tuple[tuple[Callable[[str], str], str], ...] = (
    (keep_as_written, ""),
    (quote_plain_values, "read as if its plain values were quoted"),
    (quote_all_values, "read as if all its values were quoted"),
    (keep_top_level, "read without its nested values"),
)


def _parse(front: str) -> tuple[JsonObject, dict[str, int], list[SkillRemark]]:
    """Returns the fields by the first repair step that works.

    The steps quote more and more values.
    """
    problem: UnreadableFileError | None = None
    for repair, remark in _REPAIR_STEPS:
        repaired = repair(front)
        if problem is not None and repaired == front:
            continue
        try:
            fields, lines, remarks = _load(repaired)
        except UnreadableFileError as error:
            problem = problem or error
            continue
        if problem is not None:
            remarks = [SkillRemark(problem.line, f"{problem.message}; {remark}"), *remarks]
        return fields, lines, remarks
    raise problem or UnreadableFileError(1, "its front matter cannot be read")


_TextLoader: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml's loader if PyYAML was built with it: ten times faster. It ignores tags and types: all is text."""

_BEFORE_ROOT = (yaml.StreamStartEvent, yaml.DocumentStartEvent)


def _load(front: str) -> tuple[JsonObject, dict[str, int], list[SkillRemark]]:
    """Loads the fields from the parser's events.

    PyYAML's tree builder recurses without a limit and may crash.
    """
    events: Iterator[Any] = yaml.parse(front, Loader=_TextLoader)
    try:
        first_event = next(event for event in events if not isinstance(event, _BEFORE_ROOT))
        if isinstance(first_event, yaml.StreamEndEvent):
            raise UnreadableFileError(1, "its front matter is empty")
        if not isinstance(first_event, yaml.MappingStartEvent):
            raise UnreadableFileError(2, "its front matter is not a list of `field: value` lines")
        return _fields(events)
    except yaml.YAMLError as error:
        raise _unreadable(error) from None


def _fields(events: Iterator[Any]) -> tuple[JsonObject, dict[str, int], list[SkillRemark]]:
    """Returns the outermost mapping, with the line of each field."""
    fields: JsonObject = {}
    lines: dict[str, int] = {}
    remarks: list[SkillRemark] = []
    for key, line, value in _pairs(events, MAX_DEPTH):
        if key in fields:
            remarks.append(SkillRemark(line, f"the field {key!r} occurs twice; the last one counts"))
        fields[key], lines[key] = value, line
    next(events)  # the document's end, which may raise
    return fields, lines, remarks


def _pairs(events: Iterator[Any], depth: int) -> Iterator[tuple[str, int, Json]]:
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            return
        line = _line(event)
        if not isinstance(event, yaml.ScalarEvent):
            raise UnreadableFileError(line, "its front matter has a field name that is not text")
        yield event.value, line, _value(next(events), events, depth - 1)


def _value(event: Any, events: Iterator[Any], depth: int) -> Json:
    """Returns the value that begins with this event, with everything inside it."""
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    if isinstance(event, yaml.AliasEvent):
        # Aliases multiply their values: a few lines can expand to gigabytes.
        raise UnreadableFileError(_line(event), f"the alias *{event.anchor} is not allowed; repeat the value")
    if depth == 0:
        raise UnreadableFileError(_line(event), f"its front matter is nested deeper than {MAX_DEPTH} levels")
    if isinstance(event, yaml.MappingStartEvent):
        return {key: value for key, _, value in _pairs(events, depth)}
    items: list[Json] = []
    while not isinstance(inner := next(events), yaml.SequenceEndEvent):
        items.append(_value(inner, events, depth - 1))
    return items


def _line(event: Any) -> int:
    return event.start_mark.line + 1


def _unreadable(error: yaml.YAMLError) -> UnreadableFileError:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return UnreadableFileError(mark.line + 1 if mark else 1, f"its front matter is not valid YAML ({reason})")
