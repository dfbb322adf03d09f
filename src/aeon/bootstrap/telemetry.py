"""Spans of runs, where the environment asks for them."""

import logging
from collections.abc import Mapping

from aeon.adapters.telemetry.environment import read_otlp_settings
from aeon.base.clock import Clock
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.span_export import SpanExportQueue
from aeon.platform.store import Store


def open_span_sender(
    store: Store, book: SqlRunRepository, clock: Clock, environ: Mapping[str, str]
) -> SpanExportQueue | None:
    """What sends spans; None where OpenTelemetry's own variables name no endpoint. What goes wrong is logged, once."""
    asked = read_otlp_settings(environ)
    if asked is None:
        return None
    from aeon.adapters.telemetry.otlp import OtlpReceiver

    return SpanExportQueue(store, book, OtlpReceiver(asked), clock, logging.getLogger("aeon.telemetry").warning)
