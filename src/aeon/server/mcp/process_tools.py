"""Stored Processes as tools: one per Process that starts a run, and tools to look at, answer and cancel runs."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from aeon.application.run_follower import SettledRun
from aeon.application.runs import RunService
from aeon.application.workspace import Workspace
from aeon.base.errors import AeonError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.processes.model import Process
from aeon.server.mcp.next_steps import TOOLS
from aeon.server.mcp.offered_tools import ToolHints
from aeon.tools.interface import Tool

_MAX_OFFERED = 200
"""The most of the user's own Processes, and the most shared ones, that are offered."""

_WAIT_SECONDS = 30.0
"""Seconds that a call waits for a run: clients time out after a minute. The run continues."""

_KEY = "idempotencyKey"
_KEY_ARGUMENT: JsonObject = {
    "type": ["string", "null"],
    "minLength": 1,
    "default": None,
    "description": "the same key again returns the same run",
}
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


def offer_processes(workspace: Workspace) -> Iterator[tuple[Tool, ToolHints]]:
    """Yield a tool for each Process that the user may run, and the tools for runs. Raises StoreError."""
    runs, listed = workspace.runs, workspace.processes.list_all()
    own = [each for each in listed if each.owner_id == workspace.user][:_MAX_OFFERED]
    shared = [each for each in listed if each.owner_id != workspace.user][:_MAX_OFFERED]
    # An own one replaces a shared one of the same name.
    for process in {each.name: each for each in [*shared, *own] if each.enabled}.values():
        yield _start_tool(runs, process), ToolHints(read_only=False)
    yield from _run_tools(runs)


def _start_tool(runs: RunService, process: Process) -> RunTool:
    inputs = process.input_names
    # A Process with an input called idempotencyKey gets it as an input.
    parameters: JsonObject = {_KEY: _KEY_ARGUMENT, **{name: process.inputs.get(name, {}) for name in inputs}}

    def start(arguments: JsonObject) -> JsonObject:
        key = None if _KEY in inputs else arguments.pop(_KEY, None)
        return _settled(runs, runs.start(process, arguments, key=key).id)

    description = process.description or f"Runs the process {process.name}."
    name = "_".join(process.name.split())  # names of tools have no spaces
    return RunTool(f"process.{name}", description, parameters, start)


def _run_tools(runs: RunService) -> Iterator[tuple[Tool, ToolHints]]:
    look = {**_RUN_ARGUMENT, "seconds": {"type": "number", "minimum": 0, "maximum": 300, "default": _WAIT_SECONDS}}
    answer = {**_RUN_ARGUMENT, "step": {"type": "string", "description": "the question's step"}, "answer": {}}
    yield (
        RunTool("run.look", "Waits for a run and returns its state.", look, lambda arguments: _look(runs, arguments)),
        ToolHints(read_only=True),
    )
    yield (
        RunTool("run.answer", "Answers a question of a run.", answer, lambda arguments: _answer(runs, arguments)),
        ToolHints(read_only=False, destructive=False),
    )
    yield (
        RunTool(
            "run.cancel",
            "Cancels a run and the runs that it called.",
            _RUN_ARGUMENT,
            lambda arguments: _cancel(runs, arguments),
        ),
        ToolHints(read_only=False, destructive=True, idempotent=True),
    )


def _look(runs: RunService, arguments: JsonObject) -> JsonObject:
    runs.adopt(arguments["run"])
    return _settled(runs, arguments["run"], arguments.get("seconds", _WAIT_SECONDS))


def _answer(runs: RunService, arguments: JsonObject) -> JsonObject:
    runs.answer(arguments["run"], arguments["step"], arguments["answer"])
    return _look(runs, {"run": arguments["run"]})


def _cancel(runs: RunService, arguments: JsonObject) -> JsonObject:
    runs.cancel(arguments["run"], wait=_WAIT_SECONDS)
    return _settled(runs, arguments["run"], 0.0)


def _settled(runs: RunService, run: str, seconds: float = _WAIT_SECONDS) -> JsonObject:
    """Wait for the run and return its state. Raises ToolError if it failed."""
    settled = runs.settle(run, seconds)
    state = settled.view.state
    if state.phase == "failed" and state.error is not None:
        raise ToolError(
            state.error.message, next_step=f"{state.error.next_step} {NextStep('runs.retry', run=run).worded(TOOLS)}"
        )
    return {"run": run, "phase": state.phase, "output": state.output, "questions": _questions(settled)}


def _questions(settled: SettledRun) -> list[Json]:
    return [
        {"run": each.run, "step": each.step, "asks": each.asks, "inputs": each.inputs} for each in settled.questions
    ]


@contextmanager
def _as_tool_errors() -> Generator[None]:
    try:
        yield
    except ToolError:
        raise
    except AeonError as error:
        raise ToolError(error.message, next_step=error.next) from error
