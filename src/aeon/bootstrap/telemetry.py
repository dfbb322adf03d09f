"""Exports spans of runs if OpenTelemetry's environment variables ask for it."""

from collections.abc import Mapping

from aeon.adapters.telemetry.environment import read_otlp_settings
from aeon.base.clock import Clock
from aeon.base.loggers import room_logger
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.span_export import SpanExportQueue
from aeon.platform.store import Store


def open_span_sender(
    store: Store, book: SqlRunRepository, clock: Clock, environ: Mapping[str, str], executor: str
) -> SpanExportQueue | None:
    """Return the export queue of spans; None if no OpenTelemetry endpoint is set. Errors are logged once.

    It exports the open runs of `executor`, and what has ended anywhere.
    """
    settings = read_otlp_settings(environ)
    if settings is None:
        return None
    from aeon.adapters.telemetry.otlp import OtlpReceiver

    return SpanExportQueue(store, book, OtlpReceiver(settings), clock, room_logger("telemetry").warning, executor)
