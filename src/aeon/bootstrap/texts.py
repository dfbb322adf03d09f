"""Where the texts and images of a request come from: files and pages."""

from pathlib import Path

from aeon.adapters.files.images import read_image
from aeon.adapters.files.texts import read_text
from aeon.llm.interface import Image


def text_of_file(path: Path) -> str:
    """The text of a file. Raises InputError, MissingExtraError."""
    return read_text(path)


def image_of_file(path: Path) -> Image:
    """The image in a file. Raises InputError for what is none, or is too large."""
    return read_image(path)


def text_of_page(address: str, *, allow_private: bool) -> str:
    """The text of a page, in a private network only if that is allowed. Raises InputError, MissingExtraError."""
    from aeon.adapters.web.pages import PageReader  # brings an HTTP client

    return PageReader(allow_private=allow_private).read(address)
