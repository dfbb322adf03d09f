"""Runs that steps of other runs start: accepted once, carried out wherever, stopped with the step that began them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from aeon.adapters.engine.patience import Patience
from aeon.platform.errors import NotFoundError, PlatformError
from aeon.platform.processes.running.commands import StartProcess
from aeon.platform.processes.running.events import Failure, StepFailed, TimedOut
from aeon.platform.processes.running.state import ENDED
from aeon.platform.processes.runs.engine import Book
from aeon.platform.processes.runs.model import Done, Run

_STOPS_WITHIN = 10.0
"""Seconds that a run which is told to stop is waited for."""


class Started(Protocol):
    """Has another run carried out."""

    def __call__(self, run: str) -> Awaitable[None]: ...


class CalledRuns:
    """Those of the runs that this process carries out. All of it belongs to one event loop."""

    def __init__(
        self,
        book: Book,
        patience: Patience,
        start: Started,
        until_ended: Callable[[str], Awaitable[None]],
        look: Callable[[], None],
    ) -> None:
        """`until_ended` waits until a run may have ended; `look` has it looked at what is wanted of the runs here."""
        self._book = book
        self._patience = patience
        self._start = start
        self._until_ended = until_ended
        self._look = look

    async def carry_out(self, caller: Run, command: StartProcess, is_unwanted: Callable[[], bool]) -> Done:
        """Have a run carried out that a step starts; what it came to, within the step's time.

        It is stopped when that time is over, and when whoever waits for it is cancelled because it `is_unwanted`. Else
        it goes on: somebody else waits for it next.
        """
        beginning = asyncio.create_task(self._begun(caller, command))
        try:
            run = await asyncio.shield(beginning)
            async with asyncio.timeout(command.timeout):
                return await self._outcome(run, command)
        except PlatformError as error:
            return Done(event=StepFailed(step=command.step, attempt=command.attempt, error=Failure.of(error)))
        except TimeoutError:
            await self._stopped(caller, beginning.result())
            return Done(event=TimedOut(step=command.step, attempt=command.attempt))
        except asyncio.CancelledError:
            if is_unwanted():
                with suppress(PlatformError):  # it was refused
                    await self._stopped(caller, await beginning)
            raise

    async def stop(self, caller: Run, run: str) -> None:
        """Have a run stopped that was begun before a restart, if it ever was."""
        with suppress(NotFoundError):
            if await self._patience.ask(self._book.phase, run) not in ENDED:
                await self._start(run)  # whoever accepted it may not have come to that
                await self._stopped(caller, run)

    async def _begun(self, caller: Run, command: StartProcess) -> str:
        run = await self._patience.ask(self._book.accept_called, caller, command)
        await self._start(run)
        return run

    async def _outcome(self, run: str, command: StartProcess) -> Done:
        while (done := await self._patience.ask(self._book.outcome, run, command)) is None:
            await self._until_ended(run)
        return done

    async def _stopped(self, caller: Run, run: str) -> None:
        await self._patience.ask(self._book.cancel_called, caller, run)
        self._look()
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOPS_WITHIN):
                while await self._patience.ask(self._book.phase, run) not in ENDED:
                    await self._until_ended(run)
