"""Stored Processes as tools: one that starts a run for each, and those that look at a run, answer and cancel it."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from aeon.application.run_follower import SettledRun
from aeon.application.runs import RunService
from aeon.base.errors import AeonError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.process_runtime import ProcessRuntime
from aeon.platform.processes.model import Process
from aeon.server.mcp.offered_tools import ToolHints
from aeon.tools.interface import Tool

_MAX_OFFERED = 200
"""Processes that are offered of the user's own, and of those that are shared."""

_WAIT_SECONDS = 30.0
"""Seconds that a call waits for a run: clients give a call up after a minute. The run goes on."""

_KEY = "idempotencyKey"
_KEY_ARGUMENT: JsonObject = {
    "type": ["string", "null"],
    "minLength": 1,
    "default": None,
    "description": "the same key again gives the same run",
}
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
    runs = RunService(runner, user)
    processes = runner.platform.processes
    shared = processes.list_shared(user, limit=_MAX_OFFERED)
    own = processes.list_own(user, limit=_MAX_OFFERED)
    for process in {each.name: each for each in [*shared, *own] if each.enabled}.values():  # of two, his own
        yield _start_tool(runs, process), ToolHints(read_only=False)
    yield from _run_tools(runs)


def _start_tool(runs: RunService, process: Process) -> RunTool:
    inputs = process.initial_context
    takes: JsonObject = {_KEY: _KEY_ARGUMENT, **{name: {} for name in inputs}}  # an input of that name comes first

    def start(given: JsonObject) -> JsonObject:
        key = None if _KEY in inputs else given.pop(_KEY, None)
        return _settled(runs, runs.start(process, given, key=key).id)

    description = process.description or f"Runs the process {process.name}."
    name = "_".join(process.name.split())  # a tool's has no spaces
    return RunTool(f"process.{name}", description, takes, start)


def _run_tools(runs: RunService) -> Iterator[tuple[Tool, ToolHints]]:
    look = {**_RUN_ARGUMENT, "seconds": {"type": "number", "minimum": 0, "maximum": 300, "default": _WAIT_SECONDS}}
    answer = {**_RUN_ARGUMENT, "step": {"type": "string", "description": "the question's step"}, "answer": {}}
    yield (
        RunTool("run.look", "Waits for a run and tells where it stands.", look, lambda given: _look(runs, given)),
        ToolHints(read_only=True),
    )
    yield (
        RunTool(
            "run.answer",
            "Gives a run what one of its questions waits to be told.",
            answer,
            lambda given: _answer(runs, given),
        ),
        ToolHints(read_only=False, destructive=False),
    )
    yield (
        RunTool(
            "run.cancel",
            "Stops a run with everything that it called.",
            _RUN_ARGUMENT,
            lambda given: _cancel(runs, given),
        ),
        ToolHints(read_only=False, destructive=True, idempotent=True),
    )


def _look(runs: RunService, given: JsonObject) -> JsonObject:
    runs.resume(given["run"])
    return _settled(runs, given["run"], given.get("seconds", _WAIT_SECONDS))


def _answer(runs: RunService, given: JsonObject) -> JsonObject:
    runs.answer(given["run"], given["step"], given["answer"])
    return _look(runs, {"run": given["run"]})


def _cancel(runs: RunService, given: JsonObject) -> JsonObject:
    runs.cancel(given["run"], wait=_WAIT_SECONDS)
    return _settled(runs, given["run"], 0.0)


def _settled(runs: RunService, run: str, seconds: float = _WAIT_SECONDS) -> JsonObject:
    """Where the run stands once it settles. Raises ToolError where it failed."""
    return _result(runs.settle(run, seconds))


def _result(settled: SettledRun) -> JsonObject:
    state, run = settled.view.state, settled.id
    if state.phase == "failed" and state.error is not None:
        raise ToolError(state.error.message, next_step=f"{state.error.next_step} Then: aeon runs retry {run}")
    questions: list[Json] = [
        {"run": each.run, "step": each.step, "asks": each.asks, "inputs": each.inputs} for each in settled.questions
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
