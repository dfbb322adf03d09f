"""The three modes and what leads to them (core 1, 2, 3, 6, 14), and every thing a tool can do wrong."""

import threading

import pytest

from aeon.base.errors import ExecutionError, MemoryStoreError
from aeon.kernel.executor import StepExecutor
from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.models import PlanStep
from aeon.supervisor.models import Supervisor
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.function import tool
from aeon.tools.interface import Tool


class Shaped(Tool):
    """A tool that returns whatever it was made with."""

    name = "shaped"
    description = "Returns what it has."
    input_schema = {"type": "object"}
    output_schema = {"type": "object", "required": ["ok"]}

    def __init__(self, value, timeout=None):
        self.value = value
        self.timeout = timeout

    def invoke(self, **kwargs):
        return self.value() if callable(self.value) else self.value


def ended(made, position=-1):
    return [e for e in made.events if e.kind == "step_ended"][position]


def test_tool_wins_when_both_are_set_core_1(run):
    result = run([]).execute("go", plan({**calc("a", "1"), "agent": "llm"}))

    assert result["results"]["a"] == {"result": 1}


def test_an_unknown_tool_is_found_by_the_model_and_keeps_the_step_core_2(run):
    made = run([{"tool": "calculator"}, call("calculator", expression="2+2")])

    result = made.execute("go", plan(step("a", "add 2 and 2", tool="adder")))

    assert result["plan"]["steps"][0] == {
        "step_id": "a",
        "description": "add 2 and 2",
        "status": "complete",
        "tool": "calculator",
    }
    action = result["final_state"].supervisor_actions[0]
    assert action.action_type == "missing_tool_repair"
    assert "Tool 'adder' not found in registry" in action.original_output["errors"][0]
    assert "repaired: tool adder -> calculator" in ended(made).marks


def test_a_step_without_tool_and_agent_is_a_missing_tool_step_core_2(run):
    made = run([{"tool": "echo"}, call("echo", text="hi")])

    assert made.execute("go", plan(step("a", "say hi")))["answer"] == "hi"


def test_a_name_that_differs_in_case_only_is_repaired_without_the_model(run):
    made = run([])

    result = made.execute("go", plan({**calc("a", "1+1"), "tool": "Calculator"}))

    assert result["answer"] == "2"
    assert made.model.requests == []
    assert result["final_state"].supervisor_actions[0].stages == ["same_name"]


def test_no_tool_fits_so_the_description_is_the_prompt_core_1_core_2(run):
    made = run([{"tool": None}, "Bonjour"])

    result = made.execute("go", plan(step("a", "say hello in French", tool="translator")))

    assert result["answer"] == "Bonjour"
    assert ended(made).mode == "fallback"
    assert "say hello in French" in made.model.requests[1].prompt
    assert any("not found in registry" in e.message for e in made.events if e.kind == "warning")
    assert result["final_state"].supervisor_actions[0].error is not None


def test_a_tool_invented_by_the_repair_is_refused_twice_then_fallback(run):
    made = run([{"tool": "magic"}, {"tool": "wand"}, "done by hand"])

    result = made.execute("go", plan(step("a", tool="translator")))

    assert result["answer"] == "done by hand"
    assert len(made.model.requests) == 3


def test_given_arguments_that_do_not_fit_are_asked_again_core_3(run):
    made = run([call("echo", text="hi")])

    result = made.execute("go", plan(step("a", "say hi", tool="echo", arguments={"txt": "hi"})), repair=True)

    assert result["answer"] == "hi"
    assert any("do not fit" in e.message for e in made.events if e.kind == "warning")


def test_a_thought_that_names_another_tool_does_not_get_it_core_10(run):
    made = run(
        [call("calculator", expression="1"), call("calculator", expression="1"), call("calculator", expression="1")]
    )

    result = made.execute("go", plan(step("a", "say hi", tool="echo")))

    assert result["status"] == "failed"
    assert result["final_state"].tool_history == []
    assert len(made.model.requests) == 3


def test_references_in_a_thoughts_arguments_are_bound(run):
    made = run([call("calculator", expression="{step.a.result} * 2")])

    result = made.execute("go", plan(calc("a", "21"), step("b", "double it", tool="calculator")))

    assert result["answer"] == "42"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"ok": float("nan")}, "not JSON"),
        ({"ok": {1, 2}}, "not JSON"),
        ({"wrong": 1}, "does not fit its output schema"),
        ([1], "not an object"),
        (None, "not an object"),
        ({"ok": "x" * 50_000_000}, "at most 1,048,576"),
    ],
)
def test_a_tool_that_returns_the_wrong_thing_fails_its_step_core_6(run, value, said):
    made = run([], Shaped(value))

    result = made.execute("go", plan(step("a", tool="shaped", arguments={}), calc("b", "1")))

    assert [s["status"] for s in result["plan"]["steps"]] == ["failed", "complete"]
    assert said in ended(made, 0).error


def test_a_tool_that_exits_the_process_does_not(run):
    def leave():
        raise SystemExit(3)

    assert run([], Shaped(leave)).execute("go", plan(step("a", tool="shaped", arguments={})))["status"] == "failed"


def test_a_tool_that_hangs_is_given_up_and_its_late_answer_reaches_nobody(run):
    gate = threading.Event()
    calls = []

    def wait():
        calls.append(1)
        if len(calls) == 1:
            gate.wait(30)
            return {"ok": "late"}
        return {"ok": "second"}

    made = run([], Shaped(wait, timeout=0.05))
    result = made.execute("go", plan(step("a", tool="shaped", arguments={}), step("b", tool="shaped", arguments={})))
    gate.set()

    assert "did not answer within 0.05 s" in ended(made, 0).error
    assert result["results"] == {"b": {"ok": "second"}}


def test_a_memory_that_fails_is_logged_and_stops_nothing_core_14(run):
    class Full(InMemoryKVStore):
        def write(self, key, value):
            raise MemoryStoreError("disk full")

    made = run([], memory=Full())

    result = made.execute("go", plan(calc("a", "1")))

    assert result["status"] == "completed"
    assert result["final_state"].errors[0]["message"] == "disk full"


def step_of(**fields):
    return PlanStep.model_validate(step("a", **fields))


def test_the_executor_stands_alone_as_published(run):
    """core-interfaces: execute_step, execute_tool_step and execute_llm_reasoning_step without an orchestrator."""
    made = run([])
    memory, model = InMemoryKVStore(), ScriptedAdapter(["thought"])
    memory.write("step/before", {"result": 4})
    executor = StepExecutor()

    tooled = executor.execute_tool_step(
        step_of(tool="calculator", arguments={"expression": "{step.before.result} + 1"}), made.registry, memory
    )
    reasoned = executor.execute_llm_reasoning_step(step_of(agent="llm"), memory, model)
    fallen = executor.execute_step(
        step_of(tool="nope"),
        made.registry,
        memory,
        ScriptedAdapter(["by hand"]),
        Supervisor(ScriptedAdapter([{"tool": None}])),
    )

    assert (tooled.success, tooled.result, tooled.execution_mode) == (True, {"result": 5}, "tool")
    assert (reasoned.success, reasoned.result, reasoned.execution_mode) == (True, {"text": "thought"}, "llm")
    assert (fallen.success, fallen.execution_mode, fallen.result) == (True, "fallback", {"text": "by hand"})
    assert memory.read("step/a") == {"text": "by hand"}


def test_a_tool_step_without_tool_or_arguments_fails_with_its_reason(run):
    made = run([])
    executor = StepExecutor()

    assert (
        "does not name a registered tool"
        in executor.execute_tool_step(step_of(tool="nope"), made.registry, made.memory).error
    )
    assert "no valid arguments" in executor.execute_tool_step(step_of(tool="echo"), made.registry, made.memory).error


def test_a_step_that_has_run_is_not_run_again(run):
    made = run([])
    done = step_of(tool="calculator", arguments={"expression": "1"}, status="complete")

    with pytest.raises(ExecutionError, match="cannot go from complete"):
        StepExecutor().execute_tool_step(done, made.registry, made.memory)


def test_a_typed_function_is_a_tool(run):
    @tool
    def shout(text: str, times: int = 1) -> str:
        """Say it loudly."""
        return text.upper() * times

    result = run([], shout).execute("go", plan(step("a", tool="shout", arguments={"text": "hi", "times": 2})))

    assert result["answer"] == "HIHI"


def test_a_tool_that_replaces_another_under_its_name_is_asked_for_in_its_own_form_core_3(run):
    made = run([call("shaped", n=1), call("shaped", n=1)])
    executor = StepExecutor()
    for text in ("The first.", "The second."):
        made.registry.unregister("shaped")
        shaped = Shaped({"ok": True})
        shaped.description = text
        made.registry.register(shaped)
        executor.execute_step(step_of(tool="shaped"), made.registry, made.memory, made.model, Supervisor(made.model))
    executor.close()

    assert ["The second." in request.prompt for request in made.model.requests] == [False, True]


def test_a_step_whose_tool_was_found_has_no_errors_while_it_runs_core_2(run):
    """core-interfaces: the supervisor's repair clears `step.errors`."""
    made = run([])
    repaired = step_of(tool="Calculator", arguments={"expression": "1"})
    seen = []
    executor = StepExecutor(observer=lambda event: seen.append((event.kind, list(repaired.errors))))
    executor.execute_step(repaired, made.registry, made.memory, made.model, Supervisor(made.model))
    executor.close()

    assert [kind for kind, _ in seen] == ["warning", "tool_invoked"]
    assert [len(errors) for _, errors in seen] == [1, 0]


def test_whether_a_step_is_in_a_run_is_said_and_not_read_off_its_goal():
    """Measured K13: an empty goal meant "outside a run", and such a step was told what the memory held."""
    memory = InMemoryKVStore()
    memory.write("step/before", {"text": "of another run"})
    executor = StepExecutor()
    executor.context.goal = ""
    asked = ScriptedAdapter(["Berlin."])
    executor.execute_llm_reasoning_step(PlanStep(step_id="a", description="name it", agent="llm"), memory, asked)
    executor.close()
    assert executor.context.results == {}
    assert "Goal: \n" in asked.requests[0].prompt
