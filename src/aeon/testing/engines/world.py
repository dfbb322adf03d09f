"""A record with tools that do as they are told, and an engine that runs Processes of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeAlias
from uuid import uuid4

from aeon.adapters.results import FileResults
from aeon.base.clock import SystemClock
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.calling import Called, OperationError
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.effects import Effect
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.ledger import Request
from aeon.platform.processes.model import NewProcess, Process
from aeon.platform.processes.processes import Processes
from aeon.platform.processes.runs.accepting import NewRun
from aeon.platform.processes.runs.claims import Results
from aeon.platform.processes.runs.engine import Book, Engine, Workers
from aeon.platform.processes.runs.lease import Confirm, held_for_ever
from aeon.platform.processes.runs.model import Run
from aeon.platform.processes.runs.runs import Runs, Seen
from aeon.platform.store import Store
from aeon.platform.workers.calling import carries_out
from aeon.platform.workers.local import LocalWorkers
from aeon.testing.engines.troubled import TroubledStore
from aeon.testing.vault import InMemoryVault

Behaviour: TypeAlias = Callable[[JsonObject, str], Json]
"""What a tool does with its input and the id of its job."""

LONG_ENOUGH = 60.0
"""Seconds until a test fails. While a store hangs, Temporal tells of a cancellation after 24 of them."""

_GATED_AT_MOST = 30.0


class MakesEngine(Protocol):
    """Opens the engine under test on these parts. Closed and made again, it goes on with what was there."""

    def __call__(self, book: Book, workers: Workers, results: Results, clock: SystemClock, executor: str) -> Engine: ...


class ScriptedTools:
    """Calls tools that do as they were told, and counts the calls by the tool's name and by the job's id."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.jobs: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._behaviours: dict[str, tuple[str, Behaviour]] = {}

    def teach(self, tool_id: str, name: str, behaviour: Behaviour) -> None:
        self._behaviours[tool_id] = (name, behaviour)

    def call(  # the port's
        self,
        user: str,  # noqa: ARG002
        tool_id: str,
        given: JsonObject,
        key: str | None = None,
        *,
        confirm: Confirm = held_for_ever,
    ) -> Called:
        name, behaviour = self._behaviours[tool_id]
        confirm()
        with self._lock:
            self.calls[name] += 1
            self.jobs[key or ""] += 1
        return Called(behaviour(given, key or ""), [], 0)


class SetClock(SystemClock):
    """The machine's own time, with a wall clock that can be set: `jump` by so many seconds, back where negative."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> str:
        return (datetime.now(UTC) + self._ahead).isoformat(timespec="microseconds")

    def jump(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)


class EngineWorld:
    """One record, which may get into trouble, one user, and an engine that can be closed and opened again."""

    def __init__(self, store: Store, folder: Path, make: MakesEngine) -> None:
        self.store = store = TroubledStore(store)
        self.user = f"user-{uuid4()}"
        self.clock = SetClock()
        self.results: Results = FileResults(folder / "results")
        self.tools = ScriptedTools()
        self.catalog = Catalog(store, InMemoryVault(self.clock), clock=self.clock)
        self.catalog.add_user(self.user)
        self.processes = Processes(store, self.catalog)
        self.runs = Runs(store, self.catalog.ledger, self.processes, self.results, lambda: str(uuid4()))
        self._make = make
        self._service = self.catalog.services.add(NewService.parsed(_SERVICE), Request(self.user))
        self.open()

    def open(self) -> None:
        """Open the engine, as a process would that was started anew."""
        workers = LocalWorkers(carries_out(self.tools), {}, otherwise=100)
        self.engine = self._make(self.runs.book, workers, self.results, self.clock, str(uuid4()))

    def reopen(self, while_closed: Callable[[], None] = lambda: None) -> None:
        """Close the engine where everything stands, and have another one take over what was left."""
        self.engine.close()
        while_closed()
        self.open()
        book = self.runs.book
        left = [run for run in book.open() if run.owner_id == self.user]
        self.engine.take_over([run.id for run in left if book.give(run.id, run.executor, self.engine.executor)])

    def close(self) -> None:
        self.engine.close()

    def tool(self, name: str, behaviour: Behaviour, effect: Effect = "idempotent") -> str:
        """A tool that does this; its id."""
        new = NewTool.parsed({**_TOOL, "name": name, "serviceId": self._service.id, "effect": effect})
        made = self.catalog.tools.add(new, Request(self.user))
        self.tools.teach(made.id, name, behaviour)
        return made.id

    def process(self, name: str, steps: Sequence[JsonObject], **fields: Json) -> Process:
        new = NewProcess.parsed({"name": name, "initialContext": ["q"], "steps": list(steps), **fields})
        return self.processes.add(new, Request(self.user))

    def begin(self, process: Process, q: Json = "q", within: float | None = None) -> Run:
        new = NewRun({"q": q}, within=within, executor=self.engine.executor)
        run = self.runs.accept(process, new, Request(self.user))
        self.engine.start(run.id)
        return run

    def ended(self, run: Run) -> Seen:
        """The run at its end. Raises AssertionError when it does not come."""
        assert self.engine.wait(run.id, LONG_ENOUGH), self.runs.see(self.user, run.id).state
        return self.seen(run)

    def seen(self, run: Run) -> Seen:
        return self.runs.see(self.user, run.id)

    def kinds(self, run: Run) -> list[str]:
        """What happened, as `event` or `event step`."""
        entries = self.runs.entries(self.user, run.id)
        return [f"{each.event.event} {getattr(each.event, 'step', '')}".strip() for each in entries]

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until it is so. Raises AssertionError when that takes too long."""
        deadline = time.monotonic() + LONG_ENOUGH
        while not is_so():
            assert time.monotonic() < deadline, "it never came to that"
            time.sleep(0.02)


def echo(given: JsonObject, _key: str) -> Json:
    """Gives back what it was given."""
    return {"got": given.get("id")}


def failing(given: JsonObject, _key: str) -> Json:
    """Fails for good."""
    raise OperationError(f"it cannot do {given.get('id')}", next_step="Do something else.")


def flaky(times: int) -> Behaviour:
    """Fails so often with what may pass, then does as `echo`."""
    left = [times]

    def behave(given: JsonObject, key: str) -> Json:
        if left[0]:
            left[0] -= 1
            raise OperationError("it is busy", is_transient=True)
        return echo(given, key)

    return behave


def waits_for(event: threading.Event) -> Behaviour:
    """Waits for that, then does as `echo`."""

    def behave(given: JsonObject, key: str) -> Json:
        event.wait(_GATED_AT_MOST)
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
