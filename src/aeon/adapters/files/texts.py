"""The text of a file: UTF-8 as it stands, or the text of a PDF with the extra `files`."""

import io
import logging
import os
import stat
from pathlib import Path

from aeon.base.errors import InputError, MissingExtraError

MAX_BYTES = 64 * 1024 * 1024
_PDF = b"%PDF-"


def read_text(path: Path) -> str:
    """The text of a regular file. Raises InputError if it has none, MissingExtraError for a PDF without the extra."""
    data = read_regular_file(path, MAX_BYTES)
    return "\n\n".join(pages_of_pdf(data, path)) if is_pdf(data) else decoded_text(data, path)


def is_pdf(data: bytes) -> bool:
    """Whether bytes begin as a PDF does."""
    return data.startswith(_PDF)


def decoded_text(data: bytes, path: Path) -> str:
    """The text of bytes in UTF-8, or UTF-16 with its mark. `path` names them in errors. Raises InputError."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decoded(data, "utf-16", path)
    if b"\0" in data:
        raise _no_text(path)
    return _decoded(data, "utf-8-sig", path)


def read_regular_file(path: Path, most: int) -> bytes:
    """The bytes of a file that is neither a device nor a pipe, which could block for ever.

    Raises InputError if it cannot be read or has more than `most` bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step="Check the path.") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is not a file.", next_step="Name a file with text.")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step="Check the file.") from None
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise InputError(
            f"{path} has {max(len(data), status.st_size):,} bytes; at most {most:,} are read.",
            next_step="Name a smaller file.",
        )
    return data


def _decoded(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise _no_text(path) from None


def _no_text(path: Path) -> InputError:
    return InputError(
        f"{path} is not text in UTF-8.",
        next_step="Save it as UTF-8 (in Excel: CSV UTF-8), or convert it to text, for example to Markdown.",
    )


def _keep_off_stderr(logger: logging.Logger) -> None:
    """Let warnings of a damaged file reach only a log that somebody has set up: our error says what is wrong."""
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def pages_of_pdf(data: bytes, path: Path) -> list[str]:
    """The texts of a PDF's pages. `path` names it in errors.

    Raises InputError for one that is encrypted, damaged or without text, and MissingExtraError.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError:
        raise MissingExtraError(
            "Reading PDF files needs the package pypdf.", next_step="Install aeon-orchestrator[files]."
        ) from None
    _keep_off_stderr(logging.getLogger("pypdf"))
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{path} is encrypted.", next_step="Save it without a password.")
        pages = [page.extract_text() for page in reader.pages]
    except (
        DependencyError,
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:  # a damaged file can raise any of these
        raise InputError(f"{path} cannot be read as a PDF: {error}.", next_step="Check the file.") from None
    if not any(page.strip() for page in pages):
        raise InputError(f"{path} is a PDF without text.", next_step="Run text recognition on it first.")
    return pages
