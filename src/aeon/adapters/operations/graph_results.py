"""The results, endpoints and logins of graph queries, for all graph servers."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.vault import SecretValue

_MIN_HIDDEN = 3
"""The shortest parameter value that is masked in errors; shorter ones would mask parts of other words."""


class GraphQueryResult(NamedTuple):
    """Rows by column, and whether the query had more rows than the limit."""

    rows: list[JsonObject]
    is_truncated: bool


class GraphEndpoint(NamedTuple):
    """A server, and a database or graph on it; None is the server's default."""

    scheme: str
    host: str
    port: int | None
    database: str | None


class GraphLogin(NamedTuple):
    """A user and a password, which its repr hides (platform 3)."""

    user: str
    password: str

    def __repr__(self) -> str:
        return "GraphLogin([hidden])"


def login_of(secret: SecretValue | None) -> GraphLogin | None:
    """Return the login in a secret of type password. Raises OperationError for another type."""
    if secret is None:
        return None
    value = secret.reveal()
    if "password" not in value:
        raise OperationError(
            "a secret of this type cannot be used for a graph server",
            next_step="Give the tool a secret of type password.",
        )
    return GraphLogin(str(value.get("username") or ""), str(value["password"]))


def without_values(text: str, params: JsonObject) -> str:
    """Return a server's message without the parameter values that it was given (platform 3)."""
    masked = Mask(word for word in _words(params) if len(word) >= _MIN_HIDDEN).text(" ".join(text.split()))
    return masked.rstrip(".")


def _words(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [word for part in value.values() for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [word for part in value for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    return [] if value is None or isinstance(value, bool) else [str(value)]


_LISTS: frozenset[type] = frozenset({list, tuple})
"""Compared by exact type: a point is a subclass of tuple."""


def graph_value_as_json(value: Any) -> Json:
    """Return a value of either server's client as JSON.

    A path is `{"nodes": [...], "edges": [...]}`; dates, times and durations are ISO 8601 if the client supports it;
    points and numbers that are not finite are strings as printed; bytes are hexadecimal.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return _composed(value)


def _composed(value: Any) -> Json:
    if type(value).__name__ == "Path":
        return {"nodes": _parts(value, "nodes"), "edges": _parts(value, "relationships", "edges")}
    if isinstance(value, Mapping):
        return {str(key): graph_value_as_json(part) for key, part in cast("Mapping[Any, Any]", value).items()}
    if hasattr(value, "properties"):  # FalkorDB's nodes and edges
        return graph_value_as_json(value.properties or {})
    if hasattr(value, "element_id"):  # Neo4j's nodes and relationships
        return graph_value_as_json(dict(value.items()))
    if type(value) in _LISTS:
        return [graph_value_as_json(part) for part in value]
    return _text(value)


def _parts(path: Any, *names: str) -> list[Json]:
    parts: Any = next(getattr(path, name) for name in names if hasattr(path, name))
    return [graph_value_as_json(part) for part in cast("list[Any]", parts() if callable(parts) else parts)]


def _text(value: Any) -> str:
    iso_format = getattr(value, "iso_format", None) or getattr(value, "isoformat", None)
    return str(iso_format() if iso_format else value)
