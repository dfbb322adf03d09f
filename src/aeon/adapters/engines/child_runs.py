"""Child runs: accepted once, executed anywhere, stopped with the step that started them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.platform.errors import NotFoundError, PlatformError
from aeon.platform.runs.machine.commands import StartRun
from aeon.platform.runs.machine.events import AttemptFailure, StepFailed, StepTimedOut
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import JobResult, Run
from aeon.platform.runs.ports import RunRepository

_STOP_TIMEOUT = 10.0
"""Seconds to wait for a cancelled run to end."""


class RunStarter(Protocol):
    """Starts another run."""

    def __call__(self, run: str) -> Awaitable[None]: ...


class ChildRuns:
    """The child runs of the runs in this process. Bound to one event loop."""

    def __init__(
        self,
        repository: RunRepository,
        retry: RetryUntilAvailable,
        start: RunStarter,
        until_ended: Callable[[str], Awaitable[None]],
        check_signals: Callable[[], None],
    ) -> None:
        """`until_ended` waits until a run may have ended; `check_signals` triggers a check of signals."""
        self._repository = repository
        self._retry = retry
        self._start = start
        self._until_ended = until_ended
        self._check_signals = check_signals

    async def run_child(self, caller: Run, command: StartRun, is_unwanted: Callable[[], bool]) -> JobResult:
        """Start a child run and return its result, within the step's timeout.

        The child run is cancelled at the timeout, and if the caller is cancelled while `is_unwanted` is true.
        Otherwise it continues, and another process waits for it next.
        """
        starting = asyncio.create_task(self._start_child(caller, command))
        try:
            run = await asyncio.shield(starting)
            async with asyncio.timeout(command.timeout):
                return await self._wait_for_result(run, command)
        except PlatformError as error:
            return JobResult(
                event=StepFailed(step=command.step, attempt=command.attempt, error=AttemptFailure.from_error(error))
            )
        except TimeoutError:
            await self._cancel_and_wait(caller, starting.result())
            return JobResult(event=StepTimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            if is_unwanted():
                with suppress(PlatformError):  # the child run was refused
                    await self._cancel_and_wait(caller, await starting)
            raise

    async def stop_child(self, caller: Run, run: str) -> None:
        """Cancel a child run that was started before a restart, if it exists."""
        with suppress(NotFoundError):
            if await self._retry.call(self._repository.get_phase, run) not in ENDED_PHASES:
                await self._start(run)  # it may have been accepted without being started
                await self._cancel_and_wait(caller, run)

    async def _start_child(self, caller: Run, command: StartRun) -> str:
        run = await self._retry.call(self._repository.accept_child, caller, command)
        await self._start(run)
        return run

    async def _wait_for_result(self, run: str, command: StartRun) -> JobResult:
        while (result := await self._retry.call(self._repository.find_child_result, run, command)) is None:
            await self._until_ended(run)
        return result

    async def _cancel_and_wait(self, caller: Run, run: str) -> None:
        await self._retry.call(self._repository.cancel_child, caller, run)
        self._check_signals()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_TIMEOUT):
                while await self._retry.call(self._repository.get_phase, run) not in ENDED_PHASES:
                    await self._until_ended(run)
