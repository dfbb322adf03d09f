"""The final state again, from the trace alone (skills 6)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.base.json import canonical_json, parse_strict
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.executor.state_patches import replay_state, verify_replay
from aeon.skills.models import ScriptRetryPolicy
from aeon.skills.plan_json import ExecutionResult
from aeon.skills.poll_loop import ReadyResult
from aeon.testing.clock import FakeClock
from aeon.testing.scripts import (
    ScriptedRunner,
    ShuffledLoop,
    acyclic_dependencies,
    catalog,
    done,
    node,
    plan_of,
    prepare_invocation,
    script,
    skill,
    state_patch,
)

SKILLS = catalog(skill("s", script("go"), retry_policy=ScriptRetryPolicy(2, 10)))

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
PATCHES = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=2), max_size=2)


@st.composite
def runs(draw):
    """A plan over a random graph, what each node does at each attempt, a state to begin with."""
    dependencies = acyclic_dependencies(draw(st.integers(0, 10_000)), most=6)
    tools = [
        node(f"n{n}", "s/go", {"n": n}, *(f"n{d}" for d in found), required=draw(st.booleans()))
        for n, found in enumerate(dependencies)
    ]
    scripts = [(draw(st.integers(0, 3)), draw(st.booleans()), draw(PATCHES)) for _ in tools]
    return plan_of(*tools), scripts, draw(st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=2))


def executed(plan, scripts, initial, seed):
    """Each node patches the state at every attempt, fails so many times, and then ends well or says that it did not."""

    def go(call):
        failures, ok, changes = scripts[call.input["n"]]
        if call.attempt <= failures:
            return [state_patch({"failed": call.attempt}), done(ok=False)]
        return [*(state_patch(change) for change in changes), done(ok=ok)]

    clock = FakeClock(tick=0)
    return PlanExecutor(
        SKILLS,
        ScriptedRunner({"s/go": go}),
        prepare=prepare_invocation,
        clock=clock,
        wait=lambda seconds, _cancellation: ReadyResult(bool(clock.sleep(seconds))),
        initial_state=initial,
        make_loop=lambda: ShuffledLoop(seed),
    ).execute(plan)


@settings(max_examples=80)
@given(runs(), st.integers(0, 1000))
def test_the_trace_alone_leads_to_the_same_final_state_byte_for_byte(run, seed):
    """Skills 6, also from the result as it is stored, and whatever order the nodes ended in."""
    plan, scripts, initial = run
    result = executed(plan, scripts, initial, seed)
    stored = ExecutionResult.model_validate(parse_strict(canonical_json(result.as_dict())))
    assert canonical_json(replay_state(stored, initial)) == canonical_json(result.final_state)
    assert verify_replay(stored, initial)
    other = executed(plan, scripts, initial, seed + 1).model_copy(update={"total_execution_time_ms": 0})
    assert other == result.model_copy(update={"total_execution_time_ms": 0})


def test_a_result_that_was_changed_is_noticed():
    result = executed(plan_of(node("n0", "s/go", {"n": 0})), [(1, True, [{"a": 1}])], {}, 0)
    assert result.final_state == {"a": 1}
    assert verify_replay(result)
    assert not verify_replay(result.model_copy(update={"final_state": {"a": 2}}))
    assert not verify_replay(result, {"b": 1})


def steps_to(result):
    yield ReadyResult(result)
    return result


def test_the_seeds_do_make_nodes_end_in_different_orders():
    ends = set()
    for seed in range(20):
        loop = ShuffledLoop(seed)
        for n in range(4):
            loop.start(steps_to(n))
        order = tuple(loop.next_result() for _ in range(4))
        ends.add(order)
    assert len(ends) > 10
