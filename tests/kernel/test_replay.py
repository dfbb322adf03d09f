"""Replay writes the same bytes; resume goes on; a broken log is refused (core 12, core 13)."""

import json

import pytest

from aeon.base.errors import LLMError, LogError, MemoryStoreError, OrchestrationError
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.replay import replay
from aeon.kernel.state import restore_state
from aeon.llm.interface import LLMResponse, UnsureToken
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import JsonlLog, read_log
from aeon.plan.models import Plan
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.function import tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools


@tool
def broken(x: int) -> int:
    """Fails always."""
    raise ValueError(f"no luck with {x}")


class Flaky(InMemoryKVStore):
    """Fails for one step."""

    def write(self, key, value):
        if key == "step/b":
            raise MemoryStoreError("disk full", next_step="Free space.")
        super().write(key, value)


EVERYTHING = [
    "```json\n"
    + json.dumps(
        plan(
            calc("a", "15 * 23"),
            step("b", "add 7", tool="Calculator"),
            step("c", "fails", tool="broken", arguments={"x": 1}),
            step("d", "no tool", tool="teleport"),
            step("e", "say", tool="echo"),
            step("f", "think", agent="llm"),
        )
    )
    + "\n```",
    call("calculator", expression="{step.a.result} + 7"),
    {"tool": None},
    "by hand",
    "not a call",
    call("echo", text="say"),
    "The end.",
]


def test_a_run_with_every_mode_repair_and_failure_replays_byte_for_byte_core_13(run, tmp_path):
    made = run(EVERYTHING, broken, memory=Flaky(), log=tmp_path / "l")
    result = made.execute("do everything")
    assert [s["status"] for s in result["plan"]["steps"]] == [
        "complete",
        "complete",
        "failed",
        "complete",
        "complete",
        "complete",
    ]

    assert replay(read_log(tmp_path / "l")) == 7


def test_the_log_keeps_of_what_the_model_was_not_sure_and_replays_core_13(run, tmp_path):
    unsure = (UnsureToken(3, "Claude", 0.19), UnsureToken(15, ".", 0.45))
    made = run([plan(step("a", agent="llm")), LLMResponse("By Claude Monet.", unsure=unsure)], log=tmp_path / "l")
    result = made.execute("Who painted The Hay Wain?")
    assert 'doubtful: the model was not sure of "Claude" (19 %)' in result["marks"]["a"]
    history = read_log(tmp_path / "l")
    assert history.entries[1]["llm_output"]["unsure"] == [[3, "Claude", 0.19], [15, ".", 0.45]]
    assert replay(history) == 2


def test_a_run_that_lost_its_model_replays(run, tmp_path):
    made = run(
        [plan(step("a", agent="llm"), calc("b", "1")), LLMError("gone", next_step="Call somebody.", attempts=3)],
        log=tmp_path / "l",
    )
    made.execute()

    assert replay(read_log(tmp_path / "l")) == 2


def test_planning_that_failed_replays(run, tmp_path):
    with pytest.raises(OrchestrationError):
        run(["no", LLMError("gone")], log=tmp_path / "l").execute()

    assert replay(read_log(tmp_path / "l")) == 1


def test_a_plan_by_hand_of_200_steps_replays_core_12(run, tmp_path):
    run([], ttl=300, log=tmp_path / "l").execute("go", plan(*(calc(f"s{n}", f"{n} + 1") for n in range(200))))

    history = read_log(tmp_path / "l")

    assert replay(history) == 201
    assert history.entries[50]["plan_state"]["partial"] is True
    whole = history.plan_at(51)
    assert [s["status"] for s in whole["steps"]] == ["complete"] * 49 + ["pending"] * 151


def test_the_log_grows_linearly_core_12(run, tmp_path):
    sizes = {}
    for steps in (100, 200, 400):
        log = tmp_path / str(steps)
        run([], ttl=500, log=log).execute("go", plan(*(calc(f"s{n:03}", f"{n} + 1") for n in range(steps))))
        sizes[steps] = log.stat().st_size

    assert sizes[200] / sizes[100] < 2.6
    assert sizes[400] / sizes[200] < 3.2, "a whole plan every 100 entries, no more"


def orchestrator(log, replies=(), ttl=50):
    memory = InMemoryKVStore()
    return Orchestrator(
        ScriptedAdapter(list(replies)), memory, ToolRegistry([*builtin_tools(memory), broken]), ttl=ttl, log=log
    )


def test_an_expired_run_resumes_and_its_whole_log_replays(run, tmp_path):
    path = tmp_path / "l"
    first = run(
        [plan(calc("a", "20 + 1"), calc("b", "{step.a.result} * 2"), step("c", "say", agent="llm"))], ttl=1, log=path
    )
    assert first.execute()["status"] == "ttl_expired"
    first.orchestrator._log.close()

    history = read_log(path)
    result = orchestrator(JsonlLog(path, after=history), ["It is 42."]).resume(restore_state(history))

    assert result["status"] == "completed"
    assert result["results"]["b"] == {"result": 42}
    assert result["answer"] == "It is 42."
    assert read_log(path).entries[2]["resumed"] == {"ttl": 50}
    assert replay(read_log(path)) == 4


def test_a_torn_last_line_is_dropped_and_its_step_runs_again(run, tmp_path):
    path = tmp_path / "l"
    made = run([], log=path)
    made.execute("go", plan(calc("a", "1"), calc("b", "2")))
    made.orchestrator._log.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:40])

    history = read_log(path)
    result = orchestrator(JsonlLog(path, after=history)).resume(restore_state(history))

    assert history.torn_bytes == 40
    assert result["results"] == {"a": {"result": 1}, "b": {"result": 2}}
    assert replay(read_log(path)) == 3


def test_a_changed_log_is_refused_naming_the_line_core_13(run, tmp_path):
    path = tmp_path / "l"
    run([], log=path).execute("go", plan(calc("a", "1"), calc("b", "2")))
    path.write_bytes(path.read_bytes().replace(b'"expression":"1"', b'"expression":"9"', 1))

    with pytest.raises(LogError, match="line 2"):
        read_log(path)


def test_a_result_changed_with_its_chain_mended_does_not_replay(run, tmp_path):
    """Even a forged chain is found out when the kernel would have done something else."""
    path = tmp_path / "l"
    made = run([], log=path)
    made.execute("go", plan(calc("a", "1"), step("b", tool="echo", arguments={"text": "{step.a.result}"})))
    history = read_log(path)
    history.entries[2]["tool_calls"][0]["arguments"] = {"text": "forged"}

    with pytest.raises(LogError, match="Entry 3"):
        replay(history)


def test_a_restored_state_is_the_state_that_was(run, tmp_path):
    path = tmp_path / "l"
    made = run(EVERYTHING, broken, log=path)
    made.execute("do everything")

    restored, real = restore_state(read_log(path)), made.orchestrator.get_state()

    assert restored.results == real.results
    assert restored.plan == real.plan
    assert restored.tool_history == real.tool_history
    assert restored.supervisor_actions == real.supervisor_actions
    assert restored.llm_outputs == real.llm_outputs
    assert restored.ttl_remaining == real.ttl_remaining


def test_a_plan_that_was_never_made_cannot_be_resumed(run, tmp_path):
    path = tmp_path / "l"
    with pytest.raises(OrchestrationError):
        run(["no", "no", "no"], log=path).execute()

    with pytest.raises(LogError, match="without a plan"):
        restore_state(read_log(path))


def test_the_callers_plan_with_a_result_of_an_old_version_is_refused(run, tmp_path):
    path = tmp_path / "l"
    run([], log=path).execute("go", plan(calc("a", "1")))
    history = read_log(path)
    history.entries[0]["run"]["format"] = 99

    with pytest.raises(LogError, match="format 99"):
        replay(history)


def test_interrupted_runs_keep_whole_entries(run, tmp_path):
    """Ctrl-C in a tool leaves the entries before it, and nothing half."""

    @tool
    def stop() -> int:
        """The user presses Ctrl-C."""
        raise KeyboardInterrupt

    stop.timeout = None
    made = run([], stop, log=tmp_path / "l")

    with pytest.raises(KeyboardInterrupt):
        made.execute("go", plan(calc("a", "1"), step("b", tool="stop", arguments={}), calc("c", "1")))

    history = read_log(tmp_path / "l")
    assert len(history.entries) == 2
    assert history.torn_bytes == 0
    assert Plan.model_validate(history.plan_at(2)).steps[0].status == "pending"


@pytest.mark.parametrize("request_", ["Who wrote the longest letter?", "What is 9 ft in m?"])
def test_a_plan_that_code_made_replays_core_13(request_, tmp_path):
    path = tmp_path / "l"
    tools = ToolRegistry(builtin_tools(InMemoryKVStore()), plans_always=False)
    model = ScriptedAdapter(["Nobody knows."])
    made = Orchestrator(model, tool_registry=tools, log=JsonlLog(path)).execute(request_)

    assert made["status"] == "completed"
    assert len(model.requests) == (0 if "tool" in made["plan"]["steps"][0] else 1), "no model planned"
    assert replay(read_log(path)) == 2
