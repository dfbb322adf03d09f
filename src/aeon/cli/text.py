"""Makes text safe for terminals: without control characters, and in lines that fit. Pure."""

import json
import re

from rich.cells import cell_len, chop_cells, set_cell_size

from aeon.base.json import Json

SHORT_ID = 8
"""Characters of an id that are printed for people."""

SPEAKERS = {"user": "you", "agent": "answer", "system": "system"}
"""Who says something, in a word."""

COLUMNS = 80
"""The width of a line if the terminal's width is unknown."""

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\u00ad\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\u3164\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
"""C0 and C1 controls except tab and newline, bidirectional overrides, line separators, lone surrogates; and characters
without width, which hide a text or a difference of two names."""
_JOINERS = "\u200c\u200d"
_BESIDE_JOINER = f"[^\x00-\x9f{_CONTROLS}{_JOINERS}]"
"""What is written with joiners is not Latin: emoji, Persian, scripts of India."""
_CONTROL_CHARACTERS = re.compile(f"[{_CONTROLS}]|(?<!{_BESIDE_JOINER})[{_JOINERS}]|[{_JOINERS}](?!{_BESIDE_JOINER})")


def shown_text(text: str) -> str:
    """A text on one line."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    """Return `text` with control characters escaped; line ends and tabs stay."""
    return _CONTROL_CHARACTERS.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str, width: int) -> str:
    """Return `text` as one line of at most `width` cells; "..." replaces an end that does not fit."""
    flat = " ".join(printable(text[: 4 * width + 64]).split())
    if cell_len(flat) <= width and len(text) <= 4 * width + 64:
        return flat
    return set_cell_size(flat, max(0, width - 3)).rstrip() + "..."


def last_cells(text: str, width: int) -> str:
    """Return the end of `text` as one line of at most `width` cells; "..." replaces a start that does not fit."""
    flat = " ".join(printable(text).split())
    if cell_len(flat) <= width:
        return flat
    return "..." + set_cell_size(flat[::-1], max(0, width - 3))[::-1].lstrip()


def wrap(
    text: str, width: int, first: str = "", rest: str = "", *, most: int = 0, keeps_words: bool = False
) -> list[str]:
    """Wrap `text` in lines of at most `width` cells: `first` before the first line, `rest` before the rest.

    `most` limits the number of lines; "..." marks what is left out. With `keeps_words`, a word that is longer than a
    line stays whole, so that paths and commands can be copied.
    """
    room = max(20, width - cell_len(rest))
    used = min(room - 1, max(0, cell_len(first) - cell_len(rest)))
    lines: list[str] = []
    for line in printable(text).split("\n"):
        lines += _break_line(line.expandtabs(4), room, 0 if lines else used, keeps_words=keeps_words)
    if most and len(lines) > most:
        lines = [*lines[: most - 1], f"{one_line(lines[most - 1], room - 4)} ..."]
    return [f"{rest if number else first}{line}".rstrip() for number, line in enumerate(lines)]


def compact_json(value: Json) -> str:
    """Return a value as one line of JSON for people."""
    return _safe_json(json.dumps(value, ensure_ascii=False))


def indented_json(value: Json) -> str:
    """Return a value as indented JSON, safe for terminals; a program reads the same value."""
    return _safe_json(json.dumps(value, ensure_ascii=False, indent=2))


def _safe_json(text: str) -> str:
    # After json.dumps, control characters can only be inside strings.
    return _CONTROL_CHARACTERS.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _visible(match: re.Match[str]) -> str:
    point = ord(match[0])
    if point <= 0xFF:  # noqa: PLR2004  # one byte
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004  # the first plane


def _break_line(line: str, room: int, used: int, *, keeps_words: bool) -> list[str]:
    """Break a line at its spaces, and inside words that are too long; `used` cells of the first line are taken."""
    indent = line[: len(line) - len(line.lstrip(" "))][: room // 2]
    lines: list[str] = []
    current = indent
    for word in line.split():
        left = room - (0 if lines else used)
        joined = f"{current} {word}" if current.strip() else f"{indent}{word}"
        if cell_len(joined) <= left:
            current = joined
            continue
        if current.strip():
            lines.append(current)
        *full, current = [f"{indent}{word}"] if keeps_words else chop_cells(f"{indent}{word}", room if lines else left)
        lines += full
    return [*lines, current]
