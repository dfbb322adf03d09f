"""Schedules a plan's nodes: starts ready ones, awaits running ones (skills 4, 5).

It settles those that cannot run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

from aeon.dag.scheduling import ReadySet
from aeon.observability.events import Event
from aeon.skills.executor.node_run import NodeServices, NodeTask, run_node
from aeon.skills.executor.plan_result import skipped_result
from aeon.skills.failures import FailureClass
from aeon.skills.invocation import Cancellation, OutputBudget
from aeon.skills.models import SkillCatalog
from aeon.skills.plan.graph import PlanGraph
from aeon.skills.plan_json import ExecutionState, PlanJson, ToolResult
from aeon.skills.poll_loop import PollTask, TaskLoop


class ReadyQueue:
    """Nodes ready to start, by position. An exclusive node starts only when nothing runs.

    While nodes run, concurrent nodes start before exclusive ones, so that no core is idle.
    """

    def __init__(self, width: int) -> None:
        """`width`: maximum number of nodes that run at once."""
        self._width = width
        self._concurrent: list[int] = []
        self._exclusive: list[int] = []
        self._is_exclusive = False
        self.running = 0

    def add(self, position: int, *, is_alone: bool) -> None:
        """Adds a node that is ready to start."""
        heappush(self._exclusive if is_alone else self._concurrent, position)

    def take(self) -> int | None:
        """Returns the node to start now, which then counts as running, or None if none may start."""
        if self._is_exclusive or self.running >= self._width:
            return None
        waiting = self._next_queue()
        if not waiting:
            return None
        self.running += 1
        self._is_exclusive = waiting is self._exclusive
        return heappop(waiting)

    def release(self) -> None:
        """Records that a running node has ended."""
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
    """A valid plan and everything needed to run it.

    `deadline` is the clock's; `emit` receives all events.
    """

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
    """Runs the nodes of one plan, all in the thread that calls `run`."""

    def __init__(self, plan_run: SkillPlanRun, loop: TaskLoop[NodeCompletion], width: int) -> None:
        self._plan_run = plan_run
        self._loop = loop
        self._ready = ReadySet(plan_run.graph.dependencies)
        self._budget = OutputBudget()
        self._queue = ReadyQueue(width)
        self._results: dict[int, ToolResult] = {}
        self._blocking: set[int] = set()

    def run(self) -> list[ToolResult]:
        """Runs every node and returns the results by position.

        An error outside the nodes, or an interrupt, ends every script before it is raised.
        """
        try:
            self._advance()
            while self._queue.running:
                completion = self._loop.next_result()
                self._queue.release()
                self._settle(completion.position, completion.result)
                self._advance()
        except BaseException:
            self._plan_run.cancellation.cancel()
            raise
        finally:
            self._loop.close()
        return [self._results[position] for position in range(len(self._plan_run.plan.tools))]

    def _advance(self) -> None:
        """Starts and settles nodes until it must wait."""
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
        blocker = next((node for node in self._plan_run.graph.dependencies[position] if node in self._blocking), None)
        if blocker is None:
            return None
        error = self._results[blocker].error
        kind = FailureClass(error.type) if error else FailureClass.DEPENDENCY_FAILED
        if kind in _STOP_CLASSES:
            return skipped_result(tool, kind, _SKIP_MESSAGES[kind])
        message = (
            f"Not run: {self._plan_run.plan.tools[blocker].tool_id!r}, which it depends on, failed or was skipped."
        )
        return skipped_result(tool, FailureClass.DEPENDENCY_FAILED, message)

    def _is_stopped(self) -> bool:
        """Whether no further node starts."""
        is_late = self._plan_run.services.clock.monotonic() >= self._plan_run.deadline
        return is_late or self._plan_run.cancellation.is_cancelled

    def _start(self, position: int) -> None:
        plan_run = self._plan_run
        tool = plan_run.plan.tools[position]
        match = plan_run.catalog.find_script(tool.tool_path)
        assert match is not None, "a plan that was checked names scripts that exist"  # noqa: S101  # for the type
        dependency_results = [self._results[node] for node in plan_run.graph.dependencies[position]]
        task = NodeTask(
            tool,
            match[0],
            match[1],
            has_references=bool(plan_run.graph.references[position]),
            outputs={result.tool_id: result.output for result in dependency_results if result.ok},
            absent=[result.tool_id for result in dependency_results if not result.ok],
            request_id=plan_run.plan.request_id,
            deadline=plan_run.deadline,
            cancellation=plan_run.cancellation,
            budget=self._budget,
        )
        self._loop.start(self._run(position, task))

    def _run(self, position: int, task: NodeTask) -> PollTask[NodeCompletion]:
        result = yield from run_node(self._plan_run.services, task, self._plan_run.emit)
        return NodeCompletion(position, result or self._skipped_by_stop(position))

    def _skipped_by_stop(self, position: int) -> ToolResult:
        """Returns the result of a node that had not started when the run was stopped."""
        kind = FailureClass.CANCELLED if self._plan_run.cancellation.is_cancelled else FailureClass.PLAN_TIMEOUT
        return skipped_result(self._plan_run.plan.tools[position], kind, _SKIP_MESSAGES[kind])

    def _settle(self, position: int, result: ToolResult) -> None:
        """Records a node's result. A failed required node and a skipped node block their dependents."""
        self._results[position] = result
        is_skipped = result.state is ExecutionState.SKIPPED
        if is_skipped or (self._plan_run.plan.tools[position].required and not result.ok):
            self._blocking.add(position)
        self._ready.done(position)
        self._plan_run.on_node_ended(result)


_SKIP_MESSAGES = {
    FailureClass.CANCELLED: "Not run: the run was cancelled.",
    FailureClass.PLAN_TIMEOUT: "Not run: the plan timed out.",
}
