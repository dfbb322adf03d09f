"""Front matter that is not YAML as its author wrote it: more and more of it put in quotes, line by line (skills 9)."""

import re
from collections.abc import Callable

_FIELD = re.compile(r"^([A-Za-z][\w-]*):[ \t]+(\S.*?)[ \t]*$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def keep_as_written(front: str) -> str:
    return front


def quote_plain_values(front: str) -> str:
    """Unquoted values of one line are put in quotes, the commonest mistake in published skills."""
    return _quote_lines(_replace_controls(front), lambda value: value[0] not in "\"'|>[{")


def quote_all_values(front: str) -> str:
    return _quote_lines(_replace_controls(front), lambda value: not re.fullmatch(r"[|>][+-]?\d?[+-]?", value))


def keep_top_level(front: str) -> str:
    """What is left when everything that is nested and broken is dropped: fields of one line, and text blocks."""
    kept = [line for line in quote_all_values(front).split("\n") if re.match(r'[A-Za-z][\w-]*: "', line) or not line]
    return "\n".join(kept)


def _replace_controls(front: str) -> str:
    return _CONTROL.sub(" ", front).replace("\t", "  ")


def _quote_lines(front: str, is_quoted: Callable[[str], bool]) -> str:
    """The lines with the values that `is_quoted` picks in double quotes; continued lines join theirs."""
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
    """Write the value behind the field that was begun, and the lines it took as blank ones: line numbers hold."""
    if value is None:
        return
    text = " ".join(part for part in value if part)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines[-1] = f'{lines[-1]}: "{escaped}"'
    lines.extend([""] * blanks)
