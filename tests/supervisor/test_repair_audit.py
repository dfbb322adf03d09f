"""Repairs that went past the boundary or hid what they repaired, found by reading the supervisor against core 9 to 11."""

import pytest

from aeon.base.errors import SupervisorError
from aeon.base.json import canonical_json
from aeon.base.json_schema import CompiledSchema
from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.supervisor.models import Supervisor
from aeon.supervisor.repair_context import RepairContext
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import call, plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

TOOLS = ToolRegistry(builtin_tools(InMemoryKVStore()))
ECHO = TOOLS.lookup("echo")


def supervisor(*replies):
    return Supervisor(ScriptedAdapter(list(replies)))


def objects(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


def test_a_valid_argument_whose_name_begins_a_wrong_ones_stays_core_10():
    schema = objects(a={"type": "integer"}, ab={"type": "integer"})
    changed = call("t", a=4, ab=4)

    with pytest.raises(SupervisorError, match="was valid and must stay 3"):
        supervisor(changed, changed).repair_tool_call(call("t", a=3, ab="4"), schema)


def test_a_valid_argument_named_like_an_unexpected_inner_one_stays_core_10():
    schema = objects(query={"type": "string"}, options=objects(deep={"type": "boolean"}))
    changed = call("t", query="true", options={"deep": True})

    with pytest.raises(SupervisorError, match="was valid and must stay"):
        supervisor(changed, changed).repair_tool_call(
            call("t", query="owl", options={"deep": True, "query": "x"}), schema
        )


def test_a_step_for_the_model_is_not_given_to_a_tool_core_10_fr_032():
    """Tool wins over agent (core 1), so adding one changes who carries the step out."""
    before = {**plan(step("a", agent="llm")), "colour": "red"}
    after = plan(step("a", agent="llm", tool="echo"))

    with pytest.raises(SupervisorError, match="tool"):
        supervisor(after, after).repair_plan(before, available_tools=TOOLS.export_tools_for_llm())


def test_a_plan_with_tools_is_repaired_through_the_published_signature_fr_031():
    """core-interfaces: repair_plan(malformed_plan). The tools that the plan names are the ones it may name."""
    before = {**plan(step("a", tool="echo")), "colour": "red"}

    assert supervisor(plan(step("a", tool="echo"))).repair_plan(before) == plan(step("a", tool="echo"))


def test_no_tool_is_new_through_the_published_signature_fr_032():
    before = {**plan(step("a", tool="echo")), "colour": "red"}
    after = plan(step("a", tool="shell"))

    with pytest.raises(SupervisorError):
        supervisor(after, after).repair_plan(before)


def test_without_registered_tools_a_planned_one_is_refused_core_10():
    made = supervisor(*[plan(step("s1", tool="echo"), step("s2"))] * 2)

    with pytest.raises(SupervisorError, match="not registered"):
        made.read_plan(
            LLMResponse(canonical_json({"steps": [step("s1", tool="echo"), step("s2", colour="red")]}), "stop"), [], "r"
        )


def test_repair_json_gives_an_object_fr_029():
    """`{"required": ["a"]}` says nothing of a list, so one passed for the dict that is promised."""
    assert supervisor({"a": 1}).repair_json("[1]", {"required": ["a"]}) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "finish", "original"),
    [
        ("I will echo hello", "stop", {"text": "I will echo hello"}),
        ('{"tool": "shell", "arguments": {"text": "hello"}}', "stop", call("shell", text="hello")),
        ('{"tool": "echo", "argum', "length", {"text": '{"tool": "echo", "argum'}),
    ],
)
def test_the_record_of_a_repaired_call_shows_what_the_model_wrote_core_10(text, finish, original):
    made = supervisor(call("echo", text="hello"))

    made.read_call(LLMResponse(text, finish), ECHO.exported, ECHO.input, RepairContext("say hello"))

    assert made.actions[-1].original_output == original


def test_the_record_of_a_truncated_plan_shows_what_the_model_wrote_core_9_core_10():
    made = supervisor({"steps": [step("s1", agent="llm")]})

    made.read_plan(LLMResponse('{"steps": [{"st', "length"), [], "r")

    assert made.actions[-1].original_output == {"text": '{"steps": [{"st'}


@pytest.mark.parametrize("key", ["$defs", "definitions"])
def test_a_tools_own_definitions_are_found_in_the_schema_of_its_repair_core_11(key):
    schema = {**objects(n={"$ref": f"#/{key}/N"}), key: {"N": {"type": "integer"}}}
    model = ScriptedAdapter([call("t", n=1)])

    Supervisor(model).repair_tool_call(call("t", n="1"), schema)

    asked = CompiledSchema(model.requests[0].schema)
    assert asked.is_valid(call("t", n=1))
    assert not asked.is_valid(call("t", n="1"))


@pytest.mark.parametrize("empty", ["", [], {}, None])
def test_an_empty_value_for_a_missing_argument_is_invented_as_well_core_10(empty):
    """Nothing in the call or its context says that it is empty, so an empty one is a guess like any other."""
    guessed = call("t", q=empty)

    with pytest.raises(SupervisorError, match="invents nothing"):
        supervisor(guessed, guessed).repair_tool_call(call("t"), {"type": "object", "required": ["q"]}, context="go on")


def test_an_empty_value_that_was_said_is_kept_core_10():
    before = {**call("t", q={"tags": []}), "why": "?"}

    assert supervisor(call("t", q={"tags": []})).repair_tool_call(before, {"type": "object"}) == call(
        "t", q={"tags": []}
    )


def test_a_text_of_the_wrong_type_is_not_emptied_core_10():
    emptied = call("t", text="")
    schema = objects(text={"type": "string"})

    with pytest.raises(SupervisorError):
        supervisor(emptied, emptied).repair_tool_call(call("t", text=5), schema)


@pytest.mark.parametrize("value", [[1], None, {"goal": float("nan")}, {1: 2}])
def test_what_is_no_json_object_is_refused_with_its_reason_and_costs_no_call(value):
    made = supervisor()

    with pytest.raises(SupervisorError, match="JSON object"):
        made.repair_plan(value)
    with pytest.raises(SupervisorError, match="JSON object"):
        made.repair_tool_call(value, {"type": "object"})


WITH_ARGUMENTS = {**plan(step("a", tool="echo", arguments={"text": "hi"}), step("b", tool="echo")), "colour": "red"}


@pytest.mark.parametrize("changed", [{"text": "ho"}, {"text": "hi", "n": 1}, {}])
def test_a_plan_repair_does_not_change_a_steps_arguments_core_10(changed):
    after = plan(step("a", tool="echo", arguments=changed), step("b", tool="echo"))

    with pytest.raises(SupervisorError, match=r"steps\[0\].arguments: must stay"):
        supervisor(after, after).repair_plan(WITH_ARGUMENTS)


def test_a_plan_repair_does_not_add_arguments_to_a_step_that_had_none_core_10():
    after = plan(step("a", tool="echo", arguments={"text": "hi"}), step("b", tool="echo", arguments={"text": "hi"}))

    with pytest.raises(SupervisorError, match=r"steps\[1\].arguments: must stay"):
        supervisor(after, after).repair_plan(WITH_ARGUMENTS)


def test_a_plan_repair_may_leave_arguments_out_so_that_they_are_asked_for_core_10():
    after = plan(step("a", tool="echo"), step("b", tool="echo"))

    assert supervisor(after).repair_plan(WITH_ARGUMENTS) == after
