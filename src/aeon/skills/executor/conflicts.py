"""Nodes that patch one key differently though neither comes after the other (skills 6): their order decides alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.dag.reach import marked_ancestors

_MAX_NODES_NAMED = 5
"""Nodes that a warning names."""

_MAX_WARNINGS = 50
"""Keys that are warned of one by one."""

StateKey: TypeAlias = tuple[str, ...]

_OBJECT = "{"
"""How it counts that a patch goes on below a key, or puts an object there: no JSON value reads so."""


class _StateWrite(NamedTuple):
    node: int
    value: str


def conflict_warnings(
    dependencies: Sequence[Sequence[int]],
    order: Sequence[int],
    names: Sequence[str],
    patches: Mapping[int, Sequence[JsonObject]],
) -> list[str]:
    """A warning for each key that independent nodes set differently, in the order of the keys' first setting.

    `order` is a topological order of all nodes, `names` theirs by position, `patches` the committed ones of each.
    """
    contended = {
        key: writes
        for key, writes in _writes(order, patches).items()
        if len({write.value for write in writes}) > 1 and len({write.node for write in writes}) > 1
    }
    nodes = sorted({write.node for writes in contended.values() for write in writes})
    bit = {node: 1 << index for index, node in enumerate(nodes)}
    above = marked_ancestors(dependencies, order, nodes) if nodes else {}
    found = [(key, _independent(writes, bit, above)) for key, writes in contended.items()]
    said = [_warning_text(key, [names[node] for node in clashing]) for key, clashing in found if clashing]
    more = [f"{len(said) - _MAX_WARNINGS} more keys are set differently by independent nodes."]
    return said[:_MAX_WARNINGS] + (more if len(said) > _MAX_WARNINGS else [])


def _writes(order: Sequence[int], patches: Mapping[int, Sequence[JsonObject]]) -> dict[StateKey, list[_StateWrite]]:
    """Who sets each key to what, in topological order; of one node's several values for a key the last."""
    found: dict[StateKey, list[_StateWrite]] = {}
    for node in order:
        last = dict(setting for patch in patches.get(node, ()) for setting in _assignments(patch, ()))
        for key, value in last.items():
            found.setdefault(key, []).append(_StateWrite(node, value))
    return found


def _assignments(patch: Json, key: StateKey) -> Iterator[tuple[StateKey, str]]:
    if not isinstance(patch, dict):
        yield key, canonical_json(patch)
        return
    if key:
        yield key, _OBJECT
    for name, value in cast(JsonObject, patch).items():
        yield from _assignments(value, (*key, name))


def _independent(writes: Sequence[_StateWrite], bit: Mapping[int, int], above: Mapping[int, int]) -> list[int]:
    """The nodes that set one key differently from another that is not upstream of them, and those others."""
    by_value: dict[str, int] = {}
    clashing = 0
    for node, value in writes:
        others = sum(bits for other, bits in by_value.items() if other != value) & ~above[node]
        clashing |= others | (bit[node] if others else 0)
        by_value[value] = by_value.get(value, 0) | bit[node]
    return [node for node, _ in writes if bit[node] & clashing]


def _warning_text(key: StateKey, nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - _MAX_NODES_NAMED} more" if len(nodes) > _MAX_NODES_NAMED else ""
    shown = ", ".join(repr(name) for name in nodes[:_MAX_NODES_NAMED])
    return f"{'.'.join(key)!r} is set differently by {shown}{more}, none of which waits for the other; the last wins."
