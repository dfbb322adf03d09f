"""Attached files as a prompt shows them: whole parts between marks, and what is left out of them. Pure."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.llm.interface import Image
from aeon.llm.material import MATERIAL_NOTE, between_marks, without_end_mark
from aeon.platform.conversations.attachments import Attachment
from aeon.platform.memory.estimate import estimate_tokens

IMAGE_TOKENS: Final = 1600
"""The estimated tokens of an image: what common models need for a large one."""

_MANY: Final = 99_999


class PromptFile(NamedTuple):
    """An attachment in a prompt: the beginning of its text that is shown, or its image.

    `tokens` are those of what is shown; of its `parts`, the last `left_out` are not shown. An image is one part.
    """

    attachment: Attachment
    text: str
    image: Image | None
    tokens: int
    parts: int
    left_out: int

    @property
    def label(self) -> str:
        """Its name in the prompt, on one line and without characters that hide something."""
        name = self.attachment.name or ""
        return "".join(each if each.isprintable() else "_" for each in " ".join(name.split()))

    def as_json(self) -> JsonObject:
        """As a manifest keeps it: with the characters that are shown, so that they can be shown again."""
        return {
            "n": self.attachment.n,
            "name": self.attachment.name,
            "mediaType": self.attachment.media_type,
            "digest": self.attachment.digest,
            "tokens": self.tokens,
            "parts": self.parts,
            "partsLeftOut": self.left_out,
            "characters": len(self.text),
        }


class FileParts(NamedTuple):
    """An attachment that could enter a prompt: the parts of its text, or its image."""

    attachment: Attachment
    parts: Sequence[str]
    image: Image | None = None

    def fitted(self, room: float, factor: float) -> PromptFile:
        """As much of it as fits into `room` tokens: the first parts, or the image; each part is whole."""
        if self.image is not None:
            tokens = ceil(IMAGE_TOKENS * factor)
            shown = tokens <= room
            return PromptFile(
                self.attachment, "", self.image if shown else None, tokens if shown else 0, 1, 0 if shown else 1
            )
        tokens = shown = 0
        for part in self.parts:
            more = ceil(estimate_tokens(part) * factor)
            if tokens + more > room:
                break
            tokens, shown = tokens + more, shown + 1
        text = "".join(self.parts[:shown])
        return PromptFile(self.attachment, text, None, tokens, len(self.parts), len(self.parts) - shown)


def frame_tokens(attachments: Sequence[Attachment]) -> int:
    """Returns the estimated tokens of what stands around the attachments of a message."""
    return estimate_tokens(_material([PromptFile(each, "", None, 0, _MANY, _MANY) for each in attachments]))


def with_files(content: str, files: Sequence[PromptFile]) -> str:
    """Returns the text of a message as a model reads it: its content, then what is attached, as data."""
    return f"{content}\n\n{_material(files)}" if files else content


def images_of(files: Iterable[PromptFile]) -> tuple[Image, ...]:
    """Returns the images that a model sees, in order."""
    return tuple(each.image for each in files if each.image is not None)


def _material(files: Sequence[PromptFile]) -> str:
    has_text = any(each.attachment.text_digest is not None for each in files)
    return "\n".join([*([MATERIAL_NOTE] if has_text else []), *map(_shown, files)])


def _shown(file: PromptFile) -> str:
    if file.attachment.text_digest is None:
        return f"[attached image: {file.label}{', not shown' if file.image is None else ''}]"
    remark = f"[{file.left_out} of {file.parts} parts are not shown]" if file.left_out else ""
    return between_marks(file.label, without_end_mark(file.label, file.text), remark)
