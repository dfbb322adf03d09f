"""Whether a file is the published one. The answer is remembered beside it, so that a gigabyte is hashed once."""

import hashlib
from pathlib import Path

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.delivery import CHUNK
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback
from aeon.base.json import canonical_json, parse_strict


def find_verified(spec: Weights, folder: Path, report: WeightsProgressCallback) -> Path | None:
    """The verified file in `folder`, or None when it is absent or not the published one.

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
    """Whether `path` is unchanged since it was found to be the published file."""
    try:
        return parse_strict(marker_path(path).read_text("utf-8")) == _fingerprint(path, spec)
    except (OSError, ValueError):
        return False


def mark_verified(path: Path, spec: Weights) -> None:
    """Remember that `path` is the published file."""
    try:
        marker_path(path).write_text(canonical_json(_fingerprint(path, spec)), "utf-8")
    except OSError:
        return  # a read-only folder costs a hash at each start, nothing else


def marker_path(path: Path) -> Path:
    """The small file that remembers what `path` was when it was verified."""
    return path.with_name(path.name + ".verified.json")


def sha256_of(path: Path, spec: Weights, report: WeightsProgressCallback) -> str:
    """The SHA-256 of the file, with progress."""
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
