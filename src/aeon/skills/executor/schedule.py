"""A plan under way: starts what may start, settles what cannot, waits for what runs (skills 4, 5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from aeon.dag.ready import ReadySet
from aeon.observability.events import Event
from aeon.skills.executor.attempt import Means, NodeJob, run_node
from aeon.skills.executor.crew import Crew, Steps
from aeon.skills.executor.dispatch import Dispatch
from aeon.skills.executor.trace import skipped
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Allowance, Cancellation, Lane
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.graph import PlanGraph
from aeon.skills.plan_json import ExecutionState, PlanJson, ToolResult


class NodeOver(NamedTuple):
    """A node has ended."""

    position: int
    result: ToolResult


_STOPPED = (FailureClass.CANCELLED, FailureClass.PLAN_TIMEOUT)


@dataclass(frozen=True, slots=True)
class Course:
    """A sound plan and all that running it takes. `deadline` is the clock's; `tell` hears of everything."""

    plan: PlanJson
    graph: PlanGraph
    catalog: SkillCatalog
    finished: Mapping[str, ToolResult]
    means: Means
    deadline: float
    cancellation: Cancellation
    tell: Callable[[Event], None]
    node_over: Callable[[ToolResult], None]


class Schedule:
    """Runs the nodes of one plan, all in the thread that calls `results`."""

    def __init__(self, course: Course, crew: Crew[NodeOver], width: int) -> None:
        self._course = course
        self._crew = crew
        self._ready = ReadySet(course.graph.dependencies)
        self._lane = Lane(width)
        self._allowance = Allowance()
        self._dispatch = Dispatch(width + course.means.runner.ahead)
        self._results: dict[int, ToolResult] = {}
        self._barred: set[int] = set()

    def results(self) -> list[ToolResult]:
        """Run every node and give their results by position.

        What goes wrong outside the nodes, an interrupt too, ends every script before it comes through.
        """
        try:
            self._advance()
            while self._dispatch.running:
                over = self._crew.next()
                self._dispatch.ended()
                self._settle(over.position, over.result)
                self._advance()
        except BaseException:
            self._course.cancellation.cancel()
            raise
        finally:
            self._crew.close()
        return [self._results[position] for position in range(len(self._course.plan.tools))]

    def _advance(self) -> None:
        """Start and settle nodes until the next thing to do is to wait."""
        self._sort_ready()
        while (position := self._dispatch.take()) is not None:
            if not self._is_stopped():
                self._start(position)
            else:
                self._dispatch.ended()
                self._settle(position, self._unrun(position))
                self._sort_ready()

    def _sort_ready(self) -> None:
        while ready := self._ready.take():
            for position in ready:
                result = self._result_without_running(position)
                if result is None:
                    self._dispatch.add(position, is_alone=not self._course.plan.tools[position].is_async)
                else:
                    self._settle(position, result)

    def _result_without_running(self, position: int) -> ToolResult | None:
        tool = self._course.plan.tools[position]
        if tool.tool_id in self._course.finished:
            return self._course.finished[tool.tool_id]
        bar = next((node for node in self._course.graph.dependencies[position] if node in self._barred), None)
        if bar is None:
            return None
        error = self._results[bar].error
        kind = FailureClass(error.type) if error else FailureClass.DEPENDENCY_FAILED
        if kind in _STOPPED:
            return skipped(tool, kind, _WHY[kind])
        said = f"Not run: {self._course.plan.tools[bar].tool_id!r}, which it depends on, did not end well."
        return skipped(tool, FailureClass.DEPENDENCY_FAILED, said)

    def _is_stopped(self) -> bool:
        """Whether no further node starts."""
        is_late = self._course.means.clock.monotonic() >= self._course.deadline
        return is_late or self._course.cancellation.is_cancelled

    def _start(self, position: int) -> None:
        course = self._course
        tool = course.plan.tools[position]
        found = course.catalog.find_script(tool.tool_path)
        assert found is not None, "a plan that was checked names scripts that exist"  # noqa: S101  # for the type
        needed = [self._results[node] for node in course.graph.dependencies[position]]
        job = NodeJob(
            tool,
            found[0],
            found[1],
            refers=bool(course.graph.references[position]),
            outputs={result.tool_id: result.output for result in needed if result.ok},
            absent=[result.tool_id for result in needed if not result.ok],
            request_id=course.plan.request_id,
            deadline=course.deadline,
            cancellation=course.cancellation,
            lane=self._lane,
            allowance=self._allowance,
        )
        self._crew.start(self._run(position, job))

    def _run(self, position: int, job: NodeJob) -> Steps[NodeOver]:
        result = yield from run_node(self._course.means, job, self._course.tell)
        return NodeOver(position, result or self._unrun(position))

    def _unrun(self, position: int) -> ToolResult:
        """The result of a node whose turn had not come when the run was stopped."""
        kind = FailureClass.CANCELLED if self._course.cancellation.is_cancelled else FailureClass.PLAN_TIMEOUT
        return skipped(self._course.plan.tools[position], kind, _WHY[kind])

    def _settle(self, position: int, result: ToolResult) -> None:
        """Note a node's result. A required one that failed, and one that was skipped, bars what depends on it."""
        self._results[position] = result
        is_skipped = result.state is ExecutionState.SKIPPED
        if is_skipped or (self._course.plan.tools[position].required and not result.ok):
            self._barred.add(position)
        self._ready.done(position)
        self._course.node_over(result)


_WHY = {
    FailureClass.CANCELLED: "Not run: the run was cancelled.",
    FailureClass.PLAN_TIMEOUT: "Not run: the plan's time was over.",
}
