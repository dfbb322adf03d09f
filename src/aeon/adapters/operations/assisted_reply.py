"""Answers a message of a conversation with tools: a run of the kernel in place of one model call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from aeon.base.errors import OrchestrationError, RequestError
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.kernel.marks import declined_mark, doubt_marks
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import OrchestrationState
from aeon.llm.interface import ChatMessage, LLMAdapter, LLMRequest, LLMResponse, TextSink, WrappedAdapter
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.events import Event, PlanReady, PlanStepStarted, TextGenerated
from aeon.plan.models import Plan, PlanStep
from aeon.platform.catalog.operations import OperationError
from aeon.platform.memory.manifest import call_json
from aeon.supervisor.answered_run import AnsweredRun
from aeon.tools.interface import TextRead, Tool
from aeon.tools.registry import ToolRegistry

_RESULTS = "step/"
"""The keys under which a kernel stores the results of steps."""

_READ = "{step.read.text}"

_MAX_RESULT = 4000
"""Characters of a tool's result that a manifest keeps (platform 46)."""


class ToolQuestion(NamedTuple):
    """A user's message, and the messages before it, oldest first; the texts that are attached to it, by their names."""

    user: str
    message: str
    earlier: tuple[ChatMessage, ...]
    texts: Mapping[str, str] = MappingProxyType({})


class OfferedTools(NamedTuple):
    """The tools that may help with a message, the memory that they share, and the most steps of a plan.

    `plan` is that of code, if the model need not make one.
    """

    registry: ToolRegistry
    memory: Memory
    ttl: int
    plan: Plan | None = None


OfferTools: TypeAlias = Callable[[ToolQuestion], OfferedTools | None]
"""Chooses the tools for a message; None if none suits, so that the model answers alone."""


class WithoutToolsError(Exception):
    """The tools did not help, and nothing was done that a repetition would do again; the text says why."""


class AssistedReply:
    """One answer with tools. `prompts` and `calls` are what its manifest keeps of it.

    `note` is called before and after each call that must not be repeated, so that an attempt after a crash knows of it.
    """

    def __init__(self, offered: OfferedTools, question: ToolQuestion, note: Callable[["AssistedReply"], None]) -> None:
        self._offered = offered
        self._question = question
        self._note = note
        self.prompts: list[JsonObject] = []
        self.calls: list[JsonObject] = []
        self._acts = False

    def make(self, adapter: LLMAdapter, sink: TextSink) -> JsonObject:
        """Run the kernel; return the text of the answer and its marks.

        `sink` gets the last step's text as it is generated. Raises WithoutToolsError if the use of tools could not be
        planned, or a step failed after calls that may all be repeated, and OperationError if any may not be.
        """
        kernel = Orchestrator(
            _ConversingAdapter(adapter, self._question.earlier, self.prompts),
            _OwnResults(self._offered.memory),
            self._observed(self._offered.registry),
            ttl=self._offered.ttl,
            observer=_LastStepText(sink),
            earlier=tuple(each.text for each in self._question.earlier),
        )
        try:
            raw = kernel.execute(self._question.message, self._offered.plan)
        except OrchestrationError as error:
            raise WithoutToolsError("the use of tools could not be planned, so none was used") from error
        except RequestError as error:
            raise OperationError(error.message, next_step=error.next) from None
        state = cast(OrchestrationState, raw["final_state"])
        if raw["status"] != "completed" or not raw["answer"]:
            if self._acts:
                raise OperationError(_reason(raw, state))
            raise WithoutToolsError(f"answered without tools, because a call failed: {_reason(raw, state)}")
        marks = [mark for listed in raw["marks"].values() for mark in listed]
        return {"text": raw["answer"].strip(), "marks": marks}

    def _observed(self, registry: ToolRegistry) -> ToolRegistry:
        """The tools, each of which notes its calls."""
        observed = registry.snapshot()
        for name in observed.list_all():
            tool = cast(Tool, observed.get(name))
            observed.unregister(name)
            observed.register(_NotedTool(tool, self._begin, self._end))
        return observed

    def _begin(self, tool: Tool, arguments: JsonObject) -> int:
        self.calls.append({"tool": tool.name, "arguments": arguments, "state": "began"})
        if not tool.is_repeatable:
            self._acts = True
            self._note(self)
        return len(self.calls) - 1

    def _end(self, number: int, tool: Tool, state: str, result: Json) -> None:
        text = canonical_json(result)
        kept = result if len(text) <= _MAX_RESULT else f"{text[:_MAX_RESULT]} [{len(text) - _MAX_RESULT} more]"
        self.calls[number] |= {"state": state, "result": kept}
        if not tool.is_repeatable:
            self._note(self)


def answer_marks(message: str, reply: LLMResponse, recalled: Sequence[str] = (), material: str = "") -> list[str]:
    """Return why to doubt an answer that the model gave alone (core 17); it may use what was `recalled`.

    An answer from the `material` that the user attached is to have no numbers of its own.
    """
    text = reply.text.strip()
    if (declined := declined_mark(text, message)) is not None:
        return [declined]
    read = PlanStep(step_id="read", description="read what is attached", tool="attachment")
    answer = PlanStep(step_id="s1", description=message, agent="llm", arguments={"text": _READ} if material else None)
    steps, results = ([read, answer], {"read": material}) if material else ([answer], dict[str, str]())
    run = AnsweredRun(message, steps, [], {**results, "s1": text}, True, True, recalled, reply.as_dict())
    return doubt_marks(run)


class _ConversingAdapter(WrappedAdapter):
    """A model that is shown the conversation before each request of a run; the requests are recorded."""

    def __init__(self, adapter: LLMAdapter, earlier: Sequence[ChatMessage], prompts: list[JsonObject]) -> None:
        super().__init__(adapter)
        self._earlier = tuple(earlier)
        self._prompts = prompts

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        conversing = replace(request, history=self._earlier)
        self._prompts.append(call_json(conversing))
        return self._adapter.complete(conversing, on_text)


class _OwnResults(Memory):
    """A memory for one run: the results of its steps end with it, all else is in the offered memory.

    So no copy of an answer is left in a memory, where another request of the folder would read it and nobody would find
    it to erase it (platform 28).
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._results = InMemoryKVStore()

    def write(self, key: str, value: Any) -> None:
        self._of(key).write(key, value)

    def read(self, key: str) -> Any | None:
        return self._of(key).read(key)

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        kept = [(key, value) for key, value in self._memory.search(prefix) if not key.startswith(_RESULTS)]
        return sorted([*kept, *self._results.search(prefix)], key=lambda pair: pair[0])

    def delete(self, key: str) -> bool:
        return self._of(key).delete(key)

    def _of(self, key: str) -> Memory:
        return self._results if key.startswith(_RESULTS) else self._memory


class _LastStepText:
    """An observer that passes on the text of the last step, which is the answer if the model writes it."""

    wants_text = True

    def __init__(self, sink: TextSink) -> None:
        self._sink = sink
        self._steps = 0
        self._is_last = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, PlanReady):
            self._steps = len(event.plan["steps"])
        elif isinstance(event, PlanStepStarted):
            self._is_last = event.position == self._steps - 1
        elif isinstance(event, TextGenerated) and event.purpose == "answer" and self._is_last:
            self._sink(event.text)


class _NotedTool(Tool):
    """A tool whose calls are noted."""

    def __init__(
        self,
        tool: Tool,
        begin: Callable[[Tool, JsonObject], int],
        end: Callable[[int, Tool, str, Json], None],
    ) -> None:
        self.name, self.description = tool.name, tool.description
        self.input_schema, self.output_schema = tool.input_schema, tool.output_schema
        self.timeout, self.offered_schema, self.examples = tool.timeout, tool.offered_schema, tool.examples
        self.is_common, self.is_repeatable = tool.is_common, tool.is_repeatable
        self._tool = tool
        self._begin = begin
        self._end = end

    def invoke(self, **kwargs: Any) -> JsonObject:
        number = self._begin(self._tool, kwargs)
        try:
            result = self._tool.invoke(**kwargs)
        except BaseException as error:
            self._end(number, self._tool, "failed", str(error))
            raise
        self._end(number, self._tool, "done", result)
        return result

    def read_request(self, request: str) -> JsonObject | None:
        return self._tool.read_request(request)

    def reads_whole(self, request: str) -> bool:
        return self._tool.reads_whole(request)

    def suits(self, request: str) -> bool:
        return self._tool.suits(request)

    def text_read(self, request: str) -> TextRead | None:
        return self._tool.text_read(request)

    def working(self, request: str) -> str | None:
        return self._tool.working(request)


def _reason(raw: JsonObject, state: OrchestrationState) -> str:
    failures = "; ".join(state.failures().values())
    error = raw.get("error")
    return failures or (error["message"] if error else "the steps gave no answer")
