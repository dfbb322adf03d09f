"""The weights of embedded models: the catalogue, their files, and downloads verified by hash."""

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
