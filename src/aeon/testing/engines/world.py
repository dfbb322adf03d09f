"""A record with scripted tools, and an engine that runs Processes of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeAlias
from uuid import uuid4

from aeon.adapters.results import FileResultStore
from aeon.base.clock import SystemClock
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.catalog.operations import Effect
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.tool_calls import AwaitTurn, OperationError, ToolCallResult, wait_for_nothing
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.model import Run
from aeon.platform.runs.ports import Engine, RunRepository, WorkerPool
from aeon.platform.runs.process_pauses import ProcessPauses
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.store import Store
from aeon.platform.workers.job_runner import make_job_runner
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.testing.engines.faulty_store import FaultyStore
from aeon.testing.vault import InMemoryVault

ToolBehaviour: TypeAlias = Callable[[JsonObject, str], Json]
"""Returns a tool's output for its input and the id of its job."""

TEST_TIMEOUT = 60.0
"""Seconds until a test fails. Temporal reports a cancellation 24 s into an outage."""

_MAX_EVENT_WAIT = 30.0


class EngineFactory(Protocol):
    """Opens the engine under test, which continues the work of a closed one."""

    def __call__(
        self, book: RunRepository, workers: WorkerPool, results: ResultStore, clock: SystemClock, executor: str
    ) -> Engine: ...


class ScriptedTools:
    """Calls scripted tools, and counts the calls by the tool's name and by the job's id."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.jobs: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._behaviours: dict[str, tuple[str, ToolBehaviour]] = {}

    def script(self, tool_id: str, name: str, behaviour: ToolBehaviour) -> None:
        self._behaviours[tool_id] = (name, behaviour)

    def call(  # parameters of the port
        self,
        user: str,  # noqa: ARG002
        tool_id: str,
        arguments: JsonObject,
        key: str | None = None,
        *,
        call_key: str | None = None,  # noqa: ARG002
        confirm: ConfirmOwnership = always_owned,
        await_turn: AwaitTurn = wait_for_nothing,  # noqa: ARG002
    ) -> ToolCallResult:
        name, behaviour = self._behaviours[tool_id]
        confirm()
        with self._lock:
            self.calls[name] += 1
            self.jobs[key or ""] += 1
        return ToolCallResult(behaviour(arguments, key or ""), [], 0)


class SettableClock(SystemClock):
    """The system clock with a wall clock that can be set: `jump` by seconds, back if negative."""

    def __init__(self) -> None:
        self._offset = timedelta()

    def now(self) -> str:
        return (datetime.now(UTC) + self._offset).isoformat(timespec="microseconds")

    def jump(self, seconds: float) -> None:
        self._offset += timedelta(seconds=seconds)


class EngineWorld:
    """One record that can fail, one user, and an engine that can be closed and opened again."""

    def __init__(self, store: Store, folder: Path, make: EngineFactory) -> None:
        self.store = store = FaultyStore(store)
        self.user = f"user-{uuid4()}"
        self.clock = SettableClock()
        self.results: ResultStore = FileResultStore(folder / "results")
        self.tools = ScriptedTools()
        self.catalog = Catalog(store, InMemoryVault(self.clock), clock=self.clock)
        self.catalog.add_user(self.user)
        self.processes = ProcessRepository(store, self.catalog)
        self.runs = Runs(store, self.catalog.ledger, self.processes, self.results, lambda: str(uuid4()))
        self._new_engine = make
        self._service = self.catalog.services.add(NewService.parsed(_SERVICE), MutationRequest(self.user))
        self.open()

    def open(self) -> None:
        """Open the engine, as a new process would."""
        workers = LocalWorkerPool(make_job_runner(self.tools), {}, otherwise=100)
        self.engine = self._new_engine(self.runs.repository, workers, self.results, self.clock, str(uuid4()))

    def reopen(self, while_closed: Callable[[], None] = lambda: None) -> None:
        """Close the engine at once, and let another one adopt its runs."""
        self.engine.close()
        while_closed()
        self.open()
        repository = self.runs.repository
        open_runs = [run for run in repository.list_open() if run.owner_id == self.user]
        self.engine.adopt(
            [run.id for run in open_runs if repository.reassign(run.id, run.executor, self.engine.executor)]
        )

    def close(self) -> None:
        self.engine.close()

    def tool(self, name: str, behaviour: ToolBehaviour, effect: Effect = "idempotent") -> str:
        """Add a tool with this behaviour; return its id."""
        new = NewTool.parsed({**_TOOL, "name": name, "serviceId": self._service.id, "effect": effect})
        tool = self.catalog.tools.add(new, MutationRequest(self.user))
        self.tools.script(tool.id, name, behaviour)
        return tool.id

    def process(self, name: str, steps: Sequence[JsonObject], **fields: Json) -> Process:
        new = NewProcess.parsed({"name": name, "initialContext": ["q"], "steps": list(steps), **fields})
        return self.processes.add(new, MutationRequest(self.user))

    def switch(self, process: Process, *, paused: bool) -> list[str]:
        """Pause a Process or let it go on; return the runs that were notified."""
        pauses = ProcessPauses(self.catalog.ledger, self.processes)
        runs = pauses.switch(process.id, MutationRequest(self.user), paused=paused).runs
        for each in runs:
            self.engine.wake(each)
        return runs

    def start_run(self, process: Process, q: Json = "q", within: float | None = None) -> Run:
        new = NewRun({"q": q}, timeout=within, executor=self.engine.executor)
        run = self.runs.accept(process, new, MutationRequest(self.user))
        self.engine.start(run.id)
        return run

    def wait_for_end(self, run: Run) -> RunView:
        """Wait for the run to end and return it. Raises AssertionError if it does not end in time."""
        assert self.engine.wait(run.id, TEST_TIMEOUT), self.runs.view(self.user, run.id).state
        return self.view_of(run)

    def view_of(self, run: Run) -> RunView:
        return self.runs.view(self.user, run.id)

    def event_names(self, run: Run) -> list[str]:
        """Return the events of a run, as `event` or `event step`."""
        entries = self.runs.list_entries(self.user, run.id)
        return [f"{each.event.event} {getattr(each.event, 'step', '')}".strip() for each in entries]

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the condition holds. Raises AssertionError after TEST_TIMEOUT."""
        deadline = time.monotonic() + TEST_TIMEOUT
        while not is_so():
            assert time.monotonic() < deadline, "the condition never held"
            time.sleep(0.02)


def echo(arguments: JsonObject, _key: str) -> Json:
    """Return the input."""
    return {"got": arguments.get("id")}


def failing(arguments: JsonObject, _key: str) -> Json:
    """Fail finally."""
    raise OperationError(f"it cannot do {arguments.get('id')}", next_step="Do something else.")


def flaky(times: int) -> ToolBehaviour:
    """Fail that number of times with a transient error, then behave as `echo`."""
    failures_left = [times]

    def behave(arguments: JsonObject, key: str) -> Json:
        if failures_left[0]:
            failures_left[0] -= 1
            raise OperationError("it is busy", is_transient=True)
        return echo(arguments, key)

    return behave


def wait_for(event: threading.Event) -> ToolBehaviour:
    """Wait for an event, then behave as `echo`."""

    def behave(arguments: JsonObject, key: str) -> Json:
        event.wait(_MAX_EVENT_WAIT)
        return echo(arguments, key)

    return behave


def step(id_: str, tool: str, *, after: Sequence[str] = (), **fields: Json) -> JsonObject:
    """Return a step whose variable is its id; some fields belong to its execution."""
    execution = {key: fields.pop(key) for key in tuple(fields) if key in _EXECUTION_FIELDS}
    required = fields.pop("required", True)
    target: JsonObject = {"tool": tool} if "process" not in fields else {}
    return {
        "id": id_,
        **target,
        "inputs": {"id": "{q}"},
        "dependsOn": list[Json](after),
        "output": {"variable": id_, "required": required},
        "execution": execution,
        **fields,
    }


_EXECUTION_FIELDS = ("mode", "condition", "timeout", "interactionMode")
_ENDPOINT: JsonObject = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
_SERVICE: JsonObject = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": _ENDPOINT}
_TOOL: JsonObject = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {}}},
}
