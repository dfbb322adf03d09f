"""Carries runs out in SQL, until it is killed.

python chaos_process.py FOLDER RUNS all|conductor|worker

The engine's database is the one that FOLDER/database names, else SQLite in FOLDER.
Every call of a tool is a line in FOLDER/effects: when, by which process, which job. Each start takes over what was left,
then accepts runs until RUNS were accepted in all, and says `over` when all of them have ended. A conductor leaves the
calls to workers, which do nothing else.
"""

import os
import random
import sys
import time
from functools import partial
from pathlib import Path
from uuid import uuid4

from aeon.adapters.engines.sql import RunDatabase, SqlEngine, SqlWorker
from aeon.adapters.results import FileResultStore
from aeon.base.clock import SystemClock
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.tool_calls import ToolCallResult
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.model import HEARTBEAT_TIMEOUT
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.service import Runs
from aeon.platform.store import StoreError
from aeon.platform.workers.availability import is_run_active, list_live_executors
from aeon.platform.workers.heartbeat import WorkerHeartbeat
from aeon.platform.workers.job_runner import make_job_runner
from aeon.platform.workers.maintenance import OrphanRecovery, PeriodicTask, PeriodicTasks
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.platform.workers.registry import WorkerRegistry
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

USER = "me"
ENDPOINT = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}


def database(folder):
    named = folder / "database"
    return named.read_text() if named.exists() else f"sqlite:///{folder}/runs.db"


class Tools:
    def __init__(self, folder, longest=0.004):
        self.file = os.open(folder / "effects", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self.longest = longest

    def call(self, user, tool_id, given, key=None, *, call_key, confirm, await_turn):
        time.sleep(random.uniform(0, self.longest / 2))
        confirm()
        os.write(self.file, f"{time.time()} {os.getpid()} {key}\n".encode())
        time.sleep(random.uniform(0, self.longest / 2))
        return ToolCallResult({"got": given.get("id")}, [], 0)


class Chaos:
    """All that the product has, but for the tools."""

    def __init__(self, folder, elsewhere=(), *, lease=HEARTBEAT_TIMEOUT, longest=0.004):
        self.store = new_record(folder / "record")
        clock = SystemClock()
        self.catalog = Catalog(self.store, InMemoryVault(clock), clock=clock)
        self.catalog.add_user(USER)
        self.processes = ProcessRepository(self.store, self.catalog)
        results = FileResultStore(folder / "results")
        self.runs = Runs(self.store, self.catalog.ledger, self.processes, results, lambda: str(uuid4()))
        registry, executor = WorkerRegistry(self.store, clock, lease), str(uuid4())
        workers = LocalWorkerPool(make_job_runner(Tools(folder, longest)), {}, otherwise=8)
        given = (self.runs.repository, workers, results, clock, executor)
        self.engine = SqlEngine(RunDatabase(database(folder)), *given, elsewhere=elsewhere, lease=lease)
        self.presence = WorkerHeartbeat(registry, executor, {}, clock, interval=lease / 3)
        self.caretaker = OrphanRecovery(self.runs.repository, registry, self.engine, clock, just_accepted=1.0)
        self.rounds = PeriodicTasks(
            [PeriodicTask(min(1.0, lease / 5), self.taken_over)], clock, lambda line: print(line, file=sys.stderr)
        )

    def taken_over(self):
        return [run.id for run in self.caretaker.adopt()]

    def process(self):
        """Six steps: parallel ones, a condition, and a Process that is called."""
        found = self.processes.find_own(USER, "outer")
        if found is not None:
            return found
        tool = self.tool().id

        def step(id_, **more):
            return {"id": id_, "tool": tool, "inputs": {"id": "{q}"}, "output": {"variable": id_}, **more}

        parallel = {"execution": {"mode": "parallel"}}
        inner = self.processes.find_own(USER, "inner") or self.processes.add(
            NewProcess.parsed(
                {"name": "inner", "initialContext": ["q"], "steps": [step("i"), step("j", dependsOn=["i"])]}
            ),
            MutationRequest(USER),
        )
        call = {"id": "c", "process": inner.id, "inputs": {"q": "{q}"}, "output": {"variable": "c"}}
        steps = [
            *(step(f"p{n}", **parallel) for n in range(4)),
            step("never", execution={"condition": "false"}, output={"variable": "never", "required": False}),
            call,
            step("last", dependsOn=["c"], inputs={"id": "{step.c.got}"}),
        ]
        new = NewProcess.parsed({"name": "outer", "initialContext": ["q"], "steps": steps})
        return self.processes.add(new, MutationRequest(USER))

    def tool(self):
        tools = self.catalog.tools
        if (found := tools.find_own(USER, "act")) is not None:
            return found
        services = self.catalog.services
        service = services.find_own(USER, "api") or services.add(
            NewService.parsed({"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}),
            MutationRequest(USER),
        )
        new = {
            "name": "act",
            "serviceId": service.id,
            "connectionParams": {"endpoint": "http://127.0.0.1"},
            "operation": {"type": "rest_request", "path": "/{id}"},
            "inputSchema": {"type": "object", "properties": {"id": {}}},
            "effect": "idempotent",
        }
        return tools.add(NewTool.parsed(new), MutationRequest(USER))


def main(folder, wanted, elsewhere=()):
    chaos = Chaos(folder, elsewhere)
    process = chaos.process()
    chaos.presence.start(["process"])
    chaos.caretaker.adopt()
    print("begun", flush=True)
    numbers = {
        chaos.runs.view(USER, run.id).run.inputs["q"]
        for run in chaos.runs.list_runs(USER, 10_000)
        if run.parent_id is None
    }
    for number in range(wanted):
        if number in numbers:
            continue
        run = chaos.runs.accept(process, NewRun({"q": number}), MutationRequest(USER, f"run {number}"))
        chaos.engine.start(run.id)
        print("accepted", number, flush=True)
        while len(chaos.runs.repository.list_open()) > 6:
            chaos.rounds.run_due()
            time.sleep(0.01)
    while chaos.runs.repository.list_open():
        chaos.rounds.run_due()
        time.sleep(0.05)
    print("over", flush=True)


def work(folder, *, lease=HEARTBEAT_TIMEOUT, longest=0.004):
    """Carry jobs out, and nothing else."""
    clock, slots, me = SystemClock(), {"rest_api": 4}, str(uuid4())
    store, results = new_record(folder / "record"), FileResultStore(folder / "results")
    registry, book = WorkerRegistry(store, clock, lease), SqlRunRepository(store, results, None)
    shown = WorkerHeartbeat(registry, me, slots, clock, interval=lease / 3)
    shown.start(["rest_api"])
    workers = LocalWorkerPool(make_job_runner(Tools(folder, longest)), slots, shown)
    SqlWorker(
        RunDatabase(database(folder)),
        workers,
        results,
        executor=me,
        slots=slots,
        live_executors=partial(list_live_executors, registry),
        is_wanted=partial(is_run_active, book),
        recovery_interval=0.3,
        lease=lease,
    )
    print("begun", flush=True)
    while True:
        time.sleep(60)


def until_a_store_is_gone(folder, wanted, kind):
    """It comes again; a process that meets that in the middle of accepting a run says so, and is begun anew."""
    try:
        if kind == "worker":
            work(folder)
        else:
            main(folder, wanted, ["rest_api"] if kind == "conductor" else [])
    except (StoreError, EngineUnavailableError) as error:
        print("gone:", error, file=sys.stderr)
        os._exit(3)


if __name__ == "__main__":
    until_a_store_is_gone(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    os._exit(0)
