"""Runs that steps of other runs start: accepted once, carried out wherever, stopped with the step that began them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from aeon.adapters.engines.retry import RetryUntilAvailable
from aeon.platform.errors import NotFoundError, PlatformError
from aeon.platform.runs.machine.commands import StartProcess
from aeon.platform.runs.machine.events import AttemptFailure, StepFailed, StepTimedOut
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.platform.runs.model import JobResult, Run
from aeon.platform.runs.ports import RunRepository

_STOP_TIMEOUT = 10.0
"""Seconds that a run which is told to stop is waited for."""


class RunStarter(Protocol):
    """Has another run carried out."""

    def __call__(self, run: str) -> Awaitable[None]: ...


class ChildRuns:
    """Those of the runs that this process carries out. All of it belongs to one event loop."""

    def __init__(
        self,
        book: RunRepository,
        patience: RetryUntilAvailable,
        start: RunStarter,
        until_ended: Callable[[str], Awaitable[None]],
        look: Callable[[], None],
    ) -> None:
        """`until_ended` waits until a run may have ended; `look` has it looked at what is wanted of the runs here."""
        self._book = book
        self._retry = patience
        self._start = start
        self._until_ended = until_ended
        self._check_signals = look

    async def run_child(self, caller: Run, command: StartProcess, is_unwanted: Callable[[], bool]) -> JobResult:
        """Have a run carried out that a step starts; what it came to, within the step's time.

        It is stopped when that time is over, and when whoever waits for it is cancelled because it `is_unwanted`. Else
        it goes on: somebody else waits for it next.
        """
        beginning = asyncio.create_task(self._start_child(caller, command))
        try:
            run = await asyncio.shield(beginning)
            async with asyncio.timeout(command.timeout):
                return await self._wait_for_result(run, command)
        except PlatformError as error:
            return JobResult(
                event=StepFailed(step=command.step, attempt=command.attempt, error=AttemptFailure.from_error(error))
            )
        except TimeoutError:
            await self._cancel_and_wait(caller, beginning.result())
            return JobResult(event=StepTimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            if is_unwanted():
                with suppress(PlatformError):  # it was refused
                    await self._cancel_and_wait(caller, await beginning)
            raise

    async def stop_child(self, caller: Run, run: str) -> None:
        """Have a run stopped that was begun before a restart, if it ever was."""
        with suppress(NotFoundError):
            if await self._retry.call(self._book.get_phase, run) not in ENDED_PHASES:
                await self._start(run)  # whoever accepted it may not have come to that
                await self._cancel_and_wait(caller, run)

    async def _start_child(self, caller: Run, command: StartProcess) -> str:
        run = await self._retry.call(self._book.accept_child, caller, command)
        await self._start(run)
        return run

    async def _wait_for_result(self, run: str, command: StartProcess) -> JobResult:
        while (done := await self._retry.call(self._book.find_child_result, run, command)) is None:
            await self._until_ended(run)
        return done

    async def _cancel_and_wait(self, caller: Run, run: str) -> None:
        await self._retry.call(self._book.cancel_child, caller, run)
        self._check_signals()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_TIMEOUT):
                while await self._retry.call(self._book.get_phase, run) not in ENDED_PHASES:
                    await self._until_ended(run)
