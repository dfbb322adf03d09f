"""What kernel tests share: a run on a scripted model, in memory or logged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from aeon.kernel.orchestrator import Orchestrator
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.events import Event
from aeon.observability.log import JsonlLog
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


@dataclass
class Run:
    """One orchestrator with what went in and what came out."""

    orchestrator: Orchestrator
    model: ScriptedAdapter
    memory: Memory
    registry: ToolRegistry
    events: list[Event] = field(default_factory=list)

    def execute(
        self, request: str = "please", supplied_plan: dict[str, Any] | None = None, **may: bool
    ) -> dict[str, Any]:
        return self.orchestrator.execute(
            request, None if supplied_plan is None else Plan.model_validate(supplied_plan), **may
        )

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]


@pytest.fixture
def run() -> Callable[..., Run]:
    def made(
        replies: Sequence[Any] = (),
        *tools: Tool,
        memory: Memory | None = None,
        log: Path | None = None,
        ttl: int = 50,
        supports_schema: bool = True,
    ) -> Run:
        store = memory or InMemoryKVStore()
        model = ScriptedAdapter(list(replies), supports_schema=supports_schema)
        registry = ToolRegistry([*builtin_tools(store), *tools])
        events: list[Event] = []
        orchestrator = Orchestrator(
            model, store, registry, ttl=ttl, log=JsonlLog(log) if log else None, observer=events.append
        )
        return Run(orchestrator, model, store, registry, events)

    return made
