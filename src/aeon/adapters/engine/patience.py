"""Asking what is away for a while again and again: its disk is full, or its server gone (platform 10)."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ParamSpec, TypeVar

from aeon.platform.processes.runs.engine import EngineUnavailableError
from aeon.platform.processes.runs.lease import HaltError
from aeon.platform.store import StoreError

T = TypeVar("T")
P = ParamSpec("P")

_LOG = logging.getLogger("aeon.engine")

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two tries; each pause is twice the one before."""

_TELLS_EVERY = 60.0
"""Seconds before the same is told again."""


class Trouble:
    """Says on the log what is away, now and then. Threads may share it."""

    def __init__(self) -> None:
        self._told: dict[str, float] = {}

    def tell(self, why: str) -> None:
        now = time.monotonic()
        if now - self._told.get(why, -_TELLS_EVERY) >= _TELLS_EVERY:
            self._told = {why: now}
            _LOG.warning("%s It is tried again until that works; what runs came to is kept meanwhile.", why)


class Patience:
    """What is asked blocks, in a thread, outside of whatever workflow asks for it."""

    def __init__(self, halted: threading.Event) -> None:
        """Once `halted` nothing more is asked."""
        self._halted = halted
        self._trouble = Trouble()

    async def ask(self, act: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What it comes to, however long the record or the engine is away. Raises HaltError once halted."""
        loop = asyncio.get_running_loop()
        return await self.until_done(lambda: loop.run_in_executor(None, partial(act, *given, **named)))

    async def until_done(self, act: Callable[[], Awaitable[T]]) -> T:
        """The same for what does not block."""
        pause = _SHORTEST_PAUSE
        while True:
            if self._halted.is_set():
                raise HaltError("The engine is closed.")
            try:
                return await act()
            except (StoreError, EngineUnavailableError) as error:
                self._trouble.tell(error.message)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
