"""One user's Processes and runs in a folder, so that several processes can have them open, and hands that count."""

import threading
import time
from pathlib import Path
from uuid import uuid4

from aeon.adapters.engines.retry import wait_until
from aeon.adapters.results import FileResultStore
from aeon.base.clock import SystemClock
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.events import StepCompleted
from aeon.platform.runs.model import JobResult
from aeon.platform.runs.service import Runs
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

ME = MutationRequest("me")
PATIENCE = 90


class Hands:
    """Carries jobs out and counts each in a file. One whose inputs say `waits` waits to be let go, or for ever."""

    def __init__(self, file: Path, *, hangs: bool = False, naps: float = 0.0):
        """With `naps` each job takes twice that, half of it before it has its effect, whose time is kept, too."""
        self.file, self.hangs, self.naps = file, hangs, naps
        self.go = threading.Event()

    def __call__(self, job, confirm):
        if self.naps:
            time.sleep(self.naps)
            confirm()
            with self.file.with_name("times").open("a") as out:
                out.write(f"{time.time()} {job.id}\n")
            time.sleep(self.naps)
        with self.file.open("a") as out:
            out.write(f"{job.id}\n")
        if job.inputs.get("waits"):
            (threading.Event() if self.hangs else self.go).wait(PATIENCE)
        return JobResult(event=StepCompleted(step=job.step, attempt=job.attempt, output={"got": job.inputs.get("id")}))


def calls(file: Path) -> list[str]:
    """The ids of all jobs that were begun, in order, from whichever process."""
    return file.read_text().splitlines() if file.exists() else []


class World:
    """One user with tools of two effects, in a record that several processes may have open; the engine comes later."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.store = new_record(folder / "record")
        self.clock = SystemClock()
        self.catalog = Catalog(self.store, InMemoryVault(self.clock), clock=self.clock)
        self.processes = ProcessRepository(self.store, self.catalog)
        self.results = FileResultStore(folder / "results")
        self.runs = Runs(self.store, self.catalog.ledger, self.processes, self.results, lambda: str(uuid4()))
        self.hands = Hands(folder / "calls")
        self.workers = LocalWorkerPool(self.hands, {}, otherwise=100)
        self.engine = None

    def furnish(self):
        """The user, and what the Processes call."""
        self.catalog.add_user("me")
        service = {
            "name": "api",
            "type": "rest_api",
            "protocol": "http",
            "connectionSchema": {
                "type": "object",
                "required": ["endpoint"],
                "properties": {"endpoint": {"type": "string"}},
            },
        }
        id_ = self.catalog.services.add(NewService.parsed(service), ME).id
        self.tool, self.once = (self._tool(id_, effect) for effect in ("idempotent", "once"))
        return self

    def _tool(self, service, effect):
        tool = {
            "name": effect,
            "serviceId": service,
            "connectionParams": {"endpoint": "http://127.0.0.1"},
            "operation": {"type": "rest_request", "path": "/{id}", "query": {"waits": "{waits}"}},
            "inputSchema": {"type": "object", "properties": {name: {} for name in INPUTS}},
            "effect": effect,
        }
        return self.catalog.tools.add(NewTool.parsed(tool), ME).id

    def process(self, name, *steps, **more):
        told = {"name": name, "initialContext": ["q"], "steps": list(steps), **more}
        return self.processes.add(NewProcess.parsed(told), ME)

    def accept(self, process, q="a"):
        return self.runs.accept(process, NewRun({"q": q}), ME).id

    def start(self, process, q="a"):
        run = self.accept(process, q)
        self.engine.start(run)
        return run

    def wait_for_end(self, run):
        assert self.engine.wait(run, PATIENCE), [entry.event.event for entry in self.entries(run)][-5:]
        return self.runs.view("me", run).state

    def entries(self, run):
        return list(self.runs.list_entries("me", run))

    def wait_until(self, is_so):
        assert wait_until(is_so, PATIENCE)

    def until_begun(self, run, step):
        self.wait_until(lambda: f"{run}:{step}:1" in calls(self.hands.file))

    def answer(self, run, step, value):
        self.wait_until(lambda: any(each.step == step for each in self.runs.list_questions("me", run)))
        question = self.runs.answer("me", run, step, value)
        self.engine.wake(question.run)
        return question

    def close(self):
        self.hands.go.set()
        if self.engine is not None:
            self.engine.close()
        self.store.close()


INPUTS = ("id", "waits")


def step(id_, *, tool=None, after=(), inputs=None, required=True, output=None, **execution):
    """A step that calls a tool, unless more is said."""
    return {
        "id": id_,
        **({"tool": tool} if tool else {}),
        "inputs": {"id": "{q}"} if inputs is None else inputs,
        "output": {"variable": f"v_{id_}", "required": required, **(output or {})},
        "execution": execution,
        "dependsOn": list(after),
    }


def fan(world, name="fan", width=100, **inputs):
    given = {"id": "{q}", **inputs}
    wide = (step(f"w{n}", tool=world.tool, inputs=given, after=["a"], mode="parallel") for n in range(width))
    return world.process(name, step("a", tool=world.tool), *wide, step("z", tool=world.tool))
