"""The replan loop (skills-data-model 5): plan, execute, learn who is to blame, plan again; at most five times."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aeon.base.errors import AeonError, LLMError
from aeon.observability.events import Observer, Replanned, Warned
from aeon.skills.failures import Blame, FailureClass, blame
from aeon.skills.fallback import fallback_result
from aeon.skills.health import SkillHealth
from aeon.skills.invocation import Cancellation
from aeon.skills.kept import KeptResult, kept_nodes, results_by_key, results_known
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.identity import by_bytes, node_keys, plan_identity
from aeon.skills.plan_json import (
    ExecutionResult,
    PlanJson,
    ToolInvocation,
    ToolResult,
)
from aeon.skills.planner.task import Planner, PlanningError, PlanningTask

MAX_ATTEMPTS = 5
"""Plans that one request is worth (skills 12)."""

_MOST_LESSONS = 10
_LESSON = 500
"""Characters of one failure that a planner is told."""


class Execution(Protocol):
    """Runs a plan: `PlanExecutor.execute`."""

    def __call__(
        self,
        plan: PlanJson,
        *,
        finished: Mapping[str, ToolResult] = ...,
        cancellation: Cancellation | None = None,
    ) -> ExecutionResult: ...


@dataclass(slots=True)
class _Course:
    """What a request's attempts came to so far."""

    lessons: list[str] = field(default_factory=list[str])
    seen: set[str] = field(default_factory=set[str])
    disabled: set[str] = field(default_factory=set[str])
    kept: Sequence[ToolInvocation] = ()
    finished: Mapping[str, ToolResult] = field(default_factory=dict[str, ToolResult])
    done: Sequence[KeptResult] = ()
    parent: str | None = None
    last: ExecutionResult | None = None
    is_without_model: bool = False

    def learn(self, lesson: str) -> None:
        self.lessons.append(" ".join(lesson.split())[:_LESSON])


class Replanner:
    """Carries a request out. `by_pattern` plans when the model does not answer."""

    def __init__(  # two planners, what they plan for, what runs it, who watches
        self,
        catalog: SkillCatalog,
        planner: Planner,
        by_pattern: Planner,
        execute: Execution,
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
        course = _Course()
        for attempt in range(1, MAX_ATTEMPTS + 1):
            plan = self._planned(request, attempt, course)
            if plan is None:
                if course.is_without_model:
                    break  # the request's words lead to nothing else the next time
                continue
            keys = node_keys(plan, by_bytes(self._catalog))
            finished = results_known(plan, keys, course.done)
            if course.last is not None and len(finished) == len(plan.tools):
                course.learn(plan.narrative or "Nothing else could be planned.")
                break  # what failed is still undone, whatever is said of it
            result = self._execute(plan, finished=finished, cancellation=cancellation)
            if on_result is not None:
                on_result(result)
            self._record(result, finished)
            if result.success or _is_cancelled(result):
                return result
            course.parent, course.last = plan.request_id, result
            if not result.can_replan:
                break
            course.kept, course.finished = kept_nodes(plan, result)
            course.done = results_by_key(plan, keys, course.finished)
            self._take_lessons(result, finished, course)
            self._tell(attempt, course)
        return fallback_result(request, course.last, course.lessons)

    def _planned(self, request: str, attempt: int, course: _Course) -> PlanJson | None:
        """A plan that was not tried before, or None with the lesson why there is none.

        Whatever its planner wrote, what may not be planned with is disabled in it.
        """
        unavailable = course.disabled | set(self._health.unavailable())
        task = PlanningTask(
            request,
            self._catalog.without(sorted(unavailable)),
            attempt,
            course.parent,
            course.kept,
            course.finished,
            course.lessons[-_MOST_LESSONS:],
        )
        try:
            plan = _with_disabled(self._made(task, course), unavailable)
            identity = plan_identity(plan, self._catalog)
        except PlanningError as error:
            course.learn(error.message)
        except AeonError:
            raise
        except Exception as error:  # noqa: BLE001  # a planner may be other people's code (skills 12)
            course.learn(f"The planner failed: {type(error).__name__}: {error}")
        else:
            if identity not in course.seen:
                course.seen.add(identity)
                return plan
            course.learn("The same plan again, which failed; it is not run twice. Plan something else.")
        self._tell(attempt, course)
        return None

    def _made(self, task: PlanningTask, course: _Course) -> PlanJson:
        if course.is_without_model:
            return self._by_pattern.plan(task)
        try:
            return self._planner.plan(task)
        except LLMError as error:
            message = f"The request is planned without a model, by its words alone. {error.message}"
        course.is_without_model = True
        course.learn(message)
        if self._observer is not None:
            self._observer(Warned(None, message))
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

    def _take_lessons(self, result: ExecutionResult, finished: Mapping[str, ToolResult], course: _Course) -> None:
        """Say what failed, and leave out the skills that are to blame for it (skills 4)."""
        for node in result.execution_trace:
            if node.error is None or node.tool_id in finished:
                continue
            whose = blame(FailureClass(node.error.type))
            if whose is Blame.NOBODY and node.error.type != FailureClass.PLAN_TIMEOUT:
                continue
            course.learn(f"{node.tool_id} {node.tool_path}: {node.error.type}: {node.error.message}")
            found = self._catalog.find_script(node.tool_path or "")
            if whose is Blame.SKILL and found is not None:
                course.disabled.add(found[0].name)

    def _tell(self, attempt: int, course: _Course) -> None:
        if self._observer is not None:
            reason = course.lessons[-1] if course.lessons else "it failed"
            self._observer(Replanned(attempt, reason, sorted(course.disabled)))


def _with_disabled(plan: PlanJson, skills: Collection[str]) -> PlanJson:
    """The plan, those skills among the disabled. Raises TypeError for what is no plan."""
    if not isinstance(plan, PlanJson):  # pyright: ignore[reportUnnecessaryIsInstance]  # other people's planners
        raise TypeError(f"it gave no plan, but {type(plan).__name__}")
    disabled = sorted({*plan.disabled_skills, *skills})
    return plan if disabled == plan.disabled_skills else plan.model_copy(update={"disabled_skills": disabled})


def _is_cancelled(result: ExecutionResult) -> bool:
    return any(node.error is not None and node.error.type == FailureClass.CANCELLED for node in result.execution_trace)
