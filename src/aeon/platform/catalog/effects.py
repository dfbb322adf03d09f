"""What calling a tool does to the world, and which workers carry its calls out: facts of its operation."""

from functools import cache
from typing import Final, Literal, TypeAlias, assert_never

from pydantic import TypeAdapter

from aeon.base.json import parse_strict
from aeon.platform.catalog.operations import GraphQuery, LlmCall, McpCall, Operation, RestRequest

Effect: TypeAlias = Literal["pure", "read", "idempotent", "once"]
"""What calling a tool does to the world. `once`: doing it twice is not the same as doing it once."""

WorkerType: TypeAlias = Literal["graph_query", "rest_api", "llm_call", "mcp_server"]

_READS: Final = frozenset({"GET", "HEAD"})
_REPEATABLE: Final = frozenset({"PUT", "DELETE"})
"""RFC 9110, section 9.2.2."""


def default_effect(operation: Operation) -> Effect:
    """What is taken for a tool's effect where its owner does not say."""
    match operation:
        case GraphQuery():
            return "read" if operation.mode == "read" else "once"
        case RestRequest():
            method = operation.method
            return "read" if method in _READS else "idempotent" if method in _REPEATABLE else "once"
        case LlmCall():
            return "read"
        case McpCall():
            return "once"
        case _:
            assert_never(operation)


def worker_type_of(operation: Operation) -> WorkerType:
    """The type of worker that carries out its calls."""
    match operation:
        case GraphQuery():
            return "graph_query"
        case RestRequest():
            return "rest_api"
        case LlmCall():
            return "llm_call"
        case McpCall():
            return "mcp_server"
        case _:
            assert_never(operation)


def parse_operation(text: str) -> Operation:
    """The operation of its text in the record."""
    return _operations().validate_python(parse_strict(text))


@cache
def _operations() -> TypeAdapter[Operation]:
    return TypeAdapter(Operation)
