"""A skill's script as a tool of the kernel (issue point 8): typed, retried, bounded; its failure is a ToolError."""

import threading
from dataclasses import replace

import pytest

from aeon.base.errors import ToolError
from aeon.kernel.orchestrator import Orchestrator
from aeon.plan.models import Plan
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.models import ScriptRetryPolicy
from aeon.skills.tool import SkillTool
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.scripts import (
    ScriptedRunner,
    catalog,
    done,
    error,
    fails,
    patches,
    prepare_invocation,
    prints,
    says,
    script,
    skill,
    waits_for_cancel,
)
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry

TAKES = {"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}


def tool(behaviour, **more):
    made = replace(script("roll"), tool_path="dice/roll", **{"description": "Rolls a die.", **more})
    dice = skill("dice", made, retry_policy=ScriptRetryPolicy(1, 0))
    runner = ScriptedRunner({"dice/roll": behaviour})
    executor = PlanExecutor(catalog(dice), runner, prepare=prepare_invocation)
    return runner, SkillTool(dice, made, executor.execute, 60.0)


def test_it_is_named_after_skill_and_script_and_shows_the_scripts_schemas():
    _, roll = tool(patches({}), input_schema=TAKES)

    assert roll.name == "dice.roll"
    assert roll.input_schema == TAKES
    assert roll.timeout > 60


def test_it_gives_the_scripts_output():
    _, roll = tool(patches({"dice": {"total": 7}}))

    assert roll.invoke(sides=6) == {"dice": {"total": 7}}


def test_a_callers_text_is_text_whatever_it_looks_like():
    """References are a plan's (skills 5); what a caller, or a model, hands over is data."""
    runner, roll = tool(patches({"total": 1}))
    given = {"text": "see {tool.call.x} and {tool.other}", "all": ["{tool.call}"]}

    assert roll.invoke(**given) == {"total": 1}
    assert runner.calls[0].input == given


def test_what_fails_once_is_retried_by_the_skills_own_policy():
    """Skills 4: retries after the first try."""
    runner, roll = tool(fails(1, patches({"total": 1})))

    assert roll.invoke() == {"total": 1}
    assert len(runner.calls) == 2


def test_a_controlled_failure_is_a_tool_error_with_the_scripts_words():
    _, roll = tool(says(error("E_SIDES", "a die has sides"), done(ok=False)))
    with pytest.raises(ToolError, match=r"controlled_failure.*a die has sides"):
        roll.invoke()


def test_a_failure_counts_its_attempts():
    _, roll = tool(fails(9, patches({})))
    with pytest.raises(ToolError, match="dice/roll failed in 2 attempts: "):
        roll.invoke()


def test_a_plain_script_is_a_tool_too():
    """Skills 9: arguments in, stdout out."""
    _, roll = tool(prints(b'{"total": 3}'), protocol="plain")

    assert roll.invoke() == {"total": 3}


def test_a_script_without_description_is_described_by_its_skill():
    _, roll = tool(patches({}), description="")
    ToolRegistry([roll])

    assert roll.description


def test_the_kernel_calls_it_like_any_tool():
    _, roll = tool(patches({"dice": {"total": 7}}), input_schema=TAKES)
    step = {"step_id": "s1", "description": "roll", "tool": "dice.roll", "arguments": {"sides": 6}}
    plan = Plan.model_validate({"goal": "roll", "steps": [step]})
    result = Orchestrator(ScriptedAdapter([]), tool_registry=ToolRegistry([roll])).execute("roll", plan)

    assert result["results"] == {"s1": {"dice": {"total": 7}}}


def test_the_kernel_keeps_bad_arguments_from_it():
    runner, roll = tool(patches({}), input_schema=TAKES)
    registered = ToolRegistry([roll]).lookup("dice.roll")

    assert registered.input.problems({"sides": "six"})
    assert runner.calls == []


def test_a_tool_call_through_the_kernels_caller_is_checked_against_the_output_schema():
    _, roll = tool(
        patches({"total": "many"}), output_schema={"type": "object", "properties": {"total": {"type": "integer"}}}
    )
    caller = ToolInvoker()
    try:
        with pytest.raises(ToolError, match="invalid_output"):
            caller.invoke(ToolRegistry([roll]).lookup("dice.roll"), {})
    finally:
        caller.close()


def test_what_the_executor_adds_to_an_output_fits_a_closed_schema():
    """A summary and assets come beside what the script declares (skills 2, 3)."""
    closed = {"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": False}
    runner, roll = tool(
        says({"type": "state_patch", "patch": {"total": 7}}, done(summary="seven")), output_schema=closed
    )
    caller = ToolInvoker()
    try:
        assert caller.invoke(ToolRegistry([roll]).lookup("dice.roll"), {}) == {"total": 7, "summary": "seven"}
    finally:
        caller.close()
    assert len(runner.calls) == 1
    assert closed["properties"].keys() == {"total"}, "the script's own schema stays as it is"


def test_a_call_that_is_given_up_ends_its_script():
    """Skills 4: cancelled by call, and nothing goes on."""
    begun, caller = threading.Event(), ToolInvoker()
    _, roll = tool(waits_for_cancel(begun))
    gives_up = threading.Thread(target=lambda: (begun.wait(30), caller.cancel()))
    gives_up.start()
    with pytest.raises(ToolError, match="cancelled"):
        caller.invoke(ToolRegistry([roll]).lookup("dice.roll"), {})
    gives_up.join()
