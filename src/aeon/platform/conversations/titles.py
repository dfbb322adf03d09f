"""Titles that a model makes for conversations. A title is data: one short line without marks of any kind. Pure."""

import re
import unicodedata
from typing import Final

from aeon.platform.records import replace_unstorable

MAX_TITLE: Final = 60
"""The most characters of a title that a model makes."""

_PREFIX: Final = re.compile(r"^(?:[-#>*+\s]+|(?:title|titel|titre|título|titolo)\s*:\s*)+", re.IGNORECASE)
_MARKUP: Final = re.compile(r"[*_`#~|<>\[\]]+")
_QUOTES: Final = "\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\u300c\u300d\u300e\u300f"
_EDGES: Final = f"\"'.,;:!- \u2013\u2014\u3002{_QUOTES}"
"""What a title neither begins nor ends with: quotes of several languages, dashes, and signs that end a sentence."""


def title_from(reply: str) -> str | None:
    """Returns the title in a model's reply: its first line with words, without Markdown, quotes and controls.

    Longer ones end after the last whole word that fits. Returns None if nothing is left.
    """
    lines = (_cleaned(line) for line in replace_unstorable(reply).splitlines())
    title = next((line for line in lines if any(each.isalnum() for each in line)), "")
    if len(title) > MAX_TITLE:
        words = title[: MAX_TITLE + 1].rpartition(" ")[0]
        title = (words or title[:MAX_TITLE]).rstrip(_EDGES)
    return title or None


def _cleaned(line: str) -> str:
    plain = _MARKUP.sub(" ", _PREFIX.sub("", " ".join("".join(map(_visible, line)).split())))
    return _PREFIX.sub("", " ".join(plain.split()).strip(_EDGES)).strip(_EDGES)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    return "" if category == "Cf" else " " if category[0] in "CZ" else character
