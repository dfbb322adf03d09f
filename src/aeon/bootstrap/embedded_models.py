"""The embedded models on this machine: which are there, and which one its memory allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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

__all__ = [
    "StoredModel",
    "WeightsPhase",
    "WeightsProgress",
    "available_memory",
    "catalogued_weights",
    "stored_models",
    "suitable_weights",
]


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model of the catalogue, where its weights belong, and whether a file of the right size is there."""

    weights: Weights
    file: Path
    is_there: bool


def stored_models(environ: Mapping[str, str]) -> list[StoredModel]:
    """Every model of the catalogue and whether its weights are on this machine."""
    folder = weights_dir(environ)
    return [StoredModel(weights, folder / weights.file, _is_there(weights, folder)) for weights in CATALOG.values()]


def catalogued_weights(name: str) -> Weights:
    """The model of that name. Raises ConfigError for an unknown name, or a file, which needs no fetching."""
    found = resolve_weights(name)
    if isinstance(found, Path):
        raise ConfigError(f"{found} is a file of yours.", next_step=f"Name one of {', '.join(CATALOG)}.")
    return found


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes of memory that a program can take now; 0 where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text("ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return 0


def suitable_weights(environ: Mapping[str, str]) -> Weights:
    """What the memory allows; the small model when only that was fetched."""
    folder = weights_dir(environ)
    wanted = choose_weights(available_memory())
    small = CATALOG["small"]
    return small if not _is_there(wanted, folder) and _is_there(small, folder) else wanted


def _is_there(weights: Weights, folder: Path) -> bool:
    try:
        return (folder / weights.file).stat().st_size == weights.size
    except OSError:
        return False
