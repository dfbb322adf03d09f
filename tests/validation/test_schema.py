"""FR-024 to FR-027, FR-063, FR-064: `Validator` raises pydantic's ValidationError with every problem."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from aeon.base.json_schema import CompiledSchema
from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.models import PlanStep
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.validation.schema import ValidationResult, Validator, argument_problems, call_problems

VALIDATOR = Validator()
REGISTRY = ToolRegistry(builtin_tools(InMemoryKVStore()))
TOWN = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}


def errors_of(work, *arguments):
    with pytest.raises(ValidationError) as raised:
        work(*arguments)
    return {str(error["loc"][0]): error["msg"] for error in raised.value.errors()}


def test_fr_026_a_plan_that_can_start_is_valid():
    assert VALIDATOR.validate_plan({"goal": "g", "steps": [{"step_id": "a", "description": "b"}]}) is True


def test_fr_026_every_problem_of_a_plan_is_raised_at_once():
    plan = {
        "goal": "",
        "steps": [{"step_id": "a", "description": "b", "arguments": {"x": "{step.z}"}}, {"step_id": "a"}],
    }
    assert set(errors_of(VALIDATOR.validate_plan, plan)) == {
        "$.goal",
        "$.steps[0].arguments.x",
        "$.steps[1].description",
        "$.steps[1].step_id",
    }


@pytest.mark.parametrize("plan", [None, [], "x", {}, {"goal": {1}}])
def test_fr_026_what_is_no_plan_at_all(plan):
    assert errors_of(VALIDATOR.validate_plan, plan)


def test_fr_024_output_is_any_object_or_what_the_schema_says():
    assert VALIDATOR.validate_llm_output({"anything": 1}) is True
    assert VALIDATOR.validate_llm_output({"name": "Oslo"}, TOWN) is True
    assert VALIDATOR.validate_llm_output([1], {"type": "array"}) is True


@pytest.mark.parametrize("output", [None, [], "text", 5])
def test_fr_024_output_that_is_no_object_is_refused(output):
    assert set(errors_of(VALIDATOR.validate_llm_output, output)) == {"$"}


def test_fr_024_every_problem_of_an_output_is_raised_at_once():
    assert set(errors_of(VALIDATOR.validate_llm_output, {"name": 5, "size": "x"}, TOWN)) == {"$.name", "$.size"}


def test_fr_025_a_call_that_fits():
    assert VALIDATOR.validate_tool_call({"tool": "town", "arguments": {"name": "Oslo", "size": 1}}, TOWN) is True


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        ({}, ["$.tool", "$.arguments"]),
        ([], ["$"]),
        ("town", ["$"]),
        ({"tool": 5, "arguments": {}}, ["$.tool", "$.arguments"]),
        ({"tool": "town", "arguments": "x"}, ["$.arguments"]),
        ({"tool": "town", "arguments": {"name": 5, "size": "x"}}, ["$.arguments.name", "$.arguments.size"]),
        ({"tool": "town", "arguments": {"name": "x", "more": 1}}, ["$.arguments"]),
        ({"tool": None, "arguments": {"name": 5}, "b": 1, "a": 2}, ["$.b", "$.a", "$.tool", "$.arguments.name"]),
    ],
    ids=str,
)
def test_fr_025_every_problem_of_a_call_is_raised_at_once(call, paths):
    assert set(errors_of(VALIDATOR.validate_tool_call, call, TOWN)) == set(paths)


def test_a_message_with_braces_stays_as_it_is():
    errors = errors_of(VALIDATOR.validate_llm_output, {"{problem}": "{x}", "name": "a"}, TOWN)
    assert "{problem}" in errors["$"]


def test_values_stay_out_of_the_message():
    with pytest.raises(ValidationError) as raised:
        VALIDATOR.validate_llm_output({"name": "a", "size": [0] * 1000}, TOWN)
    assert "input_value" not in str(raised.value)


ORDER = (
    "from aeon.base.json_schema import CompiledSchema; from aeon.validation.schema import call_problems; "
    "print([p.path for p in call_problems({'d': 1, 'b': 1, 'c': 1, 'a': 1}, CompiledSchema({}))])"
)


def test_core_13_problems_come_in_the_same_order_in_every_process():
    """They go into the log; a replay must write the same bytes."""
    orders = {
        subprocess.run(
            [sys.executable, "-c", ORDER], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert orders == {"['$.d', '$.b', '$.c', '$.a', '$.tool', '$.arguments']\n"}


def step(**fields):
    return PlanStep(step_id="s1", description="d", **fields)


@pytest.mark.parametrize("fields", [{"tool": "echo"}, {"agent": "llm"}, {"tool": "echo", "agent": "llm"}])
def test_core_1_a_step_that_can_run(fields):
    one = step(**fields)
    assert VALIDATOR.validate_step_tool(one, REGISTRY) == ValidationResult(valid=True)
    assert one.errors == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tool": "nobody"}, "Tool 'nobody' not found in registry; registered are: calculator, echo,"),
        ({"tool": "nobody", "agent": "llm"}, "Tool 'nobody' not found in registry"),
        ({"tool": "Echo"}, "Tool 'Echo' not found in registry"),
        ({}, "Step 's1' names neither a tool nor an agent"),
    ],
    ids=str,
)
def test_core_2_the_reasons_against_a_step_go_into_its_errors(fields, reason):
    one = step(**fields, errors=["earlier"])
    result = VALIDATOR.validate_step_tool(one, REGISTRY)
    assert not result.valid
    assert result.error.startswith(reason)
    assert one.errors == ["earlier", result.error]
    VALIDATOR.validate_step_tool(one, REGISTRY)
    assert one.errors == ["earlier", result.error]


def test_a_validation_result_reads_as_the_contract_writes_it():
    """core-interfaces: `ValidationResult` with "valid" and "error"."""
    good, bad = (VALIDATOR.validate_step_tool(step(tool=name), REGISTRY) for name in ("echo", "nobody"))
    assert (good["valid"], good["error"]) == (True, None)
    assert (bad["valid"], bad["error"]) == (bad.valid, bad.error)
    with pytest.raises(KeyError, match="other"):
        bad["other"]


def test_core_2_an_empty_registry_says_so():
    assert VALIDATOR.validate_step_tool(step(tool="x"), ToolRegistry()).error.endswith("registered are: none")


CHECK = CompiledSchema(
    {
        "anyOf": [
            {
                "type": "object",
                "properties": {"expression": {"type": "string"}},
                "required": ["expression"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"operation": {"enum": ["add"]}, "a": {"type": "number"}, "b": {"type": "number"}},
                "required": ["operation", "a", "b"],
                "additionalProperties": False,
            },
        ]
    }
)


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"expression": 5}, ["$.arguments.expression"]),
        ({"operation": "add", "a": "x", "b": 1}, ["$.arguments.a"]),
        ({"operation": "divide", "a": "x", "b": 1}, ["$.arguments.operation", "$.arguments.a"]),
        ({"a": 1}, ["$.arguments"]),
        ({}, ["$.arguments"]),
    ],
    ids=str,
)
def test_problems_are_told_against_the_alternative_that_comes_closest(arguments, paths):
    found = argument_problems(arguments, CHECK)
    assert {problem.path for problem in found} == set(paths)


def test_arguments_that_fit_one_alternative_have_no_problem():
    assert argument_problems({"expression": "1"}, CHECK) == []
    assert call_problems({"tool": "x", "arguments": {"operation": "add", "a": 1, "b": 2}}, CHECK) == []


def test_fitting_one_of_two_alternatives_twice_is_still_told():
    both = CompiledSchema({"oneOf": [{"type": "object"}, {"type": "object"}]})
    assert argument_problems({}, both)


def test_alternatives_that_are_no_objects_are_passed_over():
    assert argument_problems({}, CompiledSchema({"anyOf": [False]}))
    assert argument_problems({}, CompiledSchema({"anyOf": [False, {"required": ["a"]}]}))
