"""The replan loop (skills-data-model 5): plan, execute, learn who is to blame, plan again; at most five times."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.errors import AeonError, LLMError
from aeon.observability.events import Observer, ReplanRequested, WarningIssued
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
"""Plans that one request is worth (skills 12)."""

_MOST_LESSONS = 10
_LESSON = 500
"""Characters of one failure that a planner is told."""


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
    """What a request's attempts came to so far."""

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
    """Carries a request out. `by_pattern` plans when the model does not answer."""

    def __init__(  # two planners, what they plan for, what runs it, who watches
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
        """The result of the first plan that succeeds, else what the last came to, with a text that says so (skills 12).

        Every attempt has a plan of its own, numbered and pointing at the one before; finished nodes are kept.
        `on_result` is told what each came to, before the next is made.
        """
        course = _ReplanState()
        for attempt in range(1, MAX_ATTEMPTS + 1):
            plan = self._next_plan(request, attempt, course)
            if plan is None:
                if course.is_without_model:
                    break  # the request's words lead to nothing else the next time
                continue
            keys = node_fingerprints(plan, script_key_by_content(self._catalog))
            finished = match_results(plan, keys, course.reusable_results)
            if course.last_result is not None and len(finished) == len(plan.tools):
                course.add_lesson(plan.narrative or "Nothing else could be planned.")
                break  # what failed is still undone, whatever is said of it
            result = self._execute(plan, finished=finished, cancellation=cancellation)
            if on_result is not None:
                on_result(result)
            self._record(result, finished)
            if result.success or _is_cancelled(result):
                return result
            course.parent_plan_id, course.last_result = plan.request_id, result
            if not result.can_replan:
                break
            course.reusable_nodes, course.finished = reusable_nodes(plan, result)
            course.reusable_results = results_by_key(plan, keys, course.finished)
            self._learn_from(result, finished, course)
            self._emit_replanned(attempt, course)
        return fallback_result(request, course.last_result, course.lessons)

    def _next_plan(self, request: str, attempt: int, course: _ReplanState) -> PlanJson | None:
        """A plan that was not tried before, or None with the lesson why there is none.

        Whatever its planner wrote, what may not be planned with is disabled in it.
        """
        unavailable = course.disabled | set(self._health.unavailable())
        task = PlanningTask(
            request,
            self._catalog.with_disabled(sorted(unavailable)),
            attempt,
            course.parent_plan_id,
            course.reusable_nodes,
            course.finished,
            course.lessons[-_MOST_LESSONS:],
        )
        try:
            plan = _with_disabled(self._ask_planner(task, course), unavailable)
            identity = plan_fingerprint(plan, self._catalog)
        except PlanningError as error:
            course.add_lesson(error.message)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001  # a planner may be other people's code (skills 12)
            course.add_lesson(f"The planner failed: {type(error).__name__}: {error}")
        else:
            if identity not in course.tried_fingerprints:
                course.tried_fingerprints.add(identity)
                return plan
            course.add_lesson("The same plan again, which failed; it is not run twice. Plan something else.")
        self._emit_replanned(attempt, course)
        return None

    def _ask_planner(self, task: PlanningTask, course: _ReplanState) -> PlanJson:
        if course.is_without_model:
            return self._by_pattern.plan(task)
        try:
            return self._planner.plan(task)
        except LLMError as error:
            message = f"The request is planned without a model, by its words alone. {error.message}"
        course.is_without_model = True
        course.add_lesson(message)
        if self._observer is not None:
            self._observer(WarningIssued(None, message))
        return self._by_pattern.plan(task)

    def _record(self, result: ExecutionResult, finished: Mapping[str, ToolResult]) -> None:
        """Tell the health of every skill that ran (skills 13)."""
        for node in result.execution_trace:
            found = self._catalog.find_script(node.tool_path or "")
            if found is None or node.tool_id in finished:
                continue
            if node.ok:
                self._health.record(found[0].name, None)
            elif node.error is not None:
                self._health.record(found[0].name, FailureClass(node.error.type))

    def _learn_from(self, result: ExecutionResult, finished: Mapping[str, ToolResult], course: _ReplanState) -> None:
        """Say what failed, and leave out the skills that are to blame for it (skills 4)."""
        for node in result.execution_trace:
            if node.error is None or node.tool_id in finished:
                continue
            whose = blame_for(FailureClass(node.error.type))
            if whose is Blame.NOBODY and node.error.type != FailureClass.PLAN_TIMEOUT:
                continue
            course.add_lesson(f"{node.tool_id} {node.tool_path}: {node.error.type}: {node.error.message}")
            found = self._catalog.find_script(node.tool_path or "")
            if whose is Blame.SKILL and found is not None:
                course.disabled.add(found[0].name)

    def _emit_replanned(self, attempt: int, course: _ReplanState) -> None:
        if self._observer is not None:
            reason = course.lessons[-1] if course.lessons else "it failed"
            self._observer(ReplanRequested(attempt, reason, sorted(course.disabled)))


def _with_disabled(plan: PlanJson, skills: Collection[str]) -> PlanJson:
    """The plan, those skills among the disabled. Raises TypeError for what is no plan."""
    if not isinstance(plan, PlanJson):  # pyright: ignore[reportUnnecessaryIsInstance]  # other people's planners
        raise TypeError(f"it gave no plan, but {type(plan).__name__}")
    disabled = sorted({*plan.disabled_skills, *skills})
    return plan if disabled == plan.disabled_skills else plan.model_copy(update={"disabled_skills": disabled})


def _is_cancelled(result: ExecutionResult) -> bool:
    return any(node.error is not None and node.error.type == FailureClass.CANCELLED for node in result.execution_trace)
