"""Getting weights: sources in order, only the right hash is accepted, and one process at a time does the work."""

import fcntl
import os
import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aeon.adapters.weights.catalog import SMALL, Weights
from aeon.adapters.weights.delivery import WeightsSource, WeightsSourceError
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback
from aeon.adapters.weights.verified import find_verified, is_marked_verified, mark_verified
from aeon.base.errors import WeightsError


def free_bytes(folder: Path) -> int:
    """Bytes that this user may still write in `folder`."""
    return shutil.disk_usage(folder).free


def fetch_weights(
    spec: Weights,
    folder: Path,
    sources: Sequence[WeightsSource],
    report: WeightsProgressCallback,
    *,
    free_space: Callable[[Path], int] = free_bytes,
) -> Path:
    """The verified model file in `folder`, fetched from the first source that delivers it if it is not there yet.

    Interrupted downloads continue at the next call. Raises WeightsError with what every source said.
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
    said = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
    raise WeightsError(
        f"The weights of the model {spec.name!r} could not be had. {said}", next_step=_advice(spec), failures=failures
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
        raise WeightsSourceError(f"what came is not the published file (SHA-256 {delivery.sha256}); it was deleted")
    _sync(delivery.path)
    delivery.path.replace(target)
    mark_verified(target, spec)


def _sync(path: Path) -> None:
    """Wait until the bytes are on the disk, so that no crash leaves a marked file with holes in it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _parts(spec: Weights, folder: Path) -> Path:
    """Where unfinished downloads wait for the next call, on the same disk so that finishing is a rename."""
    return folder / f"{spec.file}.parts"


def _check_space(needed: int, free: int) -> None:
    if free < needed:
        raise WeightsSourceError(f"{needed} bytes of disk space are needed and {free} are free")


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


def _advice(spec: Weights) -> str:
    again = f"Run `aeon model fetch {spec.name}` again, what was downloaded is kept"
    smaller = "" if spec.size <= SMALL.size else "; try the smaller one, `aeon model fetch small`"
    return f"{again}{smaller}; or set AEON_MODEL_PATH=/path/to.gguf to a model file that you have."
