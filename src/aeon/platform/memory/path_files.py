"""Reads the attachments on a path when a prompt has room for them."""

from collections.abc import Sequence

from aeon.llm.interface import Image
from aeon.platform.conversations.attachments import Attachment, AttachmentRepository
from aeon.platform.conversations.model import Alternative
from aeon.platform.memory.budget import PathEntry
from aeon.platform.memory.file_parts import split_parts
from aeon.platform.memory.prompt_files import FileParts, frame_tokens


class PathFiles:
    """The attachments of a path's messages that are not erased. `factor` corrects the estimates of their tokens."""

    def __init__(self, repository: AttachmentRepository, user: str, path: Sequence[Alternative], factor: float) -> None:
        self._repository = repository
        self._user = user
        self._parts: dict[Attachment, FileParts] = {}
        self.factor = factor
        found = repository.of(user, (each.id for each in path if each.turn.speaker == "user"))
        self._files = {id_: [each for each in several if not each.is_erased] for id_, several in found.items()}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(self._files.values())

    def frame_tokens(self, alternative: Alternative) -> int:
        """Return the estimated tokens of what stands around the attachments of a message."""
        return frame_tokens(self._files.get(alternative.id, ()))

    def fill(self, entry: PathEntry, room: float) -> PathEntry:
        """Return an entry with as much of its attachments as fits into a number of tokens."""
        for attachment in self._files.get(entry.alternative.id, ()):
            file = self._read(attachment).fitted(room, self.factor)
            room -= file.tokens
            entry = entry._replace(files=(*entry.files, file), tokens=entry.tokens + file.tokens)
        return entry

    def _read(self, attachment: Attachment) -> FileParts:
        if attachment not in self._parts:
            self._parts[attachment] = self._parts_of(attachment)
        return self._parts[attachment]

    def _parts_of(self, attachment: Attachment) -> FileParts:
        if attachment.text_digest is None:
            return FileParts(attachment, (), image_of(self._repository, self._user, attachment))
        return FileParts(attachment, split_parts(self._repository.text(self._user, attachment), attachment.media_type))


def image_of(repository: AttachmentRepository, user: str, attachment: Attachment) -> Image:
    """Return an attached image. Raises NotFoundError if it was erased."""
    return Image(attachment.media_type, repository.content(user, attachment.digest or ""))
