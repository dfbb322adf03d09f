"""The loop: planning, strict sequence, TTL, failures, states, events (FR-001 to FR-013, FR-034 to FR-036, FR-048 to FR-055)."""

import pytest

from aeon.base.errors import LLMError, LogError, OrchestrationError, PlanError, RequestError
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.request_text import MAX_REQUEST
from aeon.llm.interface import LLMAdapter, LLMResponse
from aeon.observability.log import read_log
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.function import tool
from aeon.tools.registry import ToolRegistry


@tool
def broken(x: int) -> int:
    """Fails always."""
    raise ValueError(f"no luck with {x}")


def statuses(result):
    return [one["status"] for one in result["plan"]["steps"]]


def test_a_request_becomes_a_plan_and_runs_thought_tool_thought_sc_009(run):
    """SC-009: plan, thought, tool, and a thought that sees the tool's result, in one run."""
    made = run(
        [
            plan(step("s1", "multiply", tool="calculator"), step("s2", "tell", agent="llm")),
            call("calculator", expression="15 * 23 + 7"),
            "It is 352.",
        ]
    )

    result = made.execute("What is 15 * 23 plus 7?")

    assert result["status"] == "completed"
    assert result["results"] == {"s1": {"result": 352}, "s2": {"text": "It is 352."}}
    assert result["answer"] == "It is 352."
    assert '{"result":352}' in made.model.requests[2].prompt
    assert "Cycles left: 49" in made.model.requests[2].prompt, "FR-002: a thought knows the TTL left"


def test_the_plan_is_asked_under_a_schema_that_knows_the_tools_only_core_11(run):
    made = run([plan(calc("s1", "1+1"))])

    made.execute()

    schema = made.model.requests[0].schema
    names = {
        b["properties"]["tool"]["const"]
        for b in schema["properties"]["steps"]["items"]["anyOf"]
        if "tool" in b["properties"]
    }
    offered = {name for name in made.registry.list_all() if made.registry.get(name).is_common}
    assert names == offered != set(made.registry.list_all())


def test_a_call_is_asked_under_the_tools_own_schema_core_11(run):
    made = run([plan(step("s1", tool="echo")), call("echo", text="hi")])

    made.execute()

    schema = made.model.requests[1].schema
    assert schema["properties"]["tool"] == {"const": "echo"}
    assert schema["properties"]["arguments"] == made.registry.get("echo").input_schema


def test_a_plan_by_hand_with_arguments_needs_no_model_core_3(run):
    made = run([])

    result = made.execute("go", plan(calc("a", "2*3"), calc("b", "{step.a.result} + 1")))

    assert result["answer"] == "7"
    assert made.model.requests == []


def test_a_reference_that_is_the_whole_string_keeps_its_type_core_3(run):
    made = run([])

    result = made.execute(
        "go",
        plan(
            calc("a", "2*3"),
            step("b", tool="calculator", arguments={"operation": "add", "a": "{step.a.result}", "b": 1}),
            step("c", tool="echo", arguments={"text": "got {step.b.result}!"}),
        ),
    )

    assert result["results"]["b"] == {"result": 7}
    assert result["answer"] == "got 7!"


def test_a_reference_is_rendered_as_text_where_only_text_fits(run):
    result = run([]).execute(
        "go", plan(calc("a", "6*7"), step("b", tool="echo", arguments={"text": "{step.a.result}"}))
    )

    assert result["answer"] == "42"


def test_a_reference_to_a_failed_step_fails_its_step_and_the_run_goes_on(run):
    made = run([], broken)

    result = made.execute(
        "go", plan(step("a", tool="broken", arguments={"x": 1}), calc("b", "{step.a.result} + 1"), calc("c", "1+1"))
    )

    assert statuses(result) == ["failed", "failed", "complete"]
    assert result["status"] == "failed"


def test_a_tool_that_raises_fails_its_step_and_the_next_thought_is_told_fr_054_fr_055(run):
    made = run(
        [plan(step("a", tool="broken", arguments={"x": 3}), step("b", "explain", agent="llm")), "It failed."], broken
    )

    result = made.execute()

    assert statuses(result) == ["failed", "complete"]
    assert result["status"] == "failed"
    assert "no luck with 3" in made.model.requests[1].prompt
    state = result["final_state"]
    assert state.tool_history[0].error["message"] == "The tool 'broken' failed: ValueError: no luck with 3"
    assert state.tool_history[0].result is None


def test_steps_run_in_strict_order_each_pending_running_complete_fr_052(run):
    made = run([])

    made.execute("go", plan(calc("a", "1"), calc("b", "2")))

    seen = [(e.kind, e.step["step_id"]) for e in made.events if e.kind in ("step_started", "step_ended")]
    assert seen == [("step_started", "a"), ("step_ended", "a"), ("step_started", "b"), ("step_ended", "b")]
    assert made.kinds()[0] == "plan_ready"
    assert made.kinds()[-1] == "run_ended"


def test_ttl_falls_by_one_a_step_in_every_mode_and_ends_the_run_core_4_core_5(run):
    made = run(["told"], broken, ttl=3)

    result = made.execute(
        "go", plan(calc("a", "1"), step("b", tool="broken", arguments={"x": 1}), step("c", agent="llm"), calc("d", "2"))
    )

    assert result["status"] == "ttl_expired"
    assert statuses(result) == ["complete", "failed", "complete", "pending"]
    assert result["final_state"].ttl_remaining == 0
    assert result["error"]["steps_left"] == 1
    assert "resume" in result["error"]["next_step"]


def test_ttl_that_is_just_enough_completes(run):
    assert run([], ttl=2).execute("go", plan(calc("a", "1"), calc("b", "2")))["status"] == "completed"


def test_a_ttl_below_one_is_refused():
    with pytest.raises(RequestError, match="at least one cycle"):
        Orchestrator(ScriptedAdapter([]), ttl=0)


def test_a_model_that_is_gone_fails_the_step_and_ends_the_run_core_7_fr_049(run, tmp_path):
    made = run([plan(step("a", agent="llm"), calc("b", "1")), LLMError("gone")], log=tmp_path / "l")

    result = made.execute()

    assert result["status"] == "failed"
    assert statuses(result) == ["failed", "pending"]
    assert result["error"]["type"] == "LLMError"
    entries = read_log(tmp_path / "l").entries
    assert len(entries) == 2
    assert entries[1]["errors"][0]["message"] == "gone"


def test_planning_that_cannot_be_repaired_raises_with_its_attempts_and_is_logged_core_7_fr_039(run, tmp_path):
    made = run(["I would rather not.", "No.", "Still no."], log=tmp_path / "l")

    with pytest.raises(OrchestrationError) as caught:
        made.execute()

    assert len(made.model.requests) == 3
    assert [attempt.get("attempt_number") for attempt in caught.value.details["attempts"]] == [None, 1, 2]
    entry = read_log(tmp_path / "l").entries[0]
    assert entry["plan_state"] == {}
    assert entry["llm_output"]["text"] == "I would rather not."
    assert len(entry["supervisor_actions"]) == 2


def test_planning_without_a_model_raises_with_what_to_do(run):
    with pytest.raises(OrchestrationError, match="Check which model is configured"):
        run([LLMError("connection refused")]).execute()


@pytest.mark.parametrize("request_text", ["", "  \n ", "a\x00b", "x" * (MAX_REQUEST + 1), None, 7])
def test_a_request_that_cannot_be_planned_is_refused_before_the_model(run, request_text):
    made = run([])

    with pytest.raises(RequestError):
        made.execute(request_text)

    assert made.model.requests == []


def test_a_plan_by_hand_with_bad_references_is_refused_at_once(run):
    with pytest.raises(PlanError, match="later step"):
        run([]).execute("go", plan(calc("a", "{step.b.result}"), calc("b", "1")))


def test_get_state_is_a_snapshot_core_16(run):
    made = run([])
    with pytest.raises(OrchestrationError):
        made.orchestrator.get_state()
    made.execute("go", plan(calc("a", "1")))

    snapshot = made.orchestrator.get_state()
    snapshot.plan.steps.clear()
    snapshot.tool_history.clear()
    snapshot.results["a"]["result"] = 99

    fresh = made.orchestrator.get_state()
    assert len(fresh.plan.steps) == 1
    assert len(fresh.tool_history) == 1
    assert fresh.results == {"a": {"result": 1}}


def test_the_callers_plan_is_not_touched(run):
    mine = Plan.model_validate(plan(calc("a", "1")))

    run([]).orchestrator.execute("go", mine)

    assert mine.steps[0].status == "pending"


def test_state_can_be_asked_in_the_middle_of_a_run_us_2(run):
    """US-2.3: whoever asks during the run gets the true status of every step."""
    seen = []

    @tool
    def look() -> int:
        """Looks at the run."""
        state = made.orchestrator.get_state()
        seen.append((state.current_step_id, [s.status.value for s in state.plan.steps]))
        return 1

    made = run([], look)
    made.execute("go", plan(calc("a", "1"), step("b", tool="look", arguments={}), calc("c", "1")))

    assert seen == [("b", ["complete", "running", "pending"])]


def test_memory_keeps_each_steps_result_core_14(run):
    made = run([])

    made.execute("go", plan(calc("a", "1")))

    assert made.memory.read("step/a") == {"result": 1}


def test_two_runs_that_get_the_same_answers_are_the_same(run):
    """Deterministic: the same plan and replies give the same plan, results and state, but for the instants."""
    replies = [plan(step("s1", tool="calculator")), call("calculator", expression="6*7")]

    first, second = (run(list(replies)).execute() for _ in range(2))

    assert first["plan"] == second["plan"]
    assert first["results"] == second["results"]


def test_one_log_holds_one_run(run, tmp_path):
    made = run([], log=tmp_path / "l")
    made.execute("go", plan(calc("a", "1")))

    with pytest.raises(OrchestrationError, match="already has a run"):
        made.execute("go", plan(calc("a", "1")))


def test_a_log_that_cannot_be_written_ends_the_run_with_what_to_do(tmp_path):
    from aeon.observability.log import JsonlLog

    log = JsonlLog(
        tmp_path / "l", write=lambda _file, _line: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )

    with pytest.raises(LogError, match=r"No space left.*continue the request of the log"):
        Orchestrator(ScriptedAdapter([]), tool_registry=ToolRegistry(), log=log).execute(
            "go", Plan.model_validate(plan(step("a", agent="llm")))
        )

    assert (tmp_path / "l").read_bytes() == b""


def test_an_adapter_that_knows_only_generate_works(run):
    """Third-party adapters know nothing of schemas: they are asked all the same, and their output is validated."""

    class Plain(LLMAdapter):
        def __init__(self):
            self.replies = iter(
                ['```json\n{"goal": "g", "steps": [{"step_id": "a", "description": "d", "agent": "llm"}]}\n```', "fine"]
            )

        def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
            return {"text": next(self.replies), "finish_reason": "stop"}

        def supports_streaming(self):
            return False

    result = Orchestrator(Plain()).execute("hello")

    assert result["answer"] == "fine"
    assert result["final_state"].supervisor_actions[0].stages == ["unfence"]


def test_an_adapter_that_returns_no_text_is_reported():
    class Silent(LLMAdapter):
        def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
            return {}

        def supports_streaming(self):
            return False

    with pytest.raises(OrchestrationError, match="no text"):
        Orchestrator(Silent()).execute("hello")


def test_an_adapter_that_raises_what_it_should_not_ends_the_run_with_its_log_core_7(run, tmp_path):
    made = run([TimeoutError("too slow")], log=tmp_path / "l")

    result = made.execute("go", plan(step("a", agent="llm"), calc("b", "1")))

    assert result["status"] == "failed"
    assert "TimeoutError: too slow" in result["error"]["message"]
    assert len(read_log(tmp_path / "l").entries) == 2


def test_an_answer_that_was_cut_off_is_not_passed_off_as_whole(run):
    made = run([LLMResponse("Once upon a", "length")])

    result = made.execute("go", plan(step("a", "tell a story", agent="llm")))

    assert result["status"] == "failed"
    assert "cut off" in made.events[-2].error


def test_a_part_is_not_passed_off_as_the_answer(run):
    result = run([], ttl=1).execute("go", plan(calc("a", "1"), calc("b", "2")))

    assert result["results"] == {"a": {"result": 1}}
    assert result["answer"] is None


def test_planning_only_runs_nothing(run):
    made = run([plan(calc("a", "1"))])

    assert made.orchestrator.plan("compute").as_dict()["steps"][0]["tool"] == "calculator"
    assert made.memory.search("") == []


def test_stored_keys_with_a_word_of_the_request_are_told_to_the_planner_and_no_results_of_steps(run):
    made = run([plan(calc("a", "1"))])
    made.memory.write("yearly_budget", 1200)
    made.memory.write("colour", "red")
    made.memory.write("step/old budget", 1)

    made.execute("What is left of my budget?")

    assert "Stored keys: yearly_budget\n" in made.model.requests[0].prompt
    assert "step/old" not in made.model.requests[0].prompt
