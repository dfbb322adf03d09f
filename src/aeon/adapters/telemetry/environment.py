"""Reads OpenTelemetry's environment variables. Aeon has no setting for it, so no project file can enable it."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

_TRACES = "OTEL_EXPORTER_OTLP_TRACES_"
_ALL = "OTEL_EXPORTER_OTLP_"
_CONTENTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

_DEFAULT_SECONDS = 3.0
_MAX_SECONDS = 10.0


class OtlpSettings(NamedTuple):
    """How spans are exported. `endpoint` is for messages, without a password. `protocol` is the requested one."""

    endpoint: str
    protocol: str
    seconds: float
    with_contents: bool


def read_otlp_settings(environ: Mapping[str, str]) -> OtlpSettings | None:
    """Return the settings; None if no endpoint is set, or export is turned off."""
    endpoint = _traces_variable(environ, "ENDPOINT")
    if not endpoint or _is_true(environ, "OTEL_SDK_DISABLED"):
        return None
    exporters = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if exporters and "otlp" not in [each.strip() for each in exporters.split(",")]:
        return None
    protocol = _traces_variable(environ, "PROTOCOL") or "http/protobuf"
    return OtlpSettings(_safe_endpoint(endpoint), protocol, _seconds(environ), _is_true(environ, _CONTENTS))


def _traces_variable(environ: Mapping[str, str], name: str) -> str:
    """Return a variable for traces, else the one for all signals."""
    return (environ.get(_TRACES + name) or environ.get(_ALL + name) or "").strip()


def _is_true(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() == "true"


def _seconds(environ: Mapping[str, str]) -> float:
    """Return the timeout of one batch: the requested one, at most 10 s, so that nothing is held up."""
    try:
        seconds = float(_traces_variable(environ, "TIMEOUT"))
    except ValueError:
        return _DEFAULT_SECONDS
    return min(seconds, _MAX_SECONDS) if seconds > 0 else _DEFAULT_SECONDS


def _safe_endpoint(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "an invalid address"
    return f"{parts.scheme}://{parts.hostname or ''}{port}"
