"""The replan loop (skills-data-model 5): plan, execute, learn from failures, plan again.

It makes at most five plans.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.errors import AeonError, LLMError
from aeon.observability.events import Observer, WarningIssued
from aeon.observability.skill_events import ReplanRequested
from aeon.skills.answer import fallback_result
from aeon.skills.failures import Blame, FailureClass, blame_for
from aeon.skills.health import SkillHealth
from aeon.skills.invocation import Cancellation
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.fingerprint import node_fingerprints, plan_fingerprint, script_key_by_content
from aeon.skills.plan_json import (
    ExecutionResult,
    PlanJson,
    ToolInvocation,
    ToolResult,
)
from aeon.skills.planner.interface import Planner, PlanningError, PlanningTask
from aeon.skills.result_reuse import ReusableResult, match_results, results_by_key, reusable_nodes

MAX_ATTEMPTS = 5
"""Maximum number of plans for one request (skills 12)."""

_MOST_LESSONS = 10
_LESSON = 500
"""Maximum characters of one failure in the planner's prompt."""


class SkillPlanExecution(Protocol):
    """Runs a plan: `PlanExecutor.execute`."""

    def __call__(
        self,
        plan: PlanJson,
        *,
        finished: Mapping[str, ToolResult] = ...,
        cancellation: Cancellation | None = None,
    ) -> ExecutionResult: ...


@dataclass(slots=True)
class _ReplanState:
    """The state of a request across its attempts."""

    lessons: list[str] = field(default_factory=list[str])
    tried_fingerprints: set[str] = field(default_factory=set[str])
    disabled: set[str] = field(default_factory=set[str])
    reusable_nodes: Sequence[ToolInvocation] = ()
    finished: Mapping[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    reusable_results: Sequence[ReusableResult] = ()
    parent_plan_id: str | None = None
    last_result: ExecutionResult | None = None
    is_without_model: bool = False

    def add_lesson(self, lesson: str) -> None:
        self.lessons.append(" ".join(lesson.split())[:_LESSON])


class Replanner:
    """Plans and runs a request. `by_pattern` plans if the model does not answer."""

    def __init__(  # two planners, the catalog, the executor, the observer
        self,
        catalog: SkillCatalog,
        planner: Planner,
        by_pattern: Planner,
        execute: SkillPlanExecution,
        health: SkillHealth,
        observer: Observer | None = None,
    ) -> None:
        self._catalog = catalog
        self._planner = planner
        self._by_pattern = by_pattern
        self._execute = execute
        self._health = health
        self._observer = observer

    def run(
        self,
        request: str,
        cancellation: Cancellation | None = None,
        on_result: Callable[[ExecutionResult], None] | None = None,
    ) -> ExecutionResult:
        """Returns the result of the first successful plan, else the last result (skills 12).

        The latter has a text for the user. Every attempt has its own numbered plan, which names its predecessor;
        finished nodes are reused. `on_result` is called with each result before the next plan is made.
        """
        state = _ReplanState()
        for attempt in range(1, MAX_ATTEMPTS + 1):
            plan = self._next_plan(request, attempt, state)
            if plan is None:
                if state.is_without_model:
                    break  # the request's words would give the same plan again
                continue
            keys = node_fingerprints(plan, script_key_by_content(self._catalog))
            finished = match_results(plan, keys, state.reusable_results)
            if state.last_result is not None and len(finished) == len(plan.tools):
                state.add_lesson(plan.narrative or "Nothing else could be planned.")
                break  # the failed work is still undone, whatever the narrative claims
            result = self._execute(plan, finished=finished, cancellation=cancellation)
            if on_result is not None:
                on_result(result)
            self._record(result, finished)
            if result.success or _is_cancelled(result):
                return result
            state.parent_plan_id, state.last_result = plan.request_id, result
            if not result.can_replan:
                break
            state.reusable_nodes, state.finished = reusable_nodes(plan, result)
            state.reusable_results = results_by_key(plan, keys, state.finished)
            self._learn_from(result, finished, state)
            self._emit_replanned(attempt, state)
        return fallback_result(request, state.last_result, state.lessons)

    def _next_plan(self, request: str, attempt: int, state: _ReplanState) -> PlanJson | None:
        """Returns a plan that was not tried before, or None after adding a lesson with the reason.

        Skills that must not be used are disabled in the plan, whatever its planner wrote.
        """
        unavailable = state.disabled | set(self._health.unavailable())
        task = PlanningTask(
            request,
            self._catalog.with_disabled(sorted(unavailable)),
            attempt,
            state.parent_plan_id,
            state.reusable_nodes,
            state.finished,
            state.lessons[-_MOST_LESSONS:],
        )
        try:
            plan = _with_disabled(self._ask_planner(task, state), unavailable)
            identity = plan_fingerprint(plan, self._catalog)
        except PlanningError as error:
            state.add_lesson(error.message)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001  # a planner may be third-party code (skills 12)
            state.add_lesson(f"The planner failed: {type(error).__name__}: {error}")
        else:
            if identity not in state.tried_fingerprints:
                state.tried_fingerprints.add(identity)
                return plan
            state.add_lesson("This is the plan that failed before; it does not run twice. Plan something else.")
        self._emit_replanned(attempt, state)
        return None

    def _ask_planner(self, task: PlanningTask, state: _ReplanState) -> PlanJson:
        if state.is_without_model:
            return self._by_pattern.plan(task)
        try:
            return self._planner.plan(task)
        except LLMError as error:
            message = f"The request is planned without a model, by its words alone. {error.message}"
        state.is_without_model = True
        state.add_lesson(message)
        if self._observer is not None:
            self._observer(WarningIssued(None, message))
        return self._by_pattern.plan(task)

    def _record(self, result: ExecutionResult, finished: Mapping[str, ToolResult]) -> None:
        """Records the health of every skill that ran (skills 13)."""
        for node in result.execution_trace:
            match = self._catalog.find_script(node.tool_path or "")
            if match is None or node.tool_id in finished:
                continue
            if node.ok:
                self._health.record(match[0].name, None)
            elif node.error is not None:
                self._health.record(match[0].name, FailureClass(node.error.type))

    def _learn_from(self, result: ExecutionResult, finished: Mapping[str, ToolResult], state: _ReplanState) -> None:
        """Adds a lesson for each failure and disables the skills to blame (skills 4)."""
        for node in result.execution_trace:
            if node.error is None or node.tool_id in finished:
                continue
            blame = blame_for(FailureClass(node.error.type))
            if blame is Blame.NOBODY and node.error.type != FailureClass.PLAN_TIMEOUT:
                continue
            state.add_lesson(f"{node.tool_id} {node.tool_path}: {node.error.type}: {node.error.message}")
            match = self._catalog.find_script(node.tool_path or "")
            if blame is Blame.SKILL and match is not None:
                state.disabled.add(match[0].name)

    def _emit_replanned(self, attempt: int, state: _ReplanState) -> None:
        if self._observer is not None:
            reason = state.lessons[-1] if state.lessons else "it failed"
            self._observer(ReplanRequested(attempt, reason, sorted(state.disabled)))


def _with_disabled(plan: PlanJson, skills: Collection[str]) -> PlanJson:
    """Returns the plan with those skills disabled. Raises TypeError if it is not a plan."""
    if not isinstance(plan, PlanJson):  # pyright: ignore[reportUnnecessaryIsInstance]  # third-party planners
        raise TypeError(f"it returned {type(plan).__name__}, not a plan")
    disabled = sorted({*plan.disabled_skills, *skills})
    return plan if disabled == plan.disabled_skills else plan.model_copy(update={"disabled_skills": disabled})


def _is_cancelled(result: ExecutionResult) -> bool:
    return any(node.error is not None and node.error.type == FailureClass.CANCELLED for node in result.execution_trace)
