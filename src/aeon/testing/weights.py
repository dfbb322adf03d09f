"""A source of weights with scripted deliveries, for tests."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from aeon.adapters.weights.catalog import Weights
from aeon.adapters.weights.fetch import WeightsDelivery, WeightsSourceError
from aeon.adapters.weights.progress import WeightsProgressCallback


class ScriptedSource:
    """Delivers `outcomes` in order: bytes are the file's content, an exception is raised. `calls` counts deliveries."""

    def __init__(self, outcomes: Iterable[bytes | BaseException], name: str = "given") -> None:
        self.name = name
        self.calls = 0
        self._outcomes = iter(outcomes)

    def space_needed(self, spec: Weights) -> int:
        return spec.size

    def deliver(self, spec: Weights, work: Path, report: WeightsProgressCallback) -> WeightsDelivery:
        del spec, report
        self.calls += 1
        outcome = next(self._outcomes, None) or WeightsSourceError("the script of deliveries is used up")
        if isinstance(outcome, BaseException):
            raise outcome
        path = work / "given"
        path.write_bytes(outcome)
        return WeightsDelivery(path, hashlib.sha256(outcome).hexdigest())


def make_weights(content: bytes, name: str = "sample") -> Weights:
    """A catalogue entry whose published file is `content`."""
    return Weights(
        name=name,
        title="Sample",
        file=f"{name}.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="Apache-2.0",
        repository="example/sample",
        lock=f"{name}.lock",
        memory=0,
        summary="Content from a test.",
    )
