"""Takes and gives back places as `python limited_process.py ADDRESS EXECUTOR TOOL CALLS LASTS`, for a test.

Each call that begins or ends is a line: `begin NANOSECONDS` or `end NANOSECONDS`. ADDRESS is the folder of a record, or
that of a record in PostgreSQL. With CALLS 0 it takes one place and keeps it.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from aeon.adapters.store.postgresql import open_postgresql
from aeon.base.clock import SystemClock
from aeon.platform.runs.model import Job
from aeon.platform.workers.fair_slots import FairSlots
from aeon.platform.workers.rate_limits.leases import ServiceLeaseStore
from aeon.platform.workers.rate_limits.limiter import RateLimiter
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.records import new_record


def opened(address):
    return open_postgresql(address) if address.startswith("postgresql:") else new_record(Path(address))


def job(id_, tool, timeout=60):
    return Job(
        id=id_,
        run_id="run",
        step="step",
        attempt=1,
        user="user",
        tool=tool,
        name="tool",
        owner="user",
        worker="rest_api",
        effect="read",
        inputs={},
        timeout=timeout,
    )


def say(word):
    os.write(1, f"{word} {time.monotonic_ns()}\n".encode())


async def main(address, executor, tool, calls, lasts):
    store, clock = opened(address), SystemClock()
    registry = WorkerRegistry(store, clock)
    registry.register(executor, {}, [])
    limiting, free = RateLimiter(ServiceLeaseStore(store, registry, clock, executor), clock), FairSlots(100)
    limited = await limiting.find_service(tool)
    say("ready")
    if not calls:
        async with limiting.acquired(job(f"{executor} kept", tool), limited, free):
            say("begin")
            await asyncio.sleep(600)

    async def call(number):
        async with limiting.acquired(job(f"{executor} {number}", tool), limited, free):
            say("begin")
            await asyncio.sleep(lasts)
            say("end")

    await asyncio.gather(*(call(number) for number in range(calls)))
    store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], int(sys.argv[4]), float(sys.argv[5])))
