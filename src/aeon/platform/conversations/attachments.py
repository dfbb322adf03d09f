"""Attachments: files that a user gave with a message, kept in the record under the digests of their bytes."""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.conversations import queries
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.records import replace_unstorable
from aeon.platform.store import Row, Store, UnitOfWork

MAX_ATTACHMENT: Final = 10 << 20
"""The most bytes of an attached file."""

MAX_ATTACHMENTS: Final = 20
"""The most attachments of a message."""

MAX_NAME: Final = 255
"""The most characters of an attachment's name."""


class NewAttachment(NamedTuple):
    """A file to attach. `text` is what a model reads of it, None for an image."""

    name: str
    media_type: str
    content: bytes
    text: str | None

    @property
    def is_image(self) -> bool:
        """Whether a model must see to read it."""
        return self.text is None

    @property
    def digest(self) -> str:
        """The SHA-256 of its bytes."""
        return hashlib.sha256(self.content).hexdigest()


class Attachment(NamedTuple):
    """A file that stands in a message, number `n` of its alternative.

    `digest` names its bytes, `text_digest` the UTF-8 of its text: the same for a text, None for an image. An erased one
    has neither name nor digests.
    """

    alternative_id: str
    n: int
    name: str | None
    media_type: str
    size: int
    digest: str | None
    text_digest: str | None
    is_erased: bool

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "n": self.n,
            "name": self.name,
            "mediaType": self.media_type,
            "size": self.size,
            "digest": self.digest,
            "isErased": self.is_erased,
        }


class AttachmentRepository:
    """Reads the attachments of all users. Thread- and process-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, user: str, alternatives: Iterable[str]) -> dict[str, list[Attachment]]:
        """Return the attachments of the user's alternatives, by alternative; those without any are not in it."""
        ids: list[Json] = list(alternatives)
        found: dict[str, list[Attachment]] = {}
        for row in self._store.read(queries.ATTACHMENTS, {"user": user, "ids": ids}) if ids else []:
            found.setdefault(row["alternative_id"], []).append(_attachment(row))
        return found

    def content(self, user: str, digest: str) -> bytes:
        """Return the bytes under a digest. Raises NotFoundError unless an attachment of the user has them."""
        rows = self._store.read(queries.BLOB, {"user": user, "digest": digest})
        if not rows:
            raise NotFoundError(f"You have no attachment {digest[:12]!r}.")
        return b64decode(rows[0]["content"])

    def text(self, user: str, attachment: Attachment) -> str:
        """Return what a model reads of an attachment; "" of an image. Raises NotFoundError."""
        return "" if attachment.text_digest is None else self.content(user, attachment.text_digest).decode()


def checked_attachments(attachments: Sequence[NewAttachment]) -> list[NewAttachment]:
    """Return attachments as they are stored. Raises RuleError for too many, too large, empty or nameless ones."""
    if len(attachments) > MAX_ATTACHMENTS:
        raise _refused(f"The message has {len(attachments)} attachments; at most {MAX_ATTACHMENTS} are possible.")
    for each in attachments:
        if not 0 < len(each.content) <= MAX_ATTACHMENT:
            raise _refused(
                f"{each.name} has {len(each.content):,} bytes; from 1 to {MAX_ATTACHMENT:,} can be attached."
            )
        if not 0 < len(each.name) <= MAX_NAME:
            raise _refused(f"The name of an attachment has {len(each.name)} characters; 1 to {MAX_NAME} are possible.")
    return [each._replace(name=replace_unstorable(each.name)) for each in attachments]


def attachment_rows(attachments: Sequence[NewAttachment]) -> list[JsonObject]:
    """Return the rows of new attachments, for `write_attachments`."""
    return [
        {
            "n": number,
            "name": each.name,
            "media_type": each.media_type,
            "size": len(each.content),
            "digest": each.digest,
            "text_digest": None if each.text is None else _digest(each.text.encode()),
        }
        for number, each in enumerate(attachments, 1)
    ]


def kept_rows(unit: UnitOfWork, user: str, alternative: str) -> list[JsonObject]:
    """Return the rows of an alternative's attachments that are not erased, for another alternative."""
    rows = unit.read(queries.ATTACHMENTS, {"user": user, "ids": [alternative]})
    return [{name: row[name] for name in _COPIED} for row in rows if not row["is_erased"]]


def write_blobs(unit: UnitOfWork, attachments: Sequence[NewAttachment]) -> None:
    """Write the files of new attachments, and the texts that differ from them; those that are there stay."""
    for each in attachments:
        unit.write(queries.ADD_BLOB, {"digest": each.digest, "content": b64encode(each.content).decode()})
        if each.text is not None and (text := each.text.encode()) != each.content:
            unit.write(queries.ADD_BLOB, {"digest": _digest(text), "content": b64encode(text).decode()})


def write_attachments(unit: UnitOfWork, alternative: str, rows: Iterable[JsonObject]) -> None:
    """Attach files that are in the record to a new alternative."""
    unit.write_each(queries.ADD_ATTACHMENT, [{**row, "alternative": alternative} for row in rows])


def erase_attachments(unit: UnitOfWork, alternatives: Sequence[str]) -> None:
    """Erase the attachments of alternatives (platform 28): names and digests, and files that no other one has.

    Media type, size and number stay. Calling it again does nothing. Their manifests name them too.
    """
    ids: list[Json] = list(alternatives)
    digests: list[Json] = [row["digest"] for row in unit.read(queries.ATTACHED_DIGESTS, {"ids": ids})]
    unit.write(queries.ERASE_ATTACHMENTS, {"ids": ids})
    unit.write(queries.REMOVE_UNUSED_BLOBS, {"digests": digests})


_COPIED: Final = ("n", "name", "media_type", "size", "digest", "text_digest")


def _attachment(row: Row) -> Attachment:
    return Attachment(
        row["alternative_id"],
        row["n"],
        row["name"],
        row["media_type"],
        row["size"],
        row["digest"],
        row["text_digest"],
        bool(row["is_erased"]),
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _refused(message: str) -> RuleError:
    return RuleError(message, rule="attachments", field="$.attachments", next_step="Attach fewer or smaller files.")
