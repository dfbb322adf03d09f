"""The description of the REST API, made from its code (OpenAPI 3.1)."""

import re
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from aeon.server.rest.answer_schemas import describe_answers
from aeon.server.rest.answers import PREFIX

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


_MADE: Final = {
    "/conversations": ("/conversations/", "id"),
    "/conversations/{conversation}/messages": ("/messages/", "id"),
    "/knowledge/entities": ("/knowledge/entities/", "uuid"),
    "/knowledge/facts": ("/knowledge/facts/", "uuid"),
    "/processes/{process}/runs": ("/runs/", "id"),
    "/requests": ("/requests/", "id"),
    **{
        f"/{kind}": (f"/{kind}/", "name")
        for kind in ("alerts", "processes", "schedules", "secrets", "services", "tools", "webhooks")
    },
}
"""By the path that makes a thing: where its operations begin, and the field of the answer that is their parameter."""

_PARAMETER: Final = re.compile(r"\{(\w+)\}")


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
    describe_answers(schema)
    schema["security"] = [{"token": []}, {"session": []}]
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)  # `default` says how every problem looks
    _link(schema["paths"])
    return schema


def _link(paths: dict[str, dict[str, Any]]) -> None:
    """Say which operations can be called with what another one has made (OpenAPI 3.1, Link Object)."""
    for making, (prefix, field) in _MADE.items():
        links = {
            operation["operationId"]: {
                "operationId": operation["operationId"],
                "parameters": {parameter[1]: f"$response.body#/{field}"},
            }
            for path, operations in paths.items()
            if path.startswith(f"{PREFIX}{prefix}{{") and (parameter := _PARAMETER.search(path))
            for operation in operations.values()
        }
        answers = paths[f"{PREFIX}{making}"]["post"]["responses"]
        next(answer for status, answer in answers.items() if status != "default")["links"] = links
