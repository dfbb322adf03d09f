"""A plan under way: starts what may start, settles what cannot, waits for what runs (skills 4, 5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from aeon.dag.scheduling import ReadySet
from aeon.observability.events import Event
from aeon.skills.executor.node_run import NodeServices, NodeTask, run_node
from aeon.skills.executor.plan_result import skipped_result
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Cancellation, ConcurrencyGroup, OutputBudget
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.graph import PlanGraph
from aeon.skills.plan_json import ExecutionState, PlanJson, ToolResult
from aeon.skills.poll_loop import PollTask, TaskLoop


class ReadyQueue:
    """Nodes that wait to start, by position. One that must run alone starts only when nothing runs.

    While others run, nodes that may run beside them go first, so that a wait for quiet leaves no core idle.
    """

    def __init__(self, width: int) -> None:
        """`width`: nodes that run at once, at most."""
        self._width = width
        self._concurrent: list[int] = []
        self._exclusive: list[int] = []
        self._is_exclusive = False
        self.running = 0

    def add(self, position: int, *, is_alone: bool) -> None:
        """Let a node wait for its turn."""
        heappush(self._exclusive if is_alone else self._concurrent, position)

    def take(self) -> int | None:
        """The node that starts now and counts as running from here on, or None while none may."""
        if self._is_exclusive or self.running >= self._width:
            return None
        waiting = self._next_queue()
        if not waiting:
            return None
        self.running += 1
        self._is_exclusive = waiting is self._exclusive
        return heappop(waiting)

    def release(self) -> None:
        """Note that a running node is over."""
        self.running -= 1
        self._is_exclusive = False

    def _next_queue(self) -> list[int]:
        if self.running or not self._exclusive:
            return self._concurrent
        return self._exclusive if not self._concurrent or self._exclusive[0] < self._concurrent[0] else self._concurrent


class NodeCompletion(NamedTuple):
    """A node has ended."""

    position: int
    result: ToolResult


_STOP_CLASSES = (FailureClass.CANCELLED, FailureClass.PLAN_TIMEOUT)


@dataclass(frozen=True, slots=True)
class SkillPlanRun:
    """A sound plan and all that running it takes. `deadline` is the clock's; `tell` hears of everything."""

    plan: PlanJson
    graph: PlanGraph
    catalog: SkillCatalog
    finished: Mapping[str, ToolResult]
    services: NodeServices
    deadline: float
    cancellation: Cancellation
    emit: Callable[[Event], None]
    on_node_ended: Callable[[ToolResult], None]


class NodeScheduler:
    """Runs the nodes of one plan, all in the thread that calls `results`."""

    def __init__(self, course: SkillPlanRun, crew: TaskLoop[NodeCompletion], width: int) -> None:
        self._plan_run = course
        self._loop = crew
        self._ready = ReadySet(course.graph.dependencies)
        self._group = ConcurrencyGroup(width)
        self._budget = OutputBudget()
        self._queue = ReadyQueue(width + course.services.runner.prefetch)
        self._results: dict[int, ToolResult] = {}
        self._blocking: set[int] = set()

    def run(self) -> list[ToolResult]:
        """Run every node and give their results by position.

        What goes wrong outside the nodes, an interrupt too, ends every script before it comes through.
        """
        try:
            self._advance()
            while self._queue.running:
                over = self._loop.next_result()
                self._queue.release()
                self._settle(over.position, over.result)
                self._advance()
        except BaseException:
            self._plan_run.cancellation.cancel()
            raise
        finally:
            self._loop.close()
        return [self._results[position] for position in range(len(self._plan_run.plan.tools))]

    def _advance(self) -> None:
        """Start and settle nodes until the next thing to do is to wait."""
        self._sort_ready()
        while (position := self._queue.take()) is not None:
            if not self._is_stopped():
                self._start(position)
            else:
                self._queue.release()
                self._settle(position, self._skipped_by_stop(position))
                self._sort_ready()

    def _sort_ready(self) -> None:
        while ready := self._ready.get_ready():
            for position in ready:
                result = self._result_without_running(position)
                if result is None:
                    self._queue.add(position, is_alone=not self._plan_run.plan.tools[position].is_async)
                else:
                    self._settle(position, result)

    def _result_without_running(self, position: int) -> ToolResult | None:
        tool = self._plan_run.plan.tools[position]
        if tool.tool_id in self._plan_run.finished:
            return self._plan_run.finished[tool.tool_id]
        bar = next((node for node in self._plan_run.graph.dependencies[position] if node in self._blocking), None)
        if bar is None:
            return None
        error = self._results[bar].error
        kind = FailureClass(error.type) if error else FailureClass.DEPENDENCY_FAILED
        if kind in _STOP_CLASSES:
            return skipped_result(tool, kind, _SKIP_MESSAGES[kind])
        said = f"Not run: {self._plan_run.plan.tools[bar].tool_id!r}, which it depends on, did not end well."
        return skipped_result(tool, FailureClass.DEPENDENCY_FAILED, said)

    def _is_stopped(self) -> bool:
        """Whether no further node starts."""
        is_late = self._plan_run.services.clock.monotonic() >= self._plan_run.deadline
        return is_late or self._plan_run.cancellation.is_cancelled

    def _start(self, position: int) -> None:
        course = self._plan_run
        tool = course.plan.tools[position]
        found = course.catalog.find_script(tool.tool_path)
        assert found is not None, "a plan that was checked names scripts that exist"  # noqa: S101  # for the type
        needed = [self._results[node] for node in course.graph.dependencies[position]]
        job = NodeTask(
            tool,
            found[0],
            found[1],
            has_references=bool(course.graph.references[position]),
            outputs={result.tool_id: result.output for result in needed if result.ok},
            absent=[result.tool_id for result in needed if not result.ok],
            request_id=course.plan.request_id,
            deadline=course.deadline,
            cancellation=course.cancellation,
            group=self._group,
            budget=self._budget,
        )
        self._loop.start(self._run(position, job))

    def _run(self, position: int, job: NodeTask) -> PollTask[NodeCompletion]:
        result = yield from run_node(self._plan_run.services, job, self._plan_run.emit)
        return NodeCompletion(position, result or self._skipped_by_stop(position))

    def _skipped_by_stop(self, position: int) -> ToolResult:
        """The result of a node whose turn had not come when the run was stopped."""
        kind = FailureClass.CANCELLED if self._plan_run.cancellation.is_cancelled else FailureClass.PLAN_TIMEOUT
        return skipped_result(self._plan_run.plan.tools[position], kind, _SKIP_MESSAGES[kind])

    def _settle(self, position: int, result: ToolResult) -> None:
        """Note a node's result. A required one that failed, and one that was skipped, bars what depends on it."""
        self._results[position] = result
        is_skipped = result.state is ExecutionState.SKIPPED
        if is_skipped or (self._plan_run.plan.tools[position].required and not result.ok):
            self._blocking.add(position)
        self._ready.done(position)
        self._plan_run.on_node_ended(result)


_SKIP_MESSAGES = {
    FailureClass.CANCELLED: "Not run: the run was cancelled.",
    FailureClass.PLAN_TIMEOUT: "Not run: the plan's time was over.",
}
