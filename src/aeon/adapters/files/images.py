"""Pictures from files, for models that see."""

from pathlib import Path
from typing import Final

from aeon.base.errors import InputError
from aeon.llm.interface import Image

MAX_IMAGE: Final = 10 * 1024 * 1024
"""Bytes of a picture."""

_PNG: Final = "image/png"
_PNG_SIZE_END: Final = 24

_KINDS: Final = (
    (b"\x89PNG\r\n\x1a\n", 0, _PNG),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
)
"""The first bytes of each kind, where they stand, and its media type."""


def read_image(path: Path) -> Image:
    """The picture in a file; its first bytes tell its kind. Raises InputError for what is none, or is too large."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a file.", next_step="Name a picture: PNG, JPEG, GIF or WebP.")
        with path.open("rb") as file:
            content = file.read(MAX_IMAGE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step="Name another picture.") from None
    if len(content) > MAX_IMAGE:
        raise InputError(f"{path} has more than 10 MiB.", next_step="Make it smaller.")
    if (media_type := picture_type(content)) is None:
        raise InputError(f"{path} is not a supported image.", next_step="Convert it to PNG, JPEG, GIF or WebP.")
    return Image(media_type, content)


def picture_type(content: bytes) -> str | None:
    """The media type of a picture by its first bytes; None if it is none that models take, or a PNG without a size."""
    found = next((kind for start, position, kind in _KINDS if content[position:].startswith(start)), None)
    return None if found == _PNG and not _has_size(content) else found


def _has_size(png: bytes) -> bool:
    """Whether a PNG's first chunk is its header, with a width and a height (PNG 11.2.1)."""
    return png[12:16] == b"IHDR" and len(png) >= _PNG_SIZE_END and all(map(any, (png[16:20], png[20:24])))
