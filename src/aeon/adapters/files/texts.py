"""The text of a file: UTF-8 as it stands, or the text of a PDF with the extra `files`."""

import io
import os
import stat
from pathlib import Path

from aeon.base.errors import InputError, MissingExtraError

MAX_BYTES = 64 * 1024 * 1024
_PDF = b"%PDF-"


def read_text(path: Path) -> str:
    """The text of a regular file. Raises InputError if it has none, MissingExtraError for a PDF without the extra."""
    data = _bytes(path)
    if data.startswith(_PDF):
        return _text_of_pdf(data, path)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decoded(data, "utf-16", path)
    if b"\0" in data:
        raise _no_text(path)
    return _decoded(data, "utf-8-sig", path)


def _bytes(path: Path) -> bytes:
    """Reads a file that is neither a device nor a pipe, which could block for ever."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", next_step="Check the path.") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path} is not a file.", next_step="Name a file with text.")
        if status.st_size > MAX_BYTES:
            raise InputError(
                f"{path} has {status.st_size:,} bytes; at most {MAX_BYTES:,} are read.",
                next_step="Name a smaller file.",
            )
        return os.read(descriptor, MAX_BYTES)
    finally:
        os.close(descriptor)


def _decoded(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise _no_text(path) from None


def _no_text(path: Path) -> InputError:
    return InputError(f"{path} is not text in UTF-8.", next_step="Convert it to text, for example to Markdown.")


def _text_of_pdf(data: bytes, path: Path) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtraError(
            "Reading PDF files needs the package pypdf.", next_step="Install aeon-orchestrator[files]."
        ) from None
    try:
        text = "\n\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    except (
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:  # a damaged file can raise any of these
        raise InputError(f"{path} cannot be read as a PDF: {error}.", next_step="Check the file.") from None
    if not text.strip():
        raise InputError(f"{path} is a PDF without text.", next_step="Run text recognition on it first.")
    return text
