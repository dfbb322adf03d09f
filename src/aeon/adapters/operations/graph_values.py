"""What graph servers answer as JSON: entities as objects of their properties, what JSON does not hold as text."""

import math
from collections.abc import Mapping
from typing import Any, cast

from aeon.base.json import Json

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
