"""A workflow of activities on Temporal's dev server, which has a file of its own: imported where it is measured."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path

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


def timed(kind: str, width: int, runs: int, folder: Path) -> list[float]:
    """Milliseconds of each run, after one that is not counted."""
    assert kind == "chain"
    server = TemporalServer(folder)
    server.start()
    try:
        return asyncio.run(_timed(server.address, width, runs))
    finally:
        server.stop()


async def _timed(address: str, width: int, runs: int) -> list[float]:
    client = await Client.connect(address)
    found: list[float] = []
    async with Worker(
        client, task_queue="bench", workflows=[Chain], activities=[act], workflow_runner=UnsandboxedWorkflowRunner()
    ):
        for number in range(runs + 1):
            began = time.perf_counter()
            await client.execute_workflow(Chain.run, width, id=f"run-{number}", task_queue="bench")
            found.append((time.perf_counter() - began) * 1e3)
    return found[1:]
