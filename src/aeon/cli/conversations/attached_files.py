"""Shows what is attached to messages. Names of files are data: they are shown safely, on one line."""

from collections.abc import Sequence

from aeon.application.conversations import Alternative, ConversationService
from aeon.base.json import Json, JsonObject
from aeon.cli.text import one_line

_WIDTH = 60
"""Columns of a name."""

_KILO = 1000


def file_line(name: str | None, size: int) -> str:
    """An attachment in a few words: its name, None of an erased one, and its size in bytes."""
    return f"{'erased' if name is None else one_line(name, _WIDTH)}, {_in_words(size)}"


def words_in_prompt(file: JsonObject) -> str:
    """An attachment of a manifest: its name, and how much of it does not stand in the prompt."""
    name = "erased" if file["name"] is None else one_line(file["name"], _WIDTH)
    left_out = file["partsLeftOut"]
    return f"{name} ({left_out} of {file['parts']} parts left out)" if left_out else name


def as_json(service: ConversationService, alternatives: Sequence[Alternative]) -> list[Json]:
    """Messages and answers with what is attached to them, as JSON data."""
    attached = service.attachments(each.id for each in alternatives)
    return [
        {**each.as_dict(), "attachments": [file.as_dict() for file in attached.get(each.id, [])]}
        for each in alternatives
    ]


def _in_words(size: int) -> str:
    if size < _KILO:
        return f"{size} bytes"
    return f"{size / _KILO:,.1f} kB" if size < _KILO**2 else f"{size / _KILO**2:,.1f} MB"
