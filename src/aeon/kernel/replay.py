"""Replay: the same kernel with a log's recorded replies, results and instants must write the same bytes (core 13)."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from aeon.base.errors import AeonError, LLMError, LogError, MemoryStoreError, ToolError
from aeon.base.json import JsonObject, canonical_json
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import RunPolicy, restore_state, run_header
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.events import Observer
from aeon.observability.log import INITIAL_HASH, ChainedLog, LogHistory
from aeon.observability.plan_record import restore_plan
from aeon.plan.parser import build_plan
from aeon.supervisor.repair import Supervisor
from aeon.tools.interface import Example, Tool
from aeon.tools.registry import ToolOffer, ToolRegistry
from aeon.validation.schema import Validator


def replay(history: LogHistory, observer: Observer | None = None, *, validator: Validator | None = None) -> int:
    """Runs the log again without model and tools; returns the number of entries, all reproduced byte for byte.

    A run with a custom validator needs the same one for its replay.
    Raises LogError, which names the first entry that differs, or for a log of another format.
    """
    run = run_header(history)
    starts = [0, *(index for index, entry in enumerate(history.entries) if "resumed" in entry)]
    prev = INITIAL_HASH
    for start, end in zip(starts, [*starts[1:], len(history.entries)], strict=True):
        known = history._replace(entries=history.entries[:start], last_hash=prev)
        prev = _replay_segment(run, known, history.entries[start:end], observer, validator)
    return len(history.entries)


def _replay_segment(
    run: JsonObject,
    known: LogHistory,
    segment: list[JsonObject],
    observer: Observer | None,
    validator: Validator | None,
) -> str:
    """Replays the entries that one process wrote after `known`; returns the hash of its last line."""
    compare = _Comparison(segment)
    clock = _RecordedClock(segment)
    calls = (call for entry in segment for call in entry["tool_calls"])
    tools = [_RecordedTool(tool, calls) for tool in run["tools"]]
    plan = None if segment[0]["llm_output"] else segment[0]["plan_state"]
    orchestrator = Orchestrator(
        _RecordedModel(entry["llm_output"] for entry in segment if entry["llm_output"]),
        _RecordedMemory(segment),
        _RecordedRegistry(tools, restore_plan([plan]) if plan else None),
        Supervisor(_RecordedModel(_repairs(segment)), clock=clock),
        validator,
        ttl=run["ttl"],
        on_missing_tool=run["policy"]["on_missing_tool"],
        log=ChainedLog(compare, prev=known.last_hash, entries=len(known.entries)),
        observer=observer,
        clock=clock,
    )
    try:
        if known.entries:
            orchestrator.resume(restore_state(known), segment[0]["resumed"]["ttl"])
        else:
            _execute(orchestrator, run, segment[0]["plan_state"])
    except _ReplayMatched as match:
        return match.last_hash
    raise _differs(len(known.entries) + compare.count + 1, "is missing from the replay")


def _execute(orchestrator: Orchestrator, run: JsonObject, plan_state: JsonObject) -> None:
    policy = RunPolicy.model_validate(run["policy"])
    plan = build_plan(restore_plan([plan_state])) if policy.is_supplied else None
    orchestrator.execute(
        run["request"], plan, repair=policy.repair, allow_fallback=policy.on_missing_tool == "fallback"
    )


class _ReplayMatched(Exception):  # noqa: N818  # not an error: the segment was reproduced
    """Every recorded entry of the segment was written again."""

    def __init__(self, last_hash: str) -> None:
        super().__init__(last_hash)
        self.last_hash = last_hash


class _Comparison:
    """Compares each line of the replay with the recorded entry, and ends the replay after the last one."""

    def __init__(self, segment: list[JsonObject]) -> None:
        self.count = 0
        self._segment = segment

    def __call__(self, line: bytes) -> None:
        entry = self._segment[self.count]
        if canonical_json(entry).encode() != line:
            raise _differs(entry["step_number"], "replays differently")
        self.count += 1
        if self.count == len(self._segment):
            raise _ReplayMatched(hashlib.sha256(line).hexdigest())


class _RecordedModel(RequestAdapter):
    """A model that returns the recorded replies and raises the recorded failures."""

    def __init__(self, outputs: Iterator[JsonObject]) -> None:
        self._outputs = iter(outputs)

    def supports_streaming(self) -> bool:
        return False

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        del request, on_text
        output = next(self._outputs, None)
        if output is None:
            raise LogError("The replay asks the model for a reply that the log does not have.")
        if "error" in output:
            raise _RecordedLLMError(output["error"])
        return LLMResponse.from_dict(output)


class _RecordedRegistry(ToolRegistry):
    """The recorded tools, and the plan that code made if no model made it."""

    def __init__(self, tools: Sequence[Tool], plan: JsonObject | None) -> None:
        super().__init__([*tools])
        self._plan = plan

    def offer(self, request: str) -> ToolOffer:
        return super().offer(request)._replace(plan=self._plan)


class _RecordedTool(Tool):
    """A tool that returns the recorded results of its calls and raises the recorded failures."""

    timeout = None

    def __init__(self, exported: JsonObject, calls: Iterator[JsonObject]) -> None:
        self.name = exported["name"]
        self.description = exported["description"]
        self.input_schema = exported["input_schema"]
        self.output_schema = exported["output_schema"]
        self.offered_schema = exported.get("offered_schema")
        if "example" in exported:
            self.examples = (Example("", [{"tool": self.name, "arguments": exported["example"]}]),)
        self._calls = calls

    def invoke(self, **kwargs: Any) -> dict[str, Any]:
        call = next(self._calls, None)
        if call is None or call["tool_name"] != self.name or call["arguments"] != kwargs:
            raise LogError(f"The replay makes a call of {self.name!r} that the log does not have.")
        if "error" in call:
            raise _RecordedToolError(call["error"])
        return call["result"]


class _RecordedMemory(InMemoryKVStore):
    """A memory that fails where the recorded memory failed."""

    def __init__(self, segment: list[JsonObject]) -> None:
        super().__init__()
        self._failures = {
            f"step/{error['step_id']}": error
            for entry in segment
            for error in entry["errors"]
            if error["type"] == "MemoryStoreError"
        }

    def write(self, key: str, value: Any) -> None:
        if key in self._failures:
            raise MemoryStoreError(self._failures[key]["message"], next_step=self._failures[key]["next_step"])
        super().write(key, value)


class _RecordedClock:
    """A clock that returns the recorded instants, in the order in which a cycle reads them."""

    def __init__(self, segment: list[JsonObject]) -> None:
        self._instants = iter([instant for entry in segment for instant in _instants(entry)])

    def now(self) -> str:
        return next(self._instants, "")

    def monotonic(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        """Does not wait."""


def _instants(entry: JsonObject) -> list[str]:
    records = [*entry["supervisor_actions"], *entry["tool_calls"]]
    return [entry["timestamp"], *(record["timestamp"] for record in records), entry["finished_at"]]


def _repairs(segment: list[JsonObject]) -> Iterator[JsonObject]:
    return (
        action["model_output"]
        for entry in segment
        for action in entry["supervisor_actions"]
        if action.get("model_output") is not None
    )


class _RecordedError(AeonError):
    """An error with its recorded content."""

    def __init__(self, record: JsonObject) -> None:
        super().__init__(record["message"], next_step=record["next_step"])
        self._record = record

    def as_dict(self) -> JsonObject:
        return dict(self._record)


class _RecordedLLMError(_RecordedError, LLMError):
    """A recorded failure of a model."""

    next_step = ""


class _RecordedToolError(_RecordedError, ToolError):
    """A recorded failure of a tool."""


def _differs(number: int, what: str) -> LogError:
    return LogError(
        f"Entry {number} {what}.",
        next_step="The log was written by another version of Aeon, or by other tools under the same names.",
        line=number,
    )
