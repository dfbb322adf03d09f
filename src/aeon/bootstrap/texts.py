"""Where the texts, images and attachments of requests and messages come from: files and pages."""

from pathlib import Path

from aeon.adapters.files.attachments import attachment_of, read_attachment
from aeon.adapters.files.images import read_image
from aeon.adapters.files.texts import read_text
from aeon.llm.interface import Image
from aeon.platform.conversations.attachments import NewAttachment


def text_of_file(path: Path) -> str:
    """The text of a file. Raises InputError, MissingExtraError."""
    return read_text(path)


def image_of_file(path: Path) -> Image:
    """The image in a file. Raises InputError for what is none, or is too large."""
    return read_image(path)


def attachment_of_file(path: Path) -> NewAttachment:
    """The file to attach at a path. Raises InputError for what no model can read, MissingExtraError."""
    return read_attachment(path)


def attachment_of_bytes(name: str, content: bytes) -> NewAttachment:
    """The file to attach with these bytes. Raises InputError for what no model can read, MissingExtraError."""
    return attachment_of(name, content)


def text_of_page(address: str, *, allow_private: bool) -> str:
    """The text of a page, in a private network only if that is allowed. Raises InputError, MissingExtraError."""
    from aeon.adapters.web.pages import PageReader  # brings an HTTP client

    return PageReader(allow_private=allow_private).read(address)


def document_of_page(address: str, *, allow_private: bool) -> str:
    """The text of a document as it stands at an address, of whatever type. Raises InputError."""
    from aeon.adapters.web.pages import PageReader

    return PageReader(allow_private=allow_private).read_document(address)
