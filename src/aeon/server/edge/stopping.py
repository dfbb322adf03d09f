"""Ends what runs for a request when the server stops, which would wait for it otherwise."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from aeon.application.skills import Cancellation
from aeon.server.edge.state import ServerState

_LOOK_EVERY: Final = 0.2
"""Seconds between two looks whether the server stops."""


@asynccontextmanager
async def cancelled_at_stop(state: ServerState) -> AsyncGenerator[Cancellation]:
    """A cancellation for a script that takes effect when the server stops."""
    with Cancellation() as cancellation:
        watching = asyncio.create_task(_cancel(state, cancellation))
        try:
            yield cancellation
        finally:
            watching.cancel()


async def _cancel(state: ServerState, cancellation: Cancellation) -> None:
    while not state.stopping.is_set():  # noqa: ASYNC110  # a signal's handler sets it, not the loop
        await anyio.sleep(_LOOK_EVERY)
    cancellation.cancel()
