"""Runs a plan (skills 3-7): checks it, runs its nodes, commits the successful ones."""

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TypeAlias

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import InputError
from aeon.base.json import JsonObject, copy_json, json_problems
from aeon.observability.events import Event, Observer, PlanReady
from aeon.observability.skill_events import NodeEnded
from aeon.skills.executor.lost_files import lost_file_warnings
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
"""Default timeout of a plan in seconds (skills 4). A script that ignores its end may add its `grace_seconds`."""

TaskLoopFactory: TypeAlias = Callable[[], TaskLoop[NodeCompletion]]
"""Returns a new loop that runs the nodes of one plan."""


def no_secrets(_skill: Skill) -> tuple[str, ...]:
    """Returns no secrets, for skills without secret settings."""
    return ()


class PlanExecutor:
    """Runs plans with the skills of one catalog. Thread-safe: it keeps no state of a run."""

    def __init__(  # noqa: PLR0913  # the services, the limits, the observer
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
        make_loop: TaskLoopFactory = PollLoop[NodeCompletion],
    ) -> None:
        """`parallel`: nodes that run at once, by default the number of cores.

        `plan_timeout` is in seconds. `observer` is always called in the executing thread. Raises InputError for
        invalid limits and for an `initial_state` that is not JSON.
        """
        problems = [f"initial_state, {fault}" for fault in json_problems(initial_state or {})]
        if parallel is not None and parallel < 1:
            problems.append(f"parallel is {parallel}; at least one node must be able to run")
        if not plan_timeout > 0:
            problems.append(f"plan_timeout is {plan_timeout} s; a plan needs time to run in")
        if problems:
            raise InputError(f"Invalid execution options: {'; '.join(problems)}.")
        self._catalog = catalog
        self._clock = clock or SystemClock()
        self._services = NodeServices(runner, prepare, secrets, self._clock, wait)
        self._width = parallel or len(os.sched_getaffinity(0))
        self._plan_timeout = plan_timeout
        self._observer = observer
        self._initial_state: JsonObject = copy_json(initial_state or {})
        self._make_loop = make_loop

    def execute(
        self,
        plan: PlanJson,
        *,
        finished: Mapping[str, ToolResult] | None = None,
        cancellation: Cancellation | None = None,
        is_supplied: bool = False,
        verbatim: bool = False,
    ) -> ExecutionResult:
        """Runs `plan` to its end and returns its result.

        The result's trace alone reproduces its final state. `finished` are results of nodes of this plan that must not
        run again: each is used unchanged and its effects commit; unknown ids are ignored. `is_supplied` tells the
        observer that the user supplied the plan. `verbatim` uses the inputs unchanged, without references. Faults of
        plans and scripts do not raise. SandboxError, and what an observer raises, does: by then every script has been
        ended and the cancellation requested.
        """
        started_at = self._clock.monotonic()
        finished_results = finished or {}
        graph = plan_graph(plan, verbatim=verbatim)
        self._emit_plan(plan, is_supplied=is_supplied)
        faults = check_plan(plan, self._catalog, finished=finished_results, graph=graph)
        with ExitStack() as stack:
            stop = cancellation or stack.enter_context(Cancellation())
            if faults:
                results = rejected_results(plan, faults, [finished_results.get(tool.tool_id) for tool in plan.tools])
                for result in results:
                    self._emit_node_ended(result)
            else:
                deadline = started_at + self._plan_timeout
                plan_run = SkillPlanRun(
                    plan,
                    graph,
                    self._catalog,
                    finished_results,
                    self._services,
                    deadline,
                    stop,
                    self._emit,
                    self._emit_node_ended,
                )
                width = self._width if plan.parallel else 1
                results = NodeScheduler(plan_run, self._make_loop(), width).run()
            is_cancelled = stop.is_cancelled
        milliseconds = round((self._clock.monotonic() - started_at) * 1000)
        result = build_result(
            FinishedPlan(plan, graph, self._catalog, results, self._initial_state, faults, is_cancelled, milliseconds)
        )
        lost = lost_file_warnings(plan.tools, results)
        return result.model_copy(update={"warnings": [*result.warnings, *lost]}) if lost else result

    def _emit(self, event: Event) -> None:
        if self._observer is not None:
            self._observer(event)

    def _emit_plan(self, plan: PlanJson, *, is_supplied: bool) -> None:
        if self._observer is not None:
            self._observer(PlanReady(plan.as_dict(), is_supplied))

    def _emit_node_ended(self, result: ToolResult) -> None:
        if self._observer is not None:
            self._observer(NodeEnded(result.tool_id, result.state.value, _without_events(result)))


def _without_events(result: ToolResult) -> JsonObject:
    """Returns the result as data, without the scripts' events, which were already emitted."""
    return result.model_dump(mode="json", by_alias=True, exclude={"events": True, "attempts": {"__all__": {"events"}}})
