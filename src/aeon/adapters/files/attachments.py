"""Files that a user attaches to a message: read once, recognized by their bytes and their names."""

import re
from pathlib import Path, PurePosixPath
from typing import Final

from aeon.adapters.files.images import picture_type
from aeon.adapters.files.texts import decoded_text, is_pdf, pages_of_pdf, read_regular_file
from aeon.base.errors import InputError
from aeon.platform.conversations.attachments import MAX_ATTACHMENT, MAX_NAME, NewAttachment
from aeon.platform.memory.file_parts import PAGE_END, PDF
from aeon.platform.records import replace_unstorable

_MAX_TEXT: Final = 4 * MAX_ATTACHMENT
"""The most characters of an attached file's text; a small PDF can have very much more."""

_BINARY: Final = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp"})
"""Endings of names that promise something else than a text."""

_TYPES: Final = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
}
"""Media types of texts by the ending of their name; others are plain."""


def read_attachment(path: Path) -> NewAttachment:
    """The file to attach at a path. A link out of its folder is not followed.

    Raises InputError for what is not a file, exceeds 10 MiB or cannot be read by a model; and MissingExtraError.
    """
    try:
        place = path.resolve(strict=True)
        is_outside = path.is_symlink() and not place.is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = error.strerror if isinstance(error, OSError) else "its links form a circle"
        raise InputError(f"{path} cannot be read: {reason}.", next_step="Check the path.") from None
    if is_outside:
        raise InputError(f"{path} is a link to {place}, out of its folder.", next_step="Name the file itself.")
    return attachment_of(path.name, read_regular_file(place, MAX_ATTACHMENT))


def attachment_of(name: str, content: bytes) -> NewAttachment:
    """The file to attach with these bytes. Only the last part of `name` is kept; it is never used as a path.

    Raises InputError for bytes that no model can read, or without a name; and MissingExtraError.
    """
    own_name = replace_unstorable(re.split(r"[/\\]", name)[-1]).strip()
    if own_name in {"", ".", ".."}:
        raise InputError(f"{name!r} is not a file name.", next_step="Give the file a name.")
    own_name = own_name if len(own_name) <= MAX_NAME else own_name[: MAX_NAME - 8] + own_name[-8:]
    if not content:
        raise InputError(f"{own_name} is empty.", next_step="Attach another file.")
    kind = picture_type(content)
    if kind is not None:
        return NewAttachment(own_name, kind, content, None)
    shown = Path(own_name)
    suffix = PurePosixPath(own_name).suffix.lower()
    if is_pdf(content):
        return NewAttachment(own_name, PDF, content, _stored(PAGE_END.join(pages_of_pdf(content, shown)), own_name))
    if suffix in _BINARY:
        raise InputError(
            f"{own_name} is not what its name says.", next_step="Attach a PDF, a picture or a text under its own name."
        )
    text = _stored(decoded_text(content, shown), own_name)
    if not text.strip():
        raise InputError(f"{own_name} has no text.", next_step="Attach a file with text.")
    return NewAttachment(own_name, _TYPES.get(suffix, "text/plain"), content, text)


def _stored(text: str, name: str) -> str:
    """A text as the record keeps it. Raises InputError for one that is too long."""
    if len(text) > _MAX_TEXT:
        raise InputError(f"{name} has {len(text):,} characters; at most {_MAX_TEXT:,} are possible.")
    return replace_unstorable(text)
