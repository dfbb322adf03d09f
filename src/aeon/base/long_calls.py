"""Threads of event loops: a few for short calls, and others for long ones, so that neither waits for the other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import TypeVar

T = TypeVar("T")

SHORT_CALLS = 12
"""Threads of an event loop for short calls, such as queries, however many tasks wait for them."""

_LONG_CALLS = 10_000
"""Threads for long calls. Their callers limit how many there are: each has a worker, and settings limit these."""


async def in_long_call(work: Callable[[], T]) -> T:
    """The result of work that blocks for long, in a thread that short calls do not wait for."""
    import asyncio  # slow to load

    return await asyncio.get_running_loop().run_in_executor(_long_calls(), copy_context().run, work)


@cache
def _long_calls() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_LONG_CALLS, "aeon-long-call")
