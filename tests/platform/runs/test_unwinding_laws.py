"""Laws of what follows a failure, a cancel request and the end, whatever the plan and the outcomes (platform 41)."""

import json
import random

from hypothesis import given
from hypothesis import strategies as st
from tests.platform.driven_runs import STARTS, Run, carried_out, chancy, plan_of, step, together

from aeon.base.json import canonical_json
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.events import CancelRequested, DeadlinePassed, UnwindingStarted, parse_event
from aeon.platform.runs.machine.state import ENDED_PHASES, initial_state, parse_state

SEEDS = st.integers(0, 10**6)


@st.composite
def plans(draw):
    """Plans in which many steps are undone, and some follow a failure or the end."""
    chance = random.Random(draw(SEEDS))

    def some(prefix, most, **fields):
        number = chance.randrange(most + 1)
        make = [chance.choice([step, together]) for _ in range(number)]
        required = [chance.random() < 0.5 for _ in range(number)]
        return [make[n](f"{prefix}{n}", required=required[n], **fields) for n in range(number)]

    main = [step("m", required=True), *some("s", 8)]
    for each in main:
        if chance.random() < 0.6:
            each["compensate"] = {"tool": f"undo-{each['id']}", "inputs": {"x": "{result}"}}
    effects = {each["id"]: chance.choice(["idempotent", "once"]) for each in main}
    sections = {"onFailure": some("h", 3, inputs={"x": "{failure}"}), "finally": some("f", 3)}
    return plan_of(*main, effects=effects, **sections)


def settled(run, section):
    return [run.of(run.plan.steps[place].id).status for place in run.plan.sections[section].steps]


def was_started(run, section):
    ids = {run.plan.steps[place].id for place in run.plan.sections[section].steps}
    return [command.step for command in run.started() if command.step in ids]


def check_what_followed(run):
    """Whatever ended a run, what was completed is undone, the last one first, and nothing else."""
    plan = run.plan
    over = {"completed", "failed", "skipped"}
    completed = [each.id for each in plan.main_steps if run.of(each.id).status == "completed"]
    undone = list(dict.fromkeys(was_started(run, "compensation")))
    if run.state.phase == "completed":
        assert undone == was_started(run, "on_failure") == []
        assert set(settled(run, "finally")) <= over
        return
    expected = [f"undo_{id_}" for id_ in reversed(completed) if f"undo_{id_}" in plan.undone]
    has_only_final_failure = (
        all(run.of(each.id).status in over for each in plan.main_steps) and not run.state.has_unwound
    )
    if has_only_final_failure:
        assert undone == []
        return
    assert undone == expected
    assert set(settled(run, "compensation")) | set(settled(run, "finally")) <= over
    error = run.state.error
    if error is not None and expected:
        is_whole = all(run.of(each).status == "completed" for each in expected)
        assert error.compensation == ("complete" if is_whole else "incomplete")


@given(plans(), SEEDS, SEEDS)
def test_what_was_completed_is_undone_in_reverse_and_final_steps_run(plan, outcomes, order):
    run = carried_out(Run(plan), chancy(outcomes), random.Random(order))
    assert run.state.phase in {"completed", "failed"}
    check_what_followed(run)
    if run.state.phase == "failed" and run.state.has_unwound:
        assert set(settled(run, "on_failure")) <= {"completed", "failed", "skipped"}
    asked = [command.job for command in run.started()]
    assert len(asked) == len(set(asked))


@given(plans(), SEEDS, SEEDS)
def test_at_any_moment_the_run_goes_on_from_its_events(plan, outcomes, order):
    run, states = Run(plan), []
    carried_out(run, chancy(outcomes), random.Random(order), lambda: states.append((len(run.events), run.state)))
    replayed = [initial_state(plan)]
    for event in run.events:
        again = parse_event(json.loads(canonical_json(event.as_dict())))
        replayed.append(apply_event(plan, replayed[-1], again))
    for number, state in states:
        assert replayed[number] == state
        assert parse_state(plan, json.loads(canonical_json(state.as_dict(plan)))) == state


@given(plans(), SEEDS, SEEDS, st.integers(0, 30))
def test_a_cancelled_run_undoes_its_work_and_handles_no_failure(plan, outcomes, order, moment):
    run = Run(plan)
    left, failed_before = moment, False

    def cancel():
        nonlocal left, failed_before
        left -= 1
        if left == -1 and run.state.phase not in ENDED_PHASES:
            failed_before = run.state.error is not None
            assert run.record(CancelRequested(by="ann"))

    carried_out(run, chancy(outcomes), random.Random(order), cancel)
    assert run.state.phase in ENDED_PHASES
    if run.state.phase == "cancelled" and not failed_before and run.state.has_unwound:
        assert was_started(run, "on_failure") == []
        check_what_followed(run)


@given(plans(), SEEDS, SEEDS)
def test_a_request_to_stop_what_follows_ends_the_run(plan, outcomes, order):
    """A run is not held up by its compensations for ever; a failure stays one."""
    run = Run(plan)

    def stop():
        if any(isinstance(event, UnwindingStarted) for event in run.events) and run.state.phase == "unwinding":
            before = len(run.started())
            assert run.record(CancelRequested(by="ann"))
            run.advance()
            assert len(run.started()) == before

    carried_out(run, chancy(outcomes), random.Random(order), stop)
    assert run.state.phase in ENDED_PHASES
    if run.state.error is not None and run.state.phase != "completed":
        assert run.state.phase == "failed"


@given(plans(), SEEDS, SEEDS)
def test_a_deadline_does_not_cut_short_what_follows(plan, outcomes, order):
    run = Run(plan)

    def pass_deadline():
        if run.state.phase == "unwinding":
            assert not run.record(DeadlinePassed())

    carried_out(run, chancy(outcomes), random.Random(order), pass_deadline)
    check_what_followed(run)


@given(plans(), SEEDS, SEEDS)
def test_one_stage_at_a_time(plan, outcomes, order):
    run = Run(plan)

    def check():
        state = run.state
        running = {position for position, each in enumerate(state.steps) if each.status in {"running", "stopping"}}
        if running:
            assert running <= set(plan.stages[state.stage])
        assert not [each for each in run.decided() if isinstance(each, STARTS) and state.phase == "failing"]

    carried_out(run, chancy(outcomes), random.Random(order), check)
