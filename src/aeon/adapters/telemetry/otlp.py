"""Delivers spans by OTLP over HTTP, and gives up in time, whatever the endpoint does."""

from collections.abc import Sequence
from functools import partial
from queue import Empty
from typing import TYPE_CHECKING

from aeon.adapters.telemetry.environment import OtlpSettings
from aeon.base.threads import WorkerThread
from aeon.platform.runs.span_export import SpanExportError
from aeon.platform.runs.spans import Span

if TYPE_CHECKING:
    from aeon.adapters.telemetry.exporter import OtlpHttpExporter, SpanDelivery

_HTTP = "http/protobuf"

_GRACE = 1.0
"""Seconds beyond its own timeout that the exporter gets: names that are looked up slowly, answers that trickle."""

_REFUSED_FOR_GOOD = frozenset({400, 413, 422})
"""What is refused as invalid is not to be sent again (OTLP, "Failures")."""


class OtlpReceiver:
    """An OTLP endpoint. For one thread at a time."""

    def __init__(self, wanted: OtlpSettings) -> None:
        self._settings = wanted
        self._exporter: OtlpHttpExporter | None = None
        self._thread: WorkerThread[SpanDelivery] | None = None

    @property
    def with_contents(self) -> bool:
        """Whether inputs and outputs are asked for, too."""
        return self._settings.with_contents

    def export(self, spans: Sequence[Span]) -> None:
        """Deliver them. Raises SpanExportError, within the time that is asked for and a second."""
        exporting = self._open()
        thread = self._thread = self._thread or WorkerThread["SpanDelivery"]("aeon-spans")
        thread.tasks.put(partial(exporting.export, spans))
        try:
            outcome = thread.outcomes.get(timeout=self._settings.seconds + _GRACE)
        except Empty:
            thread.tasks.put(None)
            self._thread = self._exporter = None
            raise self._not_taken("it does not answer in time") from None
        if outcome.result is None:
            raise self._not_taken(f"what sends them failed with {type(outcome.error).__name__}")
        self._check(outcome.result)

    def _check(self, delivered: "SpanDelivery") -> None:
        is_taken, status = delivered
        if not is_taken:
            said = "it does not answer" if status is None else f"it answers with HTTP status {status}"
            raise self._not_taken(said, is_final=status in _REFUSED_FOR_GOOD)

    def _open(self) -> "OtlpHttpExporter":
        if self._exporter is None:
            if self._settings.protocol != _HTTP:
                raise SpanExportError(
                    f"Spans of runs cannot be sent by {self._settings.protocol!r}.",
                    next_step=f"Set OTEL_EXPORTER_OTLP_PROTOCOL={_HTTP}, and the endpoint for it, often port 4318.",
                )
            self._exporter = self._new_exporter()
        return self._exporter

    def _new_exporter(self) -> "OtlpHttpExporter":
        try:
            from aeon.adapters.telemetry.exporter import OtlpHttpExporter

            return OtlpHttpExporter(self._settings.seconds)
        except ModuleNotFoundError:
            raise SpanExportError(
                "An OpenTelemetry endpoint is set, and what sends spans to it is not installed: runs go on without.",
                next_step="Run: pip install 'aeon-orchestrator[otel]'.",
            ) from None

    def _not_taken(self, why: str, *, is_final: bool = False) -> SpanExportError:
        later = "these are left out" if is_final else "they are sent later"
        return SpanExportError(
            f"The OpenTelemetry endpoint {self._settings.endpoint} does not take spans: {why}; {later}.",
            next_step="Look at OTEL_EXPORTER_OTLP_ENDPOINT and at what runs there; runs go on without.",
            is_final=is_final,
        )
