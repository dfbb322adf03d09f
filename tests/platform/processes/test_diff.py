"""What differs between two definitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.stored_processes import step

from aeon.platform.processes.diff import DefinitionDifference, diff_definitions, format_differences
from aeon.platform.processes.model import ProcessDefinition


def definition(*steps, **fields):
    return ProcessDefinition.parsed({"name": "work", "steps": list(steps), **fields})


def row(ids):
    return definition(*(step(f"s{id_}", tool="t") for id_ in ids))


A, B, C, D = (step(id_, tool="t", inputs={"q": 1}) for id_ in "abcd")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ([A, B], [A, B], []),
        ([A, B], [A, C, B], ["+ step c"]),
        ([A, B, C], [C], ["- step a", "- step b"]),
        ([A, B, C, D], [D, A, B, C], ["> step d"]),
        ([A, B, C, D], [B, C, D, A], ["> step a"]),
        ([A], [{**A, "inputs": {"q": 2}}], ["~ step a inputs.q"]),
        ([A], [{**A, "inputs": {"q": 1, "r": None}}], ["~ step a inputs.r"]),
        ([A], [{**A, "inputs": {}}], ["~ step a inputs.q"]),
        ([A], [{**A, "tool": None, "process": "p"}], ["~ step a tool, process"]),
        ([A], [{**A, "tool": "other"}], ["~ step a tool"]),
        (
            [A],
            [{**A, "output": {"variable": "z", "required": False, "tokenBudget": 5}}],
            ["~ step a output.variable, output.tokenBudget, output.required"],
        ),
        (
            [A],
            [{**A, "execution": {"condition": "x", "timeout": 5, "mode": "parallel", "interactionMode": "manual"}}],
            ["~ step a execution.mode, execution.condition, execution.timeout, execution.interactionMode"],
        ),
        ([A, B], [B, {**A, "dependsOn": ["b"]}], ["> step b", "~ step a dependsOn"]),
    ],
)
def test_what_a_change_of_steps_is_called(old, new, told):
    assert list(format_differences(diff_definitions(definition(*old), definition(*new)))) == told


def test_the_process_s_own_fields_come_first_with_what_was_and_what_is():
    old = definition(A, initialContext=["x"], outputTemplate="{{x}}", tokenBudget=9)
    new = definition(B, initialContext=["x", "y"], maxRecursionDepth=4)
    assert diff_definitions(old, new) == [
        DefinitionDifference("", "changed", "initialContext", ["x"], ["x", "y"]),
        DefinitionDifference("", "changed", "outputTemplate", "{{x}}", ""),
        DefinitionDifference("", "changed", "tokenBudget", 9, None),
        DefinitionDifference("", "changed", "maxRecursionDepth", 3, 4),
        DefinitionDifference("a", "removed", old=0),
        DefinitionDifference("b", "added", new=0),
    ]
    assert (
        next(format_differences(diff_definitions(old, new)))
        == "~ initialContext, outputTemplate, tokenBudget, maxRecursionDepth"
    )


def test_what_it_is_called_is_no_difference():
    assert diff_definitions(definition(A), definition(A, description="d", enabled=False)) == []


ORDERS = st.lists(st.integers(0, 12), unique=True, min_size=1)


@given(ORDERS, ORDERS)
def test_the_steps_that_are_told_make_the_one_out_of_the_other(old, new):
    """Without what was removed and moved, and with what was added and moved put in its place, the old is the new."""
    differences = diff_definitions(row(old), row(new))
    told = {verb: {each.step for each in differences if each.change == verb} for verb in ("added", "removed", "moved")}
    before, after = [f"s{id_}" for id_ in old], [f"s{id_}" for id_ in new]
    assert told["added"] == set(after) - set(before)
    assert told["removed"] == set(before) - set(after)
    stayed = [id_ for id_ in before if id_ not in told["removed"] | told["moved"]]
    assert stayed == [id_ for id_ in after if id_ not in told["added"] | told["moved"]]


@given(ORDERS, st.data())
def test_one_step_that_moved_is_one_that_is_told(order, data):
    moved = list(order)
    step_ = moved.pop(data.draw(st.integers(0, len(order) - 1)))
    moved.insert(data.draw(st.integers(0, len(moved))), step_)
    assert len(diff_definitions(row(order), row(moved))) == (order != moved)


@given(ORDERS, ORDERS)
def test_there_is_a_difference_exactly_when_the_digests_differ(old, new):
    assert bool(diff_definitions(row(old), row(new))) == (row(old).digest != row(new).digest)
