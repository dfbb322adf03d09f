"""`Attachments`: texts that a user gave with a request, read part by part by the steps of a plan; names of images."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from aeon.base.errors import ToolError
from aeon.base.json import JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.tools.interface import Tool

PART_CHARACTERS = 10_000
"""The most characters of a part: what the embedded models read at once, with room for the step itself."""

IMAGE_LINE = LazyPattern(r"^Image (.+), [\d,]+ bytes, sha256 ([0-9a-f]{64})$", re.MULTILINE)
"""How a step's description names an image that the model sees."""

QUERY_TABLES = "query_tables"
CALCULATE_FROM_TEXT = "calculate_from_text"
"""The names of the tools that compute an answer from attached texts; their modules are loaded when they are used."""

_MIN_FILL = 0.6
"""A part ends at a paragraph, a line or a word, if one ends after this share of it."""


def split_text(text: str, size: int = PART_CHARACTERS) -> list[str]:
    """The text in parts of at most `size` characters, which together are the text; at least one part."""
    parts: list[str] = []
    start = 0
    while len(text) - start > size:
        end = _break(text, start + int(size * _MIN_FILL), start + size)
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]]


def choose_part(text: str, name: str, part: int | None) -> str:
    """The part of a text with that number; the whole text without one, if it is a single part.

    Raises ToolError for a longer text without a number, so that no part passes for the whole.
    """
    parts = split_text(text)
    if part is None and len(parts) > 1:
        raise ToolError(
            f"{name} is too long to be read at once: it has {len(parts)} parts.",
            next_step=f"Ask about it with --file {name}, or name a part.",
        )
    if (part or 1) > len(parts):
        raise ToolError(f"{name} has {len(parts)} part(s), no part {part}.")
    return parts[(part or 1) - 1]


def _break(text: str, first: int, last: int) -> int:
    """Where a part that ends between two places ends best."""
    for mark in ("\n\n", "\n", ". ", " "):
        found = text.rfind(mark, first, last)
        if found >= 0:
            return found + len(mark)
    return last


class Attachments:
    """The texts of one request by name, each with its parts and the digest that a plan names it by."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.parts = {name: split_text(text) for name, text in texts.items()}
        self.digests = {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


class AttachmentTool(Tool):
    """Reads a part of an attached text. Only plans that code makes for attached texts use it."""

    name = "attachment"
    description = "Read a part of a text that the user attached."
    input_schema: JsonObject = {  # noqa: RUF012  # the published shape of Tool
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "part": {"type": "integer", "minimum": 1},
            "digest": {"type": "string", "description": "the first 16 hexadecimal digits of the text's SHA-256"},
        },
        "required": ["name", "part", "digest"],
        "additionalProperties": False,
    }
    output_schema: JsonObject = {  # noqa: RUF012
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    timeout = None  # the text is in memory
    is_common = False

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments

    def suits(self, request: str) -> bool:  # noqa: ARG002  # a model never plans it
        return False

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        """Raises ToolError if the text is not attached, or is not the one that the plan was made for."""
        name, part = kwargs["name"], kwargs["part"]
        parts = self._attachments.parts.get(name)
        if parts is None or part > len(parts):
            raise ToolError(
                f"There is no part {part} of a text {name!r}.", next_step=f"Attach {name} again, as the run did."
            )
        if self._attachments.digests[name] != kwargs["digest"]:
            raise ToolError(
                f"The text {name!r} is not the one that the run began with.",
                next_step="Start a new run, or attach the text as it was.",
            )
        return {"text": parts[part - 1]}
