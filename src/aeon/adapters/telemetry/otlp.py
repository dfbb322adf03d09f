"""Delivers spans by OTLP over HTTP, and gives up in time, whatever the endpoint does."""

from collections.abc import Sequence
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING

from aeon.adapters.telemetry.variables import Wanted
from aeon.base.threads import WorkerThread
from aeon.platform.processes.runs.sending import NotTakenError
from aeon.platform.processes.runs.spans import Span

if TYPE_CHECKING:
    from aeon.adapters.telemetry.exporting import Delivered, Exporting

_HTTP = "http/protobuf"

_GRACE = 1.0
"""Seconds beyond its own timeout that the exporter gets: names that are looked up slowly, answers that trickle."""

_REFUSED_FOR_GOOD = frozenset({400, 413, 422})
"""What is refused as invalid is not to be sent again (OTLP, "Failures")."""


class OtlpReceiver:
    """An OTLP endpoint. For one thread at a time."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._exporting: Exporting | None = None
        self._thread: WorkerThread[Delivered] | None = None

    @property
    def with_contents(self) -> bool:
        """Whether inputs and outputs are asked for, too."""
        return self._wanted.with_contents

    def take(self, spans: Sequence[Span]) -> None:
        """Deliver them. Raises NotTakenError, within the time that is asked for and a second."""
        exporting = self._opened()
        thread = self._thread = self._thread or WorkerThread["Delivered"]("aeon-spans")
        thread.tasks.put(partial(exporting.deliver, spans))
        try:
            outcome = thread.outcomes.get(timeout=self._wanted.seconds + _GRACE)
        except Empty:
            thread.tasks.put(None)
            self._thread = self._exporting = None
            raise self._not_taken("it does not answer in time") from None
        if outcome.result is None:
            raise self._not_taken(f"what sends them failed with {type(outcome.error).__name__}")
        self._look_at(outcome.result)

    def _look_at(self, delivered: "Delivered") -> None:
        is_taken, status = delivered
        if not is_taken:
            said = "it does not answer" if status is None else f"it answers with HTTP status {status}"
            raise self._not_taken(said, is_final=status in _REFUSED_FOR_GOOD)

    def _opened(self) -> "Exporting":
        if self._exporting is None:
            if self._wanted.protocol != _HTTP:
                raise NotTakenError(
                    f"Spans of runs cannot be sent by {self._wanted.protocol!r}.",
                    next_step=f"Set OTEL_EXPORTER_OTLP_PROTOCOL={_HTTP}, and the endpoint for it, often port 4318.",
                )
            self._exporting = self._made()
        return self._exporting

    def _made(self) -> "Exporting":
        try:
            from aeon.adapters.telemetry.exporting import Exporting

            return Exporting(self._wanted.seconds)
        except ModuleNotFoundError:
            raise NotTakenError(
                "An OpenTelemetry endpoint is set, and what sends spans to it is not installed: runs go on without.",
                next_step="Run: pip install 'aeon-orchestrator[otel]'.",
            ) from None

    def _not_taken(self, why: str, *, is_final: bool = False) -> NotTakenError:
        later = "these are left out" if is_final else "they are sent later"
        return NotTakenError(
            f"The OpenTelemetry endpoint {self._wanted.place} does not take spans: {why}; {later}.",
            next_step="Look at OTEL_EXPORTER_OTLP_ENDPOINT and at what runs there; runs go on without.",
            is_final=is_final,
        )
