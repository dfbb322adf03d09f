"""Typing of the public face: pyright checks this file in strict mode, nothing runs it."""

from typing import Any, assert_type

from aeon import (
    InMemoryKVStore,
    LLMAdapter,
    Memory,
    Orchestrator,
    Plan,
    Supervisor,
    Tool,
    ToolRegistry,
    Validator,
    tool,
)
from aeon.llm.adapters.remote_api import RemoteAPIAdapter


@tool
def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool(timeout=1.0)
def shout(text: str, times: int = 1) -> str:
    """Say it loudly."""
    return text.upper() * times


def a_function_stays_callable_with_its_types() -> None:
    assert_type(double(2), int)
    assert_type(shout("a", times=2), str)
    double("2")  # pyright: ignore[reportArgumentType]


def a_function_tool_is_a_tool() -> Tool:
    return shout


def the_published_constructor(adapter: LLMAdapter, memory: Memory, supervisor: Supervisor) -> dict[str, Any]:
    registry = ToolRegistry([double, shout])
    orchestrator = Orchestrator(adapter, memory, registry, supervisor, Validator(), ttl=5)
    return orchestrator.execute("double 2", Plan.model_validate({}))


def only_the_model_is_required() -> Orchestrator:
    return Orchestrator(RemoteAPIAdapter("http://127.0.0.1:8000/v1", "some-model"))


def a_store_is_a_memory() -> Memory:
    return InMemoryKVStore()


def registered(registry: ToolRegistry) -> None:
    assert_type(registry.get("double"), Tool | None)
    assert_type(registry.list_all(), list[str])
