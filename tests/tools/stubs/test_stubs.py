"""FR-023, core 14: the tools that ship keep their schemas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.parser import plan_problems
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools
from aeon.tools.stubs.calculator import CalculatorTool
from aeon.tools.stubs.echo import EchoTool
from aeon.validation.schema import argument_problems


@pytest.fixture
def memory():
    return InMemoryKVStore()


@pytest.fixture
def call(memory):
    registry, caller = ToolRegistry(builtin_tools(memory)), ToolInvoker()

    def made(name, **arguments):
        registered = registry.lookup(name)
        assert argument_problems(arguments, registered.input) == []
        return caller.invoke(registered, arguments)

    yield made
    caller.close()


def refused(name, **arguments):
    registered = ToolRegistry(builtin_tools(InMemoryKVStore())).lookup(name)
    return argument_problems(arguments, registered.input) != []


@given(st.text(max_size=2000))
def test_echo_says_exactly_what_it_is_given(text):
    assert EchoTool().invoke(text=text) == {"text": text}


def test_echo_takes_text_and_nothing_else():
    assert refused("echo")
    assert refused("echo", text=5)
    assert refused("echo", text="x" * 2001)
    assert refused("echo", text="x", more=1)


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"expression": "15 * 23 + 7"}, 352),
        ({"operation": "add", "a": 0.1, "b": 0.2}, 0.3),
        ({"operation": "subtract", "a": 1, "b": -2}, 3),
        ({"operation": "multiply", "a": 1e22, "b": 2}, 2 * 10**22),
        ({"operation": "divide", "a": 1, "b": 4}, 0.25),
        ({"operation": "power", "a": -2, "b": 3}, -8),
        ({"operation": "modulo", "a": -7, "b": 3}, 2),
    ],
    ids=str,
)
def test_the_calculator_computes(call, arguments, result):
    assert call("calculator", **arguments) == {"result": result}


@pytest.mark.parametrize(
    "arguments", [{"expression": "1/0"}, {"operation": "divide", "a": 1, "b": 0}, {"expression": "9 ^ 9 ^ 9"}]
)
def test_the_calculator_says_why_there_is_no_value(call, arguments):
    with pytest.raises(ToolError, match="The calculator cannot compute that: "):
        call("calculator", **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"expression": ""},
        {"expression": 5},
        {"operation": "root", "a": 1, "b": 2},
        {"operation": "add", "a": "1", "b": 2},
        {"operation": "add", "a": 1},
        {"expression": "1", "a": 1},
    ],
    ids=str,
)
def test_the_calculator_takes_an_expression_or_two_numbers(arguments):
    assert refused("calculator", **arguments)


@given(
    st.sampled_from(["add", "subtract", "multiply", "divide", "power", "modulo"]),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-9, 9),
)
def test_two_numbers_have_a_value_or_a_tool_error(operation, a, b):
    try:
        result = CalculatorTool().invoke(operation=operation, a=a, b=b)["result"]
    except ToolError:
        return
    assert isinstance(result, (int, float))


def test_memory_tools_write_read_and_search(call, memory):
    assert call("memory_write", key="rent", value=950)["value"] == 950
    assert call("memory_read", key="rent") == {"value": 950}
    assert memory.read("rent") == 950
    call("memory_write", key="rest", value=True)
    assert call("memory_search", prefix="re") == {
        "matches": [{"key": "rent", "value": 950}, {"key": "rest", "value": True}]
    }
    assert call("memory_search", prefix="x") == {"matches": []}


@pytest.mark.parametrize("key", ["step/", "step/s1"])
def test_core_14_the_kernels_keys_are_not_written(call, memory, key):
    with pytest.raises(ToolError, match="choose another key"):
        call("memory_write", key=key, value=1)
    assert memory.search("") == []


def test_core_14_the_kernels_keys_are_read_and_not_listed(call, memory):
    memory.write("step/s1", {"result": 1})
    memory.write("stepping", 1)
    assert call("memory_read", key="step/s1") == {"value": {"result": 1}}
    assert call("memory_search", prefix="step") == {"matches": [{"key": "stepping", "value": 1}]}
    with pytest.raises(ToolError, match=r"Nothing is stored under 'x'\. Name one of the stored keys: stepping"):
        call("memory_read", key="x")


def test_reading_nothing_says_what_there_is(call):
    with pytest.raises(ToolError, match="Nothing is stored yet"):
        call("memory_read", key="x")


@pytest.mark.parametrize(
    "arguments",
    [
        {"key": "", "value": 1},
        {"key": "a"},
        {"key": "a", "value": None},
        {"key": "a", "value": {}},
        {"key": "a" * 201, "value": 1},
        {"key": 5, "value": 1},
    ],
    ids=str,
)
def test_memory_write_takes_a_key_and_a_scalar(arguments):
    assert refused("memory_write", **arguments)


def test_every_shipped_example_is_a_good_plan():
    registry = ToolRegistry(builtin_tools(InMemoryKVStore()))
    for example in registry.offer("").common_examples:
        steps = [{"step_id": f"s{n}", **step} for n, step in enumerate(example.steps, 1)]
        assert plan_problems({"goal": example.request, "steps": steps}) == []
        for step in steps:
            if "tool" in step and "{step." not in str(step["arguments"]):
                assert argument_problems(step["arguments"], registry.lookup(step["tool"]).input) == []
