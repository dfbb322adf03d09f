"""core-interfaces: every published import path, class, method and parameter, held against the code."""

import inspect
import re
from importlib import import_module
from typing import NamedTuple

import pytest

from aeon.base.errors import AeonError, MemoryStoreError
from aeon.kernel.executor import StepExecutionResult
from aeon.llm.interface import LLMAdapter
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool
from aeon.validation.schema import ValidationError, ValidationResult

NEEDED = inspect.Parameter.empty
"""Stands for a parameter without a default."""


class Published(NamedTuple):
    """A method as the contract prints it: its parameters in order, each with its default."""

    place: str
    method: str
    parameters: dict
    returns: str


METHODS = [
    Published(
        "aeon.llm.interface.LLMAdapter",
        "generate",
        {"prompt": NEEDED, "system_prompt": None, "max_tokens": 2048, "temperature": 0.7},
        "Dict[str, Any]",
    ),
    Published("aeon.llm.interface.LLMAdapter", "supports_streaming", {}, "bool"),
    Published("aeon.memory.interface.Memory", "write", {"key": NEEDED, "value": NEEDED}, "None"),
    Published("aeon.memory.interface.Memory", "read", {"key": NEEDED}, "Optional[Any]"),
    Published("aeon.memory.interface.Memory", "search", {"prefix": NEEDED}, "List[Tuple[str, Any]]"),
    Published("aeon.tools.interface.Tool", "invoke", {"kwargs": NEEDED}, "Dict[str, Any]"),
    Published("aeon.tools.interface.Tool", "validate_input", {"kwargs": NEEDED}, "bool"),
    Published("aeon.tools.interface.Tool", "validate_output", {"result": NEEDED}, "bool"),
    Published("aeon.tools.registry.ToolRegistry", "register", {"tool": NEEDED}, "None"),
    Published("aeon.tools.registry.ToolRegistry", "get", {"name": NEEDED}, "Optional[Tool]"),
    Published("aeon.tools.registry.ToolRegistry", "list_all", {}, "List[str]"),
    Published("aeon.tools.registry.ToolRegistry", "unregister", {"name": NEEDED}, "None"),
    Published("aeon.tools.registry.ToolRegistry", "export_tools_for_llm", {}, "List[Dict[str, Any]]"),
    Published(
        "aeon.supervisor.repair.Supervisor", "__init__", {"llm_adapter": NEEDED, "system_prompt": NEEDED}, "None"
    ),
    Published(
        "aeon.supervisor.repair.Supervisor",
        "repair_json",
        {"malformed_json": NEEDED, "expected_schema": None, "max_attempts": 2},
        "Dict[str, Any]",
    ),
    Published(
        "aeon.supervisor.repair.Supervisor",
        "repair_tool_call",
        {"malformed_call": NEEDED, "tool_schema": NEEDED, "max_attempts": 2},
        "Dict[str, Any]",
    ),
    Published(
        "aeon.supervisor.repair.Supervisor",
        "repair_plan",
        {"malformed_plan": NEEDED, "max_attempts": 2},
        "Dict[str, Any]",
    ),
    Published(
        "aeon.supervisor.repair.Supervisor",
        "repair_missing_tool_step",
        {"step": NEEDED, "available_tools": NEEDED, "plan_goal": NEEDED, "max_attempts": 2},
        "Dict[str, Any]",
    ),
    Published("aeon.validation.schema.Validator", "validate_plan", {"plan_dict": NEEDED}, "bool"),
    Published(
        "aeon.validation.schema.Validator",
        "validate_llm_output",
        {"output": NEEDED, "expected_schema": None},
        "bool",
    ),
    Published(
        "aeon.validation.schema.Validator", "validate_tool_call", {"tool_call": NEEDED, "tool_schema": NEEDED}, "bool"
    ),
    Published(
        "aeon.validation.schema.Validator",
        "validate_step_tool",
        {"step": NEEDED, "tool_registry": NEEDED},
        "ValidationResult",
    ),
    Published(
        "aeon.kernel.executor.StepExecutor",
        "execute_step",
        {"step": NEEDED, "registry": NEEDED, "memory": NEEDED, "llm": NEEDED, "supervisor": NEEDED},
        "StepExecutionResult",
    ),
    Published(
        "aeon.kernel.executor.StepExecutor",
        "execute_tool_step",
        {"step": NEEDED, "registry": NEEDED, "memory": NEEDED},
        "StepExecutionResult",
    ),
    Published(
        "aeon.kernel.executor.StepExecutor",
        "execute_llm_reasoning_step",
        {"step": NEEDED, "memory": NEEDED, "llm": NEEDED},
        "StepExecutionResult",
    ),
    Published(
        "aeon.kernel.orchestrator.Orchestrator",
        "__init__",
        {
            "llm_adapter": NEEDED,
            "memory": NEEDED,
            "tool_registry": NEEDED,
            "supervisor": NEEDED,
            "validator": NEEDED,
            "ttl": 50,
        },
        "None",
    ),
    Published(
        "aeon.kernel.orchestrator.Orchestrator",
        "execute",
        {"user_request": NEEDED, "initial_plan": None},
        "Dict[str, Any]",
    ),
    Published("aeon.kernel.orchestrator.Orchestrator", "get_state", {}, "OrchestrationState"),
]

SAME = {"Optional[Tool]": "Tool | None", "List[str]": "list[str]", "List[Dict[str, Any]]": "list[dict[str, Any]]"}
"""Other spellings of the published return types."""

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def found(path):
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


@pytest.mark.parametrize("published", METHODS, ids=lambda one: f"{one.place.rpartition('.')[2]}.{one.method}")
def test_a_method_takes_the_published_parameters_in_their_order_with_their_defaults(published):
    """Ours may have more, by keyword and with a default, and may give a default where the contract has none."""
    signature = inspect.signature(getattr(found(published.place), published.method))
    ours = dict(list(signature.parameters.items())[1:])

    assert list(ours)[: len(published.parameters)] == list(published.parameters)
    for name, default in published.parameters.items():
        assert ours[name].kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, *_VARIADIC)
        assert ours[name].default == default or default is NEEDED, name
    for name in list(ours)[len(published.parameters) :]:
        assert ours[name].default is not NEEDED, f"{name} is asked for beyond the contract"
        assert ours[name].kind is inspect.Parameter.KEYWORD_ONLY, f"{name} could be given by position"


@pytest.mark.parametrize("published", METHODS, ids=lambda one: f"{one.place.rpartition('.')[2]}.{one.method}")
def test_a_method_returns_the_published_type(published):
    returned = inspect.signature(getattr(found(published.place), published.method)).return_annotation
    text = returned if isinstance(returned, str) else inspect.formatannotation(returned)
    spelled = "".join(part.rpartition(".")[2] for part in _parts(text))

    assert spelled in {published.returns, SAME.get(published.returns)}


def _parts(text):
    """The names of an annotation without their modules, and what stands between them."""
    return re.findall(r"[\w.]+|[^\w.]+", text)


@pytest.mark.parametrize(
    ("path", "port"),
    [
        ("aeon.llm.adapters.vllm.VLLMAdapter", LLMAdapter),
        ("aeon.llm.adapters.llama_cpp.LlamaCppAdapter", LLMAdapter),
        ("aeon.llm.adapters.remote_api.RemoteAPIAdapter", LLMAdapter),
        ("aeon.memory.kv_store.InMemoryKVStore", Memory),
        ("aeon.tools.stubs.echo.EchoTool", Tool),
        ("aeon.tools.stubs.calculator.CalculatorTool", Tool),
    ],
)
def test_the_published_implementations_stand_at_their_place_and_implement_their_port(path, port):
    implementation = found(path)

    assert issubclass(implementation, port)
    assert not inspect.isabstract(implementation)


@pytest.mark.parametrize(
    "path",
    [
        "aeon.plan.parser.Plan",
        "aeon.plan.models.PlanStep",
        "aeon.supervisor.models.Supervisor",
        "aeon.kernel.executor.StepExecutionResult",
        "aeon.kernel.orchestrator.OrchestrationState",
        "aeon.validation.schema.ValidationResult",
        "aeon.validation.schema.ValidationError",
    ],
)
def test_the_other_names_of_the_contract_can_be_imported_where_it_does(path):
    assert inspect.isclass(found(path))


@pytest.mark.parametrize(
    ("port", "abstract"),
    [
        (LLMAdapter, {"generate", "supports_streaming"}),
        (Memory, {"write", "read", "search"}),
        (Tool, {"invoke"}),
    ],
)
def test_a_port_asks_of_its_implementations_what_is_published_and_no_more(port, abstract):
    assert port.__abstractmethods__ == abstract


def test_a_tool_has_the_four_published_fields():
    for made in (EchoTool(), CalculatorTool()):
        assert made.name
        assert made.description
        assert isinstance(made.input_schema, dict)
        assert isinstance(made.output_schema, dict)
        assert made.validate_input() is False
        assert made.validate_output({}) is False


def test_a_steps_result_has_the_four_published_fields_of_their_types():
    assert list(StepExecutionResult.__annotations__)[:4] == ["success", "result", "error", "execution_mode"]
    made = StepExecutionResult()
    assert (made.success, made.result, made.error) == (False, {}, None)
    assert made.execution_mode in ("tool", "llm", "fallback")


def test_a_validation_result_has_the_two_published_fields():
    assert list(ValidationResult.__annotations__) == ["valid", "error"]
    assert ValidationResult(valid=True).error is None


def test_tools_are_exported_with_the_published_keys():
    for exported in ToolRegistry(builtin_tools(InMemoryKVStore())).export_tools_for_llm():
        assert {"name", "description", "input_schema", "output_schema"} <= exported.keys()


def test_the_published_errors_exist_under_one_root_and_their_other_spellings_catch_them():
    for name in ("LLMError", "ToolError", "SupervisorError", "ExecutionError", "OrchestrationError"):
        assert issubclass(found(f"aeon.base.errors.{name}"), AeonError)
    assert issubclass(MemoryStoreError, MemoryError)
    assert issubclass(found("aeon.base.errors.ToolDefinitionError"), ValueError)
    assert ValidationError.__module__.startswith("pydantic")
