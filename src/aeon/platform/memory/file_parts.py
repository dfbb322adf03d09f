"""The parts of attached texts that a prompt may have: pages, rows, paragraphs. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.attachments import split_text

PDF: Final = "application/pdf"

PAGE_END: Final = "\f"
"""Stands between the pages in the text of a PDF."""

_LONGEST_PART: Final = 2000
"""Characters of a part; what is longer is split where it reads best."""

_PARAGRAPH: Final = LazyPattern(r".+?(?:\n[ \t\r]*\n\s*|\Z)", re.DOTALL)
_ROWS: Final = frozenset({"text/csv", "text/tab-separated-values"})
_LINES: Final = frozenset({"application/json", "application/jsonl"})


def split_parts(text: str, media_type: str) -> list[str]:
    """Returns the parts of a text, which together are the text.

    They are pages of a PDF, rows of a table, lines of JSON, and paragraphs of everything else.
    """
    return [piece for part in _whole_parts(text, media_type) for piece in _pieces(part)]


def _whole_parts(text: str, media_type: str) -> Iterator[str]:
    if media_type == PDF:
        pages = text.split(PAGE_END)
        yield from (page + PAGE_END for page in pages[:-1])
        yield pages[-1]
    elif media_type in _ROWS:
        yield from _rows(text)
    elif media_type in _LINES:
        yield from text.splitlines(keepends=True)
    else:
        yield from (found[0] for found in _PARAGRAPH.finditer(text))


def _rows(text: str) -> Iterator[str]:
    """Yields the rows of a table; a line end between quotes belongs to its row."""
    row: list[str] = []
    quotes = 0
    for line in text.splitlines(keepends=True):
        row.append(line)
        quotes += line.count('"')
        if quotes % 2 == 0:
            yield "".join(row)
            row.clear()
    if row:
        yield "".join(row)


def _pieces(part: str) -> list[str]:
    return split_text(part, _LONGEST_PART) if len(part) > _LONGEST_PART else [part] if part else []
