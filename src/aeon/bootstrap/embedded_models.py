"""The embedded models on this machine: which are fetched, and which one fits into memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aeon.adapters.weights import (
    CATALOG,
    Weights,
    WeightsPhase,
    WeightsProgress,
    choose_weights,
    resolve_weights,
    weights_dir,
)
from aeon.base.errors import ConfigError
from aeon.base.json import JsonObject

__all__ = [
    "StoredModel",
    "WeightsPhase",
    "WeightsProgress",
    "available_memory",
    "catalogued_weights",
    "stored_models",
    "suitable_weights",
]


class StoredModel(NamedTuple):
    """A model of the catalogue, the path of its weights, and whether a file of the right size is there."""

    weights: Weights
    file: Path
    is_there: bool

    def as_dict(self) -> JsonObject:
        """The model as JSON data."""
        weights = self.weights
        return {
            "name": weights.name,
            "title": weights.title,
            "bytes": weights.size,
            "memory": weights.memory,
            "licence": weights.licence,
            "sha256": weights.sha256,
            "file": str(self.file),
            "fetched": self.is_there,
            "summary": weights.summary,
        }


def stored_models(environ: Mapping[str, str]) -> list[StoredModel]:
    """Return every model of the catalogue, and whether its weights are on this machine."""
    folder = weights_dir(environ)
    return [StoredModel(weights, folder / weights.file, _is_there(weights, folder)) for weights in CATALOG.values()]


def catalogued_weights(name: str) -> Weights:
    """Return the model of that name. Raises ConfigError for an unknown name, or a file, which cannot be fetched."""
    weights = resolve_weights(name)
    if isinstance(weights, Path):
        raise ConfigError(
            f"{weights} is your own file, not a model of the catalogue.", next_step=f"Name one of {', '.join(CATALOG)}."
        )
    return weights


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the bytes of memory available now; 0 if the system does not report them."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text("ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return 0


def suitable_weights(environ: Mapping[str, str]) -> Weights:
    """Return the model that fits into memory; the small one if only that was fetched."""
    folder = weights_dir(environ)
    wanted = choose_weights(available_memory())
    small = CATALOG["small"]
    return small if not _is_there(wanted, folder) and _is_there(small, folder) else wanted


def _is_there(weights: Weights, folder: Path) -> bool:
    try:
        return (folder / weights.file).stat().st_size == weights.size
    except OSError:
        return False
