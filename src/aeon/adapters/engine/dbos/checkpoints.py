"""One run's attempts: each is made once, whoever carries the run out, and however often."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from aeon.adapters.engine.carrying import Makes
from aeon.adapters.engine.dbos.journal import Journal, Key
from aeon.base.long_calls import in_long_call
from aeon.platform.processes.runs.lease import HaltError, TakenOverError
from aeon.platform.processes.runs.model import Done

_LOG = logging.getLogger("aeon.engine")


class Checkpoints:
    """Those of one run, as long as this process carries it out."""

    def __init__(self, journal: Journal, run: str, executor: str | None = None) -> None:
        """What the run comes to is kept only while `executor` has it; None for one that nobody else can take."""
        self._journal = journal
        self._run = run
        self._executor = executor
        self._owner: str | None = None
        self._known: set[Key] | None = None
        self._looking = threading.Lock()

    def own(self) -> None:
        """From now on keep attempts as the execution that has the run now. Raises TakenOverError if it is another's."""
        if self._executor is not None and self._owner is None:
            self._owner = self._journal.owner(self._run, self._executor)

    def is_owner(self) -> bool:
        """Whether the execution that owned the run still does; False if none of ours did."""
        if self._owner is None or self._executor is None:
            return False
        try:
            return self._journal.owner(self._run, self._executor) == self._owner
        except TakenOverError:
            return False

    async def __call__(self, position: int, attempt: int, makes: Makes) -> Done:
        """What an attempt came to: earlier, if it came to an end and was kept, and else now, kept.

        What blocks is made in the thread that keeps it: a change of threads costs as much as either. Raises HaltError,
        and TakenOverError when somebody else kept it first.
        """
        key = (position, attempt)
        if not inspect.iscoroutinefunction(makes):
            return await in_long_call(partial(self._made, key, cast(Callable[[], Done], makes)))
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
                    self.own()
                    self._known = self._journal.known(self._run)
            return self._journal.kept(self._run, key) if key in self._known else None
        except HaltError:
            raise
        except Exception as unread:
            raise HaltError(f"What a step came to could not be read: {unread}") from unread

    def _keep(self, key: Key, done: Done) -> None:
        try:
            self._journal.keep(self._run, key, done, self._owner)
        except TakenOverError as lost:  # nobody may be waiting for it any more
            _LOG.warning("%s", lost.message)
            raise
        except HaltError:
            raise
        except Exception as unkept:
            raise HaltError(f"What a step came to could not be kept: {unkept}") from unkept
