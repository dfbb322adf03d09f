"""Laws of runs, whatever the plan, the outcomes and their order (platform 6-10)."""

import json
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.platform.driven_runs import SEMANTICS, STARTS, Run, carried_out, chancy, plan_of, step, together

from aeon.base.json import canonical_json
from aeon.platform.runs.machine.apply import apply_event, rejection_reason
from aeon.platform.runs.machine.commands import CancelStep
from aeon.platform.runs.machine.decide import decide, recorded_commands
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptFailure,
    AttemptStarted,
    CancelRequested,
    DeadlinePassed,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepRefused,
    StepSkipped,
    StepStopped,
    StepStopping,
    StepTimedOut,
    parse_event,
)
from aeon.platform.runs.machine.failures import DEADLINE_FAILURE
from aeon.platform.runs.machine.plan import DEFAULT_RETRY, RunPlan
from aeon.platform.runs.machine.state import (
    ENDED_PHASES,
    SETTLED_STATUSES,
    filled_array,
    initial_state,
    parse_state,
)
from aeon.platform.runs.machine.wait_reasons import explain_steps

SEEDS = st.integers(0, 10**6)
INPUTS = {"who": "ann", "flag": True, "off": False}


@st.composite
def plans(draw):
    """Plans of every kind of step; inputs and conditions refer to steps before, some of them to parallel neighbours."""
    chance = random.Random(draw(SEEDS))
    number = chance.choice([1, 3, *[chance.randrange(4, 31)] * 4])
    required = chance.choice([0.0, 0.1, 0.5])
    steps, effects, asks = [], {}, {}
    for index in range(number):
        before = [each["id"] for each in steps]
        steps.append(random_step(chance, f"s{index}", before, required=chance.random() < required))
        effects[f"s{index}"] = chance.choice(["pure", "read", "idempotent", "once"])
        asks[f"s{index}"] = chance.choice([None, "ann"])
    limits = {"depth_left": chance.choice([0, 1, 3]), "token_budget": chance.choice([*[None] * 5, 100, 800])}
    template = chance.choice(["", f"{{step.s{chance.randrange(number)}}}"])
    return plan_of(
        *steps, effects=effects, asks=asks, limits=limits, outputTemplate=template, initialContext=list(INPUTS)
    )


def random_step(chance, id_, before, *, required):
    fields = {}
    if before and chance.random() < 0.5:
        fields["inputs"] = {"x": f"{{step.{chance.choice(before)}}}", "w": "{who}"}
    if chance.random() < 0.2:
        fields["condition"] = chance.choice(["flag", "off", *(f"step.{each}" for each in before)])
    if chance.random() < 0.15:
        fields["interactionMode"] = "manual"
    if chance.random() < 0.2:
        fields["budget"] = chance.choice([18, 40, 80])
    calls = "process" if chance.random() < 0.15 else "tool"
    make = chance.choice([step, together])
    return make(id_, calls=calls, required=required, **fields)


def jobs(run):
    return sorted(canonical_json(command.as_dict()) for command in run.started())


@given(plans(), SEEDS, SEEDS, SEEDS)
def test_any_order_of_events_gives_the_same_output_from_the_same_jobs(plan, outcomes, one, other):
    """The jobs are compared with their inputs and budgets. Of a run that fails, they depend on when it does."""
    first = carried_out(Run(plan, INPUTS), chancy(outcomes), random.Random(one))
    second = carried_out(Run(plan, INPUTS), chancy(outcomes), random.Random(other))
    assert first.state.phase == second.state.phase
    assert first.state.output == second.state.output
    if first.state.phase == "completed":
        assert jobs(first) == jobs(second)


@given(plans(), SEEDS, SEEDS)
def test_every_run_ends_with_finitely_many_commands_and_no_attempt_is_asked_for_twice(plan, outcomes, order):
    run = carried_out(Run(plan, INPUTS), chancy(outcomes), random.Random(order))
    assert run.state.phase in {"completed", "failed"}
    assert len(run.acted) <= len(plan.steps) * (DEFAULT_RETRY.attempts + 1) + 1
    asked = [command.job for command in run.started()]
    assert len(asked) == len(set(asked))


@given(plans(), SEEDS, SEEDS)
def test_a_completed_step_is_never_asked_for_again_platform_10(plan, outcomes, order):
    run = Run(plan, INPUTS)

    def check():
        over = {each.id for each in plan.steps if run.of(each.id).status in {"completed", "skipped", "failed"}}
        assert not over & {command.step for command in run.decided() if isinstance(command, STARTS)}

    carried_out(run, chancy(outcomes), random.Random(order), check)
    completed = [event.step for event in run.events if isinstance(event, StepCompleted)]
    assert len(completed) == len(set(completed))


@given(plans(), SEEDS, SEEDS)
def test_at_most_one_command_for_each_step_in_their_order_and_the_same_again(plan, outcomes, order):
    run = Run(plan, INPUTS)

    def check():
        run.state = parse_state(plan, run.state.as_dict(plan))
        commands = run.decided()
        assert commands == decide(plan, run.state, SEMANTICS)
        positions = [plan.positions[command.step] for command in commands if hasattr(command, "step")]
        assert positions == sorted(set(positions))

    carried_out(run, chancy(outcomes), random.Random(order), check)


@given(plans(), SEEDS, SEEDS)
def test_a_step_begins_only_when_all_that_it_waits_for_is_over_platform_7(plan, outcomes, order):
    run = Run(plan, INPUTS)

    def check():
        for command in run.decided():
            if isinstance(command, STARTS):
                position = plan.positions[command.step]
                is_parallel = plan.steps[position].execution.mode == "parallel"
                before = [
                    each for each in plan.steps[:position] if not is_parallel or each.execution.mode == "sequential"
                ]
                assert all(run.of(each.id).status in {"completed", "failed", "skipped"} for each in before)

    run.state = initial_state(plan)
    run.events.clear()
    run.record(RunStarted(inputs=INPUTS))
    check()
    carried_out(run, chancy(outcomes), random.Random(order), check)


@given(plans(), SEEDS, SEEDS)
def test_repeated_and_late_events_change_nothing(plan, outcomes, order):
    run, chance = Run(plan, INPUTS), random.Random(order)

    def repeat():
        for event in chance.sample(run.events, min(8, len(run.events))):
            assert rejection_reason(plan, run.state, event)
            assert apply_event(plan, run.state, event) is run.state

    carried_out(run, chancy(outcomes), chance, repeat)
    for event in [*run.events, CancelRequested(by="eve"), DeadlinePassed()]:
        assert apply_event(plan, run.state, event) is run.state


def any_event(chance, plan):
    """An event that somebody may send: of any kind, about any step, true or not. No job is begun that way."""
    step = chance.choice(["s0", "nowhere", *(each.id for each in plan.steps)])
    attempt = chance.randrange(1, DEFAULT_RETRY.attempts + 2)
    error = AttemptFailure(code="broken", message="it broke", transient=chance.random() < 0.5)
    return chance.choice(
        [
            RunStarted(inputs={}),
            AttemptStarted(step=step, job="another run's", attempt=attempt),
            StepCompleted(step=step, attempt=attempt, output=chance.choice([1, ""]), tokens=3),
            StepFailed(step=step, attempt=attempt, error=error),
            StepRefused(step=step, error=error),
            StepSkipped(step=step, reason="so"),
            AnswerGiven(step=step, by=chance.choice(["ann", "eve"]), answer=1),
            StepTimedOut(step=step, attempt=attempt),
            StepStopping(step=step),
            StepStopped(step=step),
            RunCompleted(output=1),
            RunCancelled(),
            RunFailed(error=DEADLINE_FAILURE),
        ]
    )


@given(plans(), SEEDS, SEEDS)
def test_whatever_is_sent_nothing_is_raised_and_the_run_ends_as_it_must(plan, outcomes, order):
    run, chance = Run(plan, INPUTS), random.Random(order)

    def disturb():
        for event in [any_event(chance, plan) for _ in range(5)]:
            said = rejection_reason(plan, run.state, event)
            assert run.record(event) == (said == "")
        state = run.state
        assert not state.ready & state.running
        assert state.stopping & state.running == state.stopping
        over = {position for position, each in enumerate(state.steps) if each.status in SETTLED_STATUSES}
        for number, stage in enumerate(plan.stages):
            if number < state.stage:
                assert over.issuperset(stage)
            elif number > state.stage:
                assert not over.intersection(stage)

    carried_out(run, chancy(outcomes), chance, disturb)


@given(plans(), SEEDS, SEEDS)
def test_replaying_the_events_gives_the_same_state_and_all_of_it_is_json(plan, outcomes, order):
    run, states = Run(plan, INPUTS), []
    carried_out(run, chancy(outcomes), random.Random(order), lambda: states.append((len(run.events), run.state)))
    stored = RunPlan.parsed(json.loads(canonical_json(plan.as_dict())))
    assert stored == plan
    replayed = [initial_state(stored)]
    for event in run.events:
        again = parse_event(json.loads(canonical_json(event.as_dict())))
        assert again == event
        replayed.append(apply_event(stored, replayed[-1], again))
    for number, state in states:
        assert replayed[number] == state
        assert parse_state(stored, json.loads(canonical_json(state.as_dict(plan)))) == state


@given(plans(), SEEDS, SEEDS, st.integers(0, 60))
def test_cancelled_at_any_moment_a_run_ends_cancelled_and_starts_nothing_more(plan, outcomes, order, moment):
    run = Run(plan, INPUTS)
    started = None

    def cancel():
        nonlocal started, moment
        moment -= 1
        if moment < 0 and started is None and run.state.phase not in ENDED_PHASES:
            assert run.record(CancelRequested(by="ann"))
            started = len(run.started())

    carried_out(run, chancy(outcomes), random.Random(order), cancel)
    if started is not None:
        assert run.state.phase == "cancelled"
        assert len(run.started()) == started
        told = [command.job for command in run.acted if isinstance(command, CancelStep)]
        assert len(told) == len(set(told))


@given(plans(), SEEDS, SEEDS, st.integers(0, 20))
def test_after_the_deadline_a_run_that_went_well_so_far_ends_failed(plan, outcomes, order, moment):
    run = Run(plan, INPUTS)
    taken = False

    def pass_by():
        nonlocal moment, taken
        moment -= 1
        if moment == 0:
            taken = run.record(DeadlinePassed())

    carried_out(run, chancy(outcomes), random.Random(order), pass_by)
    if taken:
        assert (run.state.phase, run.state.error.code) == ("failed", "deadline")


@given(plans(), SEEDS, SEEDS)
def test_what_was_recorded_and_is_not_over_can_be_done_again_after_a_restart(plan, outcomes, order):
    run = Run(plan, INPUTS)

    def restart():
        given_away = {command.job: command for command in run.started()}
        for command in recorded_commands(plan, parse_state(plan, run.state.as_dict(plan)), SEMANTICS):
            if isinstance(command, STARTS):
                assert command == given_away[command.job]

    carried_out(run, chancy(outcomes), random.Random(order), restart)


@given(plans(), SEEDS, SEEDS)
def test_every_step_without_a_result_has_one_reason(plan, outcomes, order):
    run = Run(plan, INPUTS)

    def ask():
        reasons = explain_steps(plan, run.state)
        assert [reason.step for reason in reasons] == [
            each.id for each in plan.steps if run.of(each.id).status != "completed"
        ]
        assert all(reason.message.endswith(".") for reason in reasons)

    carried_out(run, chancy(outcomes), random.Random(order), ask)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers()), max_size=50), st.integers(1, 450))
def test_a_row_is_a_list_whose_older_states_stay(changes, length):
    row, model, older = filled_array(0, length), [0] * length, []
    for place, value in changes:
        older.append((row, list(model)))
        row = row.with_value(place % length, value)
        model[place % length] = value
    assert all(list(each) == found for each, found in [*older, (row, model)])


def chain(length):
    return plan_of(*[step(f"s{n}", inputs={"x": f"{{step.s{n - 1}}}"} if n else {}) for n in range(length)])


def fan(width):
    return plan_of(
        step("first"), *[together(f"s{n}", inputs={"x": "{step.first}"}) for n in range(width)], step("last")
    )


def completed(command):
    return StepCompleted(step=command.step, attempt=command.attempt, output=command.step, tokens=1)


def lines_run(work):
    """How many lines of Python the work takes, each turn of a loop counted."""
    lines = 0

    def count(_frame, event, _argument):
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def driven(plan):
    """Events one by one, and what is next asked for after each, as an engine does."""
    run, pending = Run(plan), []
    while run.state.phase not in ENDED_PHASES:
        pending += run.advance()
        if run.state.phase not in ENDED_PHASES:
            run.record(completed(pending.pop(0)))
    return run


@pytest.mark.parametrize("shape", [chain, fan])
def test_a_run_costs_as_much_as_it_is_long(shape):
    small, large = shape(100), shape(400)
    few, many = lines_run(lambda: driven(small)), lines_run(lambda: driven(large))
    assert many < 4.4 * few


@pytest.mark.parametrize(("shape", "size"), [(chain, 10_000), (fan, 1_000)])
@pytest.mark.slow
def test_long_and_wide_runs_end(shape, size):
    plan = shape(size)
    run = driven(plan)
    assert run.state.phase == "completed"
    assert len(run.started()) == len(plan.steps)
    assert run.state.tokens == len(plan.steps)
    assert sum(len(plan.waits_for(position)) for position in range(len(plan.steps))) < 2 * len(plan.steps)
