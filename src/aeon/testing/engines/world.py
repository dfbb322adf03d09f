"""A record with tools that do as they are told, and an engine that runs Processes of them."""

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
from aeon.platform.catalog.tool_calls import OperationError, ToolCallResult
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.model import Run
from aeon.platform.runs.ports import Engine, RunRepository, WorkerPool
from aeon.platform.runs.service import Runs, RunView
from aeon.platform.store import Store
from aeon.platform.workers.job_runner import make_job_runner
from aeon.platform.workers.pool import LocalWorkerPool
from aeon.testing.engines.faulty_store import FaultyStore
from aeon.testing.vault import InMemoryVault

ToolBehaviour: TypeAlias = Callable[[JsonObject, str], Json]
"""What a tool does with its input and the id of its job."""

TEST_TIMEOUT = 60.0
"""Seconds until a test fails. While a store hangs, Temporal tells of a cancellation after 24 of them."""

_MAX_WAIT = 30.0


class EngineFactory(Protocol):
    """Opens the engine under test on these parts. Closed and made again, it goes on with what was there."""

    def __call__(
        self, book: RunRepository, workers: WorkerPool, results: ResultStore, clock: SystemClock, executor: str
    ) -> Engine: ...


class ScriptedTools:
    """Calls tools that do as they were told, and counts the calls by the tool's name and by the job's id."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.jobs: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._behaviours: dict[str, tuple[str, ToolBehaviour]] = {}

    def script(self, tool_id: str, name: str, behaviour: ToolBehaviour) -> None:
        self._behaviours[tool_id] = (name, behaviour)

    def call(  # the port's
        self,
        user: str,  # noqa: ARG002
        tool_id: str,
        given: JsonObject,
        key: str | None = None,
        *,
        confirm: ConfirmOwnership = always_owned,
    ) -> ToolCallResult:
        name, behaviour = self._behaviours[tool_id]
        confirm()
        with self._lock:
            self.calls[name] += 1
            self.jobs[key or ""] += 1
        return ToolCallResult(behaviour(given, key or ""), [], 0)


class SettableClock(SystemClock):
    """The machine's own time, with a wall clock that can be set: `jump` by so many seconds, back where negative."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> str:
        return (datetime.now(UTC) + self._ahead).isoformat(timespec="microseconds")

    def jump(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)


class EngineWorld:
    """One record, which may get into trouble, one user, and an engine that can be closed and opened again."""

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
        """Open the engine, as a process would that was started anew."""
        workers = LocalWorkerPool(make_job_runner(self.tools), {}, otherwise=100)
        self.engine = self._new_engine(self.runs.repository, workers, self.results, self.clock, str(uuid4()))

    def reopen(self, while_closed: Callable[[], None] = lambda: None) -> None:
        """Close the engine where everything stands, and have another one take over what was left."""
        self.engine.close()
        while_closed()
        self.open()
        book = self.runs.repository
        left = [run for run in book.list_open() if run.owner_id == self.user]
        self.engine.adopt([run.id for run in left if book.reassign(run.id, run.executor, self.engine.executor)])

    def close(self) -> None:
        self.engine.close()

    def tool(self, name: str, behaviour: ToolBehaviour, effect: Effect = "idempotent") -> str:
        """A tool that does this; its id."""
        new = NewTool.parsed({**_TOOL, "name": name, "serviceId": self._service.id, "effect": effect})
        made = self.catalog.tools.add(new, MutationRequest(self.user))
        self.tools.script(made.id, name, behaviour)
        return made.id

    def process(self, name: str, steps: Sequence[JsonObject], **fields: Json) -> Process:
        new = NewProcess.parsed({"name": name, "initialContext": ["q"], "steps": list(steps), **fields})
        return self.processes.add(new, MutationRequest(self.user))

    def start_run(self, process: Process, q: Json = "q", within: float | None = None) -> Run:
        new = NewRun({"q": q}, timeout=within, executor=self.engine.executor)
        run = self.runs.accept(process, new, MutationRequest(self.user))
        self.engine.start(run.id)
        return run

    def wait_for_end(self, run: Run) -> RunView:
        """The run at its end. Raises AssertionError when it does not come."""
        assert self.engine.wait(run.id, TEST_TIMEOUT), self.runs.view(self.user, run.id).state
        return self.view_of(run)

    def view_of(self, run: Run) -> RunView:
        return self.runs.view(self.user, run.id)

    def event_names(self, run: Run) -> list[str]:
        """What happened, as `event` or `event step`."""
        entries = self.runs.list_entries(self.user, run.id)
        return [f"{each.event.event} {getattr(each.event, 'step', '')}".strip() for each in entries]

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until it is so. Raises AssertionError when that takes too long."""
        deadline = time.monotonic() + TEST_TIMEOUT
        while not is_so():
            assert time.monotonic() < deadline, "it never came to that"
            time.sleep(0.02)


def echo(given: JsonObject, _key: str) -> Json:
    """Gives back what it was given."""
    return {"got": given.get("id")}


def failing(given: JsonObject, _key: str) -> Json:
    """Fails for good."""
    raise OperationError(f"it cannot do {given.get('id')}", next_step="Do something else.")


def flaky(times: int) -> ToolBehaviour:
    """Fails so often with what may pass, then does as `echo`."""
    left = [times]

    def behave(given: JsonObject, key: str) -> Json:
        if left[0]:
            left[0] -= 1
            raise OperationError("it is busy", is_transient=True)
        return echo(given, key)

    return behave


def wait_for(event: threading.Event) -> ToolBehaviour:
    """Waits for that, then does as `echo`."""

    def behave(given: JsonObject, key: str) -> Json:
        event.wait(_MAX_WAIT)
        return echo(given, key)

    return behave


def step(id_: str, tool: str, *, after: Sequence[str] = (), **fields: Json) -> JsonObject:
    """A step whose variable has its id; `mode`, `condition`, `timeout` and `interactionMode` are its execution's."""
    execution = {key: fields.pop(key) for key in tuple(fields) if key in _OF_EXECUTION}
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


_OF_EXECUTION = ("mode", "condition", "timeout", "interactionMode")
_ENDPOINT: JsonObject = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
_SERVICE: JsonObject = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": _ENDPOINT}
_TOOL: JsonObject = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {}}},
}
