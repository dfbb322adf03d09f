"""The replan loop (skills-data-model 5; skills 4, 12, 13): bounded, blaming, keeping what is done, never repeating."""

from dataclasses import replace

import pytest

from aeon.base.errors import LLMError
from aeon.observability.events import WarningIssued
from aeon.observability.skill_events import ReplanRequested
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.failures import FailureClass
from aeon.skills.health import SkillHealth
from aeon.skills.invocation import InvocationResult, ScriptExitReason
from aeon.skills.plan_json import (
    ExecutionResult,
    ExecutionState,
    FailureReason,
    ToolErrorJson,
    ToolInvocation,
    ToolResult,
)
from aeon.skills.planner.interface import PlanningError
from aeon.skills.replan import MAX_ATTEMPTS, Replanner, reusable_nodes
from aeon.testing.clock import FakeClock
from aeon.testing.scripts import ScriptedRunner, done, patches, plan_of, prepare_invocation, says, script, skill
from aeon.testing.scripts import catalog as catalog_of
from aeon.testing.scripts import node as plan_node

ROLL = "dice-roller/scripts/roll.sh"
TELL = "storyteller/scripts/narrate.py"


def node(tool_id, path, after=(), **given):
    return ToolInvocation(tool_id=tool_id, tool_path=path, input=given, dependencies=list(after))


def ok(tool_id, path, output=None):
    return ToolResult(tool_id=tool_id, tool_path=path, ok=True, state=ExecutionState.COMPLETED, output=output or {})


def bad(tool_id, path, failure, state=ExecutionState.FAILED):
    error = ToolErrorJson(type=failure, message=f"it was {failure}")
    return ToolResult(tool_id=tool_id, tool_path=path, ok=False, state=state, error=error)


class Plans:
    """A planner that gives nodes, or raises, in order, and keeps what it was asked."""

    def __init__(self, *plans):
        self.plans = list(plans)
        self.tasks = []

    def plan(self, task):
        self.tasks.append(task)
        plan = self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]
        if isinstance(plan, Exception):
            raise plan
        return task.plan(plan)


class Runs:
    """Execution by a script of traces: for each plan, how its nodes end."""

    def __init__(self, *traces):
        self.traces = list(traces)
        self.plans = []
        self.finished = []

    def __call__(self, plan, *, finished=None, cancellation=None):
        self.plans.append(plan)
        self.finished.append(dict(finished or {}))
        trace = self.traces.pop(0) if len(self.traces) > 1 else self.traces[0]
        failed = [each.tool_id for each in trace if not each.ok]
        return ExecutionResult(
            plan_id=plan.request_id,
            success=not failed,
            failed_tools=failed,
            can_replan=bool(failed),
            failure_reason=FailureReason.TOOL_FAILURE if failed else None,
            execution_trace=trace,
            generation_metadata=plan.metadata,
        )


@pytest.fixture
def replan(catalog):
    def run(planner, runs, by_pattern=None, health=None):
        seen = []
        replanner = Replanner(
            catalog, planner, by_pattern or Plans(PlanningError("no words")), runs, health or SkillHealth(), seen.append
        )
        return replanner.run("roll two dice"), seen

    return run


def test_the_first_plan_that_succeeds_ends_it(replan):
    runs = Runs([ok("t1", ROLL)])
    result, _ = replan(Plans([node("t1", ROLL)]), runs)

    assert result.success
    assert len(runs.plans) == 1


def test_at_most_five_attempts_then_a_text_that_says_what_happened(replan):
    """Skills 12; FR of skills-data-model 5: EXHAUSTED."""
    plans = Plans(*([node("t1", ROLL, notation=f"{n}d6")] for n in range(1, 9)))
    runs = Runs([bad("t1", ROLL, FailureClass.EXIT_CODE)])
    result, _ = replan(plans, runs)

    assert len(plans.tasks) == MAX_ATTEMPTS
    assert not result.success
    assert not result.can_replan
    assert "I could not complete this request: roll two dice" in result.narrative
    assert "t1 dice-roller/scripts/roll.sh: exit_code" in result.narrative


def test_each_attempt_is_numbered_and_points_at_the_plan_before(replan):
    plans = Plans([node("t1", ROLL)], [node("t1", ROLL, notation="1d6")])
    runs = Runs([bad("t1", ROLL, FailureClass.TIMEOUT)], [ok("t1", ROLL)])
    result, _ = replan(plans, runs)
    first, second = runs.plans

    assert (first.metadata.generation_attempt, first.metadata.parent_plan_id) == (1, None)
    assert (second.metadata.generation_attempt, second.metadata.parent_plan_id) == (2, first.request_id)
    assert result.generation_metadata == second.metadata


def test_a_skills_own_fault_disables_it(replan):
    """Skills 4: blame decides what a replan learns."""
    plans = Plans([node("t1", ROLL)], [node("t1", TELL, prompt="x")])
    runs = Runs([bad("t1", ROLL, FailureClass.PROTOCOL_VIOLATION)], [ok("t1", TELL)])
    replan(plans, runs)

    assert not plans.tasks[1].catalog.by_name["dice-roller"].enabled
    assert runs.plans[1].disabled_skills == ["dice-roller"]


@pytest.mark.parametrize(
    "failure", [FailureClass.INVALID_INPUT, FailureClass.CIRCULAR_DEPENDENCY, FailureClass.TIMEOUT]
)
def test_a_planners_mistake_or_one_transient_failure_disables_nothing(replan, failure):
    plans = Plans([node("t1", ROLL)], [node("t1", ROLL, notation="1d6")])
    replan(plans, Runs([bad("t1", ROLL, failure)], [ok("t1", ROLL)]))

    assert plans.tasks[1].catalog.by_name["dice-roller"].enabled
    assert str(failure) in plans.tasks[1].lessons[0]


def test_three_transient_failures_in_a_row_degrade_the_skill(replan):
    """Skills 13."""
    plans = Plans(*([node("t1", ROLL, notation=f"{n}d6")] for n in range(1, 9)))
    replan(plans, Runs([bad("t1", ROLL, FailureClass.EXIT_CODE)]))
    enabled = [task.catalog.by_name["dice-roller"].enabled for task in plans.tasks]

    assert enabled == [True, True, True, False, False]


def test_finished_nodes_are_kept_and_not_counted_again(replan):
    """Skills 4: a replan keeps the results of nodes that finished."""
    told = node("t2", TELL, ["t1"], prompt="x")
    plans = Plans([node("t1", ROLL), told], [node("t3", TELL, ["t1"], prompt="y")])
    health = SkillHealth()
    runs = Runs(
        [ok("t1", ROLL, {"dice": 7}), bad("t2", TELL, FailureClass.EXIT_CODE)], [ok("t1", ROLL), ok("t3", TELL)]
    )
    result, _ = replan(plans, runs, health=health)

    assert result.success
    assert [each.tool_id for each in runs.plans[1].tools] == ["t1", "t3"]
    assert runs.finished[1]["t1"].output == {"dice": 7}


def test_the_same_plan_again_is_refused(replan):
    """Skills 4."""
    plans = Plans([node("t1", ROLL)])
    runs = Runs([bad("t1", ROLL, FailureClass.EXIT_CODE)])
    result, seen = replan(plans, runs)

    assert len(runs.plans) == 1
    assert len(plans.tasks) == MAX_ATTEMPTS
    assert any("the plan that failed before" in event.reason for event in seen if isinstance(event, ReplanRequested))
    assert "not run twice" in result.narrative


def test_planning_that_fails_is_tried_again_with_what_was_learnt(replan):
    plans = Plans(PlanningError("cut off"), [node("t1", ROLL)])
    result, _ = replan(plans, Runs([ok("t1", ROLL)]))

    assert result.success
    assert plans.tasks[1].lessons == ["cut off"]


def test_without_a_model_the_words_alone_plan(replan):
    """Issue point 7: pattern-based planning when no model answers."""
    by_pattern = Plans([node("t1", ROLL)])
    runs = Runs([ok("t1", ROLL)])
    result, seen = replan(Plans(LLMError("no model here")), runs, by_pattern)

    assert result.success
    assert any(isinstance(event, WarningIssued) and "no model here" in event.message for event in seen)


def test_a_plan_of_the_words_that_failed_is_not_made_again(replan):
    """Skills 4: refused if it is the same plan again; without a model there is no other."""
    by_pattern = Plans([node("t1", ROLL)])
    runs = Runs([bad("t1", ROLL, FailureClass.EXIT_CODE)])
    result, _ = replan(Plans(LLMError("no model here")), runs, by_pattern)

    assert not result.success
    assert len(runs.plans) == 1
    assert len(by_pattern.tasks) == 2


def test_neither_model_nor_words_is_a_fallback_that_says_so(replan):
    """Skills 12: nothing crashes, nothing loops; the words are not asked again, for they say the same."""
    by_pattern = Plans(PlanningError("no words"))
    result, _ = replan(Plans(LLMError("no model here")), Runs([]), by_pattern)

    assert not result.success
    assert result.execution_trace == []
    assert "no model here" in result.narrative
    assert "no words" in result.narrative
    assert len(by_pattern.tasks) == 1


def test_a_cancelled_run_is_not_planned_again(replan):
    runs = Runs([bad("t1", ROLL, FailureClass.CANCELLED)])
    plans = Plans([node("t1", ROLL)])
    result, _ = replan(plans, runs)

    assert len(plans.tasks) == 1
    assert result.narrative is None


def test_what_is_kept_is_closed_under_dependencies():
    """A completed node may have gone on from an optional one that failed: that one is kept with it."""
    from aeon.skills.plan_json import PlanJson

    plan = PlanJson(
        tools=[
            node("optional", ROLL),
            node("went-on", TELL, prompt="{tool.optional.dice}"),
            node("failed", TELL, ["went-on"], prompt="x"),
        ]
    )
    trace = [
        bad("optional", ROLL, FailureClass.TIMEOUT),
        ok("went-on", TELL),
        bad("failed", TELL, FailureClass.EXIT_CODE),
    ]
    result = ExecutionResult(plan_id="p", success=False, execution_trace=trace)
    nodes, results = reusable_nodes(plan, result)

    assert [each.tool_id for each in nodes] == ["optional", "went-on"]
    assert set(results) == {"optional", "went-on"}


def test_a_plan_of_nothing_after_a_failure_is_no_success(replan):
    """Skills 12: whatever the planner says of it, what failed is told."""
    plans = Plans([node("t1", ROLL)], [])
    runs = Runs([bad("t1", ROLL, FailureClass.EXIT_CODE)], [])
    result, _ = replan(plans, runs)

    assert not result.success
    assert len(runs.plans) == 1
    assert "t1 dice-roller/scripts/roll.sh: exit_code" in result.narrative


class Written:
    """A planner that gives whole plans, or anything else, as they are: whatever it was told."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.tasks = []

    def plan(self, task):
        self.tasks.append(task)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Ran:
    """Carries plans out with a real executor and scripted scripts; `ran` are the inputs of those that started."""

    def __init__(self, skills, behaviours):
        self.plans = []
        self.runner = ScriptedRunner(behaviours)
        self._executor = PlanExecutor(skills, self.runner, prepare=prepare_invocation, clock=FakeClock())

    def __call__(self, plan, *, finished=None, cancellation=None):
        self.plans.append(plan)
        return self._executor.execute(plan, finished=finished, cancellation=cancellation)

    @property
    def ran(self):
        return [call.name for call in self.runner.calls]


def carried_out(folder, planner, behaviours):
    """What a request comes to with scripts that are files of `folder`, and what ran."""
    skills = catalog_of(*(skill_in(folder, name) for name in ("a", "b", "c")))
    runs = Ran(skills, behaviours)
    result = Replanner(skills, planner, Plans(PlanningError("no words")), runs, SkillHealth()).run("do it")
    return result, runs


def skill_in(folder, name):
    """A skill of one script whose file exists."""
    path = folder / name / "go"
    path.parent.mkdir(exist_ok=True)
    path.write_text(name)
    made = skill(name, script("go"))
    return replace(made, scripts=(replace(made.scripts[0], path=path),))


def call(tool_id, name, after=(), **given):
    """A node that is tried once."""
    return plan_node(tool_id, f"{name}/go", given, *after, retryPolicy={"maxRetries": 0})


GOES = {"a/go": patches({"a": 1}), "b/go": patches({"b": 1}), "c/go": patches({"c": 1})}
BREAKS = says(done(ok=False, summary="no"))


def test_a_disabled_skill_does_not_run_whoever_wrote_the_plan(tmp_path):
    """Skills 4: the executor refuses it, though the planner lists nothing as disabled."""

    def broken(_):
        return InvocationResult(ScriptExitReason.EXITED, 0, violation="line 1 is not valid JSON")

    planner = Written(*(plan_of(call("t1", "a", n=n)) for n in range(9)))
    result, runs = carried_out(tmp_path, planner, {**GOES, "a/go": broken})

    assert runs.ran == ["a/go"]
    assert len(planner.tasks) == MAX_ATTEMPTS
    assert runs.plans[1].disabled_skills == ["a"]
    assert "disabled_skill" in result.narrative


def test_another_script_under_a_finished_nodes_id_runs(tmp_path):
    """Skills 4: a result belongs to what was run, not to the name that it was given."""
    planner = Written(plan_of(call("t1", "a"), call("t2", "b")), plan_of(call("t1", "c")))
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert runs.ran == ["a/go", "b/go", "c/go"]
    assert result.success
    assert result.final_state == {"c": 1}


def test_a_finished_node_with_another_input_runs_again(tmp_path):
    planner = Written(
        plan_of(call("t1", "a", n=1), call("t2", "b")), plan_of(call("t1", "a", n=2), call("t2", "c", ["t1"]))
    )
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert runs.ran == ["a/go", "b/go", "a/go", "c/go"]
    assert result.success


def test_a_script_that_was_changed_meanwhile_runs_again(tmp_path):
    def changes(_):
        (tmp_path / "a" / "go").write_text("another program")
        return [done(ok=False, summary="no")]

    planner = Written(plan_of(call("t1", "a"), call("t2", "b", ["t1"])), plan_of(call("t1", "a"), call("t3", "c")))
    _, runs = carried_out(tmp_path, planner, {**GOES, "b/go": changes})

    assert runs.ran == ["a/go", "b/go", "a/go", "c/go"]


def test_what_depends_on_a_node_that_runs_again_runs_again(tmp_path):
    planner = Written(
        plan_of(call("t1", "a", n=1), call("t2", "c", ["t1"]), call("t3", "b", ["t2"])),
        plan_of(call("t1", "a", n=2), call("t2", "c", ["t1"])),
    )
    _, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert runs.ran == ["a/go", "c/go", "b/go", "a/go", "c/go"]


def test_a_finished_node_is_known_under_another_id_once(tmp_path):
    """Skills 4: kept work is found by what it was; a second node of the same work is work of its own."""
    planner = Written(
        plan_of(call("t1", "a"), call("t2", "b", ["t1"])),
        plan_of(call("x", "a"), call("y", "a"), call("z", "c", text="{tool.x.a}")),
    )
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert result.success
    assert runs.ran == ["a/go", "b/go", "a/go", "c/go"]
    assert [each.tool_id for each in result.execution_trace] == ["x", "y", "z"]


def test_new_names_do_not_make_a_new_plan(tmp_path):
    """Skills 4: the same plan again, whatever its nodes are called and however their scripts are spelt."""
    again = plan_of(call("y", "skills/b", ["x", "x"], text="{tool.x.a}"), call("x", "a"))
    planner = Written(plan_of(call("t1", "a"), call("t2", "b", ["t1"], text="{tool.t1.a}")), again)
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert len(runs.plans) == 1
    assert "the plan that failed before" in result.narrative


def test_a_sound_plan_of_as_many_nodes_as_were_kept_runs(tmp_path):
    planner = Written(plan_of(call("t1", "a"), call("t2", "b")), plan_of(call("t9", "c")))
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert result.success
    assert runs.ran == ["a/go", "b/go", "c/go"]


def test_a_plan_of_finished_nodes_alone_is_no_success(tmp_path):
    """Skills 12: what failed is still undone."""
    planner = Written(plan_of(call("t1", "a"), call("t2", "b")), plan_of(call("renamed", "a")))
    result, runs = carried_out(tmp_path, planner, {**GOES, "b/go": BREAKS})

    assert not result.success
    assert len(runs.plans) == 1


@pytest.mark.parametrize(
    ("answer", "said"), [(ValueError("no such thing"), "ValueError: no such thing"), (None, "NoneType")]
)
def test_a_planner_that_breaks_is_a_failure_with_a_message(tmp_path, answer, said):
    """Skills 12: nothing crashes."""
    planner = Written(answer)
    result, runs = carried_out(tmp_path, planner, GOES)

    assert not result.success
    assert said in result.narrative
    assert (len(planner.tasks), runs.plans) == (MAX_ATTEMPTS, [])
