"""The core's requirements that no other test names, each proved on the real thing (FR-001 to FR-055, SC-001 to SC-007)."""

import ast
import json
import re
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest
from pydantic import ValidationError

from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError, LLMError, PlanError, SupervisorError
from aeon.kernel.executor import StepExecutor
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import restore_state
from aeon.llm.interface import LLMRequest
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.observability.log import JsonlLog, read_log
from aeon.observability.records import LogEntry
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.plan.parser import parse_plan
from aeon.supervisor.repair import Supervisor
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.function import tool
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.validation.schema import Validator

SOURCE = Path(__file__).parents[1] / "src" / "aeon"
CORE = ("base", "plan", "observability", "tools", "llm", "memory", "validation", "supervisor", "kernel")
KERNEL = ("orchestrator", "executor", "prompts", "state")


@tool
def broken(x: int) -> int:
    """Fails always."""
    raise ValueError(f"no luck with {x}")


def orchestrator(replies=(), *tools, memory=None, log=None, ttl=50, observer=None):
    store = InMemoryKVStore() if memory is None else memory
    return Orchestrator(
        ScriptedAdapter(list(replies)),
        store,
        ToolRegistry([*builtin_tools(store), *tools]),
        ttl=ttl,
        log=JsonlLog(log) if log else None,
        observer=observer,
    )


def supplied_plan(*steps):
    return Plan.model_validate(plan(*steps))


def statuses(value):
    return [one["status"] for one in value["plan"]["steps"]]


# --- the loop ----------------------------------------------------------------------------------------------------------


def test_fr_001_fr_034_the_loop_carries_plan_results_and_ttl_from_thought_to_thought():
    replies = [plan(step("a", agent="llm"), step("b", agent="llm"), step("c", agent="llm")), "one", "two", "three"]
    made = orchestrator(replies, ttl=7)

    made.execute("count")

    thoughts = [request.prompt for request in made._llm.requests[1:]]
    assert [prompt.count("[complete]") for prompt in thoughts] == [0, 1, 2]
    assert ['"one"' in prompt for prompt in thoughts] == [False, True, True]
    assert ["Cycles left: " + str(left) in prompt for left, prompt in zip((7, 6, 5), thoughts, strict=True)] == [
        True
    ] * 3


@pytest.mark.parametrize("thought", ["run the tool!", {"tool": "echo"}, call("echo", txt="hi"), call("broken", x=1)])
def test_fr_003_no_answer_reaches_a_tool_before_it_is_valid(thought):
    seen = []

    class Spy(Tool):
        name = "echo"
        description = "Remembers what it was called with."
        input_schema = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        }
        output_schema = {"type": "object"}

        def invoke(self, **kwargs):
            seen.append(kwargs)
            return {}

    made = Orchestrator(ScriptedAdapter([thought] * 3), tool_registry=ToolRegistry([Spy(), broken]))

    assert made.execute("go", supplied_plan(step("a", "say hi", tool="echo")))["status"] == "failed"
    assert seen == []


def test_fr_004_the_loop_ends_when_every_step_is_complete_or_failed():
    made = orchestrator((), broken)

    result = made.execute(
        "go", supplied_plan(calc("a", "1"), step("b", tool="broken", arguments={"x": 1}), calc("c", "2"))
    )

    assert statuses(result) == ["complete", "failed", "complete"]
    assert result["final_state"].ttl_remaining == 47, "no cycle was spent after the last step"


@pytest.mark.parametrize("ttl", [1, 2, 3])
def test_fr_005_the_loop_ends_at_ttl_zero_however_much_is_left_sc_006(ttl):
    result = orchestrator(ttl=ttl).execute("go", supplied_plan(*(calc(f"s{number}", "1") for number in range(5))))

    assert result["status"] == "ttl_expired"
    assert statuses(result) == ["complete"] * ttl + ["pending"] * (5 - ttl)
    assert result["error"]["type"] == "TTLExpired"
    assert result["error"]["steps_left"] == 5 - ttl
    assert result["final_state"].ttl_remaining == 0, "the state is kept"


def test_fr_035_ttl_falls_by_one_when_a_cycle_is_over_and_repairs_cost_none():
    events = []
    made = orchestrator(["no", call("echo", text="hi"), "fine"], ttl=3, observer=events.append)

    result = made.execute("go", supplied_plan(step("a", "say hi", tool="echo"), step("b", agent="llm")))

    assert [event.ttl_remaining for event in events if event.kind == "step_started"] == [3, 2]
    assert result["final_state"].ttl_remaining == 1


# --- the plan ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["goal", "steps", "step_id", "description"])
def test_fr_007_a_plan_has_a_goal_and_steps_and_each_step_its_id_and_description(missing):
    value = plan(calc("a", "1"))
    target = value if missing in value else value["steps"][0]
    del target[missing]

    with pytest.raises(PlanError, match=missing):
        parse_plan(json.dumps(value))


def test_fr_007_a_status_is_one_of_four_and_pending_unless_said():
    assert [status.value for status in StepStatus] == ["pending", "running", "complete", "failed"]
    assert supplied_plan(step("a")).steps[0].status is StepStatus.PENDING
    with pytest.raises(ValidationError):
        supplied_plan(step("a", status="paused"))


def test_fr_008_statuses_follow_the_run():
    seen = []

    @tool
    def look() -> int:
        """Looks at the plan."""
        seen.append([one.status.value for one in made.get_state().plan.steps])
        return 1

    made = orchestrator((), look, broken)
    steps = [step(step_id, tool="look", arguments={}) for step_id in ("a", "c")]
    made.execute("go", supplied_plan(steps[0], step("b", tool="broken", arguments={"x": 1}), steps[1]))

    assert seen == [["running", "pending", "pending"], ["complete", "failed", "running"]]


def test_fr_009_a_plan_is_data_that_round_trips_and_nothing_in_the_core_executes_text():
    value = plan(step("a", "__import__('os').abort()", tool="echo", arguments={"text": "${open('x')} {{1+1}}"}))

    result = orchestrator().execute("go", Plan.model_validate(json.loads(json.dumps(value))))

    assert result["answer"] == "${open('x')} {{1+1}}"
    assert Plan.model_validate(json.loads(json.dumps(result["plan"]))).as_dict() == result["plan"]
    executing = {
        f"{path.name}: {node.func.id}"
        for path in core_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in {"eval", "exec", "compile", "__import__"}
    }
    assert executing == set()


def test_fr_053_no_answer_of_the_model_changes_the_sequence_of_steps():
    """Every kind of answer after planning proposes another plan; the steps run as planned all the same."""
    other = plan(step("c"), step("b"), step("a"), step("new", tool="echo", arguments={"text": "x"}))
    planned = [step("a", agent="llm"), step("b", "say b", tool="echo"), step("c", "sing", tool="singer")]
    events = []
    made = orchestrator([plan(*planned), *[other] * 9], observer=events.append)

    result = made.execute("go")

    assert [one["step_id"] for one in result["plan"]["steps"]] == ["a", "b", "c"]
    assert [event.step["step_id"] for event in events if event.kind == "step_started"] == ["a", "b", "c"]


# --- the state ---------------------------------------------------------------------------------------------------------


def test_fr_011_the_state_has_plan_step_tools_thoughts_repairs_and_ttl():
    seen = []

    @tool
    def look() -> int:
        """Looks at the state."""
        seen.append(made.get_state())
        return 1

    made = orchestrator([plan(calc("a", "1"), step("b", tool="LOOK", arguments={})), "unused"], look, ttl=9)
    made.execute("please")

    state = seen[0]
    assert (state.current_step_id, state.ttl_remaining, len(state.plan.steps)) == ("b", 8, 2)
    assert [(one.tool_name, one.step_id, one.result) for one in state.tool_history] == [
        ("calculator", "a", {"result": 1})
    ]
    assert "steps" in state.llm_outputs[0]["text"]
    assert [action.action_type for action in made.get_state().supervisor_actions] == ["missing_tool_repair"]


def test_fr_012_the_state_lives_as_long_as_its_session():
    made = orchestrator(["told"], ttl=1)
    result = made.execute("go", supplied_plan(step("a", agent="llm"), calc("b", "1")))

    assert made.get_state() == result["final_state"]
    assert made.resume(made.get_state(), 1)["status"] == "completed"
    assert made.get_state().llm_outputs == result["final_state"].llm_outputs, "earlier thoughts are still there"


def test_fr_013_a_state_that_was_persisted_is_the_state_that_was(tmp_path):
    made = orchestrator([plan(calc("a", "1/0"), step("b", agent="llm")), "told"], log=tmp_path / "log")

    result = made.execute("go")

    assert restore_state(read_log(tmp_path / "log")) == result["final_state"]


# --- memory, tools -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 0, "text", [1, {"a": None}], {"deep": {"er": [True]}}])
def test_fr_015_fr_016_what_is_written_under_a_key_is_read_under_it(value):
    memory = InMemoryKVStore()

    memory.write("key", value)

    assert memory.read("key") == value
    assert memory.read("Key") is None


def test_fr_017_search_finds_every_key_with_the_prefix_and_no_pattern_is_special():
    memory = InMemoryKVStore()
    for key in ("user/1", "user/2", "users", "User/3", "*", "us"):
        memory.write(key, key)

    assert memory.search("user/") == [("user/1", "user/1"), ("user/2", "user/2")]
    assert [key for key, _ in memory.search("user")] == ["user/1", "user/2", "users"]
    assert memory.search("*") == [("*", "*")]


def test_fr_014_fr_018_the_kernel_knows_the_memory_by_its_three_verbs_only():
    """A memory with nothing but the published methods serves a run, and the kernel's text asks no other for anything."""

    class Bare(Memory):
        __slots__ = ("held",)

        def __init__(self):
            self.held = {}

        def write(self, key, value):
            self.held[key] = value

        def read(self, key):
            return self.held.get(key)

        def search(self, prefix):
            return [(key, value) for key, value in sorted(self.held.items()) if key.startswith(prefix)]

    memory = Bare()
    orchestrator(memory=memory).execute("go", supplied_plan(calc("a", "1")))

    assert memory.held == {"step/a": {"result": 1}}
    asked = {
        node.attr
        for name in KERNEL
        for node in ast.walk(ast.parse((SOURCE / "kernel" / f"{name}.py").read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"memory", "self._memory"}
    }
    assert asked <= {"write", "read", "search"}
    imported = {module for module in imports("aeon.kernel") if module.startswith("aeon.memory")}
    assert imported <= {"aeon.memory.interface", "aeon.memory.kv_store"}


def test_fr_020_a_tool_that_is_registered_can_be_planned_and_called():
    @tool
    def shout(text: str) -> str:
        """Say it loudly."""
        return text.upper()

    made = orchestrator([plan(step("s1", tool="shout", arguments={"text": "hi"}))])
    made._registry.register(shout)

    assert made.execute("shout hi")["answer"] == "HI"
    assert "shout" in made._llm.requests[0].system_prompt


# --- repairs -----------------------------------------------------------------------------------------------------------


def test_fr_029_a_run_goes_on_over_malformed_json():
    malformed = "Sure! ```json\n{'steps': [{'step_id': 's1', 'description': 'd', 'agent': 'llm',}]}\n```"
    made = orchestrator([malformed, "done"])

    result = made.execute("go")

    assert result["status"] == "completed"
    assert [action.action_type for action in result["final_state"].supervisor_actions] == ["json_repair"]


def test_fr_030_a_run_goes_on_over_a_call_that_does_not_fit_its_schema():
    made = orchestrator([call("calculator", expression=["1+1"]), call("calculator", expression="1+1")])

    result = made.execute("go", supplied_plan(step("a", "compute 1+1", tool="calculator")))

    assert result["answer"] == "2"
    action = result["final_state"].supervisor_actions[0]
    assert (action.action_type, action.attempt_number) == ("tool_call_repair", 1)
    assert action.original_output == call("calculator", expression=["1+1"])
    assert action.repaired_output == call("calculator", expression="1+1")


@pytest.mark.parametrize(
    "proposal", [call("shell", text="hi"), call("echo", text="something else"), call("echo", text="hi", loud=True)]
)
def test_fr_032_no_repair_brings_a_new_tool_or_a_new_meaning(proposal):
    made = Supervisor(ScriptedAdapter([proposal, proposal]))
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "loud": {"type": "boolean"}}}

    with pytest.raises(SupervisorError):
        made.repair_tool_call({**call("echo", text="hi"), "reason": "x"}, schema)


# --- what the core does not have ---------------------------------------------------------------------------------------


def core_files():
    return [path for room in CORE for path in sorted((SOURCE / room).rglob("*.py"))]


@cache
def graph():
    return grimp.build_graph("aeon", include_external_packages=True)


def imports(package):
    """Everything that a package's modules import, by full name inside Aeon and by top name outside."""
    return {
        found
        for module in graph().modules
        if module == package or module.startswith(f"{package}.")
        for found in graph().find_modules_directly_imported_by(module)
    }


def identifiers():
    """The words of every module, class, function and parameter name in the core."""
    for path in core_files():
        yield path.stem
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                yield node.name
            elif isinstance(node, ast.arg):
                yield node.arg


THIRD_PARTIES = {
    *("docstring_parser", "pydantic", "pydantic_core", "yaml", "json_repair", "jsonschema_rs", "httpx2"),
    *("dateutil", "pint"),
}
"""All that the core imports from outside: data, schemas, docstrings, JSON, YAML and HTTP, dates and units."""


def test_fr_040_to_fr_047_the_core_imports_nothing_that_could_do_what_is_excluded():
    """FR-040 diagrams, FR-041 IaC, FR-042 clouds, FR-044 RAG, FR-045 vectors, FR-046 ranking, FR-047 agents."""
    outside = {module for room in CORE for module in imports(f"aeon.{room}") if not module.startswith("aeon")}

    assert {module for module in outside if module not in sys.stdlib_module_names} <= THIRD_PARTIES


EXCLUDED = {
    "fr_040": "diagram diagrams flowchart mermaid graphviz plantuml svg",
    "fr_041": "terraform iac bicep cloudformation pulumi ansible infrastructure",
    "fr_042": "aws azure gcp boto cloud s3 lambda",
    "fr_043": "patterns library catalogue",
    "fr_044": "rag retrieval retriever augment corpus",
    "fr_045": "embedding embeddings embed vector vectors cosine similarity",
    "fr_046": "rank ranking rerank score relevance semantic",
    "fr_047": "spawn swarm agents crew fork",
}


@pytest.mark.parametrize("requirement", EXCLUDED)
def test_fr_040_fr_041_fr_042_fr_043_fr_044_fr_045_fr_046_fr_047_nothing_in_the_core_is_named_so(requirement):
    words = {word.lower() for name in identifiers() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)}

    assert words & set(EXCLUDED[requirement].split()) == set()


def test_fr_043_fr_046_memory_offers_key_value_and_prefix_and_no_more():
    """Deletion is the optional operation that the data model leaves to the future."""
    assert Memory.__abstractmethods__ == {"write", "read", "search"}
    offered = {name for name in vars(InMemoryKVStore) if not name.startswith("_")}
    assert offered == {"write", "read", "search", "delete"}


def test_fr_047_one_thread_runs_the_loop_and_no_process_is_started():
    """The only concurrency of the kernel's floors: the worker that lets a hung tool be given up (core 6), async tools."""
    several = {"asyncio", "multiprocessing", "concurrent", "subprocess", "threading", "aeon.base.threads"}
    using = {
        module
        for room in ("kernel", "supervisor", "validation", "plan", "observability", "tools")
        for module in graph().modules
        if module.startswith(f"aeon.{room}.") and several & graph().find_modules_directly_imported_by(module)
    }
    assert using == {"aeon.tools.async_call", "aeon.tools.invocation"}


# --- success criteria --------------------------------------------------------------------------------------------------


def test_sc_001_a_request_is_a_valid_plan_in_far_less_than_10_seconds_of_our_own():
    """With a model that answers at once, what is left is Aeon's own share; the model's is measured elsewhere."""
    clock = SystemClock()
    start = clock.monotonic()

    made = orchestrator([{"steps": [calc(f"s{number}", "1+1") for number in range(10)]}]).plan("ten sums")

    assert clock.monotonic() - start < 1
    assert Validator().validate_plan(made.as_dict())


def test_sc_002_plans_of_up_to_10_steps_run_without_errors():
    made = orchestrator()
    for length in range(1, 11):
        steps = [calc("s0", "1"), *(calc(f"s{n}", f"{{step.s{n - 1}.result}} * 2") for n in range(1, length))]

        result = made.execute("double", supplied_plan(*steps))

        assert (result["status"], result["answer"]) == ("completed", str(2 ** (length - 1)))


CALL = '{"tool": "echo", "arguments": {"text": "hi"}}'
MALFORMED = [
    f"```json\n{CALL}\n```",
    f"```\n{CALL}```",
    f"Here you are: {CALL}",
    f"{CALL} I hope that helps!",
    f"<think>which tool?</think>{CALL}",
    CALL.replace('"', "'"),
    CALL.replace('"}', '",}'),
    CALL[:-1],
    CALL[:-2],
    CALL.replace('"tool"', "tool"),
    CALL.replace('"arguments"', "arguments"),
    CALL.replace(", ", ",\n\n"),
    CALL.replace(", ", " "),
    json.dumps(CALL),
    f"[{CALL}]",
    f"\ufeff{CALL}",
    f"// the call\n{CALL}",
    CALL.replace("{", "{ /* a call */ ", 1),
    f"json {CALL}",
    f"{CALL};",
]


def test_sc_003_nine_in_ten_malformed_outputs_are_repaired_within_the_attempts():
    """The repairing model here only ever copies what it is shown, so what is mended is mended by code."""
    repaired = 0
    for text in MALFORMED:
        made = Supervisor(ScriptedAdapter([text, text]))
        try:
            repaired += made.repair_json(text, {"type": "object", "required": ["tool", "arguments"]}) == json.loads(
                CALL
            )
        except AeonError:
            continue

    assert repaired >= 0.9 * len(MALFORMED)


def test_sc_004_every_call_that_reaches_a_tool_fits_its_schema():
    """Given, thought, referred to and repaired arguments alike."""
    replies = [
        call("echo", text="{step.a.result}"),
        call("echo", text=5),
        call("echo", text="5"),
        call("calculator", operation="add", a=1),
        call("calculator", operation="add", a=1, b="x"),
        "nothing",
    ]
    made = orchestrator(replies)
    result = made.execute(
        "go",
        supplied_plan(
            calc("a", "42"),
            step("b", tool="echo", arguments={"text": "{step.a.result}"}),
            step("c", "echo the result", tool="echo"),
            step("d", "echo 5", tool="echo"),
            step("e", "add 1 and something", tool="calculator"),
        ),
    )

    calls = result["final_state"].tool_history
    assert [one.step_id for one in calls] == ["a", "b", "c", "d"]
    assert all(made._registry.lookup(one.tool_name).input.is_valid(one.arguments) for one in calls)
    assert all(made._registry.lookup(one.tool_name).output.is_valid(one.result) for one in calls)


def test_sc_005_memory_operations_succeed():
    memory = InMemoryKVStore()
    for number in range(500):
        memory.write(f"k/{number:03}", {"n": number})

    assert all(memory.read(f"k/{number:03}") == {"n": number} for number in range(500))
    assert len(memory.search("k/")) == 500


def test_sc_007_every_cycle_has_a_complete_entry_failed_ones_too(tmp_path):
    replies = [
        plan(calc("a", "1/0"), step("b", tool="nope"), step("c", agent="llm")),
        {"tool": None},
        "b",
        LLMError("gone"),
    ]
    orchestrator(replies, log=tmp_path / "log").execute("go")

    entries = read_log(tmp_path / "log").entries
    required = {name for name, field in LogEntry.model_fields.items() if field.is_required()}
    assert [entry["step_number"] for entry in entries] == [1, 2, 3, 4]
    assert all(required <= entry.keys() for entry in entries)
    assert [bool(entry["errors"]) for entry in entries] == [False, True, True, True]


# --- agreements between core rules -------------------------------------------------------------------------------------


def test_core_1_core_2_a_step_is_carried_out_by_the_first_of_tool_agent_and_fallback():
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()))
    modes = []
    for fields, replies in (
        ({"tool": "echo", "agent": "llm", "arguments": {"text": "x"}}, []),
        ({"agent": "llm"}, ["text"]),
        ({}, [{"tool": None}, "text"]),
    ):
        model = ScriptedAdapter(replies)
        made = PlanStep.model_validate(step("a", **fields))
        outcome = StepExecutor().execute_step(made, registry, InMemoryKVStore(), model, Supervisor(model))
        modes.append((outcome.success, outcome.execution_mode, model.remaining))

    assert modes == [(True, "tool", 0), (True, "llm", 0), (True, "fallback", 0)]


def test_fr_048_an_adapter_that_failed_is_not_asked_again_by_the_kernel():
    """The three attempts are the adapter's own (core 8): the kernel adds none to them."""
    model = ScriptedAdapter([LLMError("gone")] * 9)

    result = Orchestrator(model).execute("go", supplied_plan(step("a", agent="llm")))

    assert (result["status"], len(model.requests)) == ("failed", 1)
    assert isinstance(model.requests[0], LLMRequest)
