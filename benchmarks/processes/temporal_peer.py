"""A workflow of activities on Temporal's dev server, which has a file of its own: imported where it is measured."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from aeon.testing.temporal_server import TemporalServer


@activity.defn
async def act(number: int) -> int:
    """Nothing."""
    return number


@workflow.defn
class Chain:
    """One activity after the other."""

    @workflow.run
    async def run(self, width: int) -> int:
        for number in range(width):
            await workflow.execute_activity(act, number, start_to_close_timeout=timedelta(seconds=10))
        return width


@workflow.defn
class Loop:
    """Activities, eight at once."""

    @workflow.run
    async def run(self, width: int) -> int:
        free = asyncio.Semaphore(8)

        async def item(number: int) -> None:
            async with free:
                await workflow.execute_activity(act, number, start_to_close_timeout=timedelta(seconds=60))

        await asyncio.gather(*(item(number) for number in range(width)))
        return width


def timed(kind: str, width: int, runs: int, folder: Path) -> list[float]:
    """Milliseconds of each run, after one that is not counted."""
    server = TemporalServer(folder)
    server.start()
    try:
        return asyncio.run(_timed(server.address, Chain.run if kind == "chain" else Loop.run, width, runs))
    finally:
        server.stop()


async def _timed(address: str, run: Callable[..., Any], width: int, runs: int) -> list[float]:
    client = await Client.connect(address)
    found: list[float] = []
    async with Worker(
        client,
        task_queue="bench",
        workflows=[Chain, Loop],
        activities=[act],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        for number in range(runs + 1):
            began = time.perf_counter()
            await client.execute_workflow(run, width, id=f"run-{number}", task_queue="bench")
            found.append((time.perf_counter() - began) * 1e3)
    return found[1:]
