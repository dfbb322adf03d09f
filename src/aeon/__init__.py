"""Aeon: a request becomes a declarative plan, run step by step, validated, repaired within limits, and logged.

The names below are the public API; each is loaded on first use. Import adapters from
`aeon.llm.adapters.remote_api`, `.vllm` and `.llama_cpp`.
"""

TYPE_CHECKING = False  # as type checkers know it, without the 5 ms that importing `typing` takes
if TYPE_CHECKING:
    from aeon.application.project import Project
    from aeon.base.errors import AeonError
    from aeon.kernel.orchestrator import Orchestrator
    from aeon.llm.interface import LLMAdapter
    from aeon.memory.interface import Memory
    from aeon.memory.kv_store import InMemoryKVStore
    from aeon.memory.sqlite import SQLiteMemory
    from aeon.observability.log import JsonlLog
    from aeon.plan.models import Plan, PlanStep, StepStatus
    from aeon.supervisor.repair import Supervisor
    from aeon.tools.function import tool
    from aeon.tools.interface import Tool
    from aeon.tools.registry import ToolRegistry
    from aeon.validation.schema import Validator

__version__ = "0.1.0"

__all__ = [
    "AeonError",
    "InMemoryKVStore",
    "JsonlLog",
    "LLMAdapter",
    "Memory",
    "Orchestrator",
    "Plan",
    "PlanStep",
    "Project",
    "SQLiteMemory",
    "StepStatus",
    "Supervisor",
    "Tool",
    "ToolRegistry",
    "Validator",
    "__version__",
    "tool",
]

_MODULES = {
    "AeonError": "aeon.base.errors",
    "InMemoryKVStore": "aeon.memory.kv_store",
    "JsonlLog": "aeon.observability.log",
    "LLMAdapter": "aeon.llm.interface",
    "Memory": "aeon.memory.interface",
    "Orchestrator": "aeon.kernel.orchestrator",
    "Plan": "aeon.plan.models",
    "PlanStep": "aeon.plan.models",
    "Project": "aeon.application.project",
    "SQLiteMemory": "aeon.memory.sqlite",
    "StepStatus": "aeon.plan.models",
    "Supervisor": "aeon.supervisor.repair",
    "Tool": "aeon.tools.interface",
    "ToolRegistry": "aeon.tools.registry",
    "Validator": "aeon.validation.schema",
    "tool": "aeon.tools.function",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'aeon' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
