"""Typing of the public face: pyright and mypy check this file in strict mode, nothing runs it."""

from typing import Any, Literal, assert_type

from aeon import (
    InMemoryKVStore,
    LLMAdapter,
    Memory,
    Orchestrator,
    Plan,
    Project,
    Supervisor,
    Tool,
    ToolRegistry,
    Validator,
    tool,
)
from aeon.application.requests import RequestResult
from aeon.application.run_follower import EntryUpdate, HeldUpdate
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.usage import Cost, Usage
from aeon.platform.catalog.model import Service
from aeon.platform.processes.model import Process
from aeon.platform.runs.model import Run


@tool
def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool(timeout=1.0)
def shout(text: str, times: int = 1) -> str:
    """Say it loudly."""
    return text.upper() * times


@tool
async def later(text: str) -> str:
    """Say it later."""
    return text


async def an_async_tool_stays_a_coroutine_function() -> None:
    assert_type(await later("a"), str)
    await later(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def a_function_stays_callable_with_its_types() -> None:
    assert_type(double(2), int)
    assert_type(shout("a", times=2), str)
    double("2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


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


def a_project_has_typed_results(project: Project) -> None:
    assert_type(project.ask("add").status, Literal["completed", "failed", "ttl_expired"])
    assert_type(project.ask("add").usage, Usage)
    assert_type(project.ask("add").usage.cost, Cost | None)
    assert_type(project.runs.usage("run"), Usage)
    assert_type(project.skills.run("roll").usage, Usage | None)
    assert_type(project.runs.start("greet", {}), Run)
    assert_type(project.runs.settle("run").status, Literal["ended", "waits_for_person", "paused", "open"])
    assert_type(project.processes.get("greet"), Process)
    assert_type(project.services.list_all(), list[Service])


async def a_method_in_a_thread_keeps_its_types(project: Project) -> None:
    assert_type(await project.in_thread(project.ask, "add"), RequestResult)
    await project.in_thread(project.ask, 1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    async for update in project.stream(project.runs.follow("run")):
        assert_type(update, EntryUpdate | HeldUpdate)
