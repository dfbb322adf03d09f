"""Stored Processes as tools: one that starts a run for each, and those that look at a run, answer and cancel it."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from aeon.base.errors import AeonError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.state import ENDED_PHASES
from aeon.server.mcp.offered_tools import ToolHints
from aeon.tools.interface import Tool

_MAX_OFFERED = 200
"""Processes that are offered of the user's own, and of those that are shared."""

_WAIT_SECONDS = 30.0
"""Seconds that a call waits for a run: clients give a call up after a minute. The run goes on."""

_POLL_INTERVAL = 0.1
_QUIET_SECONDS = 0.6
"""Seconds without anything new before it is asked whether only a person can go on."""

_RUN_ARGUMENT: JsonObject = {"run": {"type": "string", "minLength": 1, "description": "the run's id"}}
_RESULT_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["run", "phase", "output", "questions"],
    "properties": {
        "run": {"type": "string"},
        "phase": {"type": "string", "description": "completed, or where it stands: run.look waits on"},
        "output": {"description": "what it came to, null before it is completed"},
        "questions": {
            "type": "array",
            "items": {"type": "object"},
            "description": "what only a person can say: run.answer tells the run",
        },
    },
}


class RunTool(Tool):
    """Does something about a run and tells where it stands once that settles, or a call has waited long enough."""

    timeout = None  # a run has limits of its own, and a call waits no longer than its patience
    output_schema = _RESULT_SCHEMA

    def __init__(self, name: str, description: str, takes: JsonObject, act: Callable[[JsonObject], JsonObject]) -> None:
        """`takes`: the schema of each argument; one without a default is needed."""
        self.name = name
        self.description = description
        self.input_schema = {
            "type": "object",
            "required": [name for name, schema in takes.items() if "default" not in schema],
            "properties": takes,
            "additionalProperties": False,
        }
        self._act = act

    def invoke(self, **kwargs: Any) -> JsonObject:
        """Where the run stands. Raises ToolError for one that failed, and with what the platform said."""
        with _as_tool_errors():
            return self._act(kwargs)


def offer_processes(runner: ProcessRuntime, user: str) -> Iterator[tuple[Tool, ToolHints]]:
    """Every Process that the user may run, and what he can do about its runs. Raises StoreError."""
    runs = _Runs(runner, user)
    processes = runner.platform.processes
    shared = processes.list_shared(user, limit=_MAX_OFFERED)
    own = processes.list_own(user, limit=_MAX_OFFERED)
    for process in {each.name: each for each in [*shared, *own] if each.enabled}.values():  # of two, his own
        yield _start_tool(runs, process), ToolHints(read_only=False)
    yield from _run_tools(runs)


def _start_tool(runs: "_Runs", process: Process) -> RunTool:
    takes: JsonObject = {name: {} for name in process.initial_context}
    description = process.description or f"Runs the process {process.name}."
    name = "_".join(process.name.split())  # a tool's has no spaces
    return RunTool(f"process.{name}", description, takes, lambda given: runs.start(process, given))


def _run_tools(runs: "_Runs") -> Iterator[tuple[Tool, ToolHints]]:
    look = {**_RUN_ARGUMENT, "seconds": {"type": "number", "minimum": 0, "maximum": 300, "default": _WAIT_SECONDS}}
    answer = {**_RUN_ARGUMENT, "step": {"type": "string", "description": "the question's step"}, "answer": {}}
    yield (
        RunTool("run.look", "Waits for a run and tells where it stands.", look, runs.look),
        ToolHints(read_only=True),
    )
    yield (
        RunTool("run.answer", "Gives a run what one of its questions waits to be told.", answer, runs.answer),
        ToolHints(read_only=False, destructive=False),
    )
    yield (
        RunTool("run.cancel", "Stops a run with everything that it called.", _RUN_ARGUMENT, runs.cancel),
        ToolHints(read_only=False, destructive=True, idempotent=True),
    )


class _Runs:
    """The runs of one user, carried out here. The engine is opened for the first call that needs it."""

    def __init__(self, runner: ProcessRuntime, user: str) -> None:
        self._runner = runner
        self._user = user
        self._beginning = Lock()
        self._is_begun = False

    def start(self, process: Process, given: JsonObject) -> JsonObject:
        runner = self._runner
        new = NewRun(given, executor=runner.run_executor)
        run = runner.runs.accept(process, new, MutationRequest(self._user))
        self._start_runtime()
        runner.engine.start(run.id)
        self._wait(run.id)
        return self._result(run.id)

    def look(self, given: JsonObject) -> JsonObject:
        return self._continue(given["run"], given.get("seconds", _WAIT_SECONDS))

    def answer(self, given: JsonObject) -> JsonObject:
        self._runner.runs.answer(self._user, given["run"], given["step"], given["answer"])
        return self._continue(given["run"])

    def cancel(self, given: JsonObject) -> JsonObject:
        self._runner.runs.cancel(self._user, given["run"])
        return self._continue(given["run"])

    def _start_runtime(self) -> None:
        with self._beginning:
            if not self._is_begun:
                self._runner.start()
                self._is_begun = True

    def _continue(self, run: str, seconds: float = _WAIT_SECONDS) -> JsonObject:
        """Where it stands once it settles; carried out here where whoever did so is gone."""
        found = self._runner.runs.view(self._user, run).run
        if found.phase not in ENDED_PHASES:
            self._start_runtime()
            self._runner.orphan_recovery.adopt(found.root_id)
        self._wait(run, seconds)
        return self._result(run)

    def _wait(self, run: str, seconds: float = _WAIT_SECONDS) -> None:
        """Until it has ended, or only a person can go on, or so many seconds have passed."""
        runs = self._runner.runs
        quiet_since = time.monotonic()
        until = quiet_since + seconds
        events = 0
        while (now := time.monotonic()) < until and runs.repository.get_phase(run) not in ENDED_PHASES:
            if (entries := self._event_count(run)) != events:
                events, quiet_since = entries, now
            if now - quiet_since > _QUIET_SECONDS and self._waits_for_a_person(run):
                break
            time.sleep(_POLL_INTERVAL)

    def _event_count(self, run: str) -> int:
        """How much has happened in it and in all that was called with it."""
        book = self._runner.runs.repository
        return sum(each.events for each in book.list_family(book.get(self._user, run).run.root_id))

    def _waits_for_a_person(self, run: str) -> bool:
        runs = self._runner.runs
        if not runs.list_questions(self._user, run):
            return False
        family = runs.repository.list_family(runs.repository.get(self._user, run).run.root_id)
        return not any(runs.view(self._user, each.id).is_busy for each in family)

    def _result(self, run: str) -> JsonObject:
        """Where it stands. Raises ToolError where it failed."""
        state = self._runner.runs.view(self._user, run).state
        if state.phase == "failed" and state.error is not None:
            raise ToolError(state.error.message, next_step=f"{state.error.next_step} Then: aeon runs retry {run}")
        asked = [] if state.phase in ENDED_PHASES else self._runner.runs.list_questions(self._user, run)
        questions: list[Json] = [
            {"run": each.run, "step": each.step, "asks": each.asks, "inputs": each.inputs} for each in asked
        ]
        return {"run": run, "phase": state.phase, "output": state.output, "questions": questions}


@contextmanager
def _as_tool_errors() -> Generator[None]:
    try:
        yield
    except ToolError:
        raise
    except AeonError as error:
        raise ToolError(error.message, next_step=error.advice) from error
