"""Delivers spans by OTLP over HTTP, with a timeout that holds whatever the endpoint does."""

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
"""Seconds beyond the exporter's timeout, for slow name look-ups and slow responses."""

_INVALID_STATUSES = frozenset({400, 413, 422})
"""Spans refused as invalid must not be sent again (OTLP, "Failures")."""


class OtlpReceiver:
    """Delivers spans to an OTLP endpoint. For one thread at a time."""

    def __init__(self, settings: OtlpSettings) -> None:
        self._settings = settings
        self._exporter: OtlpHttpExporter | None = None
        self._thread: WorkerThread[SpanDelivery] | None = None

    @property
    def with_contents(self) -> bool:
        """Whether spans should contain inputs and outputs."""
        return self._settings.with_contents

    def export(self, spans: Sequence[Span]) -> None:
        """Deliver spans. Raises SpanExportError, at most one second after the timeout."""
        exporter = self._open()
        thread = self._thread = self._thread or WorkerThread["SpanDelivery"]("aeon-spans")
        thread.tasks.put(partial(exporter.export, spans))
        try:
            outcome = thread.outcomes.get(timeout=self._settings.seconds + _GRACE)
        except Empty:
            thread.tasks.put(None)
            self._thread = self._exporter = None
            raise self._export_error("no response in time") from None
        if outcome.result is None:
            raise self._export_error(f"the exporter failed with {type(outcome.error).__name__}")
        self._check(outcome.result)

    def _check(self, delivered: "SpanDelivery") -> None:
        is_accepted, status = delivered
        if not is_accepted:
            reason = "no response" if status is None else f"HTTP status {status}"
            raise self._export_error(reason, is_final=status in _INVALID_STATUSES)

    def _open(self) -> "OtlpHttpExporter":
        if self._exporter is None:
            if self._settings.protocol != _HTTP:
                raise SpanExportError(
                    f"Spans of runs cannot be sent by the protocol {self._settings.protocol!r}.",
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
                "An OpenTelemetry endpoint is set, but the exporter of spans is not installed: runs continue without.",
                next_step="Run: pip install 'aeon-orchestrator[otel]'.",
            ) from None

    def _export_error(self, why: str, *, is_final: bool = False) -> SpanExportError:
        later = "these spans are dropped" if is_final else "the spans are sent later"
        return SpanExportError(
            f"The OpenTelemetry endpoint {self._settings.endpoint} did not accept spans: {why}; {later}.",
            next_step="Check OTEL_EXPORTER_OTLP_ENDPOINT and the server there; runs continue without.",
            is_final=is_final,
        )
