"""Finds the names in the text files of a message by code. Somebody else may have written a file (platform 36).

So a file states nothing: no fact is taken from it. A name of several words becomes an entity; of a single word, which
in a file is a heading as often as a name, only an entity that the user has already is mentioned.
"""

from base64 import b64decode
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.knowledge import queries
from aeon.platform.knowledge.names import distinct_names, find_names
from aeon.platform.knowledge.parts import split_text
from aeon.platform.knowledge.readings import WordCases
from aeon.platform.store import Row, Store

ATTACHMENTS: Final = "attachments"
"""The extractor that finds names in attached files."""

MAX_CHARACTERS: Final = 4_000
"""The characters of a file that are read, from its beginning."""

MAX_NAMES: Final = 20
"""The most names that are found in the files of a message."""

_BASE64: Final = 4 * -(-4 * MAX_CHARACTERS // 3)
"""Characters of base64 that hold this number of characters of UTF-8, at most four bytes each."""

_PROSE: Final = frozenset({"text/markdown", "application/pdf"})
_PLAIN: Final = frozenset({"", ".txt", ".text"})
"""The endings of plain texts that are prose; other plain texts are source or data."""


def read_attached_texts(store: Store, user: str, alternative: str) -> list[str]:
    """Return the beginnings of the prose that is attached to a message, as far as they are read. Raises StoreError."""
    params: JsonObject = {"user": user, "alternative": alternative, "most": _BASE64}
    return [_beginning_of(row["content"]) for row in store.read(queries.ATTACHED_TEXTS, params) if _is_prose(row)]


def find_attached_names(texts: Sequence[str], cases: WordCases) -> list[str]:
    """Returns the first names in texts, each once. `cases` is what is known of how the words are written."""
    names = [name for text in texts for name in distinct_names(find_names(text, cases))]
    return list(dict.fromkeys(names))[:MAX_NAMES]


def is_new_name(name: str) -> bool:
    """Whether a name in a file becomes an entity: it has several words."""
    return " " in name


def _beginning_of(content: str) -> str:
    """Return the whole sentences at the beginning of a text that is kept in base64."""
    text = b64decode(content).decode(errors="ignore")  # the last character may be cut
    return split_text(text, len, MAX_CHARACTERS)[0].of(text)


def _is_prose(row: Row) -> bool:
    is_plain = row["media_type"] == "text/plain" and PurePosixPath(row["name"]).suffix.lower() in _PLAIN
    return is_plain or row["media_type"] in _PROSE
