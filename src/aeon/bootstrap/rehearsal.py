"""Runs Processes in memory with doubled tools: nothing is called, nothing is stored, and waits take no time."""

from collections.abc import Callable
from typing import Final, Self
from uuid import uuid4

from aeon.adapters.engines.local import LocalEngine
from aeon.base.clock import SystemClock
from aeon.base.errors import ConfigError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform, open_platform_in_memory
from aeon.bootstrap.runs import platform_runs
from aeon.llm.interface import LLMAdapter
from aeon.platform.catalog.model import NewService, NewTool, Tool
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.model import NewProcess, Process, ProcessChange
from aeon.platform.runs.admission import NewRun
from aeon.platform.runs.machine.loops import looping_step
from aeon.platform.runs.service import RunView
from aeon.platform.workers.job_runner import JobRunner
from aeon.platform.workers.pool import LocalWorkerPool

_CALLS_AT_ONCE: Final = 20
_CHECK_SECONDS: Final = 0.02
_MAX_CHECKS: Final = 3000
"""A run that has not ended after a minute is given up: it does nothing that takes time."""

_SECTIONS: Final = frozenset({"steps", "onFailure", "finally"})
_CALLED_BY: Final = frozenset({"name", "inputs", "initialContext"})
"""What of a Process its callers see."""

_PLACEHOLDER: Final[JsonObject] = {"id": "placeholder", "wait": 0, "output": {"variable": "placeholder"}}
_SERVICE: Final[JsonObject] = {
    "name": "doubled",
    "type": "mcp_server",
    "protocol": "http",
    "connectionSchema": {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}},
}
_TOOL: Final[JsonObject] = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "mcp_call", "tool": "doubled"},
}


class Rehearsal:
    """A record in memory with copies of Processes, whose tools are doubled by a function. A context manager."""

    def __init__(self, source: Platform, user: str, answer_job: JobRunner) -> None:
        """`source` has the Processes and their tools; the caller closes it. `answer_job` stands for every tool."""
        self._source = source
        self._user = user
        self._platform = open_platform_in_memory({}, _no_model, context=1)
        self._platform.catalog.add_user(user)
        self._service = self._platform.catalog.services.add(NewService.parsed(_SERVICE), MutationRequest(user)).id
        self._tools: dict[str, str] = {}
        self._processes: dict[str, Process] = {}
        self._runs = platform_runs(self._platform)
        workers = LocalWorkerPool(answer_job, {}, otherwise=_CALLS_AT_ONCE)
        self._engine = LocalEngine(self._runs.repository, workers, SystemClock(), str(uuid4()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._engine.close()
        self._platform.close()

    def run(self, process: Process, inputs: JsonObject, find_answer: Callable[[str], Json]) -> RunView:
        """Run a copy of a Process to its end. `find_answer` returns what a person answers to a step.

        Raises what `find_answer` raises, RuleError for inputs that do not fit, and ConfigError for a run without end.
        """
        copied = self._copy(process)
        new = NewRun(inputs, executor=self._engine.executor)
        run = self._runs.accept(copied, new, MutationRequest(self._user)).id
        self._engine.start(run)
        for _ in range(_MAX_CHECKS):
            if self._engine.wait(run, _CHECK_SECONDS):
                return self._runs.view(self._user, run)
            self._answer_questions(run, find_answer)
        raise ConfigError("The run does not end.", next_step="Look for a step that waits for something outside.")

    def _answer_questions(self, run: str, find_answer: Callable[[str], Json]) -> None:
        for question in self._runs.list_questions(self._user, run):
            answering = question.asks or self._user
            self._platform.catalog.add_user(answering)
            self._runs.answer(answering, question.run, question.step, find_answer(looping_step(question.step)))
            self._engine.wake(question.run)

    def _copy(self, process: Process) -> Process:
        """Copy a Process with all that it calls, under its own id.

        Its name is taken first, by a step that waits for nothing, since what it calls may call it.
        """
        if process.id in self._processes:
            return self._processes[process.id]
        request = MutationRequest(self._user)
        fields = {name: value for name, value in process.definition.as_dict().items() if value not in ([], {})}
        called = {name: value for name, value in fields.items() if name in _CALLED_BY}
        self._processes[process.id] = self._platform.processes.add(
            NewProcess.parsed({**called, "steps": [_PLACEHOLDER]}), request, process.id
        )
        for section in _SECTIONS & fields.keys():
            fields[section] = [self._doubled(step) for step in fields[section]]
        copied = self._platform.processes.change(process.id, ProcessChange.parsed(fields), request)
        self._processes[process.id] = copied
        return copied

    def _doubled(self, step: JsonObject) -> JsonObject:
        """Return a step that calls doubles, without anything that takes time."""
        step = self._with_doubled_call(step)
        if step.get("compensate"):
            step["compensate"] = self._with_doubled_call(step["compensate"])
        if step.get("wait") is not None:
            step["wait"] = 0
        return step

    def _with_doubled_call(self, call: JsonObject) -> JsonObject:
        call = dict(call)
        if call.get("tool") is not None:
            call["tool"] = self._double(self._source.catalog.tools.get(self._user, call["tool"]))
        elif call.get("process") is not None:
            self._copy(self._source.processes.get(self._user, call["process"]))
        if _is_called(call):
            call["retry"] = {**(call.get("retry") or {}), "delay": 0}
        return call

    def _double(self, tool: Tool) -> str:
        """Return the id of the double of a tool, which has its schemas and its effect."""
        if tool.id not in self._tools:
            schemas: JsonObject = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
            fields = {**_TOOL, **schemas, "name": self._free_name(tool), "serviceId": self._service}
            fields |= {"effect": tool.effect} if tool.effect else {}
            new = NewTool.parsed(fields)
            self._tools[tool.id] = self._platform.catalog.tools.add(new, MutationRequest(self._user)).id
        return self._tools[tool.id]

    def _free_name(self, tool: Tool) -> str:
        try:
            self._platform.catalog.tools.find(self._user, tool.name)
        except NotFoundError:
            return tool.name
        return f"{tool.name[:150]} {tool.id}"


def _is_called(call: JsonObject) -> bool:
    """Return whether a step calls something by itself: neither waits nor asks a person."""
    execution: JsonObject = call.get("execution") or {}
    return call.get("wait") is None and execution.get("interactionMode") != "manual"


def _no_model() -> LLMAdapter:
    raise ConfigError("A rehearsal has no model.", next_step="Record the calls first.")
