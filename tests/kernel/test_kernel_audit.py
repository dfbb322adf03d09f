"""Ways in which a run lost something or passed something wrong off as right, found by reading the kernel against the spec."""

import pytest

from aeon.base.errors import MemoryStoreError, OrchestrationError, RequestError, ToolError
from aeon.base.json import canonical_json
from aeon.kernel.executor import StepExecutor
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import ChainedLog, read_log
from aeon.plan.models import Plan, PlanStep
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.function import tool
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


class Broken(InMemoryKVStore):
    """A memory whose every operation raises what it was made with."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, key, value):
        raise self.error

    def search(self, prefix):
        raise self.error


FAILURES = [
    MemoryError("full"),
    OSError("disk gone"),
    MemoryStoreError("full", next_step="free space", path="/there"),
    type("Lost", (MemoryStoreError,), {})("connection lost"),
]


@pytest.mark.parametrize("error", FAILURES, ids=repr)
def test_whatever_a_memory_raises_is_logged_stops_nothing_and_replays_core_13_core_14(run, tmp_path, error):
    made = run([plan(calc("a", "1"))], memory=Broken(error), log=tmp_path / "l")

    result = made.execute()

    assert result["status"] == "completed"
    assert str(error.args[0]).partition(" free")[0] in result["final_state"].errors[0]["message"]
    assert replay(read_log(tmp_path / "l")) == 2


@pytest.mark.parametrize("error", FAILURES, ids=repr)
def test_a_step_that_stands_alone_survives_a_broken_memory_core_14(error):
    step_ = PlanStep.model_validate(calc("a", "1"))
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()))

    outcome = StepExecutor().execute_tool_step(step_, registry, Broken(error))

    assert outcome.success
    assert len(outcome.errors) == 2, "neither the failed search nor the failed write is passed over in silence"


def test_an_empty_memory_that_knows_its_length_is_used_all_the_same_fr_014():
    class TokenReport(InMemoryKVStore):
        def __len__(self):
            return len(self.search(""))

    memory = TokenReport()

    Orchestrator(ScriptedAdapter([]), memory, ToolRegistry(builtin_tools(memory))).execute(
        "go", Plan.model_validate(plan(calc("a", "1")))
    )

    assert memory.read("step/a") == {"result": 1}


def test_a_thoughts_reference_reaches_a_text_tool_as_text_fr_025_sc_004(run):
    """A reference that is the whole argument took its result's type, unchecked, into a tool that takes text."""
    made = run([call("echo", text="{step.a.result}")])

    result = made.execute("go", plan(calc("a", "42"), step("b", "say it", tool="echo")))

    assert result["results"]["b"] == {"text": "42"}


def test_a_thoughts_arguments_are_checked_again_once_their_references_are_bound_fr_025_sc_004(run):
    seen = []

    @tool
    def twice(number: str) -> str:
        """Doubles."""
        seen.append(number)
        return number

    class Picky(Tool):
        name = "picky"
        description = "Takes one word."
        input_schema = {"type": "object", "properties": {"word": {"type": "string", "maxLength": 20}}}
        output_schema = {"type": "object"}

        def invoke(self, **kwargs):
            seen.append(kwargs)
            return {}

    made = run([call("picky", word="{step.a.text}")], Picky())

    result = made.execute("go", plan(step("a", tool="echo", arguments={"text": "x" * 40}), step("b", tool="picky")))

    assert [one["status"] for one in result["plan"]["steps"]] == ["complete", "failed"]
    assert "word" in result["final_state"].errors[-1]["message"]
    assert seen == []


def test_an_answer_the_model_refused_or_a_filter_cut_is_not_passed_off_as_whole(run):
    made = run([LLMResponse("Well, first you", "refusal")])

    result = made.execute("go", plan(step("a", "tell me how", agent="llm")))

    assert result["status"] == "failed"
    assert result["answer"] is None
    assert "refused" in result["final_state"].errors[-1]["message"]


def test_a_resumed_thought_is_told_why_an_earlier_step_failed_core_6_core_13_fr_055(run):
    first = run([], ttl=1).execute("go", plan(calc("a", "1/0"), step("b", "explain", agent="llm")))
    made = run(["It was zero."])

    made.orchestrator.resume(first["final_state"])

    assert first["final_state"].errors[-1]["message"] in made.model.requests[0].prompt


@pytest.mark.parametrize("ttl", [0, -1])
def test_a_resume_gets_at_least_one_cycle_core_4(run, ttl):
    first = run([], ttl=1).execute("go", plan(calc("a", "1"), calc("b", "2")))

    with pytest.raises(RequestError, match="at least one cycle"):
        run([]).orchestrator.resume(first["final_state"], ttl)


def test_an_orchestrator_without_a_log_runs_as_often_as_it_is_asked(run):
    made = run([])

    first, second = (made.execute("go", plan(calc("a", "1+1"))) for _ in range(2))

    assert first["results"] == second["results"] == {"a": {"result": 2}}


def test_a_planning_that_fails_is_logged_by_execute_and_not_by_plan_fr_039():
    lines = []
    made = Orchestrator(ScriptedAdapter(["no"] * 3), log=ChainedLog(lines.append))

    with pytest.raises(OrchestrationError):
        made.plan("hello")

    assert lines == [], "plan() only plans"


class Loud(Tool):
    """Fails, or returns the wrong thing, at length."""

    name = "loud"
    description = "Much ado."
    input_schema = {"type": "object"}
    output_schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def __init__(self, fail):
        self.fail = fail

    def invoke(self, **kwargs):
        if self.fail:
            raise ValueError("x" * 5000)
        return {"n": "y" * 5000}


@pytest.mark.parametrize("fail", [True, False])
def test_a_long_error_of_a_tool_is_bounded_and_replays_core_13(run, tmp_path, fail):
    made = run([], Loud(fail), log=tmp_path / "l")

    result = made.execute("go", plan(step("a", tool="loud", arguments={})))

    assert len(result["final_state"].tool_history[0].error["message"]) <= 2000
    assert replay(read_log(tmp_path / "l")) == 2


@pytest.mark.parametrize("message", [5, b"x", ["x"]])
def test_a_tool_error_whose_message_is_no_text_fails_its_step_only_core_6(run, tmp_path, message):
    @tool
    def odd() -> int:
        """Raises oddly."""
        raise ToolError(message)

    made = run([], odd, log=tmp_path / "l")

    result = made.execute("go", plan(step("a", tool="odd", arguments={}), calc("b", "1")))

    assert [one["status"] for one in result["plan"]["steps"]] == ["failed", "complete"]
    assert replay(read_log(tmp_path / "l")) == 3


def read_nothing(request):
    raise KeyError(request)


@pytest.mark.parametrize("read", [read_nothing, lambda _request: {"x": {1, 2}}, lambda _request: "text"])
def test_a_tool_that_cannot_read_the_request_gives_no_hint_and_stops_nothing(run, read):
    reader = Loud(fail=False)
    reader.read_request = read
    made = run([plan(calc("a", "1"))], reader)

    assert made.execute("hello")["status"] == "completed"
    assert "loud" not in made.model.requests[0].prompt


def test_changing_the_plan_of_a_result_changes_nothing_core_16(run):
    made = run([])
    result = made.execute("go", plan(calc("a", "1")))

    result["plan"]["steps"][0]["arguments"]["expression"] = "9"

    assert made.orchestrator.get_state().plan.steps[0].arguments == {"expression": "1"}


def test_a_number_that_no_log_can_keep_is_repaired_in_a_plan_core_9_core_12(run, tmp_path):
    """`1e999` was read as infinity: the log refused the entry, and the run died as if the disk were full."""
    infinite = "Here you are: " + canonical_json(plan(calc("s1", "1"))).replace('"1"', "1e999")
    made = run([infinite, plan(calc("s1", "1"))], log=tmp_path / "l")

    result = made.execute("what is 1?")

    assert result["results"] == {"s1": {"result": 1}}
    assert replay(read_log(tmp_path / "l")) == 2


def test_a_number_that_no_log_can_keep_stops_no_later_step_core_9_core_12(run, tmp_path):
    planned = plan(step("s1", "say five", tool="echo"), calc("s2", "1 + 1"), goal="five")
    infinite = 'Sure: {"tool": "echo", "arguments": {"text": 1e999}}'
    made = run([infinite, infinite, infinite], log=tmp_path / "l")

    result = made.execute("go", planned)

    assert [one["status"] for one in result["plan"]["steps"]] == ["failed", "complete"]
    assert replay(read_log(tmp_path / "l")) == 3
