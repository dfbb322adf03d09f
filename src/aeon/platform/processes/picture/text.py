"""Texts in a picture: escaped whatever they hold, and short enough for their place. Pure."""

import re
import unicodedata
from html import escape

_IMPOSSIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What XML does not allow, or what would turn the text around it."""

_MARK = "\ufffd"


def escape_text(text: str) -> str:
    """As content of an element or of an attribute."""
    return escape(_IMPOSSIBLE.sub(_MARK, text.replace("\n", " ").replace("\t", " ")), quote=True)


def clip_text(text: str, cells: int) -> str:
    """At most so many cells of a font of fixed width, its end replaced by "..." where it does not fit."""
    text = text[: 4 * cells]
    if sum(map(_cells, text)) <= cells:
        return text
    kept, room = "", cells - 3
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        kept += character
    return f"{kept}..."


def _cells(character: str) -> int:
    return 0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
