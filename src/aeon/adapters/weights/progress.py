"""Progress of fetching weights, as data for progress bars and logs."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeAlias


class WeightsPhase(StrEnum):
    """A phase of a fetch."""

    WAITING = "waiting"
    """Another process fetches the same file."""
    TRYING = "trying"
    DOWNLOADING = "downloading"
    JOINING = "joining"
    VERIFYING = "verifying"
    REJECTED = "rejected"
    """The file in the folder is not the published one and will be replaced."""
    SOURCE_FAILED = "source_failed"
    DONE = "done"


class WeightsProgress(NamedTuple):
    """One progress report. `done` and `total` are bytes of the finished file; `total` is 0 in phases without a bar."""

    phase: WeightsPhase
    model: str
    source: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""


WeightsProgressCallback: TypeAlias = Callable[[WeightsProgress], None]
"""Receives each `WeightsProgress`. Called in the fetching thread, also in the download loop, so it must be fast."""
