"""Whatever the model answers, the calls it gets are bounded: 3 for the plan, 5 for a step (core 4)."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import AeonError
from aeon.base.json import canonical_json
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import restore_state
from aeon.llm.interface import LLMAdapter, LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import JsonlLog, read_log
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

HOSTILE = [
    "",
    "I would rather talk about the weather.",
    '{"goal": "g", "steps": [',
    "[]",
    "null",
    '{"tool": "rm -rf", "arguments": {}}',
    '{"tool": null}',
    '{"tool": "echo"}',
    '{"tool": "echo", "arguments": {"text": 5}}',
    '{"goal": "g", "steps": [{"step_id": "s1", "description": "d", "tool": "nope"}]}',
    '{"goal": "g", "steps": [{"step_id": "s1", "description": "d"}, {"step_id": "s1", "description": "d"}]}',
    canonical_json(plan(*(step(f"s{number}", tool="echo") for number in range(60)))),
    "```json\n{\n```",
    "<think>" * 50,
    "x" * 5_000,
    "\ud800",
    "Voici la réponse : {'goal': 'g'}",
]

WHICH = st.integers(0, len(HOSTILE) - 1)


class Adversary(LLMAdapter):
    """Answers what the test draws, for ever."""

    def __init__(self, pick):
        self.pick = pick
        self.calls = 0

    def generate(self, prompt, system_prompt=None, max_tokens=2048, temperature=0.7):
        self.calls += 1
        text, finish = self.pick()
        return LLMResponse(text, finish).as_dict()

    def supports_streaming(self):
        return False


def registry(memory):
    return ToolRegistry(builtin_tools(memory))


@given(st.data())
def test_calls_are_at_most_3_and_5_a_cycle_core_4(data):
    adversary = Adversary(lambda: (HOSTILE[data.draw(WHICH)], data.draw(st.sampled_from(["stop", "length", None]))))
    memory = InMemoryKVStore()
    ttl = data.draw(st.integers(1, 4))

    try:
        Orchestrator(adversary, memory, registry(memory), ttl=ttl).execute("do something")
    except AeonError:
        assert adversary.calls <= 3
    else:
        assert adversary.calls <= 3 + 5 * ttl


@given(st.data())
def test_a_step_costs_at_most_5_calls_core_4(data):
    adversary = Adversary(lambda: (HOSTILE[data.draw(WHICH)], "stop"))
    memory = InMemoryKVStore()
    supplied_plan = Plan.model_validate(plan(step("a", tool="unknown"), step("b"), step("c", tool="echo")))

    Orchestrator(adversary, memory, registry(memory), ttl=3).execute("go", supplied_plan)

    assert adversary.calls <= 15


@given(st.text(max_size=300), st.sampled_from(["stop", "length", None]))
def test_no_output_makes_the_kernel_raise_anything_but_its_own_errors(text, finish):
    memory = InMemoryKVStore()
    with contextlib.suppress(AeonError):
        Orchestrator(Adversary(lambda: (text, finish)), memory, registry(memory), ttl=2).execute("go")


def test_the_worst_case_is_reached_and_not_passed(run):
    """2 calls to find a tool, 1 thought, 2 repairs: the bound is tight."""
    made = run(["?", {"tool": "echo"}, "not a call", "nor this", "nor that"])

    result = made.execute("go", plan(step("a", "say something", tool="unknown"), goal="g"))

    assert len(made.model.requests) == 5
    assert result["status"] == "failed"


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_ten_thousand_steps_from_a_model_are_no_plan(run, finish):
    text = canonical_json(plan(*(step(f"s{number}", tool="echo") for number in range(10_000))))
    made = run([LLMResponse(text, finish), text, text])

    with pytest.raises(AeonError, match=r"50 steps|cut off|truncated"):
        made.execute()


def test_a_cancelled_run_stops_before_its_next_step_with_a_whole_log(tmp_path):
    """Core 20: the run ends after the step under way and can be resumed."""
    said = [step(f"s{n}", tool="echo", arguments={"text": f"{n}"}) for n in range(3)]
    path, tools = tmp_path / "log.jsonl", ToolRegistry(builtin_tools(InMemoryKVStore()))
    asked = iter([False, False, True])
    log = JsonlLog(path)
    kernel = Orchestrator(ScriptedAdapter([]), tool_registry=tools, log=log)
    result = kernel.execute("say", Plan.model_validate(plan(*said)), cancellation=lambda: next(asked))
    log.close()
    assert (result["status"], result["error"]["type"], result["error"]["steps_left"]) == (
        "ttl_expired",
        "RunCancelled",
        1,
    )
    assert "aeon log resume" in result["error"]["next_step"]
    history = read_log(path)
    assert len(history.entries) == 3
    after, state = JsonlLog(path, after=history), restore_state(history)
    again = Orchestrator(ScriptedAdapter([]), tool_registry=tools, log=after)
    assert again.resume(state, cancellation=lambda: True)["error"]["type"] == "RunCancelled"
    assert again.resume(state)["status"] == "completed"
    after.close()
