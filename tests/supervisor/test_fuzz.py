"""No reply whatever makes the supervisor raise anything but its own error."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import SupervisorError
from aeon.base.json import canonical_json
from aeon.llm.interface import LLMResponse
from aeon.memory.kv_store import InMemoryKVStore
from aeon.supervisor.models import Supervisor
from aeon.supervisor.repair_context import RepairContext
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import call, plan, step
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

TOOLS = ToolRegistry(builtin_tools(InMemoryKVStore()))
EXPORTED = TOOLS.export_tools_for_llm()
NAMES = st.sampled_from(["goal", "steps", "step_id", "description", "tool", "arguments", "agent", "text", "echo", "x"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["echo", "llm", "{step.a.b}"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)


def text_of(value):
    try:
        return canonical_json(value)
    except ValueError:
        return repr(value)


def named_tools(value):
    """Every text under the key `tool` in a reply: what the planner itself named, in whatever shape of a plan."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {value["tool"]} if isinstance(value, dict) and isinstance(value.get("tool"), str) else set()
    return own.union(*map(named_tools, parts))


@given(VALUES, VALUES, VALUES)
def test_plans(first, second, third):
    supervisor = Supervisor(ScriptedAdapter([text_of(second), text_of(third)]))
    try:
        value = supervisor.read_plan(LLMResponse(text_of(first)), EXPORTED, "request")
    except SupervisorError:
        return
    known = {*TOOLS.list_all(), *named_tools(first)}
    assert all(one.get("tool") is None or one["tool"] in known for one in value["steps"])


@given(VALUES, VALUES, VALUES)
def test_calls(first, second, third):
    supervisor = Supervisor(ScriptedAdapter([text_of(second), text_of(third)]))
    registered = TOOLS.lookup("echo")
    try:
        value = supervisor.read_call(
            LLMResponse(text_of(first)), registered.exported, registered.input, RepairContext("context")
        )
    except SupervisorError:
        return
    assert value["tool"] == "echo"
    assert registered.input.is_valid(value["arguments"])


@given(VALUES, VALUES)
def test_missing_tools(first, second):
    supervisor = Supervisor(ScriptedAdapter([text_of(first), text_of(second)]))
    try:
        after = supervisor.repair_missing_tool_step(step("a", "do", tool="nope"), EXPORTED, "goal")
    except SupervisorError:
        return
    assert after["tool"] in TOOLS.list_all()


@given(VALUES)
def test_public_repairs_take_any_object(value):
    supervisor = Supervisor(ScriptedAdapter(["no"] * 9))
    for repair in (
        lambda: supervisor.repair_tool_call(call("echo", text=value), TOOLS.get("echo").input_schema),
        lambda: supervisor.repair_plan(plan(step("a", arguments=value))),
    ):
        try:
            repair()
        except (SupervisorError, ValueError):
            continue
