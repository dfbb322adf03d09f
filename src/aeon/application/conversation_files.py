"""Finds and reads the files of an export: JSON files, folders and .zip archives; unpacks nothing to the disk."""

import codecs
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, NamedTuple, Self

from aeon.base.errors import InputError

_CHUNK: Final = 1 << 20
"""Bytes that are read at once."""

_EXPORT_NAME: Final = re.compile(r"conversations([-_]\d+)?\.json", re.IGNORECASE)
"""The names of the files in exports of ChatGPT (also in parts), Claude and Aeon."""

_UTF16: Final = frozenset({codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE})
_MAX_RATIO: Final = 200
_SMALL: Final = 16 << 20
"""An archive's file that unpacks to more than this many bytes, and to over 200 times its packed size, is refused."""


class ImportFile(NamedTuple):
    """A file to import, of `size` bytes when unpacked."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


class ImportFiles:
    """The files that a user named for an import, with their sizes. A context that closes the archives."""

    def __init__(self, paths: list[Path]) -> None:
        """Raises InputError for a path that is not there, cannot be read, or has no export in it."""
        with ExitStack() as archives:
            self.files = [file for path in paths for file in _found(path, archives)]
            self._archives = archives.pop_all()
        self.total = sum(file.size for file in self.files)
        self.done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archives.close()

    def read(self, file: ImportFile) -> Iterator[str]:
        """Yield the text of a file in chunks; `done` counts its bytes. Bytes that are not UTF-8 are lone surrogates.

        A file that begins with the mark of UTF-16 is read as that. Raises InputError for a damaged file.
        """
        decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        try:
            with file.open() as opened:
                if (mark := opened.read(len(codecs.BOM_UTF16))) in _UTF16:
                    decoder = codecs.getincrementaldecoder("utf-16")("replace")
                self.done += len(mark)
                yield decoder.decode(mark)
                while chunk := opened.read(_CHUNK):
                    self.done += len(chunk)
                    yield decoder.decode(chunk)
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:
            raise InputError(f"{file.name} cannot be read: {error}.", next_step="Get the export again.") from None
        yield decoder.decode(b"", final=True)


def _found(path: Path, archives: ExitStack) -> list[ImportFile]:
    try:
        if path.is_dir():
            files = [_plain(each) for each in sorted(path.iterdir()) if _EXPORT_NAME.fullmatch(each.name)]
            return _some(files, f"The folder {path}", sorted(each.name for each in path.glob("*.json")))
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(
                f"{path} is a device, a pipe or a socket, which may never end.",
                next_step="Save what it gives in a file, and name that.",
            )
        if zipfile.is_zipfile(path):
            return _archived(path, archives)
        return [_plain(path)]
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}.", next_step="Check the path and its permissions."
        ) from None


def _archived(path: Path, archives: ExitStack) -> list[ImportFile]:
    try:
        archive = archives.enter_context(zipfile.ZipFile(path))
    except zipfile.BadZipFile as error:
        raise InputError(f"{path} cannot be read: {error}.", next_step="Get the export again.") from None
    members = sorted(
        (each for each in archive.infolist() if _EXPORT_NAME.fullmatch(each.filename.rpartition("/")[2])),
        key=lambda each: each.filename,
    )
    for member in members:
        _check_ratio(path, member)
    names = sorted(each.filename for each in archive.infolist() if each.filename.endswith(".json"))
    return _some([_member(path, archive, each) for each in members], f"The archive {path}", names)


def _plain(path: Path) -> ImportFile:
    return ImportFile(str(path), path.stat().st_size, lambda: path.open("rb"))


def _member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> ImportFile:
    return ImportFile(f"{path}:{member.filename}", member.file_size, lambda: archive.open(member))


def _check_ratio(path: Path, member: zipfile.ZipInfo) -> None:
    if member.file_size > max(_SMALL, _MAX_RATIO * member.compress_size):
        raise InputError(
            f"{member.filename} in {path} would unpack to {member.file_size:,} bytes, over {_MAX_RATIO} times its "
            "packed size; no export is like that.",
            next_step="Get the export again from the service itself; unpack it yourself if you trust it.",
        )


def _some(files: list[ImportFile], what: str, others: list[str]) -> list[ImportFile]:
    if files:
        return files
    names = f"; its JSON files: {', '.join(others[:10])}" if others else ""
    raise InputError(
        f"{what} has no conversations.json or conversations-000.json{names}.", next_step="Name the file to import."
    )
