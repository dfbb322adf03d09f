"""Retries calls while a store or engine is unavailable (platform 10)."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import ParamSpec, TypeVar

from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import StoreError

T = TypeVar("T")
P = ParamSpec("P")

_LOG = logging.getLogger("aeon.engine")

_MIN_PAUSE, _MAX_PAUSE = 0.1, 5.0
"""Seconds between two attempts; each pause is twice the one before."""

_WARN_INTERVAL = 60.0
"""Seconds before the same warning is repeated."""


def pauses() -> Generator[float]:
    """Yield the seconds to wait before each next attempt, without an end."""
    pause = _MIN_PAUSE
    while True:
        yield pause
        pause = min(pause * 2, _MAX_PAUSE)


class OutageLog:
    """Logs outages, each at most once a minute. Thread-safe."""

    def __init__(self) -> None:
        self._warned_at: dict[str, float] = {}

    def warn(self, why: str) -> None:
        now = time.monotonic()
        if now - self._warned_at.get(why, -_WARN_INTERVAL) >= _WARN_INTERVAL:
            self._warned_at = {why: now}
            _LOG.warning("%s Retrying until it works; results of runs are kept meanwhile.", why)


class RetryUntilAvailable:
    """Retries calls during outages. Blocking calls run in a thread, outside of the current workflow."""

    def __init__(self, halted: threading.Event) -> None:
        """Once `halted` is set, no more calls are made."""
        self._halted = halted
        self._outages = OutageLog()

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a blocking call, retried during outages. Raises HaltError once halted."""
        loop = asyncio.get_running_loop()
        return await self.call_async(lambda: loop.run_in_executor(None, partial(function, *args, **kwargs)))

    async def call_async(self, function: Callable[[], Awaitable[T]]) -> T:
        """Return the result of an asynchronous call, retried during outages. Raises HaltError once halted."""
        for pause in pauses():
            if self._halted.is_set():
                break
            try:
                return await function()
            except (StoreError, EngineUnavailableError) as error:
                self._outages.warn(error.message)
                await asyncio.sleep(pause)
        raise HaltError("The engine is closed.")


_POLL_INTERVAL = 0.25


def wait_until(is_so: Callable[[], bool], seconds: float | None, event: threading.Event | None = None) -> bool:
    """Wait for a condition, for at most `seconds`; return whether it holds.

    `event` ends a pause early.
    """
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        pause = _POLL_INTERVAL if until is None else max(0.0, min(_POLL_INTERVAL, until - time.monotonic()))
        if event is not None:
            event.wait(pause)
        if is_so():
            return True
        if not pause:
            return False
        if event is None or event.is_set():
            time.sleep(pause)
