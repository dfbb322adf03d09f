"""Converts and exports spans with OpenTelemetry. It imports OpenTelemetry's packages, so import it late."""

import logging
from collections.abc import Sequence
from functools import cached_property
from http import HTTPStatus
from typing import Any, NamedTuple

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

import requests
from aeon import __version__
from aeon.platform.runs.spans import Span, TraceContext

_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}
_UNKNOWN_SERVICE = "unknown_service"


class SpanDelivery(NamedTuple):
    """Whether the endpoint accepted the spans, and its HTTP status; None without a response."""

    is_accepted: bool
    status: int | None


class OtlpHttpExporter:
    """Exports spans with the endpoint, headers, certificates and compression of the environment."""

    def __init__(self, seconds: float) -> None:
        """`seconds` is the timeout of one batch."""
        self._seconds = seconds
        self._scope = InstrumentationScope("aeon", __version__)
        self._status: int | None = None

    def export(self, spans: Sequence[Span]) -> SpanDelivery:
        """Send spans in one request; retry while the endpoint reports that it is busy."""
        self._status = None
        result = self._exporter.export([as_readable_span(span, self._resource, self._scope) for span in spans])
        is_redirected = self._status is not None and self._status >= HTTPStatus.MULTIPLE_CHOICES
        return SpanDelivery(result is SpanExportResult.SUCCESS and not is_redirected, self._status)

    @cached_property
    def _exporter(self) -> OTLPSpanExporter:
        logging.getLogger("opentelemetry").addHandler(
            logging.NullHandler()
        )  # Aeon reports errors once instead of every time
        session = requests.Session()
        session.hooks["response"] = [self._record_status]
        return OTLPSpanExporter(timeout=self._seconds, session=session)

    @cached_property
    def _resource(self) -> Resource:
        """The resource of the environment; the service name is `aeon` unless another is set."""
        resource = Resource.create({SERVICE_VERSION: __version__})
        name = str(resource.attributes.get(SERVICE_NAME, _UNKNOWN_SERVICE))
        return resource.merge(Resource({SERVICE_NAME: "aeon"})) if name.startswith(_UNKNOWN_SERVICE) else resource

    def _record_status(self, response: requests.Response, *_rest: Any, **_more: Any) -> None:
        self._status = response.status_code


def as_readable_span(span: Span, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
    """Convert a span of Aeon to one of OpenTelemetry."""
    return ReadableSpan(
        span.name,
        context=_context(span.context),
        parent=None if span.parent is None else _context(span.parent),
        resource=resource,
        attributes=span.attributes,
        events=[Event(event.name, event.attributes, event.at) for event in span.events],
        links=[Link(_context(link)) for link in span.links],
        kind=_KINDS[span.kind],
        status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
        start_time=span.begin,
        end_time=span.end,
        instrumentation_scope=scope,
    )


def _context(context: TraceContext) -> SpanContext:
    return SpanContext(context.trace, context.span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
