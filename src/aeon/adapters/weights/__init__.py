"""The weights of the embedded model: which there are, where they lie, and how they get there, trusted by hash alone."""

from aeon.adapters.weights.catalog import CATALOG, Weights, choose, resolve, weights_dir
from aeon.adapters.weights.fetch import fetch
from aeon.adapters.weights.progress import Phase, Progress, Report
from aeon.adapters.weights.sources import default_sources
from aeon.adapters.weights.verified import find_verified

__all__ = [
    "CATALOG",
    "Phase",
    "Progress",
    "Report",
    "Weights",
    "choose",
    "default_sources",
    "fetch",
    "find_verified",
    "resolve",
    "weights_dir",
]
