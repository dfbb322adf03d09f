"""Core 11: what a model's output is decoded under names registered tools only."""

from typing import Any

import pytest
from pydantic import BaseModel

from aeon.base.json_schema import CompiledSchema, schema_problem
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.function import tool
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.validation.output_schemas import MAX_PLAN_STEPS, call_schema, plan_schema, tool_choice_schema


class Address(BaseModel):
    street: str
    next_door: "Address | None" = None


@tool
def deliver(to: Address, count: int, note: str = "") -> int:
    """Deliver something."""
    return count


@tool
def visit(address: Address) -> int:
    """Visit an address."""
    return 1


class Named(Tool):
    description = "One of many."
    input_schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}  # the published shape
    output_schema: dict[str, Any] = {"type": "object"}

    def __init__(self, name):
        self.name = name

    def invoke(self, **kwargs):
        return {}


def exported(*more):
    return ToolRegistry([*builtin_tools(InMemoryKVStore()), *more]).export_tools_for_llm()


def plan(*steps):
    return {"steps": [{"step_id": f"s{n}", "description": "do it", **step} for n, step in enumerate(steps, 1)]}


CHECK = CompiledSchema(plan_schema(exported(deliver, visit)))
TOWN = {"street": "Elm", "next_door": {"street": "Oak"}}


@pytest.mark.parametrize(
    "steps",
    [
        [{"agent": "llm"}],
        [{"tool": "echo", "arguments": {"text": "hello"}}],
        [{"tool": "echo", "arguments": {"text": "see {step.s1.text}"}}],
        [{"tool": "calculator", "arguments": {"expression": "1 + 2"}}, {"agent": "llm"}],
        [{"tool": "memory_write", "arguments": {"key": "a", "value": 5}}],
        [{"tool": "deliver", "arguments": {"to": TOWN, "count": 2, "note": "x"}}],
        [{"tool": "deliver", "arguments": {"to": "{step.s1.address}", "count": "{step.s1.count}"}}],
        [{"tool": "visit", "arguments": {"address": TOWN}}],
    ],
    ids=str,
)
def test_core_11_plans_with_registered_tools_fit(steps):
    assert CHECK.problems(plan(*steps)) == []


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [{"tool": "nobody", "arguments": {}}],
        [{"tool": None, "arguments": {}}],
        [{"tool": "echo"}],
        [{"tool": "echo", "arguments": {}}],
        [{"tool": "echo", "arguments": {"text": 5}}],
        [{"tool": "echo", "arguments": {"text": "x", "more": 1}}],
        [{"tool": "calculator", "arguments": {"text": "x"}}],
        [{"tool": "deliver", "arguments": {"to": TOWN, "count": "two"}}],
        [{"tool": "deliver", "arguments": {"to": {"street": 5}, "count": 1}}],
        [{"tool": "deliver", "arguments": {"to": TOWN, "count": "{step.s1.count} pieces"}}],
        [{"agent": "human"}],
        [{"agent": "llm", "status": "complete"}],
        [{"agent": "llm"}] * (MAX_PLAN_STEPS + 1),
    ],
    ids=lambda steps: str(steps)[:60],
)
def test_core_11_unknown_tools_and_wrong_arguments_do_not_fit(steps):
    assert not CHECK.is_valid(plan(*steps))


def test_every_tool_is_named():
    tools = exported(deliver)
    named = [
        branch["properties"]["tool"]["const"]
        for branch in plan_schema(tools)["properties"]["steps"]["items"]["anyOf"][:-1]
    ]
    assert named == [entry["name"] for entry in tools]


def test_definitions_of_two_tools_do_not_meet():
    """Both have an `Address`; each keeps its own."""
    schema = plan_schema(exported(deliver, visit))
    assert schema_problem(schema) is None
    assert len(schema["$defs"]) == 2
    assert all("'$defs':" not in str(branch) for branch in schema["properties"]["steps"]["items"]["anyOf"])


def test_without_definitions_none_are_written():
    assert "$defs" not in plan_schema(exported())
    assert "$defs" not in call_schema(exported()[0])


@pytest.mark.parametrize("count", [20, 21])
def test_more_than_20_tools_keep_their_names_as_an_enum(count):
    tools = ToolRegistry([Named(f"tool_{n}") for n in range(count)]).export_tools_for_llm()
    schema = plan_schema(tools)
    branches = schema["properties"]["steps"]["items"]["anyOf"]
    assert len(branches) == (2 if count > 20 else count + 1)
    check = CompiledSchema(schema)
    assert check.is_valid(plan(*({"tool": f"tool_{n}", "arguments": {"n": 1}} for n in range(count))))
    assert not check.is_valid(plan({"tool": "tool_99", "arguments": {}}))


def test_without_tools_only_the_model_is_left():
    check = CompiledSchema(plan_schema([]))
    assert check.is_valid(plan({"agent": "llm"}))
    assert not check.is_valid(plan({"tool": "echo", "arguments": {"text": "x"}}))


def test_the_tools_own_schema_is_left_as_it_was():
    before = exported(deliver)
    tools = exported(deliver)
    plan_schema(tools)
    call_schema(tools[-1])
    assert tools == before


def test_a_call_is_for_its_own_tool():
    check = CompiledSchema(call_schema(exported(deliver)[-1]))
    assert check.is_valid({"tool": "deliver", "arguments": {"to": TOWN, "count": 1}})
    assert not check.is_valid({"tool": "visit", "arguments": {"to": TOWN, "count": 1}})
    assert not check.is_valid({"tool": "deliver", "arguments": {"to": TOWN}})
    assert not check.is_valid({"tool": "deliver"})
    assert not check.is_valid({"tool": "deliver", "arguments": {"to": TOWN, "count": 1}, "why": "x"})


def test_a_choice_is_a_registered_tool_or_none():
    check = CompiledSchema(tool_choice_schema(["echo", "calculator"]))
    assert [check.is_valid({"tool": name}) for name in ("echo", "calculator", None, "nobody", 5)] == [
        True,
        True,
        True,
        False,
        False,
    ]
