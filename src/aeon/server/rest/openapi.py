"""The description of the REST API, made from its code (OpenAPI 3.1)."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_TEXT: Final = {"type": "string"}

_PROBLEM: Final[dict[str, Any]] = {
    "title": "Problem",
    "description": "What went wrong (RFC 9457); `details.problems` has every fault of a request with its place.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "message", "correlationId", "timestamp", "details"],
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": _TEXT,
        "message": _TEXT,
        "correlationId": _TEXT,
        "timestamp": {"type": "string", "format": "date-time"},
        "details": {"type": "object"},
        "next": {"type": ["object", "null"], "description": "what to do, as a code and what it is about"},
        "nextStep": {"type": "string", "description": "what to do, in words"},
    },
}

_DESCRIPTION: Final = """
What Aeon keeps and does, for programs. A request needs a token (`aeon serve token create`) or a browser's session.
A change takes an `Idempotency-Key`; things with versions have ETags, which `If-Match` guards. Cursors are opaque.
Streams are server-sent events, resumed by `Last-Event-ID`. Enumerations may grow.
"""


def describe(app: FastAPI) -> None:
    """Let an application describe its operations, with the schema of problems and the ways to sign in."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = openapi


def _described(app: FastAPI) -> dict[str, Any]:
    schema = get_openapi(title="Aeon", version=app.version, description=_DESCRIPTION.strip(), routes=app.routes)
    components = schema.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = _PROBLEM
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "aeon_session"},
    }
    schema["security"] = [{"token": []}, {"session": []}]
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)  # `default` says how every problem looks
    return schema
