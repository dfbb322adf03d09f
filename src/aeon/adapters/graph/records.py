"""The records of an export, checked one by one: nodes first, then edges between nodes that came before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import GraphError

_ADVICE = "Give what `export` made, unchanged."


@dataclass(slots=True)
class Tally:
    """How many records of each kind have passed, and which numbers nodes have."""

    nodes: set[int] = field(default_factory=set[int])
    edges: int = 0


def checked(records: Iterable[JsonObject], tally: Tally) -> Iterator[JsonObject]:
    """The same records, each checked as it passes and counted in `tally`.

    Raises GraphError that names the record by its place, counted from 1.
    """
    for place, record in enumerate(records, start=1):
        fault = _fault(record, tally)
        if fault:
            raise GraphError(f"Record {place} of the graph {fault}.", next_step=_ADVICE)
        yield record


def _fault(record: Json, tally: Tally) -> str:
    if not isinstance(record, dict):
        return "is not an object"
    fields = cast("JsonObject", record)
    if not _is_properties(fields.get("properties")):
        return "has no properties"
    if "node" in fields:
        return _node_fault(fields, tally)
    return _edge_fault(fields, tally) if "edge" in fields else "is neither a node nor an edge"


def _node_fault(record: JsonObject, tally: Tally) -> str:
    number, labels = record["node"], record.get("labels")
    if tally.edges:
        return "is a node after the first edge"
    if not _is_number(number):
        return "is a node without a number"
    if number in tally.nodes:
        return "is a node whose number was there before"
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in cast("list[Json]", labels)):
        return "has no list of labels"
    tally.nodes.add(number)
    return ""


def _edge_fault(record: JsonObject, tally: Tally) -> str:
    ends = (record.get("from"), record.get("to"))
    if not isinstance(record["edge"], str):
        return "is an edge without a type"
    if not all(_is_number(end) and end in tally.nodes for end in ends):
        return "is an edge to or from a node that is not there"
    tally.edges += 1
    return ""


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_properties(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in cast("dict[Json, Json]", value))
