"""An event loop in its own thread, for client libraries that are only asynchronous."""

import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from aeon.base.long_calls import SHORT_CALLS

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class EventLoopThread:
    """Runs coroutines for other threads. Starts on first use; accepts none after `close`. Thread-safe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Returns the coroutine's result; cancels the coroutine if the wait is interrupted.

        Raises what the coroutine raises, and RuntimeError after `close`.
        """
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Starts the coroutine; cancelling the future cancels it. Raises RuntimeError after `close`."""
        import asyncio  # slow to load

        try:
            return asyncio.run_coroutine_threadsafe(work, self._running())
        except RuntimeError:
            work.close()
            raise

    def close(self) -> None:
        """Ends the thread and cancels what still runs in it. Calling it again does nothing."""
        with self._lock:
            self._is_closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            if thread is not threading.current_thread():
                thread.join()

    def loop(self) -> "asyncio.AbstractEventLoop":
        """The loop, started if needed. Raises RuntimeError after `close`."""
        return self._running()

    @property
    def is_running(self) -> bool:
        """Whether the loop was started and not closed since."""
        return self._loop is not None

    def _running(self) -> "asyncio.AbstractEventLoop":
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the event loop was closed")
            if self._loop is None:
                started: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=_serve, args=(started,), name=self._name, daemon=True)
                self._thread.start()
                self._loop = started.result()
            return self._loop


def _serve(started: "Future[asyncio.AbstractEventLoop]") -> None:
    import asyncio

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        loop.set_default_executor(ThreadPoolExecutor(SHORT_CALLS, "aeon-short-call"))
        started.set_result(loop)
        loop.run_forever()
