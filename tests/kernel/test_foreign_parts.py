"""Parts that other people write and that misbehave: the run goes on or fails in Aeon's own words, and its log is whole."""

import logging

import pytest

from aeon.base.errors import (
    LLMError,
    MemoryStoreError,
    MissingExtraError,
    OrchestrationError,
    SupervisorError,
    ToolError,
)
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.llm.interface import LLMAdapter, LLMResponse, call_model
from aeon.llm.interface import LLMRequest as Question
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import JsonlLog, read_log
from aeon.plan.models import Plan
from aeon.supervisor.models import Supervisor
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, plan, step
from aeon.tools.function import tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


class MuteError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class MuteToolError(MuteError, ToolError):
    """The same, of a kind that Aeon expects."""


class MuteLLMError(MuteError, LLMError):
    """The same."""


class MuteMemoryError(MuteError, MemoryStoreError):
    """The same."""


class BareToolError(ToolError):
    """A ToolError whose author forgot to call the base class."""

    def __init__(self):
        pass


class BareLLMError(LLMError):
    """The same."""

    def __init__(self):
        pass


class BareMemoryError(MemoryStoreError):
    """The same."""

    def __init__(self):
        pass


class SilentToolError(ToolError):
    """A ToolError that cannot be written down."""

    def as_dict(self):
        raise RuntimeError("no record")


class OtherWordsError(ToolError):
    """A ToolError whose text is not the one that its record has, which a replay could not know."""

    def __str__(self):
        return "other words"


class Foreign(LLMAdapter):
    """An adapter whose `complete` gives or raises what it was made with."""

    def __init__(self, answer):
        self.answer = answer

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        raise NotImplementedError

    def supports_streaming(self):
        return False

    def complete(self, request, on_text=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Generating(Foreign):
    """An adapter of the published contract alone."""

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        return self.answer

    complete = LLMAdapter.complete


ANSWERS = {
    "nothing": None,
    "text": "hello",
    "a dict": {"text": "hello"},
    "no text": LLMResponse(None),
    "bytes": LLMResponse(b"hello"),
    "usage with NaN": LLMResponse("hello", usage={"cost": float("nan")}),
    "usage with an object": LLMResponse("hello", usage={"raw": object()}),
    "usage with an infinite number": LLMResponse("hello", usage={"cost": float("inf")}),
    "usage that is a list": LLMResponse("hello", usage=[1]),
    "a finish reason of another type": LLMResponse("hello", finish_reason=object()),
    "a model of another type": LLMResponse("hello", model=object()),
    "an id of another type": LLMResponse("hello", request_id=3.5),
    "an exception without words": MuteError(),
    "an LLMError without words": MuteLLMError(),
    "an LLMError of nothing": BareLLMError(),
    "an LLMError with an object": LLMError("gone", raw=object()),
    "an LLMError with NaN": LLMError("gone", seconds=float("nan")),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_whatever_an_adapter_gives_is_a_reply_or_an_llm_error_and_the_log_is_whole_core_7(answer, tmp_path):
    log = tmp_path / "l"
    supplied_plan = Plan.model_validate(plan(calc("a", "1"), step("b", agent="llm")))

    result = Orchestrator(Foreign(answer), log=JsonlLog(log), tool_registry=tools()).execute("go", supplied_plan)

    assert result["status"] == "failed"
    assert result["error"]["type"] in {"LLMError", "MuteLLMError", "BareLLMError"}
    assert result["results"] == {"a": {"result": 1}}
    assert replay(read_log(log)) == 3


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_adapter_that_misbehaves_at_planning_leaves_a_whole_log_too_core_7_fr_039(answer, tmp_path):
    log = tmp_path / "l"

    with pytest.raises(OrchestrationError, match="No plan could be made"):
        Orchestrator(Foreign(answer), log=JsonlLog(log)).execute("go")

    assert read_log(log).entries[0]["llm_output"]["error"]


def test_what_an_adapter_says_to_do_is_said_where_no_plan_could_be_made():
    """Such as the library of the system that the embedded model needs."""
    missing = MissingExtraError("It cannot be loaded.", next_step="apt-get install libgomp1")

    with pytest.raises(OrchestrationError, match=r"It cannot be loaded\.") as failed:
        Orchestrator(Foreign(missing)).execute("go")

    assert failed.value.advice == "apt-get install libgomp1"


@pytest.mark.parametrize("usage", [{"cost": float("nan")}, {"raw": object()}, [1], "many"])
def test_usage_that_no_log_can_keep_is_an_llm_error_of_the_published_method_too(usage):
    with pytest.raises(LLMError, match="usage"):
        call_model(Generating({"text": "hello", "usage": usage}), Question("hi"))


def test_an_adapter_that_changes_the_schema_it_is_given_changes_its_own_core_11():
    class Strict(Foreign):
        def complete(self, request, on_text=None):
            request.schema["properties"].clear()
            return self.answer

    schema = {"type": "object", "properties": {"a": {}}}

    call_model(Strict(LLMResponse("{}")), Question("hi", schema=schema))

    assert schema == {"type": "object", "properties": {"a": {}}}


def test_an_adapter_that_changes_its_reply_later_changes_nothing_core_16():
    usage = {"tokens": 1}
    reply = call_model(Foreign(LLMResponse("hello", usage=usage)), Question("hi"))

    usage["tokens"] = float("nan")

    assert reply.usage == {"tokens": 1}


RAISED = [MuteError(), MuteToolError(), BareToolError(), SilentToolError("lost"), OtherWordsError("lost")]
RAISED += [ToolError("lost", raw=object()), ToolError("lost", at=float("nan")), BareLLMError(), MuteMemoryError()]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_whatever_a_tool_raises_is_a_tool_error_and_replays_core_6_core_13(error, run, tmp_path):
    @tool
    def failing() -> str:
        """Fail."""
        raise error

    log = tmp_path / "l"

    result = run([], failing, log=log).execute(
        supplied_plan=plan(step("a", tool="failing", arguments={}), calc("b", "1"))
    )

    assert [one["status"] for one in result["plan"]["steps"]] == ["failed", "complete"]
    assert result["final_state"].errors[0]["type"].endswith("ToolError")
    assert replay(read_log(log)) == 3


class Meddling(InMemoryKVStore):
    """A memory that changes what it is given."""

    def write(self, key, value):
        value["result"] = 666


def test_a_memory_that_changes_a_value_changes_its_own_core_14(run):
    result = run([], memory=Meddling()).execute(supplied_plan=plan(calc("a", "2 + 3")))

    assert result["results"] == {"a": {"result": 5}}
    assert result["final_state"].tool_history[0].result == {"result": 5}


class Failing(InMemoryKVStore):
    """A memory that raises what it was made with."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, key, value):
        raise self.error


LOST = [
    MuteError(),
    MuteMemoryError(),
    BareMemoryError(),
    MemoryStoreError(object()),
    MemoryStoreError("x", a=object()),
]


@pytest.mark.parametrize("error", LOST, ids=lambda error: type(error).__name__)
def test_whatever_a_memory_raises_is_a_memory_store_error_core_14(error, run, tmp_path):
    log = tmp_path / "l"

    result = run([], memory=Failing(error), log=log).execute(supplied_plan=plan(calc("a", "1")))

    assert result["status"] == "completed"
    assert result["final_state"].errors[0]["type"] == "MemoryStoreError"
    assert replay(read_log(log)) == 2


def every_place(value):
    """Every object and list in `value`."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    elif isinstance(value, list):
        yield value
    for item in value if isinstance(value, list) else ():
        yield from every_place(item)


def spoil(event):
    """Change whatever an event holds."""
    for field in event.__slots__:
        for place in every_place(getattr(event, field)):
            place.update(spoilt=float("nan"), expression="600 + 66") if isinstance(place, dict) else place.clear()


def test_an_observer_that_changes_events_changes_nothing_of_the_run_core_16(tmp_path):
    """One that changed arguments after their validation had 666 computed instead of 2 + 3."""
    logs = tmp_path / "spoilt", tmp_path / "left"
    replies = ['```json\n{"steps": [{"step_id": "s1", "description": "add", "tool": "Calculator"}]}\n```']
    replies.append('{"tool": "calculator", "arguments": {"expression": "2 + 3",}}')
    results = [
        Orchestrator(ScriptedAdapter(replies), tool_registry=tools(), log=JsonlLog(log), observer=observer).execute(
            "go"
        )
        for log, observer in zip(logs, (spoil, None), strict=True)
    ]

    assert results[0]["answer"] == results[1]["answer"] == "5"
    assert results[0]["plan"] == results[1]["plan"]
    assert [replay(read_log(log)) for log in logs] == [2, 2]


@pytest.mark.parametrize(
    "kind", ["planning_started", "text_made", "plan_ready", "step_started", "tool_invoked", "step_ended"]
)
def test_an_observer_that_raises_ends_no_run_and_is_named_in_the_programs_log(kind, tmp_path, caplog):
    seen = []

    def observer(event):
        seen.append(event.kind)
        if event.kind == kind:
            raise RuntimeError("broken display")

    log = tmp_path / "l"
    made = Orchestrator(
        ScriptedAdapter([plan(calc("s1", "2 + 3")), plan(calc("s1", "1"))]),
        tool_registry=tools(),
        observer=observer,
        log=JsonlLog(log),
    )
    with caplog.at_level(logging.WARNING, "aeon"):
        result = made.execute("go")

    assert result["answer"] == "5"
    assert seen.count(kind) == 1, "what failed once is not told again"
    assert seen[-1] == kind
    assert "broken display" in caplog.text
    assert replay(read_log(log)) == 2


def test_an_observer_that_raised_in_one_run_is_told_of_the_next():
    seen = []

    def observer(event):
        seen.append(event.kind)
        raise RuntimeError

    made = Orchestrator(ScriptedAdapter([]), tool_registry=tools(), observer=observer)
    for _ in range(2):
        made.execute("go", Plan.model_validate(plan(calc("a", "1"))))

    assert seen == ["plan_ready", "plan_ready"]


@pytest.mark.parametrize("use", ["execute", "plan", "resume"])
def test_a_tool_that_enters_its_own_orchestrator_again_is_refused_core_4(use, run):
    """Without a log, the run that was entered began a log of its own, and the outer one lost its place."""

    @tool
    def recursive() -> str:
        """Run everything again."""
        made = holder["orchestrator"]
        return str(made.resume(made.get_state()) if use == "resume" else getattr(made, use)("again"))

    made = run([plan(calc("s1", "1"))] * 2, recursive)
    holder = {"orchestrator": made.orchestrator}

    result = made.execute(supplied_plan=plan(step("a", tool="recursive", arguments={}), calc("b", "2")))

    assert [one["status"] for one in result["plan"]["steps"]] == ["failed", "complete"]
    assert "in the middle of a run" in result["final_state"].errors[0]["message"]
    assert made.orchestrator.execute("go", Plan.model_validate(plan(calc("a", "1"))))["status"] == "completed"


def test_tools_that_change_in_mid_run_are_those_of_the_next_run_core_13(run, tmp_path):
    @tool
    def new() -> str:
        """Say new."""
        return "new"

    @tool
    def changing() -> str:
        """Change what is registered."""
        made.registry.unregister("calculator")
        if made.registry.get("new") is None:
            made.registry.register(new)
        return "changed"

    log = tmp_path / "l"
    made = run(['{"tool": null}', "I know no new."], changing, log=log)

    result = made.execute(
        supplied_plan=plan(
            step("a", tool="changing", arguments={}), calc("b", "1"), step("c", tool="new", arguments={})
        )
    )

    assert result["results"]["b"] == {"result": 1}
    assert result["results"]["c"] == {"text": "I know no new."}
    assert replay(read_log(log)) == 4
    assert made.registry.list_all()[-1] == "new"


ARRAYS = [
    {"type": "array"},
    {"type": ["array", "null"]},
    {"type": "string"},
    {"enum": [[1]]},
    {"anyOf": [{"type": "array"}]},
]


@pytest.mark.parametrize("schema", [*ARRAYS, {"type": "nonsense"}, {"$ref": "#/nowhere"}])
@pytest.mark.parametrize("text", ["[1]", "see [1]", "nothing"])
def test_repair_json_with_a_schema_of_no_object_is_a_supervisor_error_fr_029(schema, text):
    made = Supervisor(ScriptedAdapter([[1], [1]]))

    with pytest.raises(SupervisorError):
        made.repair_json(text, schema)

    assert all(action.repaired_output is None for action in made.actions)


def test_a_schema_that_no_object_fits_is_refused_before_the_model_is_paid_fr_029():
    model = ScriptedAdapter([])

    with pytest.raises(SupervisorError, match="object") as caught:
        Supervisor(model).repair_json("[1]", {"type": "array", "items": {"type": "integer"}})

    assert model.requests == []
    assert caught.value.advice


def tools():
    """The shipped tools over a memory of their own."""
    return ToolRegistry(builtin_tools(InMemoryKVStore()))
