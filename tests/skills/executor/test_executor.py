"""Plans run (skills 3-7): order, parallelism, failures, retries, deadlines, cancellation, effects."""

import random
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from aeon.base.errors import ConfigError, InputError, SandboxError, SkillError
from aeon.base.json import canonical_json
from aeon.observability.events import PlanReady
from aeon.observability.skill_events import NodeEnded, NodeEventEmitted, NodeRetried, NodeStarted
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.executor.state_patches import verify_replay
from aeon.skills.invocation import CancellableSleep, Cancellation, InvocationResult, ScriptExitReason
from aeon.skills.models import ScriptRetryPolicy
from aeon.skills.plan_json import ExecutionState, FailureReason, PlanMetadata, ToolResult
from aeon.skills.poll_loop import ReadyResult
from aeon.testing.clock import FakeClock
from aeon.testing.scripts import (
    GatedResult,
    ScriptedRunner,
    ShuffledLoop,
    asset,
    catalog,
    done,
    echoes,
    error,
    fails,
    log,
    node,
    overruns,
    patches,
    plan_of,
    prepare_invocation,
    prints,
    says,
    script,
    skill,
    state_patch,
    takes,
    waits_for_cancel,
)

COMPLETED, FAILED, SKIPPED, TIMEOUT = (
    ExecutionState.COMPLETED,
    ExecutionState.FAILED,
    ExecutionState.SKIPPED,
    ExecutionState.TIMEOUT,
)
SCRIPTS = ("a", "b", "c", "d", "bad", "slow")
SKILLS = catalog(skill("s", *(script(name) for name in SCRIPTS)), skill("other", script("go")))
GOOD = {f"s/{name}": patches({name: 1}) for name in SCRIPTS}


def executor(behaviours=None, *, skills=SKILLS, seed=0, clock=None, **options):
    """An executor in one thread and without time, and the runner behind it."""
    clock = clock or FakeClock()
    runner = ScriptedRunner({**GOOD, **(behaviours or {})})

    def wait(seconds, cancellation):
        clock.sleep(seconds)
        return ReadyResult(cancellation.is_cancelled)

    options = {
        "prepare": prepare_invocation,
        "clock": clock,
        "wait": wait,
        "make_loop": lambda: ShuffledLoop(seed),
        **options,
    }
    return PlanExecutor(skills, runner, **options), runner


def run(*tools, behaviours=None, plan=None, **options):
    """The result of a plan of these nodes."""
    result = executor(behaviours, **options)[0].execute(plan or plan_of(*tools))
    assert verify_replay(result, options.get("initial_state"))
    return result


def states(result):
    return {node.tool_id: node.state for node in result.execution_trace}


def kinds(result):
    return {node.tool_id: node.error.type for node in result.execution_trace if node.error}


# Order and effects


def test_a_plan_s_nodes_run_and_their_effects_commit():
    metadata = {"generationAttempt": 2, "parentPlanId": "p0"}
    result = run(
        plan=plan_of(
            node("two", "s/b", {"from": "{tool.one.a}"}),
            node("one", "s/a"),
            narrative="It is {tool.two.b}.",
            metadata=metadata,
        )
    )
    assert result.success
    assert result.plan_id == "plan-1"
    assert [node.tool_id for node in result.execution_trace] == ["one", "two"]
    assert result.final_state == {"a": 1, "b": 1}
    assert result.narrative == "It is 1."
    assert (result.failed_tools, result.can_replan, result.failure_reason, result.warnings) == ([], False, None, [])
    assert result.generation_metadata == PlanMetadata(generation_attempt=2, parent_plan_id="p0")
    first = result.execution_trace[0]
    assert first.output == {"a": 1}
    assert first.events == [state_patch({"a": 1}), done()]
    assert first.sandbox == "plain"


def test_a_plan_without_nodes_succeeds():
    result = run(plan=plan_of(narrative="Nothing to do."), initial_state={"kept": True})
    assert (result.success, result.narrative, result.final_state) == (True, "Nothing to do.", {"kept": True})


def test_scripts_get_what_earlier_ones_gave():
    """Skills 5: type kept; the reference implies the dependency."""
    plan_executor, runner = executor({"s/a": patches({"rolls": [3, 5]}), "s/b": echoes()})
    plan_executor.execute(
        plan_of(node("x", "s/b", {"all": "{tool.y.rolls}", "one": "{tool.y.rolls.1}"}), node("y", "s/a"))
    )
    assert [call.name for call in runner.calls] == ["s/a", "s/b"]
    assert runner.calls[1].input == {"all": [3, 5], "one": 5}


def test_patches_merge_in_topological_order_whatever_ends_first():
    """Skills 6: ties broken by position in the plan, never by completion."""
    tools = [
        node("late", "s/b", {}, "root"),
        node("root", "s/a"),
        node("early", "s/c"),
        node("last", "s/d", {}, "late"),
    ]
    behaviours = {
        "s/a": patches({"who": ["root"], "list": None}),
        "s/b": patches({"who": {"b": 1}}),
        "s/c": patches({"who": {"c": {"x": None, "y": 1}}}),
        "s/d": patches({"who": {"d": None}, "list": [1]}),
    }
    found = {
        canonical_json(run(*tools, behaviours=behaviours, seed=seed).as_dict() | {"totalExecutionTimeMs": 0})
        for seed in range(100)
    }
    assert len(found) == 1


def run_in_turn(turns):
    """The result of nodes side by side that end in the order of `turns`, and the order in which they did."""
    ended = []
    with ExitStack() as stack:
        gates = [stack.enter_context(Cancellation()) for _ in range(len(turns) + 1)]

        def answer(call):
            mine = call.input["n"]

            def end():
                ended.append(mine)
                gates[turns.index(mine) + 1].cancel()
                changes = {"last": mine, f"k{mine % 3}": {"n": mine}}
                return InvocationResult(ScriptExitReason.EXITED, 0, [state_patch(changes), done()])

            if len(runner.calls) == len(turns):
                gates[0].cancel()
            return GatedResult(gates[turns.index(mine)], end)

        runner = ScriptedRunner({"s/a": answer})
        tools = [node(f"n{n}", "s/a", {"n": n}) for n in range(len(turns))]
        executing = PlanExecutor(SKILLS, runner, prepare=prepare_invocation, parallel=len(turns))
        return executing.execute(plan_of(*tools)), ended


def test_a_hundred_runs_side_by_side_in_random_order_end_in_one_state():
    """Skills 6: two runs whose tools answer the same end in the same finalState, whatever the timing."""
    found = set()
    for seed in range(100):
        turns = random.Random(seed).sample(range(8), 8)
        result, ended = run_in_turn(turns)
        assert result.success
        assert ended == turns
        found.add(canonical_json(result.final_state))
    assert found == {canonical_json({"last": 7, "k0": {"n": 6}, "k1": {"n": 7}, "k2": {"n": 5}})}


def test_independent_nodes_that_set_one_key_differently_are_warned_of():
    result = run(node("x", "s/a"), node("y", "s/b"), behaviours={"s/a": patches({"k": 1}), "s/b": patches({"k": 2})})
    assert result.final_state == {"k": 2}
    assert result.warnings == [
        "'k' is set differently by 'x', 'y', none of which depends on another; the last write wins."
    ]


def test_the_final_state_starts_from_a_copy():
    initial = {"a": {"deep": [1]}, "b": 1}
    result = run(node("x", "s/a"), behaviours={"s/a": patches({"a": {"new": 1}, "b": None})}, initial_state=initial)
    assert result.final_state == {"a": {"deep": [1], "new": 1}}
    assert initial == {"a": {"deep": [1]}, "b": 1}


def test_the_narrative_of_a_node_wins_over_the_plan_s():
    behaviours = {"s/a": patches({"narrative": "Told."})}
    tools = [node("x", "s/a")]
    assert run(plan=plan_of(*tools, narrative="Planned."), behaviours=behaviours).narrative == "Told."
    assert run(plan=plan_of(*tools, narrative="Planned."), initial_state={"narrative": "Old."}).narrative == "Planned."
    assert run(*tools, behaviours={"s/a": patches({"narrative": 3})}).narrative is None


def test_a_narrative_s_unknown_references_are_left_out_with_a_warning():
    result = run(plan=plan_of(node("x", "s/a"), narrative="{tool.x.a} and {tool.x.zz}."))
    assert result.narrative == "1 and ."
    assert result.warnings == ["The narrative refers to {tool.x.zz}, which has no value; it was left out."]


def test_a_plain_script_s_output_is_passed_on_and_patches_nothing():
    """Skills 9."""
    skills = catalog(skill("s", script("p", protocol="plain"), script("b")))
    result = run(
        node("x", "s/p"),
        node("y", "s/b", {"is": "{tool.x.n}"}),
        skills=skills,
        behaviours={"s/p": prints(b'{"n": 4}'), "s/b": echoes()},
    )
    assert result.final_state == {"seen": {"is": 4}}


# Failures and what follows from them


def test_a_required_failure_skips_what_depends_on_it_and_nothing_else():
    """Skills 5: everything that depends on it is skipped and the plan fails; independent tools always go on."""
    result = run(
        node("x", "s/bad"),
        node("y", "s/a", {}, "x"),
        node("z", "s/b", {"v": "{tool.y.a}"}, required=False),
        node("w", "s/c", {}, "z"),
        node("free", "s/d"),
        behaviours={"s/bad": says(state_patch({"lost": 1}), error("E", "no luck"), done(ok=False))},
    )
    assert states(result) == {"x": FAILED, "y": SKIPPED, "z": SKIPPED, "w": SKIPPED, "free": COMPLETED}
    assert kinds(result) == {"x": "controlled_failure", **dict.fromkeys("yzw", "dependency_failed")}
    assert result.final_state == {"d": 1}
    assert (result.success, result.failed_tools, result.can_replan) == (False, ["x"], True)
    assert result.failure_reason is FailureReason.TOOL_FAILURE
    assert result.execution_trace[1].error.message == "Not run: 'x', which it depends on, failed or was skipped."
    assert result.execution_trace[0].events[0] == state_patch({"lost": 1}), "kept in the trace, applied nowhere"


def test_an_optional_failure_leaves_an_empty_input():
    """Skills 5: what depends on it still runs, with an empty input from it."""
    plan_executor, runner = executor({"s/bad": says(exit_code=1)})
    result = plan_executor.execute(
        plan_of(
            node("x", "s/bad", required=False),
            node("y", "s/b", {"v": "{tool.x.v}", "l": ["{tool.x.v}"], "t": "<{tool.x.v}>"}, "x"),
        )
    )
    assert result.success
    assert result.failed_tools == ["x"]
    assert runner.calls[1].input == {"l": [None], "t": "<>"}


REASONS = {
    "protocol_violation": (says(log("x")), FailureReason.PROTOCOL_VIOLATION),
    "exit_code": (says(done(), exit_code=3), FailureReason.TOOL_FAILURE),
    "output_limit": (
        lambda _call: InvocationResult(ScriptExitReason.OUTPUT_EXCEEDED, -9, problem="20 MiB"),
        FailureReason.TOOL_FAILURE,
    ),
    "timeout": (lambda _call: InvocationResult(ScriptExitReason.TIMED_OUT, -15), FailureReason.TIMEOUT),
}


@pytest.mark.parametrize("kind", REASONS)
def test_the_reason_of_a_failed_plan(kind):
    behaviour, reason = REASONS[kind]
    result = run(node("x", "s/bad"), behaviours={"s/bad": behaviour})
    assert (kinds(result), result.failure_reason) == ({"x": kind}, reason)
    assert states(result)["x"] is (TIMEOUT if kind == "timeout" else FAILED)


def test_a_script_that_is_gone_by_now_cannot_be_started():
    """Deleted between plan and run: said so, never a traceback."""
    result = PlanExecutor(SKILLS, ScriptedRunner({}), prepare=prepare_invocation).execute(plan_of(node("x", "s/a")))
    assert kinds(result) == {"x": "cannot_start"}
    assert result.execution_trace[0].sandbox is None
    assert "s/a does not exist" in result.execution_trace[0].error.message


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (SkillError("No interpreter."), "cannot_start"),
        (FileNotFoundError("gone"), "cannot_start"),
        (ConfigError("apiKey is not set."), "configuration"),
        (InputError("No such file."), "invalid_input"),
    ],
)
def test_what_cannot_be_prepared_fails_as_what_it_is(raised, kind):
    def refuse(*_args):
        raise raised

    result = run(node("x", "s/a"), prepare=refuse)
    assert kinds(result) == {"x": kind}
    error = result.execution_trace[0].error
    assert getattr(raised, "message", str(raised)) in error.message
    assert error.next_step == getattr(raised, "next", "")
    assert kinds(run(node("x", "s/a"), secrets=refuse)) == {"x": kind}


def test_a_skill_at_fault_is_not_left_to_plan_with():
    """Skills 7: canReplan while a skill is left to plan with."""
    lonely = catalog(skill("s", script("bad")))
    broken, unlucky = says(log("x")), says(exit_code=1)
    assert not run(node("x", "s/bad"), skills=lonely, behaviours={"s/bad": broken}).can_replan
    assert run(node("x", "s/bad"), skills=lonely, behaviours={"s/bad": unlucky}).can_replan
    assert run(node("x", "s/bad"), behaviours={"s/bad": broken}).can_replan
    assert not run(plan=plan_of(node("x", "s/bad"), disabledSkills=["other"]), behaviours={"s/bad": broken}).can_replan


def test_an_input_that_turns_out_wrong_blames_the_planner():
    skills = catalog(skill("s", script("a"), script("b", input_schema={"properties": {"n": {"type": "string"}}})))
    result = run(
        node("x", "s/a"), node("y", "s/b", {"n": "{tool.x.a}"}), node("z", "s/b", {"n": "{tool.x.zz}"}), skills=skills
    )
    assert kinds(result) == {"y": "invalid_input", "z": "unknown_reference"}
    assert result.can_replan


# A plan that may not run


def test_a_rejected_plan_runs_nothing_and_says_of_each_node_what_it_is():
    """Skills 7."""
    plan_executor, runner = executor()
    result = plan_executor.execute(
        plan_of(node("x", "s/a"), node("y", "s/none", {}, "nobody"), node("x", "s/b"), narrative="hm")
    )
    assert not runner.calls
    assert [(node.state, node.error.type) for node in result.execution_trace] == [
        (SKIPPED, "plan_rejected"),
        (FAILED, "unknown_dependency"),
        (FAILED, "duplicate_id"),
    ]
    assert "$.tools[1].toolPath: 's/none' is not a script" in result.execution_trace[1].error.message
    assert (result.success, result.can_replan) == (False, True)
    assert result.failure_reason is FailureReason.TOOL_FAILURE
    assert result.failed_tools == ["y", "x"]


def test_a_cycle_is_the_reason_before_any_other():
    result = run(node("x", "s/a", {}, "y"), node("y", "s/b", {"v": "{tool.x.v}"}), node("z", "s/none"))
    assert result.failure_reason is FailureReason.CIRCULAR_DEPENDENCY
    assert "x -> y -> x" in result.execution_trace[0].error.message
    assert kinds(result) == {"x": "circular_dependency", "y": "circular_dependency", "z": "unknown_script"}


def test_a_plan_with_no_skill_left_cannot_be_replanned():
    assert not run(node("x", "s/a"), skills=SKILLS.with_disabled(["s", "other"])).can_replan


# Retries


RETRYING = catalog(skill("s", *(script(name) for name in SCRIPTS), retry_policy=ScriptRetryPolicy(3, 100)))


def test_retries_after_the_first_try_with_doubling_waits():
    """Skills 4: retries 3 after the first try, backoff 100 ms, doubling."""
    clock = FakeClock()
    result = run(node("x", "s/a"), skills=RETRYING, clock=clock, behaviours={"s/a": fails(3, patches({"a": 1}))})
    (ended,) = result.execution_trace
    assert (ended.state, ended.retry_count, clock.slept) == (COMPLETED, 3, [0.1, 0.2, 0.4])
    assert [(tried.attempt, tried.error.type, tried.error.exit_code) for tried in ended.attempts] == [
        (1, "exit_code", 1),
        (2, "exit_code", 1),
        (3, "exit_code", 1),
    ]
    assert result.final_state == {"a": 1}


def test_after_the_last_retry_it_has_failed():
    result = run(node("x", "s/a"), skills=RETRYING, behaviours={"s/a": fails(9, says())})
    (ended,) = result.execution_trace
    assert (ended.state, ended.retry_count, len(ended.attempts)) == (FAILED, 3, 3)
    assert ended.error.message == "Exit code 1: attempt 4"
    assert ended.diagnostics == "attempt 4"


def test_a_node_s_own_policy_wins_over_the_skill_s():
    clock = FakeClock()
    policy = {"maxRetries": 1, "backoffMs": 50}
    result = run(
        node("x", "s/a", retryPolicy=policy), skills=RETRYING, clock=clock, behaviours={"s/a": fails(9, says())}
    )
    assert (result.execution_trace[0].retry_count, clock.slept) == (1, [0.05])


def test_effects_of_failed_attempts_are_kept_in_the_trace_and_applied_nowhere():
    """Skills 6."""

    def attempt(call):
        events = (state_patch({f"try{call.attempt}": 1}), asset("a", "/x"), done())
        return InvocationResult(ScriptExitReason.EXITED, 0 if call.attempt == 2 else 1, events, milliseconds=5)

    result = run(node("x", "s/a"), skills=RETRYING, behaviours={"s/a": attempt})
    (ended,) = result.execution_trace
    assert result.final_state == {"try2": 1}
    assert ended.attempts[0].events[0] == state_patch({"try1": 1})
    assert ended.output["try2"] == 1
    assert "try1" not in ended.output
    assert (ended.execution_time_ms, ended.attempts[0].execution_time_ms) == (10, 5)


def test_what_would_only_fail_again_is_not_tried_again():
    for behaviour in (
        lambda _call: InvocationResult(ScriptExitReason.OUTPUT_EXCEEDED, -9, problem="much"),
        lambda _call: InvocationResult(ScriptExitReason.NOT_STARTED, problem="gone"),
    ):
        assert run(node("x", "s/a"), skills=RETRYING, behaviours={"s/a": behaviour}).execution_trace[0].retry_count == 0


# Time


def test_a_retry_that_cannot_fit_is_not_begun():
    """Skills 4: the plan's deadline caps every wait."""
    clock = FakeClock()
    policy = {"maxRetries": 5, "backoffMs": 1000}
    result = run(
        node("x", "s/a", retryPolicy=policy), clock=clock, plan_timeout=7.5, behaviours={"s/a": fails(9, says())}
    )
    assert clock.slept == [1, 2, 4]
    assert result.execution_trace[0].error.type == "exit_code"
    assert result.execution_trace[0].retry_count == 3


def test_each_attempt_is_capped_by_the_plan_s_deadline():
    """Skills 4: the plan's deadline caps every attempt."""
    clock = FakeClock()
    plan_executor, runner = executor({"s/slow": overruns(clock)}, clock=clock, skills=RETRYING, plan_timeout=40)
    result = plan_executor.execute(plan_of(node("x", "s/slow"), node("y", "s/a", {}, "x")))
    timeouts = [call.invocation.timeout for call in runner.calls if call.name == "s/slow"]
    assert timeouts == [30, pytest.approx(9.9)]
    assert states(result) == {"x": TIMEOUT, "y": SKIPPED}
    assert kinds(result) == {"x": "plan_timeout", "y": "plan_timeout"}
    assert result.failure_reason is FailureReason.TIMEOUT
    assert result.can_replan


def test_a_script_s_own_timeout_is_not_the_plan_s():
    clock = FakeClock()
    skills = catalog(skill("s", script("slow", timeout=5), script("a")))
    result = run(
        node("x", "s/slow", required=False),
        node("y", "s/a", {}, "x"),
        skills=skills,
        clock=clock,
        behaviours={"s/slow": overruns(clock)},
    )
    assert states(result) == {"x": TIMEOUT, "y": COMPLETED}
    assert kinds(result) == {"x": "timeout"}
    assert result.success
    assert "after 5 s" in result.execution_trace[0].error.message


def test_after_the_deadline_nothing_starts():
    clock = FakeClock()
    behaviours = {"s/a": takes(6, clock, patches({"a": 1}))}
    chain = [node("n0", "s/a"), *(node(f"n{n}", "s/a", {}, f"n{n - 1}") for n in range(1, 4))]
    result = run(*chain, node("free", "s/b", {}, "n1"), clock=clock, plan_timeout=12, behaviours=behaviours)
    assert states(result) == {"n0": COMPLETED, "n1": TIMEOUT, "n2": SKIPPED, "n3": SKIPPED, "free": SKIPPED}
    assert set(kinds(result).values()) == {"plan_timeout"}
    assert result.final_state == {"a": 1}
    assert result.total_execution_time_ms == 12_000


def test_time_that_preparing_took_counts():
    clock = FakeClock()

    def slow(*args):
        clock.sleep(100)
        return prepare_invocation(*args)

    result = run(node("x", "s/a"), clock=clock, prepare=slow)
    assert (kinds(result), states(result)) == ({"x": "plan_timeout"}, {"x": TIMEOUT})


# Cancellation


def test_a_cancelled_run_ends_what_runs_and_skips_the_rest():
    """Skills 4: everything is ended; a cancelled plan is not planned again."""
    started = threading.Event()
    runner = ScriptedRunner({**GOOD, "s/slow": waits_for_cancel(started)})
    with Cancellation() as cancellation:
        canceller = threading.Thread(target=lambda: (started.wait(30), cancellation.cancel()))
        canceller.start()
        result = PlanExecutor(SKILLS, runner, prepare=prepare_invocation, parallel=2).execute(
            plan_of(node("before", "s/a"), node("x", "s/slow", {}, "before"), node("y", "s/b", {}, "x")),
            cancellation=cancellation,
        )
        canceller.join()
    assert states(result) == {"before": COMPLETED, "x": FAILED, "y": SKIPPED}
    assert kinds(result) == {"x": "cancelled", "y": "cancelled"}
    assert (result.success, result.can_replan, result.failure_reason) == (False, False, None)
    assert result.final_state == {"a": 1}
    assert verify_replay(result)


def test_a_run_cancelled_beforehand_starts_nothing():
    plan_executor, runner = executor()
    with Cancellation() as cancellation:
        cancellation.cancel()
        result = plan_executor.execute(
            plan_of(node("x", "s/a", required=False), node("y", "s/b")), cancellation=cancellation
        )
    assert not runner.calls
    assert kinds(result) == {"x": "cancelled", "y": "cancelled"}
    assert (result.success, result.can_replan) == (False, False)


def test_a_run_cancelled_between_attempts_tries_no_more():
    with Cancellation() as cancellation:

        def wait(_seconds, _cancellation):
            cancellation.cancel()
            return ReadyResult(True)

        plan_executor, runner = executor({"s/a": fails(9, says())}, skills=RETRYING, wait=wait)
        result = plan_executor.execute(plan_of(node("x", "s/a")), cancellation=cancellation)
    assert len(runner.calls) == 1
    assert kinds(result) == {"x": "cancelled"}
    assert result.execution_trace[0].attempts[0].error.type == "exit_code"


def test_what_an_observer_raises_ends_every_script_first():
    class Stop(Exception):  # noqa: N818  # what a test raises
        pass

    def observer(event):
        if isinstance(event, NodeEventEmitted):
            raise Stop

    ended = []

    def slow(call):
        return GatedResult(
            call.cancellation, lambda: ended.append("slow") or InvocationResult(ScriptExitReason.CANCELLED, -15)
        )

    runner = ScriptedRunner({"s/slow": slow, "s/a": says(log("x"), done())})
    with Cancellation() as cancellation, pytest.raises(Stop):
        PlanExecutor(SKILLS, runner, prepare=prepare_invocation, parallel=2, observer=observer).execute(
            plan_of(node("x", "s/slow"), node("y", "s/a")), cancellation=cancellation
        )
    assert ended == ["slow"]


def test_a_sandbox_that_is_not_to_be_had_stops_the_run():
    class NoSandbox:
        def start(self, *_args):
            raise SandboxError

    with pytest.raises(SandboxError):
        PlanExecutor(SKILLS, NoSandbox(), prepare=prepare_invocation).execute(
            plan_of(node("x", "s/a"), node("y", "s/a"))
        )


# Parallelism


def widest(plan, parallel):
    """The most nodes that were at work at once, and beside how many each was when it began."""
    at_work, most, together = 0, [0], {}

    class Work(CancellableSleep):
        def poll(self):
            nonlocal at_work
            if super().poll() is None:
                return None
            at_work -= 1
            return InvocationResult(ScriptExitReason.EXITED, 0, [done()])

    def work(call):
        nonlocal at_work
        at_work += 1
        most[0] = max(most[0], at_work)
        together[call.input["n"]] = at_work
        return Work(0.005, call.cancellation)

    result = PlanExecutor(SKILLS, ScriptedRunner({"s/a": work}), prepare=prepare_invocation, parallel=parallel).execute(
        plan
    )
    assert result.success
    return most[0], together


def test_never_more_nodes_at_once_than_the_limit():
    """Skills 5."""
    tools = [node(f"n{n}", "s/a", {"n": n}) for n in range(12)]
    assert widest(plan_of(*tools), 3)[0] == 3
    assert widest(plan_of(*tools, parallel=False), 3)[0] == 1


def test_a_node_that_is_not_async_has_the_machine_to_itself():
    """Skills 5: parallel only where plan parallel and tool async are both true."""
    tools = [node(f"n{n}", "s/a", {"n": n}, **{"async": n % 3 != 0}) for n in range(12)]
    _, together = widest(plan_of(*tools), 4)
    assert all(together[n] == 1 for n in range(0, 12, 3))


def test_limits_that_are_none_are_refused():
    with pytest.raises(InputError, match=r"parallel is 0.*plan_timeout is 0"):
        executor(parallel=0, plan_timeout=0)
    with pytest.raises(InputError, match="initial_state"):
        executor(initial_state={"x": float("nan")})


# What is kept, hidden and told


def kept(tool_id, *events, ok=True):
    state = COMPLETED if ok else FAILED
    return ToolResult(tool_id=tool_id, tool_path="s/a", ok=ok, state=state, output={"v": 7}, events=list(events))


def test_a_finished_node_is_not_run_and_its_effects_commit():
    """Skills 4: a replan keeps the results of nodes that finished."""
    plan_executor, runner = executor({"s/b": echoes()}, skills=SKILLS)
    done_before = {"x": kept("x", state_patch({"x": 1}), done()), "unknown": kept("unknown", state_patch({"u": 1}))}
    result = plan_executor.execute(
        plan_of(node("y", "s/b", {"v": "{tool.x.v}"}), node("x", "s/a")), finished=done_before
    )
    assert [call.name for call in runner.calls] == ["s/b"]
    assert result.final_state == {"x": 1, "seen": {"v": 7}}
    assert result.execution_trace[0] == done_before["x"]


def test_a_finished_node_that_had_failed_still_bars_what_depends_on_it():
    result = executor()[0].execute(
        plan_of(node("x", "s/a"), node("y", "s/b", {}, "x")), finished={"x": kept("x", state_patch({"x": 1}), ok=False)}
    )
    assert states(result) == {"x": FAILED, "y": SKIPPED}
    assert result.final_state == {}


def test_a_rejected_plan_keeps_what_had_finished():
    result = executor()[0].execute(
        plan_of(node("x", "s/a"), node("y", "none")), finished={"x": kept("x", state_patch({"x": 1}))}
    )
    assert states(result) == {"x": COMPLETED, "y": FAILED}
    assert result.final_state == {"x": 1}
    assert verify_replay(result)


def test_secrets_are_nowhere():
    """Platform 3: never in a log, an error, a trace or a run record."""
    secret, seen = "hunter2", []

    def leak(call):
        events = (state_patch({secret: [f"x{secret}"]}), log(secret), error("E", secret), done(summary=secret))
        return InvocationResult(
            ScriptExitReason.EXITED, call.attempt == 1, events, stderr=f"{secret}\n", problem=secret
        )

    skills = catalog(
        skill("s", script("a"), script("p", protocol="plain"), script("bad"), retry_policy=ScriptRetryPolicy(1, 1)),
        skill("other", script("go")),
    )
    plan_executor, runner = executor(
        {
            "s/a": leak,
            "s/p": prints(f'{{"k": "{secret}"}}'.encode()),
            "s/bad": says(error("E", secret), done(ok=False)),
            "other/go": echoes(),
        },
        skills=skills,
        secrets=lambda found: [secret] if found.name == "s" else [],
        observer=seen.append,
    )
    result = plan_executor.execute(
        plan_of(
            node("x", "s/a"),
            node("p", "s/p"),
            node("b", "s/bad", required=False),
            node("y", "other/go", {"v": "{tool.x}", "w": "{tool.p.k}"}),
        )
    )
    assert result.success
    assert secret not in canonical_json(result.as_dict())
    assert secret not in canonical_json([event.as_dict() for event in seen])
    assert result.final_state["[hidden]"] == ["x[hidden]"]
    assert runner.calls[-1].input["w"] == "[hidden]"
    assert verify_replay(result)


def test_who_watches_hears_everything_in_a_sensible_order():
    seen = []
    plan = plan_of(node("x", "s/a"), node("y", "s/b", {}, "x"), node("z", "s/bad", {}, "w"), node("w", "s/bad"))
    behaviours = {"s/a": fails(1, says(log("hi"), done())), "s/bad": says(exit_code=2)}
    result = executor(behaviours, skills=RETRYING, observer=seen.append)[0].execute(
        plan.model_copy(update={"tools": plan.tools[:2]}), is_supplied=True
    )
    assert [type(event) for event in seen] == [
        PlanReady,
        NodeStarted,
        NodeRetried,
        NodeStarted,
        NodeEventEmitted,
        NodeEventEmitted,
        NodeEnded,
        NodeStarted,
        NodeEventEmitted,
        NodeEventEmitted,
        NodeEnded,
    ]
    assert seen[0] == PlanReady(plan.model_copy(update={"tools": plan.tools[:2]}).as_dict(), is_supplied=True)
    assert (seen[1].attempt, seen[3].attempt) == (1, 2)
    assert (seen[2].attempt, seen[2].error["type"], seen[2].wait_ms) == (1, "exit_code", 100)
    assert seen[4].protocol_event == log("hi")
    told = seen[6].result
    assert (told["toolId"], told["retryCount"], "events" in told) == ("x", 1, False)
    assert "events" not in told["attempts"][0]
    assert result.success
    seen.clear()
    executor(behaviours, observer=seen.append)[0].execute(plan)
    assert Counter(event.tool_id for event in seen if isinstance(event, NodeEnded)) == dict.fromkeys("wxyz", 1)


def test_observers_are_called_in_the_thread_that_executes():
    threads = set()
    PlanExecutor(
        SKILLS,
        ScriptedRunner(GOOD),
        prepare=prepare_invocation,
        observer=lambda _event: threads.add(threading.get_ident()),
    ).execute(plan_of(*(node(f"n{n}", "s/a") for n in range(20))))
    assert threads == {threading.get_ident()}


# Size


@pytest.mark.parametrize("shape", ["wide", "chain", "skipped chain"])
def test_a_large_plan_needs_no_recursion_and_no_squares(shape):
    size = 2000
    tools = [node(f"n{n}", "s/a", {}, *([f"n{n - 1}"] if n and shape != "wide" else ())) for n in range(size)]
    behaviours = {"s/a": says(exit_code=1)} if shape == "skipped chain" else {}
    result = run(*tools, behaviours=behaviours)
    assert len(result.execution_trace) == size
    assert result.success is (shape != "skipped chain")
    assert len(result.failed_tools) == (shape == "skipped chain")


@pytest.mark.slow
def test_ten_thousand_nodes_on_threads():
    tools = [node(f"n{n}", "s/a", {"i": f"{{tool.n{n // 2}.a}}"} if n else {}) for n in range(10_000)]
    result = PlanExecutor(SKILLS, ScriptedRunner(GOOD), prepare=prepare_invocation, plan_timeout=100).execute(
        plan_of(*tools)
    )
    assert result.success


@pytest.mark.parametrize("secret", ["done", "true", "state", "patch", "type", "info", "log", "0", "message"])
def test_a_secret_that_is_a_word_of_the_protocol_changes_nothing_of_it(secret):
    """Skills 2, 10: the words of the protocol are no secrets where they are the protocol's."""
    plan_executor, _ = executor(
        {"s/a": says(log("hello"), state_patch({"n": {"deep": 1}}), done())}, secrets=lambda _: [secret]
    )
    result = plan_executor.execute(plan_of(node("x", "s/a")))

    assert result.success
    assert result.final_state == {"n": {"deep": 1}}
    assert [event["type"] for event in result.execution_trace[0].events] == ["log", "state_patch", "done"]


def test_an_asset_is_named_by_a_path_that_means_the_same_everywhere():
    """Skills 2: a script may name it from its own folder; the next one runs in another."""
    plan_executor, runner = executor({"s/a": says(asset("c", "c.png"), done()), "other/go": echoes()})
    result = plan_executor.execute(plan_of(node("x", "s/a"), node("y", "other/go", {"v": "{tool.x.assets.c.path}"})))

    assert result.success, result.execution_trace
    assert Path(runner.calls[-1].input["v"]).is_absolute()
