"""One run's attempts: each is made once, whoever carries the run out, and however often."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import cast

from aeon.adapters.engine.carrying import Makes
from aeon.adapters.engine.dbos.journal import Journal, Key
from aeon.platform.processes.runs.conducting import HaltError
from aeon.platform.processes.runs.model import Done


class Checkpoints:
    """Those of one run, as long as this process carries it out."""

    def __init__(self, journal: Journal, run: str) -> None:
        self._journal = journal
        self._run = run
        self._known: set[Key] | None = None
        self._looking = threading.Lock()

    async def __call__(self, position: int, attempt: int, makes: Makes) -> Done:
        """What an attempt came to: earlier, if it came to an end and was kept, and else now, kept.

        What blocks is made in the thread that keeps it: a change of threads costs as much as either. Raises HaltError,
        and TakenOverError when somebody else kept it first.
        """
        key = (position, attempt)
        if not inspect.iscoroutinefunction(makes):
            return await asyncio.to_thread(self._made, key, cast(Callable[[], Done], makes))
        earlier = await asyncio.to_thread(self._earlier, key)
        if earlier is not None:
            return earlier
        done = await cast(Callable[[], Awaitable[Done]], makes)()
        await asyncio.to_thread(self._keep, key, done)
        return done

    def _made(self, key: Key, makes: Callable[[], Done]) -> Done:
        earlier = self._earlier(key)
        if earlier is not None:
            return earlier
        done = makes()
        self._keep(key, done)
        return done

    def _earlier(self, key: Key) -> Done | None:
        try:
            with self._looking:
                if self._known is None:
                    self._known = self._journal.known(self._run)
            return self._journal.kept(self._run, key) if key in self._known else None
        except HaltError:
            raise
        except Exception as unread:
            raise HaltError(f"What a step came to could not be read: {unread}") from unread

    def _keep(self, key: Key, done: Done) -> None:
        try:
            self._journal.keep(self._run, key, done)
        except HaltError:
            raise
        except Exception as unkept:
            raise HaltError(f"What a step came to could not be kept: {unkept}") from unkept
