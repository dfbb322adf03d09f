"""An event loop in a thread of its own, for clients that speak asynchronously only."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from aeon.base.long_calls import SHORT_CALLS

T = TypeVar("T")


class EventLoopThread:
    """Runs coroutines for other threads. Started on first use; closed, it takes no more. Threads may share it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the coroutine comes to; it is cancelled when the waiting is interrupted.

        Raises what the coroutine raises, and RuntimeError once the loop was closed.
        """
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._running())
        except RuntimeError:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End the thread; what still runs in it is cancelled. Twice is once."""
        with self._lock:
            self._is_closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    @property
    def is_running(self) -> bool:
        """Whether it was used, and not closed since."""
        return self._loop is not None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the event loop was closed")
            if self._loop is None:
                started: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=_serve, args=(started,), name=self._name, daemon=True)
                self._thread.start()
                self._loop = started.result()
            return self._loop


def _serve(started: Future[asyncio.AbstractEventLoop]) -> None:
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        loop.set_default_executor(ThreadPoolExecutor(SHORT_CALLS, "aeon-short-call"))
        started.set_result(loop)
        loop.run_forever()
