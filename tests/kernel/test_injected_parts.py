"""Every published part that can be injected is the part that runs (core-interfaces)."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from aeon.base.errors import LLMError, OrchestrationError, PlanError, SupervisorError
from aeon.kernel.executor import StepExecutor
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import JsonlLog, read_log
from aeon.plan.models import Plan, PlanStep
from aeon.supervisor.models import Supervisor
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.tools.stubs.echo import EchoTool
from aeon.validation.schema import Validator

BY_HAND = Plan.model_validate(plan(step("a", "say hi", tool="echo"), calc("b", "1")))
HI = call("echo", text="hi")


def tools(*more):
    kept = [tool for tool in builtin_tools(InMemoryKVStore()) if tool.name not in {one.name for one in more}]
    return ToolRegistry([*kept, *more])


class Refusing(Validator):
    """Refuses whatever one of its methods is asked about."""

    def __init__(self, method):
        def refuse(*_args):
            raise ValueError(f"{method} says no")

        setattr(self, method, refuse)


def test_a_validators_validate_plan_runs_for_a_plan_by_hand_fr_026():
    made = Orchestrator(ScriptedAdapter([]), tool_registry=tools(), validator=Refusing("validate_plan"))

    with pytest.raises(PlanError, match="validate_plan says no"):
        made.execute("go", BY_HAND)


@pytest.mark.parametrize("method", ["validate_plan", "validate_llm_output"])
def test_a_validators_methods_run_for_a_plan_that_was_made_fr_024_fr_026(method, tmp_path):
    log, validator = tmp_path / "l", Refusing(method)
    made = Orchestrator(
        ScriptedAdapter([plan(calc("a", "1"))]), tool_registry=tools(), validator=validator, log=JsonlLog(log)
    )

    with pytest.raises(OrchestrationError, match=f"{method} says no"):
        made.execute("go")
    assert replay(read_log(log), validator=validator) == 1


@pytest.mark.parametrize(
    ("method", "statuses"),
    [
        ("validate_step_tool", ["failed", "failed"]),
        ("validate_tool_call", ["failed", "failed"]),
        ("validate_llm_output", ["failed", "complete"]),
    ],
)
def test_a_validators_methods_run_before_a_tool_does_fr_024_fr_025(method, statuses, tmp_path):
    log, validator = tmp_path / "l", Refusing(method)
    made = Orchestrator(ScriptedAdapter([HI]), tool_registry=tools(), validator=validator, log=JsonlLog(log))

    result = made.execute("say hi", BY_HAND)

    assert [one["status"] for one in result["plan"]["steps"]] == statuses
    assert f"{method} says no" in result["final_state"].errors[0]["message"]
    assert "a" not in result["results"]
    assert replay(read_log(log), validator=validator) == 3


class Choosy(EchoTool):
    """An echo that refuses by its own methods."""

    def __init__(self, *, takes=True, gives=True):
        self.takes, self.gives, self.ran = takes, gives, False

    def validate_input(self, **kwargs):
        kwargs["text"] = "changed"
        if isinstance(self.takes, Exception):
            raise self.takes
        return self.takes

    def validate_output(self, result):
        result["text"] = "changed"
        return self.gives

    def invoke(self, **kwargs):
        self.ran = True
        return super().invoke(**kwargs)


@pytest.mark.parametrize("takes", [False, ValueError("never")], ids=repr)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_tool_that_refuses_its_input_does_not_run_fr_025(takes, timeout, tmp_path):
    choosy = Choosy(takes=takes)
    choosy.timeout = timeout
    log = tmp_path / "l"
    made = Orchestrator(ScriptedAdapter([]), tool_registry=tools(choosy), log=JsonlLog(log))

    result = made.execute("go", Plan.model_validate(plan(step("a", tool="echo", arguments={"text": "hi"}))))

    assert not choosy.ran
    assert result["final_state"].errors[0]["type"] == "ToolError"
    assert replay(read_log(log)) == 2


@pytest.mark.parametrize(("gives", "status"), [(True, "completed"), (False, "failed")])
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_tools_own_validate_output_runs_and_changes_nothing_core_6(gives, status, timeout):
    choosy = Choosy(gives=gives)
    choosy.timeout = timeout

    result = Orchestrator(ScriptedAdapter([]), tool_registry=tools(choosy)).execute(
        "go", Plan.model_validate(plan(step("a", tool="echo", arguments={"text": "hi"})))
    )

    assert choosy.ran
    assert result["status"] == status
    assert result["results"] == ({"a": {"text": "hi"}} if gives else {})


class Own(Supervisor):
    """A supervisor whose repairs, by the published signatures, are its author's."""

    def __init__(self, answer):
        super().__init__(ScriptedAdapter([]))
        self.answer, self.asked = answer, []

    def repair_plan(self, malformed_plan, max_attempts=2):
        return self._own(malformed_plan)

    def repair_tool_call(self, malformed_call, tool_schema, max_attempts=2):
        return self._own(malformed_call)

    def repair_missing_tool_step(self, step, available_tools, plan_goal, max_attempts=2):
        return self._own(step)

    def _own(self, malformed):
        self.asked.append(malformed)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


COLOURED = {**plan(calc("s1", "1")), "colour": "red"}


@pytest.mark.parametrize("reply", [COLOURED, "I would rather not."], ids=["readable", "unreadable"])
def test_an_overridden_repair_plan_is_the_one_that_runs_fr_031(reply):
    own = Own(plan(calc("s1", "1")))

    result = Orchestrator(ScriptedAdapter([reply]), tool_registry=tools(), supervisor=own).execute("go")

    assert result["results"] == {"s1": {"result": 1}}
    assert len(own.asked) == 1


@pytest.mark.parametrize("reply", [call("echo", words="hi"), "I would rather not."], ids=["readable", "unreadable"])
def test_an_overridden_repair_tool_call_is_the_one_that_runs_fr_030(reply):
    own = Own(call("echo", text="hi"))

    result = Orchestrator(ScriptedAdapter([reply]), tool_registry=tools(), supervisor=own).execute("go", BY_HAND)

    assert result["results"]["a"] == {"text": "hi"}
    assert len(own.asked) == 1


def test_an_overridden_repair_is_held_to_the_same_limits_core_10():
    registry = tools()
    other = Own(plan(step("x", "wire money", agent="llm"), goal="another goal"))
    with pytest.raises(OrchestrationError, match="must stay"):
        Orchestrator(ScriptedAdapter([COLOURED]), tool_registry=registry, supervisor=other).execute("go")

    invented = Own(call("echo", text="invented"))
    result = Orchestrator(ScriptedAdapter(["?"]), tool_registry=registry, supervisor=invented).execute("go", BY_HAND)
    assert "invents nothing" in result["final_state"].errors[0]["message"]


ODD = [None, "text", {}, {"tool": "nobody"}, {"tool": 5}, call("calculator", expression="1"), ValueError("odd")]


@pytest.mark.parametrize("answer", ODD, ids=repr)
def test_what_an_overridden_repair_gives_is_checked_all_the_same_core_10(answer):
    registry = tools()
    with pytest.raises(OrchestrationError):
        Orchestrator(ScriptedAdapter([COLOURED]), tool_registry=registry, supervisor=Own(answer)).execute("go")

    result = Orchestrator(ScriptedAdapter(["?"]), tool_registry=registry, supervisor=Own(answer)).execute("go", BY_HAND)
    assert [one["status"] for one in result["plan"]["steps"]] == ["failed", "complete"]


@pytest.mark.parametrize("answer", [one for one in ODD if one != ODD[5]], ids=repr)
def test_a_tool_that_an_overridden_repair_finds_is_a_registered_one_core_2(answer):
    missing = Plan.model_validate(plan(step("a", "say hi", tool="nobody")))

    result = Orchestrator(ScriptedAdapter(["hi"]), tool_registry=tools(), supervisor=Own(answer)).execute("go", missing)

    assert result["results"] == {"a": {"text": "hi"}}
    assert result["final_state"].errors[1]["type"] == "SupervisorError"


@pytest.mark.parametrize("error", [SupervisorError("no"), LLMError("gone")], ids=repr)
def test_an_overridden_repair_may_fail_in_aeons_words_core_7(error):
    result = Orchestrator(ScriptedAdapter(["?"]), tool_registry=tools(), supervisor=Own(error)).execute("go", BY_HAND)

    assert result["plan"]["steps"][0]["status"] == "failed"


class Lines(Supervisor):
    """Reads `name = value` lines as a call of echo, by the published signature."""

    def __init__(self, model=None, **more):
        super().__init__(model or ScriptedAdapter([]))
        self.more, self.asked = more, []

    def repair_json(self, malformed_json, expected_schema=None, max_attempts=2):
        self.asked.append(malformed_json)
        if " = " not in malformed_json:
            return super().repair_json(malformed_json, expected_schema, max_attempts)
        arguments = dict(line.split(" = ") for line in malformed_json.splitlines())
        return call("echo", **arguments, **self.more)


def test_an_overridden_repair_json_is_the_one_that_reads_a_reply_fr_029(tmp_path):
    """Measured K6: it was never called when replies were read."""
    own = Lines()

    result = Orchestrator(ScriptedAdapter(["text = hi"]), tool_registry=tools(), supervisor=own).execute("go", BY_HAND)

    assert result["results"]["a"] == {"text": "hi"}
    assert own.asked == ["text = hi"]
    assert [(one.action_type, one.stages) for one in own.actions] == [("json_repair", ["repair_json"])]


def test_a_reply_that_is_json_is_read_without_it():
    own = Lines()
    reply = call("echo", text="hi")

    result = Orchestrator(ScriptedAdapter([reply]), tool_registry=tools(), supervisor=own).execute("go", BY_HAND)

    assert (result["results"]["a"], own.asked) == ({"text": "hi"}, [])


@pytest.mark.parametrize(("more", "why"), [({"text": "made up"}, "does not occur"), ({"loud": "hi"}, "unexpected")])
def test_what_an_overridden_repair_json_reads_is_held_to_the_same_limits_core_10(more, why):
    own = Lines(**more)
    own.repair_json = lambda *_: call("echo", **{"text": "hi", **more})

    result = Orchestrator(ScriptedAdapter(["hi"]), tool_registry=tools(), supervisor=own).execute("go", BY_HAND)

    assert why in result["final_state"].errors[0]["message"]


def test_an_overridden_repair_json_reads_a_plan_too_and_may_leave_it_to_aeon():
    own = Lines()
    fenced = f"```json\n{json.dumps(plan(calc('s1', '1')))}\n```"

    result = Orchestrator(ScriptedAdapter([fenced]), tool_registry=tools(), supervisor=own).execute("go")

    assert result["results"] == {"s1": {"result": 1}}
    assert (own.asked, [one.stages for one in own.actions]) == ([fenced], [["unfence"]])


def test_an_overridden_repair_json_costs_no_more_model_calls_core_4():
    """Two for one reply, whoever asks them."""
    model = ScriptedAdapter(["no", "no", "no", "no", "no"])
    own = Lines(model)

    result = Orchestrator(ScriptedAdapter(["?"]), tool_registry=tools(), supervisor=own).execute("go", BY_HAND)

    assert result["plan"]["steps"][0]["status"] == "failed"
    assert len(model.requests) == 2


def test_an_override_may_call_the_repair_that_it_overrides_core_10():
    class Counting(Supervisor):
        """Counts, and leaves the repair to Aeon."""

        count = 0

        def repair_plan(self, malformed_plan, max_attempts=2):
            self.count += 1
            return super().repair_plan(malformed_plan, max_attempts)

    model = ScriptedAdapter([COLOURED, plan(calc("s1", "1"))])
    made = Counting(model)

    result = Orchestrator(model, tool_registry=tools(), supervisor=made).execute("go")

    assert result["answer"] == "1"
    assert made.count == 1
    assert made.actions[0].original_output == COLOURED


class Tracing(StepExecutor):
    """Notes which of the published methods carry a step out."""

    def __init__(self):
        super().__init__()
        self.used = []

    def execute_tool_step(self, step, registry, memory):
        self.used.append("tool")
        return super().execute_tool_step(step, registry, memory)

    def execute_llm_reasoning_step(self, step, memory, llm):
        self.used.append("llm")
        return super().execute_llm_reasoning_step(step, memory, llm)


@pytest.mark.parametrize(
    ("one", "replies", "used"),
    [
        (calc("a", "1"), [], "tool"),
        (step("a", "say hi", tool="echo"), [HI], "tool"),
        (step("a", "say hi", agent="llm"), ["hi"], "llm"),
        (step("a", "say hi", tool="nobody"), [{"tool": None}, "hi"], "llm"),
    ],
)
def test_a_step_is_carried_out_by_the_published_method_of_its_mode_core_1(one, replies, used):
    executor, model, memory = Tracing(), ScriptedAdapter(replies), InMemoryKVStore()

    outcome = executor.execute_step(PlanStep.model_validate(one), tools(), memory, model, Supervisor(model))

    assert outcome.success
    assert executor.used == [used]
    assert memory.read("step/a") == outcome.result


def test_two_runs_that_share_a_supervisor_keep_their_records_apart_k13():
    """Each waits for the other within its own planning, so that their repairs come between each other's."""
    meeting = Barrier(2, timeout=30)

    class Meeting(ScriptedAdapter):
        def complete(self, request, on_text=None):
            meeting.wait()
            return super().complete(request, on_text)

    shared = Supervisor(ScriptedAdapter([]))

    def run(number):
        broken = f"{{'steps': [{{'step_id': 's{number}', 'description': 'd', 'agent': 'llm'}}]}}"
        made = Orchestrator(Meeting([broken, "ok"]), supervisor=shared)
        return made.execute(f"request {number}")["final_state"].supervisor_actions

    with ThreadPoolExecutor(2) as pool:
        kept = list(pool.map(run, range(2)))

    assert len(shared.actions) == 2
    assert [[f"s{number}" in str(action.original_output) for action in kept[number]] for number in range(2)] == [
        [True]
    ] * 2
