"""The supervisor against models that help, fail, and try to break each limit (core 2, 9, 10; FR-027 to FR-033, FR-050, FR-051)."""

import pytest

from aeon.base.errors import LLMError, SupervisorError
from aeon.base.json import canonical_json
from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.supervisor.models import Supervisor, SupervisorAction
from aeon.supervisor.repair_context import RepairContext
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

TOOLS = ToolRegistry(builtin_tools(InMemoryKVStore()))
EXPORTED = TOOLS.export_tools_for_llm()
SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "deep": {"type": "boolean"},
    },
    "required": ["query", "limit"],
    "additionalProperties": False,
}


def supervisor(*replies):
    return Supervisor(ScriptedAdapter(list(replies)))


# --- repair_json -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```',
        "{'a': 1}",
        '{"a": 1,}',
        'Sure! Here it is: {"a": 1}. Anything else?',
        '<think>{"a": 2}?</think>{"a": 1}',
        '"{\\"a\\": 1}"',
    ],
)
def test_syntax_is_repaired_without_the_model_and_recorded_core_9_core_10(text):
    made = supervisor()

    assert made.repair_json(text) == {"a": 1}
    assert made.actions[0].action_type == "json_repair"
    assert made.actions[0].stages
    assert made.actions[0].model_output is None
    assert made.actions[0].original_output == {"text": text}


def test_valid_json_is_untouched_and_never_sent_to_a_model():
    made = supervisor()

    assert made.repair_json('{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
    assert made.actions == []


def test_prose_goes_to_the_model_at_most_twice_fr_050():
    made = supervisor("no", {"a": 1})

    assert made.repair_json("I think a is one", {"type": "object", "required": ["a"]}) == {"a": 1}
    assert [(a.attempt_number, a.error is None) for a in made.actions] == [(1, False), (2, True)]


def test_two_failures_are_the_end_fr_051():
    made = supervisor("no", "no", {"a": 1})

    with pytest.raises(SupervisorError) as caught:
        made.repair_json("nothing here")

    assert caught.value.details["attempts"] == 2
    assert len(made.actions) == 2


@pytest.mark.parametrize("asked", [1, 2, 99])
def test_max_attempts_never_exceeds_two(asked):
    model = ScriptedAdapter(["no"] * 9)

    with pytest.raises(SupervisorError):
        Supervisor(model).repair_json("nothing", max_attempts=asked)

    assert len(model.requests) == min(asked, 2)


def test_a_model_that_is_gone_is_recorded_and_passed_on_core_7():
    made = supervisor(LLMError("gone"))

    with pytest.raises(LLMError):
        made.repair_json("nothing")

    assert made.actions[0].error["type"] == "LLMError"


def test_the_prompt_is_reduced_and_names_the_problems_fr_028():
    model = ScriptedAdapter([call("echo", text="x")])
    Supervisor(model).repair_tool_call(
        {"tool": "echo", "arguments": {"text": 5, "colour": "x"}}, TOOLS.get("echo").input_schema
    )

    assert "repair JSON" in model.requests[0].system_prompt
    assert "$.arguments" in model.requests[0].prompt
    assert model.requests[0].temperature == 0.0


# --- repair_tool_call --------------------------------------------------------------------------------------------------


def repaired_call(before, after, *, schema=SEARCH, context=""):
    """What the supervisor makes of `before` when the model proposes `after` twice."""
    return supervisor(after, after).repair_tool_call(before, schema, context=context)


def test_a_valid_call_comes_back_as_it_is():
    valid = call("search", query="owl", limit=3)

    assert supervisor().repair_tool_call(valid, SEARCH) == valid


@pytest.mark.parametrize(
    ("before", "after", "context"),
    [
        (call("search", query="owl", limit="3"), call("search", query="owl", limit=3), ""),
        (call("search", query="owl", limit=3, extra=1), call("search", query="owl", limit=3), ""),
        (call("search", query="owl", limit=3, tags="night"), call("search", query="owl", limit=3, tags=["night"]), ""),
        (call("search", query="owl"), call("search", query="owl", limit=5), "Find five things about owls"),
        (call("search", query="owl"), call("search", query="owl", limit=12), "at most 12, please"),
        (call("search", limit=3), call("search", limit=3, query="Night Owls"), "look for night owls"),
        (call("search", query="owl", limit=3, deep="yes"), call("search", query="owl", limit=3, deep=True), ""),
    ],
)
def test_repairs_that_stay_within_what_was_said_pass_core_10(before, after, context):
    assert repaired_call(before, after, context=context) == after


@pytest.mark.parametrize(
    ("why", "before", "after"),
    [
        ("another tool", call("search", query="owl", limit="3"), call("shell", query="owl", limit=3)),
        ("a valid argument changed", call("search", query="owl", limit="3"), call("search", query="cat", limit=3)),
        (
            "a valid argument dropped",
            call("search", query="owl", limit=3, tags=["a"], deep="x"),
            call("search", query="owl", limit=3),
        ),
        ("a missing value invented", call("search", query="owl"), call("search", query="owl", limit=10)),
        ("a text invented", call("search", limit=3), call("search", limit=3, query="owls at night")),
        (
            "a number changed while its type is mended",
            call("search", query="owl", limit="3"),
            call("search", query="owl", limit=30),
        ),
        (
            "an optional argument added",
            call("search", query="owl", limit="3"),
            call("search", query="owl", limit=3, tags=["secret"]),
        ),
        (
            "a boolean out of nowhere",
            call("search", query="owl", limit="3"),
            call("search", query="owl", limit=3, deep=True),
        ),
        (
            "a list grown",
            call("search", query="owl", limit=3, tags="night"),
            call("search", query="owl", limit=3, tags=["night", "day"]),
        ),
        ("a sign flipped", call("search", query="owl", limit="3"), call("search", query="owl", limit=-3)),
        ("still not valid", call("search", query="owl", limit="3"), call("search", query="owl", limit="3")),
        ("no call at all", call("search", query="owl", limit="3"), {"query": "owl"}),
        ("a list", call("search", query="owl", limit="3"), [1]),
    ],
)
def test_every_way_out_of_the_limits_is_refused_by_code_core_10(why, before, after):
    with pytest.raises(SupervisorError):
        repaired_call(before, after)


# --- repair_plan -------------------------------------------------------------------------------------------------------


def repaired_plan(before, after):
    return supervisor(after, after).repair_plan(before, available_tools=EXPORTED, request="the request")


def test_a_valid_plan_comes_back_as_it_is():
    valid = plan(calc("s1", "1+1"))

    assert supervisor().repair_plan(valid) == valid


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (plan(step("a"), step("a")), plan(step("a"), step("b"))),
        ({"goal": "g", "steps": [{"description": "do it"}]}, plan(step("s1"), goal="g")),
        ({"steps": [step("a"), step("a")]}, plan(step("a"), step("b"), goal="the request")),
        (plan(step("a", color="red")), plan(step("a"))),
        (
            plan(calc("a", "{step.b.result}"), calc("b", "1")),
            plan(step("a", "compute {step.b.result}", tool="calculator"), calc("b", "1")),
        ),
    ],
)
def test_structure_is_repaired_fr_031(before, after):
    assert repaired_plan(before, after) == after


def test_a_step_that_says_nothing_is_not_described_by_a_repair_core_10_fr_032():
    with pytest.raises(SupervisorError, match=r"steps\[0\]: cannot be read as a step"):
        repaired_plan({"goal": "g", "steps": [{"step_id": "a"}]}, plan(step("a", "described"), goal="g"))


@pytest.mark.parametrize(
    ("why", "after"),
    [
        ("another goal", plan(step("a", "first"), step("b", "second"), goal="world domination")),
        ("a step renamed", plan(step("x", "first"), step("b", "second"))),
        ("a step redescribed", plan(step("a", "delete everything"), step("b", "second"))),
        ("a step dropped", plan(step("a", "first"))),
        ("a step added", plan(step("a", "first"), step("b", "second"), step("c", "third"))),
        ("steps swapped", plan(step("b", "second"), step("a", "first"))),
        ("a tool that does not exist", plan(step("a", "first", tool="shell"), step("b", "second"))),
        ("arguments invented", plan(step("a", "first", tool="echo", arguments={"text": "boo"}), step("b", "second"))),
        ("still broken", plan(step("a", "first"), step("a", "second"))),
        ("the agent taken away", plan(step("a", "first"), step("b", "second", tool="echo"))),
    ],
)
def test_a_repaired_plan_keeps_goal_steps_and_tools_core_10(why, after):
    before = {**plan(step("a", "first"), step("b", "second", agent="llm")), "colour": "red"}

    with pytest.raises(SupervisorError):
        repaired_plan(before, after)


def test_a_registered_tool_of_a_readable_step_stays_core_10():
    before = {**plan(step("a", tool="echo")), "colour": "red"}

    with pytest.raises(SupervisorError):
        repaired_plan(before, plan(step("a", tool="calculator")))


def test_an_unreadable_plan_may_name_registered_tools_only_core_10():
    with pytest.raises(SupervisorError, match="not registered"):
        supervisor(plan(step("a", tool="shell")), plan(step("a", tool="shell"))).read_plan(
            LLMResponse("I'll do it!"), EXPORTED, "r"
        )


# --- reading replies ---------------------------------------------------------------------------------------------------


def test_a_truncated_plan_is_asked_again_and_never_completed_core_9():
    model = ScriptedAdapter([{"steps": [step("s1", agent="llm")]}])
    made = Supervisor(model)

    value = made.read_plan(
        LLMResponse('{"goal": "g", "steps": [{"step_id": "s1", "description": "secret beginning"', "length"),
        EXPORTED,
        "r",
    )

    assert value == {"goal": "r", "steps": [step("s1", agent="llm")]}
    assert "secret beginning" not in model.requests[0].prompt


def test_a_plan_without_a_goal_has_the_request_as_its_goal():
    made = supervisor()

    assert (
        made.read_plan(LLMResponse('{"steps": [{"step_id": "s1", "description": "d"}]}'), EXPORTED, "the request")[
            "goal"
        ]
        == "the request"
    )
    assert made.actions == []


def test_a_reference_to_a_field_that_cannot_exist_means_the_only_one_that_does():
    made = supervisor()
    text = canonical_json({"steps": [calc("s1", "1+1"), calc("s2", "{step.s1.value} * 2")]})

    value = made.read_plan(LLMResponse(text), EXPORTED, "r")

    assert value["steps"][1]["arguments"] == {"expression": "{step.s1.result} * 2"}
    assert made.actions[0].stages == ["only_field"]


def test_arguments_with_a_reference_to_nothing_are_left_out_and_asked_for_when_the_step_runs_core_10():
    made = supervisor()
    text = canonical_json({"steps": [calc("s1", "{step.s2.result} + {step.nowhere}"), calc("s2", "1+1")]})

    value = made.read_plan(LLMResponse(text), EXPORTED, "r")

    assert "arguments" not in value["steps"][0]
    assert value["steps"][1] == calc("s2", "1+1")
    assert made.actions[0].stages == ["no_arguments"]


def test_the_call_of_another_tool_is_not_a_call_core_10():
    check = TOOLS.lookup("echo").input
    made = supervisor(call("calculator", expression="1"), call("echo", text="hello"))

    assert made.read_call(
        LLMResponse('{"tool": "calculator", "arguments": {"expression": "1"}}'),
        TOOLS.lookup("echo").exported,
        check,
        RepairContext("say hello"),
    ) == call("echo", text="hello")


# --- repair_missing_tool_step -------------------------------------------------------------------------------------------


def test_the_step_comes_back_with_a_registered_tool_and_no_errors_core_2():
    before = {**step("a", "add 2 and 2", tool="adder"), "errors": ["Tool 'adder' not found in registry"]}

    after = supervisor({"tool": "calculator"}).repair_missing_tool_step(before, EXPORTED, "the goal")

    assert after == {**step("a", "add 2 and 2", tool="calculator"), "errors": []}


def test_a_whole_step_in_the_answer_is_taken_when_nothing_else_changed_fr_066():
    before = step("a", "add 2 and 2", tool="adder")

    after = supervisor({**before, "tool": "calculator"}).repair_missing_tool_step(before, EXPORTED, "g")

    assert after["tool"] == "calculator"


@pytest.mark.parametrize(
    "answer",
    [
        {"tool": "shell"},
        {"tool": ""},
        {},
        {"tool": "calculator", "step_id": "b"},
        {"tool": "calculator", "description": "rm"},
        {"tool": ["calculator"]},
    ],
)
def test_no_other_answer_is_taken_core_10(answer):
    with pytest.raises(SupervisorError):
        supervisor(answer, answer).repair_missing_tool_step(step("a", "add", tool="adder"), EXPORTED, "g")


def test_none_fits_is_an_answer_that_is_not_asked_twice():
    model = ScriptedAdapter([{"tool": None}])

    with pytest.raises(SupervisorError, match="no registered tool"):
        Supervisor(model).repair_missing_tool_step(step("a", "sing", tool="singer"), EXPORTED, "g")

    assert len(model.requests) == 1


def test_without_tools_nothing_is_asked():
    with pytest.raises(SupervisorError, match="No tool is registered"):
        supervisor().repair_missing_tool_step(step("a", "sing"), [], "g")


def test_every_action_is_a_record_with_one_outcome():
    made = supervisor("no", call("search", query="owl", limit=3))
    made.repair_tool_call(call("search", query="owl", limit="3"), SEARCH)

    for action in made.actions:
        assert SupervisorAction.model_validate(action.as_dict()) == action
        assert (action.repaired_output is None) != (action.error is None)
