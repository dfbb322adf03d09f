"""The same steps by each peer: `python peers.py PEER chain|fan|loop WIDTH RUNS FOLDER` prints milliseconds as JSON."""

import importlib.util
import json
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aeon.bootstrap.process_runtime import ProcessRuntime

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
    """One durable step of DBOS for each, in SQLite with the settings of Aeon's file."""
    from dbos_peer import timed

    return timed(kind, width, runs, folder)


AT_ONCE = 8
"""Items of a loop that are worked on at once."""


class NoOp:
    """What stands in place of the request itself; all around it is Aeon's own."""

    def execute(self, work: Any) -> Any:
        from aeon.platform.catalog.tool_calls import OperationResult

        return OperationResult({"got": work.arguments["n"]})


TOOL = """
kind: Service
name: peer
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: step
service: peer
connectionParams: {endpoint: "http://127.0.0.1"}
operation: {type: rest_request, path: "/{n}"}
effect: idempotent
inputSchema: {type: object, required: [n], properties: {n: {type: integer}}}
outputSchema: {type: object, required: [got]}
"""


AddProcess = Callable[..., Any]
"""Saves a Process of steps that all call the no-op tool, given its name, and what each step says beside that."""


@contextmanager
def opened_runtime(folder: Path) -> "Generator[tuple[ProcessRuntime, AddProcess]]":
    """What executes the runs of the user `me`, as `aeon process run` does: the record in SQLite, access and health
    asked for each call, input and output held against their schemas, limits, metrics. Only the request itself is none.
    """
    from aeon.base.clock import SystemClock
    from aeon.bootstrap.platform import open_platform
    from aeon.bootstrap.process_runtime import ProcessRuntime
    from aeon.bootstrap.stores import open_store
    from aeon.platform.catalog.apply import Applier
    from aeon.platform.catalog.documents import read_documents
    from aeon.platform.catalog.tool_calls import StoredToolCaller
    from aeon.platform.ledger import MutationRequest
    from aeon.platform.processes.model import NewProcess
    from aeon.settings import EngineSettings, StoreSettings

    environ = {"XDG_STATE_HOME": str(folder / "state")}
    store = open_store(folder, StoreSettings(), environ)
    with open_platform(folder, store, environ, lambda: None, 4096) as platform:  # type: ignore[arg-type]  # no model
        platform.catalog.add_user("me")
        applier = Applier(platform.catalog, "me")
        applier.apply(applier.plan(read_documents(TOOL, {})))
        tool = platform.catalog.tools.find("me", "step")
        platform.tool_caller = StoredToolCaller(
            platform.catalog, {"rest_request": NoOp()}, platform.tokens, SystemClock()
        )

        def add_process(name: str, steps: list[dict[str, Any]]) -> Any:
            own = [
                {"id": f"s{n}", "tool": tool.id, "inputs": {"n": n}, "output": {"variable": f"s{n}"}, **step}
                for n, step in enumerate(steps)
            ]
            return platform.processes.add(NewProcess.parsed({"name": name, "steps": own}), MutationRequest("me"))

        with ProcessRuntime(platform, folder, EngineSettings(), environ) as runner:
            yield runner, add_process


def aeon(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A run of a Process as `aeon process run` makes it, from its acceptance to its end."""
    from aeon.platform.ledger import MutationRequest
    from aeon.platform.runs.admission import NewRun

    with opened_runtime(folder) as (runner, add_process):
        if kind == "loop":
            items = {"items": list(range(width)), "as": "n", "concurrency": AT_ONCE}
            process = add_process(kind, [{"inputs": {"n": "{n}"}, "forEach": items}])
        else:
            mode = "sequential" if kind == "chain" else "parallel"
            process = add_process(kind, [{"execution": {"mode": mode}} for _ in range(width)])
        runner.start()
        ids: list[str] = []

        def act() -> None:
            run = runner.runs.accept(process, NewRun({}, executor=runner.executor), MutationRequest("me"))
            ids.append(run.id)
            runner.engine.start(run.id)
            assert runner.engine.wait(run.id, 300)

        found = spent(act, runs)
        assert {run.phase for run in runner.runs.repository.list_summaries(ids)} == {"completed"}
    return found


def langgraph(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A graph of nodes with its SQLite saver, synchronous durability."""
    from operator import add
    from typing import Annotated, TypedDict

    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send

    class Values(TypedDict, total=False):
        got: int

    def node(_values: Values) -> Values:
        return {"got": 1}

    class Gathered(TypedDict, total=False):
        all: Annotated[list[int], add]

    def item(given: dict[str, int]) -> Gathered:
        return {"all": [given["n"]]}

    built: Any = StateGraph(Gathered if kind == "loop" else Values)
    if kind == "loop":
        built.add_node("item", item)
        built.add_conditional_edges(START, lambda _values: [Send("item", {"n": n}) for n in range(width)], ["item"])
        built.add_edge("item", END)
    for number in range(width if kind == "chain" else 0):
        built.add_node(f"s{number}", node)
        built.add_edge(START if number == 0 else f"s{number - 1}", f"s{number}")
    if kind == "chain":
        built.add_edge(f"s{width - 1}", END)
    threads = iter(range(10_000))
    with SqliteSaver.from_conn_string(str(folder / "saver.db")) as saver:
        graph = built.compile(checkpointer=saver)
        return spent(
            lambda: graph.invoke(
                {"got": 0} if kind == "chain" else {"all": []},
                {"configurable": {"thread_id": str(next(threads))}, "max_concurrency": AT_ONCE},
                durability="sync",
            ),
            runs,
        )


def prefect(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A flow of tasks on a server of its own, in SQLite."""
    import os

    os.environ.update(PREFECT_HOME=str(folder), PREFECT_LOGGING_LEVEL="CRITICAL", DO_NOT_TRACK="1")
    from prefect import flow, task
    from prefect.task_runners import ThreadPoolTaskRunner

    @task
    def step(number: int) -> int:
        return number

    @flow
    def chain() -> int:
        number = 0
        for _ in range(width):
            number = step(number)
        return number

    @flow(task_runner=ThreadPoolTaskRunner(max_workers=AT_ONCE))
    def loop() -> int:
        return len(step.map(list(range(width))).result())

    return spent(chain if kind == "chain" else loop, runs)


def temporal(kind: str, width: int, runs: int, folder: Path) -> Timed:
    """A workflow of activities on the dev server with a file of its own."""
    from temporal_peer import timed

    return timed(kind, width, runs, folder)


PEERS = {"dbos": bare_dbos, "aeon": aeon, "langgraph": langgraph, "prefect": prefect, "temporal": temporal}
_NEEDS = {"dbos": "dbos", "langgraph": "langgraph.checkpoint.sqlite", "prefect": "prefect"}


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
