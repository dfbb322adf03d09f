"""One run's attempts: each is made once, whoever carries the run out, and however often."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import cast

from aeon.adapters.engine.carrying import AttemptFunction
from aeon.adapters.engine.dbos.journal import AttemptKey, Journal
from aeon.platform.processes.runs.conducting import HaltError, LeaseLostError
from aeon.platform.processes.runs.model import JobResult

_LOG = logging.getLogger("aeon.engine")


class RunCheckpoints:
    """Those of one run, as long as this process carries it out."""

    def __init__(self, journal: Journal, run: str, executor: str | None = None) -> None:
        """What the run comes to is kept only while `executor` has it; None for one that nobody else can take."""
        self._journal = journal
        self._run = run
        self._executor = executor
        self._owner: str | None = None
        self._completed: set[AttemptKey] | None = None
        self._lock = threading.Lock()

    def acquire(self) -> None:
        """From now on keep attempts as the execution that has the run now. Raises TakenOverError if it is another's."""
        if self._executor is not None and self._owner is None:
            self._owner = self._journal.owner_token(self._run, self._executor)

    def is_owner(self) -> bool:
        """Whether the execution that owned the run still does; False if none of ours did."""
        if self._owner is None or self._executor is None:
            return False
        try:
            return self._journal.owner_token(self._run, self._executor) == self._owner
        except LeaseLostError:
            return False

    async def __call__(self, position: int, attempt: int, makes: AttemptFunction) -> JobResult:
        """What an attempt came to: earlier, if it came to an end and was kept, and else now, kept.

        What blocks is made in the thread that keeps it: a change of threads costs as much as either. Raises HaltError,
        and TakenOverError when somebody else kept it first.
        """
        key = (position, attempt)
        if not inspect.iscoroutinefunction(makes):
            return await asyncio.to_thread(self._run_blocking, key, cast(Callable[[], JobResult], makes))
        earlier = await asyncio.to_thread(self._load_earlier, key)
        if earlier is not None:
            return earlier
        done = await cast(Callable[[], Awaitable[JobResult]], makes)()
        await asyncio.to_thread(self._save, key, done)
        return done

    def _run_blocking(self, key: AttemptKey, makes: Callable[[], JobResult]) -> JobResult:
        earlier = self._load_earlier(key)
        if earlier is not None:
            return earlier
        done = makes()
        self._save(key, done)
        return done

    def _load_earlier(self, key: AttemptKey) -> JobResult | None:
        try:
            with self._lock:
                if self._completed is None:
                    self.acquire()
                    self._completed = self._journal.completed_attempts(self._run)
            return self._journal.load(self._run, key) if key in self._completed else None
        except HaltError:
            raise
        except Exception as unread:
            raise HaltError(f"What a step came to could not be read: {unread}") from unread

    def _save(self, key: AttemptKey, done: JobResult) -> None:
        try:
            self._journal.save(self._run, key, done, self._owner)
        except LeaseLostError as lost:  # nobody may be waiting for it any more
            _LOG.warning("%s", lost.message)
            raise
        except HaltError:
            raise
        except Exception as unkept:
            raise HaltError(f"What a step came to could not be kept: {unkept}") from unkept
