"""Stored Processes as tools: one per Process that starts a run, and tools to look at, answer and cancel runs."""

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
"""The most of the user's own Processes, and the most shared ones, that are offered."""

_WAIT_SECONDS = 30.0
"""Seconds that a call waits for a run: clients time out after a minute. The run continues."""

_POLL_INTERVAL = 0.1
_QUIET_SECONDS = 0.6
"""Seconds without new entries before the call checks whether the run waits for a person."""

_RUN_ARGUMENT: JsonObject = {"run": {"type": "string", "minLength": 1, "description": "the run's id"}}
_RESULT_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["run", "phase", "output", "questions"],
    "properties": {
        "run": {"type": "string"},
        "phase": {"type": "string", "description": "completed, or the current state: run.look waits for the end"},
        "output": {"description": "the result, null before the run is completed"},
        "questions": {
            "type": "array",
            "items": {"type": "object"},
            "description": "questions that only a person can answer, with run.answer",
        },
    },
}


class RunTool(Tool):
    """Acts on a run and returns its state once it ends, needs a person, or the call's wait is over."""

    timeout = None  # runs have their own limits, and a call waits only for a limited time
    output_schema = _RESULT_SCHEMA

    def __init__(
        self, name: str, description: str, parameters: JsonObject, act: Callable[[JsonObject], JsonObject]
    ) -> None:
        """`parameters`: the schema of each argument; one without a default is required."""
        self.name = name
        self.description = description
        self.input_schema = {
            "type": "object",
            "required": [name for name, schema in parameters.items() if "default" not in schema],
            "properties": parameters,
            "additionalProperties": False,
        }
        self._act = act

    def invoke(self, **kwargs: Any) -> JsonObject:
        """Return the state of the run. Raises ToolError if it failed, or for an error of the platform."""
        with _as_tool_errors():
            return self._act(kwargs)


def offer_processes(runner: ProcessRuntime, user: str) -> Iterator[tuple[Tool, ToolHints]]:
    """Yield a tool for each Process that the user may run, and the tools for runs. Raises StoreError."""
    runs = _Runs(runner, user)
    processes = runner.platform.processes
    shared = processes.list_shared(user, limit=_MAX_OFFERED)
    own = processes.list_own(user, limit=_MAX_OFFERED)
    for process in {
        each.name: each for each in [*shared, *own] if each.enabled
    }.values():  # an own one replaces a shared one of the same name
        yield _start_tool(runs, process), ToolHints(read_only=False)
    yield from _run_tools(runs)


def _start_tool(runs: "_Runs", process: Process) -> RunTool:
    parameters: JsonObject = {name: {} for name in process.initial_context}
    description = process.description or f"Runs the process {process.name}."
    name = "_".join(process.name.split())  # names of tools have no spaces
    return RunTool(f"process.{name}", description, parameters, lambda arguments: runs.start(process, arguments))


def _run_tools(runs: "_Runs") -> Iterator[tuple[Tool, ToolHints]]:
    look = {**_RUN_ARGUMENT, "seconds": {"type": "number", "minimum": 0, "maximum": 300, "default": _WAIT_SECONDS}}
    answer = {**_RUN_ARGUMENT, "step": {"type": "string", "description": "the question's step"}, "answer": {}}
    yield (
        RunTool("run.look", "Waits for a run and returns its state.", look, runs.look),
        ToolHints(read_only=True),
    )
    yield (
        RunTool("run.answer", "Answers a question of a run.", answer, runs.answer),
        ToolHints(read_only=False, destructive=False),
    )
    yield (
        RunTool("run.cancel", "Cancels a run and the runs that it called.", _RUN_ARGUMENT, runs.cancel),
        ToolHints(read_only=False, destructive=True, idempotent=True),
    )


class _Runs:
    """The runs of one user, executed in this process. The first call that needs the engine opens it."""

    def __init__(self, runner: ProcessRuntime, user: str) -> None:
        self._runner = runner
        self._user = user
        self._start_lock = Lock()
        self._is_started = False

    def start(self, process: Process, arguments: JsonObject) -> JsonObject:
        runner = self._runner
        new = NewRun(arguments, executor=runner.run_executor)
        run = runner.runs.accept(process, new, MutationRequest(self._user))
        self._start_runtime()
        runner.engine.start(run.id)
        self._wait(run.id)
        return self._result(run.id)

    def look(self, arguments: JsonObject) -> JsonObject:
        return self._continue(arguments["run"], arguments.get("seconds", _WAIT_SECONDS))

    def answer(self, arguments: JsonObject) -> JsonObject:
        self._runner.runs.answer(self._user, arguments["run"], arguments["step"], arguments["answer"])
        return self._continue(arguments["run"])

    def cancel(self, arguments: JsonObject) -> JsonObject:
        self._runner.runs.cancel(self._user, arguments["run"])
        return self._continue(arguments["run"])

    def _start_runtime(self) -> None:
        with self._start_lock:
            if not self._is_started:
                self._runner.start()
                self._is_started = True

    def _continue(self, run: str, seconds: float = _WAIT_SECONDS) -> JsonObject:
        """Return the run's state after waiting; adopt the run if its executor is dead."""
        run_record = self._runner.runs.view(self._user, run).run
        if run_record.phase not in ENDED_PHASES:
            self._start_runtime()
            self._runner.orphan_recovery.adopt(run_record.root_id)
        self._wait(run, seconds)
        return self._result(run)

    def _wait(self, run: str, seconds: float = _WAIT_SECONDS) -> None:
        """Wait until the run has ended, waits only for a person, or `seconds` have passed."""
        runs = self._runner.runs
        quiet_since = time.monotonic()
        deadline = quiet_since + seconds
        events = 0
        while (now := time.monotonic()) < deadline and runs.repository.get_phase(run) not in ENDED_PHASES:
            if (count := self._event_count(run)) != events:
                events, quiet_since = count, now
            if now - quiet_since > _QUIET_SECONDS and self._waits_for_a_person(run):
                break
            time.sleep(_POLL_INTERVAL)

    def _event_count(self, run: str) -> int:
        """Return the number of events of the run and of all runs of its family."""
        repository = self._runner.runs.repository
        return sum(each.events for each in repository.list_family(repository.get(self._user, run).run.root_id))

    def _waits_for_a_person(self, run: str) -> bool:
        runs = self._runner.runs
        if not runs.list_questions(self._user, run):
            return False
        family = runs.repository.list_family(runs.repository.get(self._user, run).run.root_id)
        return not any(runs.view(self._user, each.id).is_busy for each in family)

    def _result(self, run: str) -> JsonObject:
        """Return the state of the run. Raises ToolError if it failed."""
        state = self._runner.runs.view(self._user, run).state
        if state.phase == "failed" and state.error is not None:
            raise ToolError(state.error.message, next_step=f"{state.error.next_step} Then: aeon runs retry {run}")
        open_questions = [] if state.phase in ENDED_PHASES else self._runner.runs.list_questions(self._user, run)
        questions: list[Json] = [
            {"run": each.run, "step": each.step, "asks": each.asks, "inputs": each.inputs} for each in open_questions
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
