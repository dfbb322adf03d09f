"""What happens while weights are fetched, as data: a command can draw a bar from it, a log can keep it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class WeightsPhase(StrEnum):
    """Where a fetch stands."""

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


@dataclass(frozen=True, slots=True)
class WeightsProgress:
    """One moment of a fetch. `done` and `total` are bytes of the finished file; `total` is 0 where there is no bar."""

    phase: WeightsPhase
    model: str
    source: str = ""
    done: int = 0
    total: int = 0
    reason: str = ""


WeightsProgressCallback: TypeAlias = Callable[[WeightsProgress], None]
"""Receives each `WeightsProgress`. Called in the fetching thread, also from inside the download loop: be quick."""
