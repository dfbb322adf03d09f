"""Spans of runs, where the environment asks for them."""

import logging
from collections.abc import Mapping

from aeon.adapters.telemetry.variables import wanted
from aeon.base.clock import Clock
from aeon.platform.processes.runs.book import RunBook
from aeon.platform.processes.runs.sending import Sending
from aeon.platform.store import Store


def span_sending(store: Store, book: RunBook, clock: Clock, environ: Mapping[str, str]) -> Sending | None:
    """What sends spans; None where OpenTelemetry's own variables name no endpoint. What goes wrong is logged, once."""
    asked = wanted(environ)
    if asked is None:
        return None
    from aeon.adapters.telemetry.otlp import OtlpReceiver

    return Sending(store, book, OtlpReceiver(asked), clock, logging.getLogger("aeon.telemetry").warning)
