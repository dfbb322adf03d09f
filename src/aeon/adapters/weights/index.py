"""Weights from the package index: wheels that carry the file in parts, downloaded one by one and joined."""

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
    """A stretch of the model file. `size` is what the archive declares; more than that is never read from it."""

    number: int
    wheel: Path
    member: str
    size: int


def wheel_pieces(wheel: Path) -> list[WheelPiece]:
    """The pieces inside one wheel: `*/data/part<number>.bin`, or a whole `.gguf` as piece 0.

    Raises WeightsSourceError when it is no readable archive.
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
    """The pieces sorted by number.

    Raises WeightsSourceError unless each number stands once and the pieces add up to `size` bytes.
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

    The hash in earlier items is empty. Raises WeightsSourceError when a wheel cannot be unpacked.
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


_INCOMING = "incoming-"


@dataclass(frozen=True, slots=True)
class IndexSource:
    """The parts of a lock file, by pip, read as data. Which index is asked is pip's own configuration.

    `pip_arguments` are added to `pip download`; `locked` replaces the lock file that ships with Aeon.
    """

    environ: Mapping[str, str] = field(repr=False)
    pip_arguments: Sequence[str] = ()
    locked: Sequence[LockedWheel] | None = None
    name: str = "index"

    def space_needed(self, spec: Weights) -> int:
        return 2 * spec.size  # the wheels hardly compress, and they stay until they are joined

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        locked = read_lock(spec.lock) if self.locked is None else self.locked
        for leftover in work.glob(f"{_INCOMING}*"):
            rmtree(leftover, ignore_errors=True)
        found: list[WheelPiece] = []
        for number, wanted in enumerate(locked, start=1):
            done = sum(piece.size for piece in found)
            found += wheel_pieces(self._wheel(wanted, work / f"{number:03}.whl", spec, done, report))
            report(_downloading(spec, sum(piece.size for piece in found)))
        return self._joined(found, spec, work / "joined", report)

    def _wheel(
        self, wanted: LockedWheel, kept: Path, spec: Weights, done: int, report: WeightsProgressCallback
    ) -> Path:
        """The wheel from an earlier call if it is still good, else a fresh one."""
        if kept.exists() and sha256_of_wheel(kept) == wanted.sha256:
            return kept

        def on_bytes(count: int) -> None:
            report(_downloading(spec, min(done + count, spec.size)))

        on_bytes(0)
        with TemporaryDirectory(prefix=_INCOMING, dir=kept.parent) as room:
            fresh = download_wheel(wanted, Path(room), self.environ, self.pip_arguments, on_bytes)
            if sha256_of_wheel(fresh) != wanted.sha256:
                raise WeightsSourceError(f"the wheel of {wanted.project} has a wrong hash")
            fresh.replace(kept)
        return kept

    def _joined(
        self, found: list[WheelPiece], spec: Weights, target: Path, report: WeightsProgressCallback
    ) -> WeightsDelivery:
        sha256 = ""
        for done, sha256 in join_pieces(sorted_pieces(found, spec.size), target):  # noqa: B007  # the last item carries the hash
            report(WeightsProgress(WeightsPhase.JOINING, spec.name, self.name, done, spec.size))
        return WeightsDelivery(target, sha256)


def _downloading(spec: Weights, done: int) -> WeightsProgress:
    return WeightsProgress(WeightsPhase.DOWNLOADING, spec.name, "index", done, spec.size)
