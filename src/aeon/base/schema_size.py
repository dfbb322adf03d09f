"""The size of a JSON Schema with its references expanded, which bounds the work of a check. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast
from urllib.parse import unquote

from aeon.base.json import Json, JsonObject

_VALUES = ("const", "enum", "default", "examples")
"""Keywords that hold values, not schemas."""
_BY_NAME = ("properties", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas under names that the schema chooses."""
_DEFINITIONS = ("$defs", "definitions")
_MAX_SHARING = 4


class SchemaSize(NamedTuple):
    """The size of a schema, with and without its references expanded.

    `written`: subschemas in the text. `expanded`: subschemas with each reference replaced by its target.
    `recursions`: references that lead back to an enclosing schema, each counted as one subschema.
    """

    written: int
    expanded: int
    recursions: int

    @property
    def can_multiply(self) -> bool:
        """Whether one part of a value may be checked against many more subschemas than the text shows."""
        return self.expanded > _MAX_SHARING * self.written or self.recursions > 1


def schema_size(schema: JsonObject) -> SchemaSize:
    """The size of a schema, following its inner references. Raises ValueError if it is nested too deeply."""
    try:
        return _SizeCounter(schema).size()
    except RecursionError:
        raise ValueError("the schema is nested too deeply") from None


class _ExpandedSize(NamedTuple):
    subschemas: int
    recursions: int


class _SizeCounter:
    def __init__(self, root: JsonObject) -> None:
        self._named = dict(_named(root))
        self._named[""] = root
        self._measured: dict[int, _ExpandedSize] = {}
        self._around: set[int] = set()

    def size(self) -> SchemaSize:
        expanded = self._of(self._named[""])
        return SchemaSize(max(1, len(self._measured)), *expanded)

    def _of(self, node: Json) -> _ExpandedSize:
        """The expanded size of a schema, or of a container of schemas."""
        if not isinstance(node, dict):
            return self._sum(_inside(node))
        schema = cast(JsonObject, node)
        if id(schema) in self._around:
            return _ExpandedSize(1, 1)
        if id(schema) not in self._measured:
            self._around.add(id(schema))
            inner = self._sum(self._inner_schemas(schema))
            self._measured[id(schema)] = _ExpandedSize(1 + inner.subschemas, inner.recursions)
            self._around.remove(id(schema))
        return self._measured[id(schema)]

    def _sum(self, nodes: Iterable[Json]) -> _ExpandedSize:
        sizes = [self._of(node) for node in nodes]
        return _ExpandedSize(sum(size.subschemas for size in sizes), sum(size.recursions for size in sizes))

    def _inner_schemas(self, schema: JsonObject) -> Iterator[Json]:
        for word, part in schema.items():
            if word in _BY_NAME:
                yield from _inside(part)
            elif word not in _VALUES + _DEFINITIONS:
                yield part
        yield from (self._target(schema.get(word)) for word in ("$ref", "$dynamicRef"))

    def _target(self, reference: Json) -> Json:
        """The target of a reference; None if it is not in this schema."""
        if not isinstance(reference, str):
            return None
        base, _, fragment = reference.partition("#")
        if fragment and not fragment.startswith("/"):
            return self._named.get(f"#{fragment}")
        target = self._named.get(base)
        for part in fragment.split("/")[1:]:
            target = _inner(target, unquote(part).replace("~1", "/").replace("~0", "~"))
        return target


def _named(node: Json) -> Iterator[tuple[str, Json]]:
    """Every schema with an identifier or an anchor, keyed by the references to it."""
    if isinstance(node, dict):
        schema = cast(JsonObject, node)
        names = [schema.get("$id"), schema.get("id")]
        anchors = [schema.get("$anchor"), schema.get("$dynamicAnchor")]
        yield from ((name.rstrip("#"), schema) for name in names if isinstance(name, str))
        yield from ((f"#{anchor}", schema) for anchor in anchors if isinstance(anchor, str))
    for part in _inside(node):
        yield from _named(part)


def _inside(node: Json) -> Iterable[Json]:
    if isinstance(node, dict):
        return cast(JsonObject, node).values()
    return cast("list[Json]", node) if isinstance(node, list) else ()


def _inner(node: Json, key: str) -> Json:
    if isinstance(node, dict):
        return cast(JsonObject, node).get(key)
    items = cast("list[Json]", node) if isinstance(node, list) else []
    return items[int(key)] if key.isdecimal() and int(key) < len(items) else None
