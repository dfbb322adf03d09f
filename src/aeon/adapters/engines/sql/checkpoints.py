"""The checkpoints of a run: each attempt is stored before the run continues, and a stored one is not made again."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from aeon.adapters.engines.run_host import AttemptFunction
from aeon.adapters.engines.sql.journal import UNKNOWN_CALL, AttemptKey, Journal
from aeon.base.json import JsonObject, json_digest
from aeon.base.long_calls import in_long_call
from aeon.platform.runs.lease import HaltError, LeaseLostError
from aeon.platform.runs.model import JobResult

_LOG = logging.getLogger("aeon.engine")


class RunCheckpoints:
    """The checkpoints of one execution of a run."""

    def __init__(self, journal: Journal, run: str, token: str) -> None:
        """Results are stored only while the execution with that token owns the run."""
        self._journal = journal
        self._run = run
        self._token = token
        self._completed: dict[AttemptKey, str] | None = None
        self._lock = threading.Lock()

    def confirm(self) -> None:
        """Raise LeaseLostError if another execution owns the run. Raises EngineUnavailableError."""
        if not self._journal.is_owner(self._run, self._token):
            raise LeaseLostError(f"The run {self._run} is now executed by another executor.")

    async def __call__(self, position: int, attempt: int, make: AttemptFunction, call: JsonObject) -> JobResult:
        """Return the stored result of an attempt at this call, or make the attempt and store its result.

        Blocking functions run in the thread that stores the result: a thread switch costs as much as either. Raises
        HaltError, and LeaseLostError if another execution owns the run.
        """
        key = (position, attempt)
        digest = json_digest(call)
        if not inspect.iscoroutinefunction(make):
            return await in_long_call(partial(self._run_blocking, key, digest, cast(Callable[[], JobResult], make)))
        earlier = await asyncio.to_thread(self._load_earlier, key, digest)
        if earlier is not None:
            return earlier
        result = await cast(Callable[[], Awaitable[JobResult]], make)()
        await asyncio.to_thread(self._save, key, digest, result)
        return result

    def _run_blocking(self, key: AttemptKey, call: str, make: Callable[[], JobResult]) -> JobResult:
        earlier = self._load_earlier(key, call)
        if earlier is not None:
            return earlier
        result = make()
        self._save(key, call, result)
        return result

    def _load_earlier(self, key: AttemptKey, call: str) -> JobResult | None:
        try:
            with self._lock:
                if self._completed is None:
                    self._completed = self._journal.completed_attempts(self._run)
            is_stored = self._completed.get(key) in (call, UNKNOWN_CALL)
            return self._journal.load(self._run, key) if is_stored else None
        except HaltError:
            raise
        except Exception as error:
            raise HaltError(f"The result of a step could not be read: {error}") from error

    def _save(self, key: AttemptKey, call: str, result: JobResult) -> None:
        try:
            self._journal.save(self._run, key, result, self._token, call)
        except LeaseLostError as lost:  # the caller may have gone
            _LOG.warning("%s", lost.message)
            raise
        except HaltError:
            raise
        except Exception as error:
            raise HaltError(f"The result of a step could not be stored: {error}") from error
