"""Reads forms of several parts while they arrive, and refuses them as soon as they are too large (RFC 7578)."""

from collections.abc import Callable
from typing import BinaryIO, Final, NamedTuple

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from aeon.server.edge.problems import HttpError

FORM: Final = "multipart/form-data"

_MAX_FIELDS: Final = 20
_FIELD: Final = 4 << 20
"""The most bytes of a field other than a file: a million characters in UTF-8."""


class FormFile(NamedTuple):
    """A file of a form, with the name of its field and its own name, which must not be used as a path."""

    field: str
    name: str
    content: BinaryIO


class Form(NamedTuple):
    """The fields and the files of a form, in the order of the form."""

    fields: dict[str, str]
    files: list[FormFile]


class FormLimits(NamedTuple):
    """How many files a form may have, and how many bytes each."""

    files: int
    size: int


async def read_form(request: Request, limits: FormLimits, new_file: Callable[[], BinaryIO]) -> Form:
    """Read the form of a request; `new_file` makes the file into which a part is written, which the caller closes.

    Lengths that a part announces are not believed. Raises HttpError for an incomplete form, and for one over the limits
    as soon as it exceeds one.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind.decode("latin-1") != FORM or not options.get(b"boundary"):
        raise HttpError(400, f"The body must be {FORM} with a boundary.")
    reader = _FormReader(options[b"boundary"], limits, new_file)
    async for chunk in request.stream():
        reader.write(chunk)
    return reader.finish()


class _FormReader:
    """The parts that were read so far."""

    def __init__(self, boundary: bytes, limits: FormLimits, new_file: Callable[[], BinaryIO]) -> None:
        self._limits = limits
        self._new_file = new_file
        self._fields: dict[str, str] = {}
        self._files: list[FormFile] = []
        self._header: list[bytearray] = []
        self._headers: dict[str, bytes] = {}
        self._field: str | None = None
        self._text = bytearray()
        self._size = 0
        self._is_whole = False
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin,
                    "on_header_begin": self._begin_header,
                    "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                    "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._begin_content,
                    "on_part_data": self._add,
                    "on_part_end": self._end,
                    "on_end": self._finish,
                },
            )
        except FormParserError as error:
            raise _broken(error) from None

    def write(self, chunk: bytes) -> None:
        """Read the next bytes of the form."""
        try:
            if chunk:
                self._parser.write(chunk)
        except FormParserError as error:
            raise _broken(error) from None

    def finish(self) -> Form:
        """The whole form. Raises HttpError if its end is missing."""
        if not self._is_whole:
            raise HttpError(400, "The form ends before its last boundary.", next_step="Send it again.")
        return Form(self._fields, self._files)

    def _begin(self) -> None:
        self._headers, self._field, self._size = {}, None, 0
        self._text = bytearray()

    def _begin_header(self) -> None:
        self._header = [bytearray(), bytearray()]

    def _end_header(self) -> None:
        name, value = self._header
        self._headers[name.decode("latin-1").lower()] = bytes(value)

    def _begin_content(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b"").decode("latin-1"))
        if b"name" not in options:
            raise HttpError(400, "A part of the form has no name.")
        name = options[b"name"].decode("utf-8", "replace")
        if b"filename" not in options:
            self._begin_field(name)
        elif len(self._files) == self._limits.files:
            raise _too_large(f"The form has more than {self._limits.files} files.")
        else:
            own_name = options[b"filename"].decode("utf-8", "replace")
            self._files.append(FormFile(name, own_name, self._new_file()))

    def _begin_field(self, name: str) -> None:
        if name in self._fields:
            raise HttpError(422, f"The form has the field {name[:50]!r} twice.")
        if len(self._fields) == _MAX_FIELDS:
            raise _too_large(f"The form has more than {_MAX_FIELDS} fields.")
        self._field = name

    def _add(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        limit = self._limits.size if self._field is None else _FIELD
        if self._size > limit:
            name = self._files[-1].name if self._field is None else self._field
            raise _too_large(f"{name[:100]!r} has more than {limit:,} bytes.")
        if self._field is None:
            self._files[-1].content.write(data[start:end])
        else:
            self._text += data[start:end]

    def _end(self) -> None:
        if self._field is not None:
            self._fields[self._field] = self._text.decode("utf-8", "replace")

    def _finish(self) -> None:
        self._is_whole = True


def _broken(error: FormParserError) -> HttpError:
    return HttpError(400, f"The form cannot be read: {error}.")


def _too_large(message: str) -> HttpError:
    return HttpError(413, message, next_step="Send fewer or smaller files.")
