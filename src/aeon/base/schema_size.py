"""How large a JSON Schema is with its references written out, and so how much work a check is. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast
from urllib.parse import unquote

from aeon.base.json import Json, JsonObject

_VALUES = ("const", "enum", "default", "examples")
"""Keywords that hold values, not schemas."""
_BY_NAME = ("properties", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas under names of the schema's own choice."""
_DEFINITIONS = ("$defs", "definitions")
_MUCH_SHARED = 4


class SchemaSize(NamedTuple):
    """`written`: subschemas as they stand. `expanded`: with each reference replaced by what it leads to.

    `recursions`: references that lead back to a schema around them, each counted as one subschema.
    """

    written: int
    expanded: int
    recursions: int

    @property
    def can_multiply(self) -> bool:
        """Whether one part of a value may be held against many more subschemas than the text shows."""
        return self.expanded > _MUCH_SHARED * self.written or self.recursions > 1


def schema_size(schema: JsonObject) -> SchemaSize:
    """The size of a whole schema, references inside of it followed. Raises ValueError where it is too deep."""
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
        """The expanded size of a schema, or of what holds schemas."""
        if not isinstance(node, dict):
            return self._sum(_inside(node))
        schema = cast(JsonObject, node)
        if id(schema) in self._around:
            return _ExpandedSize(1, 1)
        if id(schema) not in self._measured:
            self._around.add(id(schema))
            held = self._sum(self._inner_schemas(schema))
            self._measured[id(schema)] = _ExpandedSize(1 + held.subschemas, held.recursions)
            self._around.remove(id(schema))
        return self._measured[id(schema)]

    def _sum(self, nodes: Iterable[Json]) -> _ExpandedSize:
        found = [self._of(node) for node in nodes]
        return _ExpandedSize(sum(each.subschemas for each in found), sum(each.recursions for each in found))

    def _inner_schemas(self, schema: JsonObject) -> Iterator[Json]:
        for word, part in schema.items():
            if word in _BY_NAME:
                yield from _inside(part)
            elif word not in _VALUES + _DEFINITIONS:
                yield part
        yield from (self._at(schema.get(word)) for word in ("$ref", "$dynamicRef"))

    def _at(self, reference: Json) -> Json:
        """What a reference leads to; nothing where that is not in this schema."""
        if not isinstance(reference, str):
            return None
        base, _, fragment = reference.partition("#")
        if fragment and not fragment.startswith("/"):
            return self._named.get(f"#{fragment}")
        found = self._named.get(base)
        for part in fragment.split("/")[1:]:
            found = _inner(found, unquote(part).replace("~1", "/").replace("~0", "~"))
        return found


def _named(node: Json) -> Iterator[tuple[str, Json]]:
    """Every schema that has an identifier or an anchor, under the references that mean it."""
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
