"""The port to a place that weights come from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.progress import WeightsProgressCallback
from aeon.base.errors import WeightsError

CHUNK = 1024 * 1024


class WeightsSourceError(WeightsError):
    """The source did not deliver the weights."""


@dataclass(frozen=True, slots=True)
class WeightsDelivery:
    """A complete file and the SHA-256 of the bytes that were written to it. Nobody has compared the hash yet."""

    path: Path
    sha256: str


class WeightsSource(Protocol):
    """A place that weights come from. It need not be trusted: what it hands over is used only if the hash is right."""

    @property
    def name(self) -> str: ...

    def space_needed(self, spec: Weights) -> int:
        """Bytes on disk that a delivery takes from an empty work folder."""
        ...

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        """Bring the file into `work`, an existing folder that is this source's own and survives interruptions.

        What an earlier, interrupted call left there is used. Raises SourceError or OSError.
        """
        ...
