"""Fetches weights from sources in order, accepts only the right hash, and lets one process work at a time."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from aeon.adapters.weights.catalog import SMALL, Weights
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback
from aeon.base.errors import WeightsError
from aeon.base.json import canonical_json, parse_strict
from aeon.base.next_steps import NextStep

CHUNK = 1024 * 1024


class WeightsSourceError(WeightsError):
    """The source did not deliver the weights."""


class WeightsDelivery(NamedTuple):
    """A complete file, and the SHA-256 of the bytes written to it, not compared yet."""

    path: Path
    sha256: str


class WeightsSource(Protocol):
    """A source of weights. It need not be trusted: a delivery is used only if its hash is right."""

    @property
    def name(self) -> str: ...

    def space_needed(self, spec: Weights) -> int:
        """Return the bytes on disk that a delivery needs, starting with an empty work folder."""
        ...

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        """Bring the file into `work`, an existing folder that belongs to this source and survives interruptions.

        Continues what an interrupted call left there. Raises WeightsSourceError or OSError.
        """
        ...


def find_verified(spec: Weights, folder: Path, report: WeightsProgressCallback) -> Path | None:
    """Return the verified file in `folder`, or None if it is absent or not the published one.

    Hashes the file only if it changed since it was last verified.
    """
    path = folder / spec.file
    if is_marked_verified(path, spec):
        return path
    if not path.is_file():
        return None
    if path.stat().st_size != spec.size or sha256_of(path, spec, report) != spec.sha256:
        reason = f"{path} is not the published file; it will be replaced."
        report(WeightsProgress(WeightsPhase.REJECTED, spec.name, reason=reason))
        return None
    mark_verified(path, spec)
    return path


def is_marked_verified(path: Path, spec: Weights) -> bool:
    """Return whether `path` is unchanged since it was verified."""
    try:
        return parse_strict(marker_path(path).read_text("utf-8")) == _fingerprint(path, spec)
    except (OSError, ValueError):
        return False


def mark_verified(path: Path, spec: Weights) -> None:
    """Record that `path` is the published file."""
    try:
        marker_path(path).write_text(canonical_json(_fingerprint(path, spec)), "utf-8")
    except OSError:
        return  # in a read-only folder, each start hashes the file again


def marker_path(path: Path) -> Path:
    """Return the path of the file that records the state of `path` when it was verified."""
    return path.with_name(path.name + ".verified.json")


def sha256_of(path: Path, spec: Weights, report: WeightsProgressCallback) -> str:
    """Return the SHA-256 of the file, with progress."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            report(WeightsProgress(WeightsPhase.VERIFYING, spec.name, done=done, total=spec.size))
    return digest.hexdigest()


def _fingerprint(path: Path, spec: Weights) -> dict[str, str | int]:
    status = path.stat()
    return {"sha256": spec.sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def free_bytes(folder: Path) -> int:
    """Return the bytes that this user can still write in `folder`."""
    return shutil.disk_usage(folder).free


def fetch_weights(
    spec: Weights,
    folder: Path,
    sources: Sequence[WeightsSource],
    report: WeightsProgressCallback,
    *,
    free_space: Callable[[Path], int] = free_bytes,
) -> Path:
    """Return the verified model file in `folder`; if missing, fetch it from the first source that delivers it.

    Interrupted downloads continue at the next call. Raises WeightsError with the error of every source.
    """
    target = folder / spec.file
    try:
        if find_verified(spec, folder, report) is None:
            folder.mkdir(parents=True, exist_ok=True)
            with _fetch_lock(spec, folder, report):
                # Another process may have finished while this one waited.
                if not is_marked_verified(target, spec):
                    _fetch_from_first(spec, folder, sources, report, free_space)
    except OSError as error:
        raise WeightsError(f"The folder for weights cannot be used: {error}.", next_step=_advice(spec)) from error
    report(WeightsProgress(WeightsPhase.DONE, spec.name, done=spec.size, total=spec.size))
    return target


def _fetch_from_first(
    spec: Weights,
    folder: Path,
    sources: Sequence[WeightsSource],
    report: WeightsProgressCallback,
    free_space: Callable[[Path], int],
) -> None:
    failures: dict[str, str] = {}
    for source in sources:
        report(WeightsProgress(WeightsPhase.TRYING, spec.name, source.name))
        try:
            _fetch_from(source, spec, folder, report, free_space)
        except (WeightsSourceError, OSError) as error:
            failures[source.name] = reason = str(error)
            report(WeightsProgress(WeightsPhase.SOURCE_FAILED, spec.name, source.name, reason=reason))
        else:
            shutil.rmtree(_parts(spec, folder), ignore_errors=True)
            return
    listed = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
    raise WeightsError(
        f"The weights of the model {spec.name!r} could not be fetched. {listed}",
        next_step=_advice(spec),
        failures=failures,
    )


def _fetch_from(
    source: WeightsSource,
    spec: Weights,
    folder: Path,
    report: WeightsProgressCallback,
    free_space: Callable[[Path], int],
) -> None:
    work, target = _parts(spec, folder) / source.name, folder / spec.file
    work.mkdir(parents=True, exist_ok=True)
    _check_space(source.space_needed(spec) - _size_of(work), free_space(work))
    delivery = source.deliver(spec, work, report)
    if delivery.sha256 != spec.sha256 or delivery.path.stat().st_size != spec.size:
        shutil.rmtree(work)
        raise WeightsSourceError(
            f"the delivered file is not the published one (SHA-256 {delivery.sha256}); it was deleted"
        )
    _sync(delivery.path)
    delivery.path.replace(target)
    mark_verified(target, spec)


def _sync(path: Path) -> None:
    """Wait until the bytes are on disk, so that no crash leaves an incomplete file marked as verified."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _parts(spec: Weights, folder: Path) -> Path:
    """Return the folder of unfinished downloads, on the same disk so that finishing is a rename."""
    return folder / f"{spec.file}.parts"


def _check_space(needed: int, free: int) -> None:
    if free < needed:
        raise WeightsSourceError(f"{needed} bytes of disk space are needed, but only {free} are free")


def _size_of(work: Path) -> int:
    return sum(path.stat().st_size for path in work.iterdir() if path.is_file())


@contextmanager
def _fetch_lock(spec: Weights, folder: Path, report: WeightsProgressCallback) -> Generator[None]:
    """Hold the lock on this model's file. The kernel releases it when a process dies."""
    with (folder / f"{spec.file}.lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(WeightsProgress(WeightsPhase.WAITING, spec.name, reason="another process is fetching the same file"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _advice(spec: Weights) -> NextStep:
    if spec.size <= SMALL.size:
        return NextStep("models.fetch_again", model=spec.name)
    return NextStep("models.fetch_again_or_smaller", model=spec.name)
