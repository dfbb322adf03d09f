"""Core 12: long plans stand in part in the log, and every entry's whole plan can be restored."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import LogError
from aeon.base.json import canonical_json
from aeon.observability.plan_record import MAX_WHOLE_STEPS, WHOLE_INTERVAL, PlanDigest, PlanRecorder, restore_plan


def plan_steps(count):
    return [{"step_id": f"s{n}", "description": f"step {n}", "status": "pending"} for n in range(count)]


def visited(count):
    """The states of a run that visits every step in order, and the whole plan at each entry."""
    steps = plan_steps(count)
    recorder = PlanRecorder("g", steps)
    states, wholes = [recorder.next_state()], [copy.deepcopy(steps)]
    for index, step in enumerate(steps):
        states.append(recorder.next_state())
        wholes.append(copy.deepcopy(steps))
        steps[index] = {**step, "status": "complete"}
        recorder.record_step(index, steps[index])
    return states, wholes


def test_core_12_plans_of_up_to_20_steps_stand_whole_in_every_entry():
    states, wholes = visited(MAX_WHOLE_STEPS)
    assert states == [{"goal": "g", "steps": whole} for whole in wholes]


@pytest.mark.parametrize(("count", "whole"), [(60, [1]), (100, [1, 101]), (250, [1, 251])])
def test_core_12_longer_plans_stand_in_part_and_whole_every_100_entries_or_as_many_as_they_have_steps(count, whole):
    states, wholes = visited(count)
    whole_at = [number for number, state in enumerate(states, 1) if "partial" not in state]
    assert whole_at == whole
    assert states[0]["steps"] == wholes[0]
    assert all(
        state["partial"] is True and len(state["steps"]) <= 1 for n, state in enumerate(states, 1) if n not in whole_at
    )
    assert all(len(state["hash"]) == 64 for state in states)


@pytest.mark.parametrize("count", [1, MAX_WHOLE_STEPS, MAX_WHOLE_STEPS + 1, 130])
def test_core_12_the_reader_restores_any_entrys_full_state(count):
    states, wholes = visited(count)
    for number, whole in enumerate(wholes, 1):
        assert restore_plan(states[:number]) == {"goal": "g", "steps": whole}


@pytest.mark.slow
def test_core_12_a_log_grows_linearly():
    sizes = [sum(len(canonical_json(state)) for state in visited(count)[0]) for count in (100, 200, 400)]
    whole = [len(canonical_json(plan_steps(count))) for count in (100, 200, 400)]
    partial = [
        size - plans * (1 + count // WHOLE_INTERVAL)
        for size, plans, count in zip(sizes, whole, (100, 200, 400), strict=True)
    ]
    assert partial[1] / partial[0] < 2.2
    assert partial[2] / partial[1] < 2.2
    assert max(len(canonical_json(state)) for state in visited(400)[0] if "partial" in state) < 300


CHANGES = st.lists(
    st.none() | st.tuples(st.integers(0, 24), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)),
    max_size=150,
)


@given(CHANGES, st.integers(0, 300))
def test_any_sequence_of_changes_restores_to_the_real_plan(changes, entries):
    """None ends an entry; anything else changes a step."""
    steps = plan_steps(25)
    recorder = PlanRecorder("g", steps, entries=entries)
    states = []
    for change in [None, *changes, None]:
        if change is None:
            states.append(recorder.next_state())
            assert restore_plan(states) == {"goal": "g", "steps": steps}
        else:
            index, extra = change
            steps[index] = {**steps[index], "extra": extra}
            recorder.record_step(index, steps[index])


def test_core_13_the_first_entry_after_a_resume_is_whole():
    """What the entry before it changed stands nowhere else."""
    states, _ = visited(30)
    steps = plan_steps(30)
    steps[29] = {**steps[29], "status": "complete"}
    resumed = PlanRecorder("g", steps, entries=len(states))
    resumed.record_step(3, {**steps[3], "status": "failed"})
    first = resumed.next_state()
    assert "partial" not in first
    assert restore_plan([*states, first])["steps"][3]["status"] == "failed"


def test_states_handed_out_do_not_change_later():
    recorder = PlanRecorder("g", plan_steps(3))
    state = recorder.next_state()
    before = copy.deepcopy(state)
    recorder.record_step(0, {"step_id": "s0", "status": "failed"})
    assert state == before


def tampered(states, change):
    states = copy.deepcopy(states)
    change(states)
    return states


@pytest.mark.parametrize(
    "change",
    [
        lambda states: states[-1].update(hash="0" * 64),
        lambda states: states[0]["steps"][25].update(status="failed"),
        lambda states: states[0].update(goal="other"),
        lambda states: states[5]["steps"].clear(),
        lambda states: states[0]["steps"].reverse(),
        lambda states: states[0]["steps"].pop(),
        lambda states: states[0].update(partial=True),
        lambda states: states[0].clear(),
        lambda states: states[0].update(steps=5),
        lambda states: states[4].update(steps=[{}]),
        lambda states: states[4].pop("steps"),
        lambda states: states[4].update(steps=["x"]),
    ],
)
def test_a_plan_that_does_not_fit_its_hash_is_refused(change):
    states = visited(30)[0][:20]
    assert restore_plan(states)
    with pytest.raises(LogError) as raised:
        restore_plan(tampered(states, change))
    assert raised.value.advice


def test_a_digest_follows_changes_as_if_made_anew():
    steps = plan_steps(5)
    digest = PlanDigest("g", steps)
    steps[2] = {"step_id": "s2", "status": "complete"}
    digest.update(2, steps[2])
    assert digest.hexdigest() == PlanDigest("g", steps).hexdigest()
    assert PlanDigest("g", steps[::-1]).hexdigest() != digest.hexdigest()
    assert PlanDigest("h", steps).hexdigest() != digest.hexdigest()
