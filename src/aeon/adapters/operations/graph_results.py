"""What every graph server's answer comes to, and who asks it."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.masking import Mask
from aeon.platform.catalog.tool_calls import OperationError
from aeon.platform.vault import SecretValue

_MIN_HIDDEN = 3
"""Letters of a parameter's value that are hidden in errors; shorter ones would hide parts of other words."""


class GraphQueryResult(NamedTuple):
    """Rows by column, and whether there were more than the limit."""

    rows: list[JsonObject]
    is_truncated: bool


class GraphEndpoint(NamedTuple):
    """A server and the database or graph on it; None is the server's own choice."""

    scheme: str
    host: str
    port: int | None
    database: str | None


class GraphLogin(NamedTuple):
    """User and password, which it does not show (platform 3)."""

    user: str
    password: str

    def __repr__(self) -> str:
        return "Login([hidden])"


def login_of(secret: SecretValue | None) -> GraphLogin | None:
    """As whom a server is asked. Raises OperationError for a secret of another type."""
    if secret is None:
        return None
    value = secret.reveal()
    if "password" not in value:
        raise OperationError(
            "a graph server takes no secret of this type", next_step="Give the tool a secret of type password."
        )
    return GraphLogin(str(value.get("username") or ""), str(value["password"]))


def without_values(text: str, params: JsonObject) -> str:
    """What a server said, without the values that it was given (platform 3)."""
    said = Mask(word for word in _words(params) if len(word) >= _MIN_HIDDEN).text(" ".join(text.split()))
    return said.rstrip(".")


def _words(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [word for part in value.values() for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [word for part in value for word in _words(part)]  # pyright: ignore[reportUnknownVariableType]
    return [] if value is None or isinstance(value, bool) else [str(value)]


_LISTS: frozenset[type] = frozenset({list, tuple})
"""By the very class: a point is a tuple, too, of a class of its own."""


def graph_value_as_json(value: Any) -> Json:
    """A value of either server's client.

    A path is `{"nodes": [...], "edges": [...]}`; dates, times and durations are ISO 8601 where the client can say them
    so, points and numbers that are not finite are as they are printed, bytes are hexadecimal.
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
    found: Any = next(getattr(path, name) for name in names if hasattr(path, name))
    return [graph_value_as_json(part) for part in cast("list[Any]", found() if callable(found) else found)]


def _text(value: Any) -> str:
    spelled = getattr(value, "iso_format", None) or getattr(value, "isoformat", None)
    return str(spelled() if spelled else value)
