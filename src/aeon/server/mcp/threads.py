"""Work that may take its time, each piece on a thread of its own: whoever gives it up need not wait for it."""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T]) -> T:
    """The result of `work`; raises what it raises. Cancelled, it leaves the thread behind, which no exit waits for."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def tell(deliver: Callable[[], None]) -> None:
        if not ended.done():
            deliver()

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  # raised again where it is waited for
            failure = error
            deliver = lambda: ended.set_exception(failure)  # noqa: E731  # one of two
        else:
            deliver = lambda: ended.set_result(result)  # noqa: E731  # one of two
        try:
            loop.call_soon_threadsafe(tell, deliver)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    Thread(target=run, name="aeon-mcp-call", daemon=True).start()
    return await ended
