"""The tasks of the runs that this process executes, in one event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

from aeon.adapters.engines.retry import wait_until
from aeon.base.event_loop import EventLoopThread
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.ports import RunRepository

T = TypeVar("T")

HostFunction: TypeAlias = Callable[[], Awaitable[bool]]
"""Executes a run; returns whether the run has ended, and False if this process stopped before."""


class _Execution(threading.Event):
    """Set when this process no longer executes a run."""

    has_ended = False


class RunTasks:
    """One task for each execution of a run. `run`, `wait` and `close` are for other threads."""

    def __init__(self, repository: RunRepository) -> None:
        self._repository = repository
        self._thread = EventLoopThread("aeon-runs")
        self._latest: dict[str, _Execution] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_executed(self, run: str) -> bool:
        """Return whether this process executes the run. Thread-safe."""
        return run in self._latest

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine, such as `spawn`, that runs in the loop."""
        return self._thread.run(work)

    async def spawn(self, run: str, host: HostFunction) -> None:
        """Execute a run, from a coroutine of the loop."""
        execution = self._latest[run] = _Execution()
        task = asyncio.create_task(self._execute(run, execution, host))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def wait(self, run: str, seconds: float | None) -> bool:
        """Wait for the run to end, for at most `seconds`; return whether it has ended."""
        execution = self._latest.get(run)
        return wait_until(
            lambda: (execution is not None and execution.has_ended) or self._repository.get_phase(run) in ENDED_PHASES,
            seconds,
            execution,
        )

    def close(self) -> None:
        """Cancel all tasks, and end the loop."""
        self._thread.close()

    async def _execute(self, run: str, execution: _Execution, host: HostFunction) -> None:
        try:
            execution.has_ended = await host()
        finally:
            if self._latest.get(run) is execution:
                del self._latest[run]
            execution.set()
