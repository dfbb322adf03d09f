"""Core-data-model: Plan, PlanStep, and the way a status moves."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aeon.base.errors import ExecutionError
from aeon.plan.models import Plan, PlanStep, StepStatus

ALLOWED = {("pending", "running"), ("running", "complete"), ("running", "failed")}


@pytest.mark.parametrize(("before", "after"), list(itertools.product(StepStatus, repeat=2)))
def test_a_status_only_moves_forward(before, after):
    step = PlanStep(step_id="a", description="b", status=before, errors=["earlier"])
    if (before.value, after.value) in ALLOWED:
        step.advance(after)
        assert step.status is after
        assert step.errors == (["earlier"] if after is StepStatus.RUNNING else [])
    else:
        with pytest.raises(ExecutionError, match=f"'a' cannot go from {before} to {after}"):
            step.advance(after)
        assert (step.status, step.errors) == (before, ["earlier"])


def test_a_step_is_pending_without_errors_by_default():
    step = PlanStep(step_id="a", description="b")
    assert (step.status, step.errors, step.tool, step.agent, step.arguments) == (
        StepStatus.PENDING,
        [],
        None,
        None,
        None,
    )
    assert step.as_dict() == {"step_id": "a", "description": "b", "status": "pending"}


def test_both_tool_and_agent_may_stand_in_a_step():
    """Core 1: the tool wins, so both are accepted."""
    assert PlanStep(step_id="a", description="b", tool="echo", agent="llm").tool == "echo"


@pytest.mark.parametrize(
    "field",
    [
        {"step_id": ""},
        {"step_id": " \t"},
        {"step_id": 5},
        {"description": ""},
        {"description": None},
        {"status": "done"},
        {"status": None},
        {"tool": ""},
        {"tool": 3},
        {"agent": "human"},
        {"agent": ""},
        {"arguments": []},
        {"arguments": "x"},
        {"errors": "x"},
        {"errors": [1]},
        {"extra": 1},
    ],
    ids=str,
)
def test_each_field_of_a_step_is_checked(field):
    with pytest.raises(ValidationError) as raised:
        PlanStep.model_validate({"step_id": "a", "description": "b", **field})
    assert {str(error["loc"][0]) for error in raised.value.errors()} == set(field)


def steps():
    return st.builds(
        PlanStep,
        step_id=st.uuids().map(str),
        description=st.text(min_size=1).filter(str.strip),
        status=st.sampled_from(StepStatus),
        tool=st.none() | st.just("echo"),
        agent=st.none() | st.just("llm"),
        arguments=st.none() | st.dictionaries(st.text(), st.integers() | st.text()),
        errors=st.lists(st.text()),
    )


@given(st.lists(steps(), min_size=1, max_size=4))
def test_a_plan_survives_its_own_data(made):
    plan = Plan(goal="g", steps=made)
    assert Plan.model_validate(plan.as_dict()) == plan
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


def test_a_plan_names_every_double_id():
    doubled = [PlanStep(step_id=name, description="b") for name in "abcabd"]
    with pytest.raises(ValidationError, match="these appear twice: a, b"):
        Plan(goal="g", steps=doubled)
