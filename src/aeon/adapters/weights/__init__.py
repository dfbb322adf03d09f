"""The weights of the embedded model: which there are, where they lie, and how they get there, trusted by hash alone."""

from aeon.adapters.weights.catalog import CATALOG, Weights, choose_weights, resolve_weights, weights_dir
from aeon.adapters.weights.fetch import fetch_weights, find_verified
from aeon.adapters.weights.progress import WeightsPhase, WeightsProgress, WeightsProgressCallback
from aeon.adapters.weights.sources import default_sources

__all__ = [
    "CATALOG",
    "Weights",
    "WeightsPhase",
    "WeightsProgress",
    "WeightsProgressCallback",
    "choose_weights",
    "default_sources",
    "fetch_weights",
    "find_verified",
    "resolve_weights",
    "weights_dir",
]
