"""Whether a run may go on in another version: laws over generated edits, and each reason against it (platform 41)."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.driven_runs import Run, plan_of, step, together

from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.events import AnswerGiven, RunMoved, RunPaused
from aeon.platform.runs.machine.state import initial_state
from aeon.platform.runs.moving import move_problems, seeds_in, waiting_problems

SEEDS = st.integers(0, 10**6)


def begun(plan, done):
    """A run of which the first steps are completed."""
    run = Run(plan)
    run.advance()
    for place in range(done):
        run.completes(plan.steps[place].id, f"result {place}")
    return run


def in_version(plan, run):
    state = initial_state(plan)
    for event in seeds_in(plan, run.plan, run.state, run.state.inputs):
        after = apply_event(plan, state, event)
        assert after is not state, "each event counts"
        state = after
    return state


@st.composite
def edits(draw):
    """The steps of two versions, and how many of the old ones are done."""
    chance = random.Random(draw(SEEDS))
    old = [step(f"s{n}") for n in range(chance.randrange(1, 8))]
    done = chance.randrange(len(old))
    new = [dict(each) for each in old]
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(new) + 1)
        kind = chance.choice(["insert", "remove", "change", "time"])
        if kind == "insert":
            new.insert(place, step(f"new{chance.randrange(10**6)}"))
        elif place < len(new) and kind == "remove" and len(new) > 1:
            del new[place]
        elif place < len(new) and kind == "change":
            new[place] = {**new[place], "inputs": {"x": chance.random()}}
        elif place < len(new) and kind == "time":
            new[place] = {**new[place], "execution": {**new[place]["execution"], "timeout": chance.randrange(1, 60)}}
    return old, new, done


@given(edits())
def test_what_is_done_is_done_in_the_new_version_and_nothing_else_or_there_is_a_reason(edit):
    old, new, done = edit
    run, plan = begun(plan_of(*old), done), plan_of(*new, run="next")
    finished = [each["id"] for each in old[:done]]
    kept = [each["id"] for each in new[:done]] == finished
    unchanged = all(each.get("inputs") == new[place].get("inputs") for place, each in enumerate(old[:done]) if kept)
    problems = move_problems(plan, run.plan, run.state)
    assert (problems == []) == (kept and unchanged), problems
    if not problems:
        state = in_version(plan, run)
        settled = {each.id: state.steps[place] for place, each in enumerate(plan.steps)}
        assert [id_ for id_, each in settled.items() if each.status == "completed"] == finished
        assert [settled[id_].value for id_ in finished] == [f"result {place}" for place in range(done)]
        assert all(settled[id_].status == "waiting" for id_ in settled if id_ not in finished)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tool": "other"}, "changes its tool"),
        ({"output": {"variable": "else"}}, "changes its output"),
        ({"execution": {"condition": "x"}}, "changes its condition"),
        ({"execution": {"interactionMode": "manual"}}, "changes its interactionMode"),
        ({"forEach": {"items": [1], "as": "item"}}, "changes its forEach"),
    ],
)
def test_a_step_that_is_done_must_stay_what_it_was(change, reason):
    run = begun(plan_of(step("a"), step("b")), 1)
    (problem,) = move_problems(plan_of(step("a") | change, step("b")), run.plan, run.state)
    assert problem == f"step 'a' is completed, and the new version {reason}"


def test_every_reason_is_given_at_once_and_what_decides_no_result_may_change():
    run = begun(plan_of(step("a"), step("b"), step("c")), 2)
    problems = move_problems(plan_of(step("b", inputs={"x": 1}), step("c")), run.plan, run.state)
    assert [each.split(",")[0] for each in problems] == ["step 'a' is completed", "step 'b' is completed"]
    harmless = {"retry": {"attempts": 4}, "compensate": {"tool": "undo", "inputs": {}}, "execution": {"timeout": 9}}
    assert move_problems(plan_of(step("a") | harmless, step("b"), step("d")), run.plan, run.state) == []


def test_a_step_that_comes_before_what_is_done_is_a_reason_and_one_beside_it_is_none():
    run = begun(plan_of(step("a"), step("b")), 1)
    (problem,) = move_problems(plan_of(step("new"), step("a"), step("b")), run.plan, run.state)
    assert problem == "step 'a' is completed, and in the new version a step comes before it that is not"
    assert move_problems(plan_of(together("new"), together("a"), step("b")), run.plan, run.state) == []


def test_a_run_that_has_begun_to_undo_its_work_begins_anew():
    plan = plan_of(step("a", compensate={"tool": "undo", "inputs": {}}), step("b"))
    run = begun(plan, 1)
    run.fails("b")
    run.completes("undo_a")
    assert run.state.phase == "failed"
    assert move_problems(plan_of(step("x")), plan, run.state) == []
    assert [each.event for each in seeds_in(plan_of(step("x")), plan, run.state, {"q": 1})] == ["run_started"]


def test_a_run_whose_final_steps_have_begun_is_not_moved():
    plan = plan_of(step("a"), **{"finally": [step("f")]})
    run = begun(plan, 1)
    assert move_problems(plan_of(step("a")), plan, run.state) == ["its final steps have begun"]


def test_only_a_paused_run_that_waits_is_ended_for_another_one():
    """A step that has begun since the check, another pause, an answer: each makes it too late."""
    manual = {"interactionMode": "manual"}
    run = begun(plan_of(step("a"), step("b", **manual), step("c")), 0)
    assert waiting_problems(run.plan, run.state) == ["step 'a' is under way"]
    moved = RunMoved(by="me", to="next", paused_at="2026-01-01")
    assert not run.record(moved)
    assert run.record(RunPaused(by="me", at="2026-01-01"))
    assert not run.record(moved), "a call is under way"
    run.completes("a")
    assert waiting_problems(run.plan, run.state) == []
    assert not run.record(moved.model_copy(update={"paused_at": "2025-01-01"}))
    assert run.record(moved)
    run.advance()
    assert (run.state.phase, run.state.moved_to, run.state.error.code) == ("cancelled", "next", "moved")
    assert not run.record(AnswerGiven(step="b", by="me", answer="late"))
