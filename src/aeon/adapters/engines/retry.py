"""Asking what is away for a while again and again: its disk is full, or its server gone (platform 10)."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ParamSpec, TypeVar

from aeon.platform.runs.lease import HaltError
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import StoreError

T = TypeVar("T")
P = ParamSpec("P")

_LOG = logging.getLogger("aeon.engine")

_MIN_PAUSE, _MAX_PAUSE = 0.1, 5.0
"""Seconds between two tries; each pause is twice the one before."""

_WARN_INTERVAL = 60.0
"""Seconds before the same is told again."""


class OutageLog:
    """Says on the log what is away, now and then. Threads may share it."""

    def __init__(self) -> None:
        self._warned_at: dict[str, float] = {}

    def warn(self, why: str) -> None:
        now = time.monotonic()
        if now - self._warned_at.get(why, -_WARN_INTERVAL) >= _WARN_INTERVAL:
            self._warned_at = {why: now}
            _LOG.warning("%s It is tried again until that works; what runs came to is kept meanwhile.", why)


class RetryUntilAvailable:
    """Calls what blocks in a thread, outside of the workflow that waits for the result."""

    def __init__(self, halted: threading.Event) -> None:
        """Once `halted` nothing more is asked."""
        self._halted = halted
        self._outages = OutageLog()

    async def call(self, act: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What it comes to, however long the record or the engine is away. Raises HaltError once halted."""
        loop = asyncio.get_running_loop()
        return await self.call_async(lambda: loop.run_in_executor(None, partial(act, *given, **named)))

    async def call_async(self, act: Callable[[], Awaitable[T]]) -> T:
        """The same for a call that does not block."""
        pause = _MIN_PAUSE
        while True:
            if self._halted.is_set():
                raise HaltError("The engine is closed.")
            try:
                return await act()
            except (StoreError, EngineUnavailableError) as error:
                self._outages.warn(error.message)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _MAX_PAUSE)


_POLL_INTERVAL = 0.25


def wait_until(is_so: Callable[[], bool], seconds: float | None, told: threading.Event | None = None) -> bool:
    """Whether it is so, after waiting for that so long at most; looked at when it is told, and now and then before."""
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        left = _POLL_INTERVAL if until is None else max(0.0, min(_POLL_INTERVAL, until - time.monotonic()))
        if told is not None:
            told.wait(left)
        if is_so():
            return True
        if not left:
            return False
        if told is None or told.is_set():
            time.sleep(left)
