"""Runs a plan (skills 3-7): checks it, runs its nodes as their dependencies allow, commits what ended well."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TypeAlias

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import InputError
from aeon.base.json import JsonObject, copy_json, json_problems
from aeon.observability.events import Event, NodeEnded, Observer, PlanReady
from aeon.skills.executor.node_run import InvocationFactory, NodeServices, SkillSecretLookup, SleepFactory
from aeon.skills.executor.plan_result import FinishedPlan, build_result, rejected_results
from aeon.skills.executor.scheduler import NodeCompletion, NodeScheduler, SkillPlanRun
from aeon.skills.invocation import CancellableSleep, Cancellation, ScriptRunner
from aeon.skills.models import Skill, SkillCatalog
from aeon.skills.plan.check import check_plan
from aeon.skills.plan.graph import plan_graph
from aeon.skills.plan_json import ExecutionResult, PlanJson, ToolResult
from aeon.skills.poll_loop import PollLoop, TaskLoop

PLAN_TIMEOUT = 60.0
"""Seconds that a plan may take (skills 4). A script that ignores its end takes its `grace_seconds` more."""

TaskLoopFactory: TypeAlias = Callable[[], TaskLoop[NodeCompletion]]
"""Makes what runs the nodes of one plan."""


def no_secrets(_skill: Skill) -> tuple[str, ...]:
    """For skills whose configuration holds none."""
    return ()


class PlanExecutor:
    """Runs plans with the skills of one catalog. Threads may share it: nothing of a run stays behind."""

    def __init__(  # noqa: PLR0913  # what it runs with, its time, its limits, who watches
        self,
        catalog: SkillCatalog,
        runner: ScriptRunner,
        *,
        prepare: InvocationFactory,
        secrets: SkillSecretLookup = no_secrets,
        clock: Clock | None = None,
        wait: SleepFactory = CancellableSleep,
        parallel: int | None = None,
        plan_timeout: float = PLAN_TIMEOUT,
        observer: Observer | None = None,
        initial_state: JsonObject | None = None,
        crew: TaskLoopFactory = PollLoop[NodeCompletion],
    ) -> None:
        """`parallel`: nodes that run at once, by default as many as there are cores. `plan_timeout` is in seconds.

        `observer` is always called in the thread that executes. Raises InputError for limits that are none and for an
        `initial_state` that is no JSON.
        """
        problems = [f"initial_state, {fault}" for fault in json_problems(initial_state or {})]
        if parallel is not None and parallel < 1:
            problems.append(f"parallel is {parallel}; at least one node must be able to run")
        if not plan_timeout > 0:
            problems.append(f"plan_timeout is {plan_timeout} s; a plan needs time to run in")
        if problems:
            raise InputError(f"Plans cannot be executed so: {'; '.join(problems)}.")
        self._catalog = catalog
        self._clock = clock or SystemClock()
        self._services = NodeServices(runner, prepare, secrets, self._clock, wait)
        self._width = parallel or len(os.sched_getaffinity(0))
        self._plan_timeout = plan_timeout
        self._observer = observer
        self._initial_state: JsonObject = copy_json(initial_state or {})
        self._make_loop = crew

    def execute(
        self,
        plan: PlanJson,
        *,
        finished: Mapping[str, ToolResult] | None = None,
        cancellation: Cancellation | None = None,
        by_hand: bool = False,
        verbatim: bool = False,
    ) -> ExecutionResult:
        """Run `plan` to its end and say how it went; the result's trace alone leads to its final state again.

        `finished` are results of nodes of this plan that are not to run again: each is taken as it is and its effects
        commit; ids that the plan does not have are ignored. `is_user_supplied` is for whoever watches: no planner made
        it. `verbatim` takes the inputs as they are, what looks like a reference too.
        Raises nothing for what plans and scripts do wrong. SandboxError comes through, as does what an observer raises:
        every script has been ended by then, and the cancellation wished.
        """
        began = self._clock.monotonic()
        done = finished or {}
        graph = plan_graph(plan, verbatim=verbatim)
        self._emit_plan(plan, by_hand=by_hand)
        wrong = check_plan(plan, self._catalog, finished=done, graph=graph)
        with ExitStack() as stack:
            stop = cancellation or stack.enter_context(Cancellation())
            if wrong:
                results = rejected_results(plan, wrong, [done.get(tool.tool_id) for tool in plan.tools])
                for result in results:
                    self._emit_node_ended(result)
            else:
                deadline = began + self._plan_timeout
                course = SkillPlanRun(
                    plan, graph, self._catalog, done, self._services, deadline, stop, self._emit, self._emit_node_ended
                )
                width = self._width if plan.parallel else 1
                results = NodeScheduler(course, self._make_loop(), width).run()
            is_cancelled = stop.is_cancelled
        spent = round((self._clock.monotonic() - began) * 1000)
        return build_result(
            FinishedPlan(plan, graph, self._catalog, results, self._initial_state, wrong, is_cancelled, spent)
        )

    def _emit(self, event: Event) -> None:
        if self._observer is not None:
            self._observer(event)

    def _emit_plan(self, plan: PlanJson, *, by_hand: bool) -> None:
        if self._observer is not None:
            self._observer(PlanReady(plan.as_dict(), by_hand))

    def _emit_node_ended(self, result: ToolResult) -> None:
        if self._observer is not None:
            self._observer(NodeEnded(result.tool_id, result.state.value, _without_events(result)))


def _without_events(result: ToolResult) -> JsonObject:
    """The result as data, less what its scripts said: that was told when they said it."""
    return result.model_dump(mode="json", by_alias=True, exclude={"events": True, "attempts": {"__all__": {"events"}}})
