"""The same steps by each peer: `python peers.py PEER chain|fan WIDTH RUNS FOLDER` prints milliseconds as JSON."""

import asyncio
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

Timed = list[float]


def spent(act: Callable[[], object], runs: int) -> Timed:
    """Milliseconds of each run, after one that is not counted."""
    act()
    found: Timed = []
    for _ in range(runs):
        began = time.perf_counter()
        act()
        found.append((time.perf_counter() - began) * 1e3)
    return found


def bare_dbos(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """One durable step for each, in the same database with the same settings, asynchronously as Aeon's are."""
    from dbos import DBOS

    from aeon.adapters.engine.dbos.database import Database
    from aeon.adapters.engine.dbos.serializing import JsonSerializer
    from aeon.adapters.results import FileResults

    address = f"sqlite:///{folder}/runs.db"
    over = threading.Event()

    async def step(number: int) -> dict[str, int]:
        return {"got": number}

    @DBOS.workflow(name="bare")
    async def workflow() -> int:
        reserved = [DBOS.reserve_step() for _ in range(width)]
        if kind == "chain":
            for number, each in enumerate(reserved):
                await each.run_async({"name": "step"}, step, number)
        else:
            await asyncio.gather(*(each.run_async({"name": "step"}, step, n) for n, each in enumerate(reserved)))
        over.set()
        return width

    DBOS(
        config={
            "name": "bare",
            "system_database_url": address,
            "system_database_engine": Database(address).engine,
            "serializer": JsonSerializer(FileResults(folder / "results")),
            "application_version": "1",
            "executor_id": "x",
            "log_level": "CRITICAL",
        }
    )
    DBOS.launch()

    def act() -> None:
        over.clear()
        DBOS.start_workflow(workflow)
        assert over.wait(300)

    found = spent(act, runs)
    DBOS.destroy()
    return found


def aeon_dbos(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A run of a Process, from its acceptance to its end, with the record in SQLite as it ships."""
    from aeon.adapters.engine.dbos import DbosEngine
    from aeon.testing.engines.world import EngineWorld, echo, step
    from aeon.testing.records import new_record

    with closing(new_record(folder / "record")) as store:
        address = f"sqlite:///{folder}/runs.db"
        world = EngineWorld(store, folder, lambda *parts: DbosEngine(address, *parts))
        tool = world.tool("echo", echo)
        mode = "sequential" if kind == "chain" else "parallel"
        process = world.process(kind, [step(f"s{number}", tool, mode=mode) for number in range(width)])

        def act() -> None:
            run = world.begin(process)
            assert world.engine.wait(run.id, 300)

        found = spent(act, runs)
        world.close()
    return found


def langgraph(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A graph of nodes with its SQLite saver, synchronous durability."""
    from typing import TypedDict

    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    class Values(TypedDict, total=False):
        got: int

    def node(_values: Values) -> Values:
        return {"got": 1}

    built: Any = StateGraph(Values)
    for number in range(width):
        built.add_node(f"s{number}", node)
        built.add_edge(START if number == 0 else f"s{number - 1}", f"s{number}")
    built.add_edge(f"s{width - 1}", END)
    assert kind == "chain"
    threads = iter(range(10_000))
    with SqliteSaver.from_conn_string(str(folder / "saver.db")) as saver:
        graph = built.compile(checkpointer=saver)
        return spent(
            lambda: graph.invoke({"got": 0}, {"configurable": {"thread_id": str(next(threads))}}, durability="sync"),
            runs,
        )


def prefect(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A flow of tasks on a server of its own, in SQLite."""
    import os

    os.environ.update(PREFECT_HOME=str(folder), PREFECT_LOGGING_LEVEL="CRITICAL", DO_NOT_TRACK="1")
    from prefect import flow, task

    @task
    def step(number: int) -> int:
        return number

    @flow
    def chain() -> int:
        number = 0
        for _ in range(width):
            number = step(number)
        return number

    assert kind == "chain"
    return spent(chain, runs)


def temporal(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A workflow of activities on the dev server with a file of its own."""
    from temporal_peer import timed

    return timed(kind, width, runs, folder)


PEERS = {"dbos": bare_dbos, "aeon": aeon_dbos, "langgraph": langgraph, "prefect": prefect, "temporal": temporal}
_NEEDS = {"langgraph": "langgraph.checkpoint.sqlite", "prefect": "prefect"}


def missing(peer: str) -> str:
    """Why a peer cannot be measured; empty where it can."""
    if peer == "temporal":
        from aeon.testing.temporal_server import missing_for_temporal

        return missing_for_temporal()
    module = _NEEDS.get(peer)
    try:
        is_there = module is None or importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        is_there = False
    return "" if is_there else f"{module} is not installed"


if __name__ == "__main__":
    name, shape, count, times, where = sys.argv[1:]
    print(json.dumps(PEERS[name](shape, int(count), int(times), Path(where))))
