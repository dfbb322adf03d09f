"""Runs the coroutines of async tools for the kernel, which is synchronous.

They run on the event loop of the program if a loop of it waits for the call (`async_tools_on`, which
`Project.in_thread` uses), so that a tool may share the program's async clients. Otherwise they run on one loop in a
thread of Aeon, the same for all calls. A loop that is itself blocked by the call is not used: the coroutine gets a loop
of its own then.
"""

import sys
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from aeon.base.cancellation import on_cancel
from aeon.base.errors import ToolError
from aeon.base.event_loop import EventLoopThread

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

_SHARED = EventLoopThread("aeon-async-tools")
"""The loop for calls that no loop of the program waits for. It starts with the first of them."""

_WAITING: "ContextVar[asyncio.AbstractEventLoop | None]" = ContextVar("waiting_loop", default=None)
_BLOCKED: "ContextVar[frozenset[asyncio.AbstractEventLoop]]" = ContextVar("blocked_loops", default=frozenset())


@contextmanager
def async_tools_on(loop: "asyncio.AbstractEventLoop") -> Generator[None]:
    """Async tools that are called inside the context run on `loop`, which must be running and not be blocked."""
    token = _WAITING.set(loop)
    try:
        yield
    finally:
        _WAITING.reset(token)


@contextmanager
def blocking_own_loop() -> Generator[None]:
    """Marks the loop that runs in this thread, if one does, as blocked by what happens inside the context."""
    own = _running_loop()
    if own is None:
        yield
        return
    token = _BLOCKED.set(_BLOCKED.get() | {own})
    try:
        yield
    finally:
        _BLOCKED.reset(token)


def _running_loop() -> "asyncio.AbstractEventLoop | None":
    """Returns the loop that runs in this thread, if one does."""
    if "asyncio" not in sys.modules:  # no loop runs before asyncio is loaded, which is slow
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def run_async(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs the coroutine that `start` returns, and waits for its result.

    It is cancelled if the call is: on a timeout or an interruption. Raises what the coroutine raises, and ToolError if
    it was cancelled.
    """
    future = _submit(start())
    with on_cancel(lambda: _cancel(future)):
        try:
            return future.result()
        except CancelledError:
            raise ToolError("The tool was cancelled before it had a result.") from None
        except BaseException:
            future.cancel()
            raise


def _submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    import asyncio

    loop, blocked = _WAITING.get(), _BLOCKED.get()
    if loop is not None and loop.is_running() and loop not in blocked:
        return asyncio.run_coroutine_threadsafe(work, loop)
    shared = _SHARED.loop()
    if shared not in blocked:
        return asyncio.run_coroutine_threadsafe(work, shared)
    own = EventLoopThread("aeon-async-tool")
    future = own.submit(work)
    future.add_done_callback(lambda _: own.close())
    return future


def _cancel(future: Future[Any]) -> None:
    with suppress(RuntimeError):  # its loop was closed
        future.cancel()
