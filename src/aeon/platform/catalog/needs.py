"""What a call needs of the worker that executes it: labels, and an operation that not every worker knows. Pure."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import OWN_RECORD_ENDPOINT, GraphQuery, Operation, WorkerType

PLAIN_OPERATIONS: Final = frozenset(
    {"graph_query", "rest_request", "llm_call", "conversation_reply", "mcp_call", "agent_request"}
)
"""The operations that every worker can execute: they need no further extra, and all versions know them."""

SPECIAL_OPERATIONS: Final[Mapping[str, WorkerType]] = {
    "graph_query:falkordb": "graph_query",
    "graph_query:neo4j": "graph_query",
    "skill_script": "mcp_server",
}
"""All other operations, which need an extra, with the type of worker that executes them."""

_OPERATION: Final = "operation:"


def operation_name(operation: Operation, connection: JsonObject) -> str:
    """Return the name of an operation with this connection; that of a query of a graph also names the driver."""
    endpoint = connection.get("endpoint", "")
    if not isinstance(operation, GraphQuery) or endpoint == OWN_RECORD_ENDPOINT:
        return operation.type
    driver = "falkordb" if str(endpoint).startswith("falkordb:") else "neo4j"
    return f"{operation.type}:{driver}"


def needs_of(labels: Iterable[str], operation: str) -> tuple[str, ...]:
    """Return what a call needs, in alphabetical order: labels, and `operation:NAME` unless the operation is plain."""
    special = {f"{_OPERATION}{operation}"} if operation and operation not in PLAIN_OPERATIONS else set[str]()
    return tuple(sorted({*labels} | special))


@cache
def offers_of(labels: tuple[str, ...], operations: tuple[str, ...]) -> frozenset[str]:
    """Return what a worker with these labels offers that knows these operations. A process has few of both."""
    return frozenset(labels).union(*(needs_of((), each) for each in operations))


def describe_needs(needs: Collection[str]) -> str:
    """Return needs in words, such as `the label gpu, the operation skill_script`."""
    operations = [each.removeprefix(_OPERATION) for each in needs if each.startswith(_OPERATION)]
    labels = [each for each in needs if not each.startswith(_OPERATION)]
    words = [f"the label{'s' if len(labels) > 1 else ''} {' and '.join(labels)}"] if labels else []
    return ", ".join([*words, *(f"the operation {each}" for each in operations)])


def is_operations(needs: Iterable[str]) -> bool:
    """Return whether all of these needs are operations."""
    return all(each.startswith(_OPERATION) for each in needs)
