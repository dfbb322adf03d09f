"""Bare DBOS on SQLite: a workflow with one durable step for each, asynchronously as Aeon's are."""

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

from dbos import DBOS, Serializer
from sqlalchemy import Engine, create_engine
from sqlalchemy.event import listen


class JsonSerializer(Serializer):
    def serialize(self, data: Any) -> str:
        return json.dumps(data)

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "json"


def timed(kind: str, width: int, runs: int, folder: Path) -> list[float]:
    """Milliseconds of each workflow."""
    from peers import AT_ONCE, spent

    over = threading.Event()

    async def step(number: int) -> dict[str, int]:
        return {"got": number}

    @DBOS.workflow(name="bare")
    async def workflow() -> int:
        reserved = [DBOS.reserve_step() for _ in range(width)]
        if kind == "chain":
            for number, each in enumerate(reserved):
                await each.run_async({"name": "step"}, step, number)
        elif kind == "fan":
            await asyncio.gather(*(each.run_async({"name": "step"}, step, n) for n, each in enumerate(reserved)))
        else:
            places = asyncio.Semaphore(AT_ONCE)

            async def item(number: int, each: Any) -> None:
                async with places:
                    await each.run_async({"name": "step"}, step, number)

            await asyncio.gather(*(item(n, each) for n, each in enumerate(reserved)))
        over.set()
        return width

    _launch(f"sqlite:///{folder}/bare.db")

    def act() -> None:
        over.clear()
        DBOS.start_workflow(workflow)
        assert over.wait(300)

    found = spent(act, runs)
    DBOS.destroy()
    return found


def _launch(address: str) -> None:
    DBOS(
        config={
            "name": "bare",
            "system_database_url": address,
            "system_database_engine": _engine(address),
            "serializer": JsonSerializer(),
            "application_version": "1",
            "executor_id": "x",
            "log_level": "CRITICAL",
        }
    )
    DBOS.launch()


def _engine(address: str) -> Engine:
    """With the settings of the file in which Aeon keeps its runs."""
    engine = create_engine(address)
    listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = "IMMEDIATE"
    for pragma in ("busy_timeout=30000", "foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.create_function("unixepoch", -1, lambda *_: time.time())  # SQLite before 3.42 lacks its fractions
