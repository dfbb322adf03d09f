"""What OpenTelemetry's own variables ask of us. We have no settings for it, so that no project's file turns it on."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

_TRACES = "OTEL_EXPORTER_OTLP_TRACES_"
_ALL = "OTEL_EXPORTER_OTLP_"
_CONTENTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_DEFAULT_SECONDS = 3.0
_MAX_SECONDS = 10.0


class OtlpSettings(NamedTuple):
    """Where spans are to go. `place` is that in words that hold no password. `protocol` is as it is asked for."""

    endpoint: str
    protocol: str
    seconds: float
    with_contents: bool


def read_otlp_settings(environ: Mapping[str, str]) -> OtlpSettings | None:
    """What is asked for; None where no endpoint is named, or it is turned off."""
    endpoint = _traces_variable(environ, "ENDPOINT")
    if not endpoint or _is_true(environ, "OTEL_SDK_DISABLED"):
        return None
    exporters = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if exporters and "otlp" not in [each.strip() for each in exporters.split(",")]:
        return None
    protocol = _traces_variable(environ, "PROTOCOL") or "http/protobuf"
    return OtlpSettings(_place(endpoint), protocol, _seconds(environ), _is_true(environ, _CONTENTS))


def _traces_variable(environ: Mapping[str, str], name: str) -> str:
    """What is said of traces goes before what is said of everything."""
    return (environ.get(_TRACES + name) or environ.get(_ALL + name) or "").strip()


def _is_true(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() == "true"


def _seconds(environ: Mapping[str, str]) -> float:
    """How long one batch may take: what is asked for, but never so long that it holds anything up."""
    try:
        asked = float(_traces_variable(environ, "TIMEOUT"))
    except ValueError:
        return _DEFAULT_SECONDS
    return min(asked, _MAX_SECONDS) if asked > 0 else _DEFAULT_SECONDS


def _place(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "an address that is none"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"
