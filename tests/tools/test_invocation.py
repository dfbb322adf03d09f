"""Core 6: whatever a tool does, a call ends as a checked result or a ToolError."""

import math
import threading
from queue import SimpleQueue

import pytest

from aeon.base.errors import LLMError, ToolError
from aeon.base.json import json_problems
from aeon.tools.interface import Tool
from aeon.tools.invocation import MAX_RESULT_CHARACTERS, ToolInvoker
from aeon.tools.registry import ToolRegistry

LONG = 60.0
"""Seconds that no test takes: everything here answers at once or is waited for by an event."""


class Does(Tool):
    """A tool that does what it is told."""

    name = "does"
    description = "Does what it is told."
    input_schema = {"type": "object"}  # the published shape of Tool
    output_schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def __init__(self, work, timeout):
        self.work = work
        self.timeout = timeout

    def invoke(self, **kwargs):
        return self.work(**kwargs)


@pytest.fixture
def caller():
    made = ToolInvoker()
    yield made
    made.close()


def registered(work, timeout):
    return ToolRegistry([Does(work, timeout)]).lookup("does")


@pytest.fixture(params=[None, LONG], ids=["in this thread", "in a worker"])
def call(request, caller):
    def made(work, **arguments):
        return caller.invoke(registered(work, request.param), arguments)

    return made


class Unspeakable(Exception):  # noqa: N818  # what it is called is the point
    def __str__(self):
        raise RuntimeError("not even that")


def raising(error):
    def work(**_):
        raise error

    return work


def test_where_a_tool_raised_is_logged_for_its_author_without_the_text_of_the_error(call, caplog):
    def price_of_a_parcel(**_):
        raise ValueError("secret")

    with caplog.at_level("DEBUG", logger="aeon.tools"), pytest.raises(ToolError):
        call(price_of_a_parcel)
    (record,) = caplog.records
    assert "the tool does raised ValueError:" in record.message
    assert "in price_of_a_parcel" in record.message
    assert "ValueError: secret" not in record.message


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad"), "The tool 'does' failed: ValueError: bad"),
        (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit(), "GeneratorExit"),
        (RecursionError("deep"), "RecursionError: deep"),
        (MemoryError(), "MemoryError"),
        (StopIteration(), "StopIteration"),
        (AssertionError("x" * 100_000), "AssertionError: xxx"),
        (Unspeakable(), "Unspeakable: (without a readable message)"),
        (LLMError("No model."), "failed: No model."),
        (ToolError("Odd.", thing=object()), "failed: Odd."),
        (ToolError("x" * 100_000), "failed: xxx"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_core_6_whatever_a_tool_raises_is_a_tool_error(call, error, said):
    with pytest.raises(ToolError) as raised:
        call(raising(error))
    assert said in str(raised.value)
    assert len(str(raised.value)) < 3000
    assert json_problems(raised.value.as_dict()) == []
    assert call(lambda: {"n": 1}) == {"n": 1}


def test_a_tools_own_tool_error_comes_out_as_it_is(call):
    error = ToolError("No such town.", next_step="Name another.", town="X")
    with pytest.raises(ToolError) as raised:
        call(raising(error))
    assert raised.value is error
    assert raised.value.__cause__ is None


def test_ctrl_c_in_this_thread_is_the_users(caller):
    with pytest.raises(KeyboardInterrupt):
        caller.invoke(registered(raising(KeyboardInterrupt()), None), {})


def test_a_keyboard_interrupt_raised_in_a_worker_is_the_tools(caller):
    with pytest.raises(ToolError, match="KeyboardInterrupt"):
        caller.invoke(registered(raising(KeyboardInterrupt()), LONG), {})


class Hostile(dict):
    """A dict whose own code fails when it is encoded."""

    def items(self):
        raise RuntimeError("no")

    def __iter__(self):
        raise RuntimeError("no")


cycle = {}
cycle["again"] = cycle
deep = {}
for _ in range(100_000):
    deep = {"in": deep}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returned NoneType, not an object"),
        ("text", "returned str, not an object"),
        ([1], "returned list, not an object"),
        (5, "returned int, not an object"),
        ({"n": math.nan}, "a value that is not JSON"),
        ({"n": {1}}, "a value that is not JSON"),
        ({"n": object()}, "a value that is not JSON"),
        ({1: 1, "1": 2}, "a value that is not JSON"),
        (cycle, "a value that is not JSON"),
        (deep, "a value that is not JSON"),
        (Hostile(a=1), "a value that is not JSON"),
        ({"n": 10**5000}, "a value that is not JSON"),
        ({"n": "one"}, "does not fit its output schema: $.n: "),
        ({"n": "x" * 50_000_000}, "50,000,008 characters; at most 1,048,576"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_core_6_a_result_of_the_wrong_shape_is_a_tool_error(call, result, said):
    with pytest.raises(ToolError) as raised:
        call(lambda: result)
    assert said in str(raised.value)
    assert raised.value.advice
    assert len(str(raised.value)) < 3000


def test_a_result_up_to_the_limit_is_kept(call):
    text = "x" * (MAX_RESULT_CHARACTERS - len('{"text":""}'))
    assert call(lambda: {"text": text}) == {"text": text}


@pytest.mark.parametrize("arguments", [{"x": math.nan}, {"x": cycle}, {"x": {1}}, {"x": {1: 2}}])
def test_arguments_that_are_no_json_are_a_tool_error(caller, arguments):
    with pytest.raises(ToolError, match="are not JSON"):
        caller.invoke(registered(lambda **_: {}, LONG), arguments)


def test_what_a_tool_does_to_its_arguments_reaches_nobody(call):
    def work(items):
        items.append("mine")
        return {"items": items}

    mine = [1]
    assert call(work, items=mine) == {"items": [1, "mine"]}
    assert mine == [1]


def test_what_a_tool_does_to_its_result_later_reaches_nobody(call):
    kept = {"list": [1]}
    result = call(lambda: kept)
    kept["list"].append(2)
    assert result == {"list": [1]}
    result["list"].append(3)
    assert kept == {"list": [1, 2]}


def test_core_6_a_tool_that_hangs_is_given_up_and_its_late_answer_reaches_nobody(caller):
    release, answered = threading.Event(), SimpleQueue()

    def hangs():
        release.wait()
        answered.put("late")
        return {"n": 1}

    with pytest.raises(ToolError, match=r"did not answer within 0\.01 s.*timeout"):
        caller.invoke(registered(hangs, 0.01), {})
    assert caller.invoke(registered(lambda: {"n": 2}, LONG), {}) == {"n": 2}
    release.set()
    assert answered.get(timeout=LONG) == "late"
    assert caller.invoke(registered(lambda: {"n": 3}, LONG), {}) == {"n": 3}
    assert caller.invoke(registered(lambda: {"n": 4}, LONG), {}) == {"n": 4}


def test_a_hung_tools_thread_ends_once_it_answers(caller):
    release, threads = threading.Event(), SimpleQueue()

    def hangs():
        threads.put(threading.current_thread())
        release.wait()
        return {}

    with pytest.raises(ToolError, match="did not answer"):
        caller.invoke(registered(hangs, 0.01), {})
    release.set()
    thread = threads.get(timeout=LONG)
    thread.join(LONG)
    assert not thread.is_alive()


def test_calls_share_one_worker_which_close_ends(caller):
    threads = []

    def work():
        threads.append(threading.current_thread())
        return {}

    for _ in range(3):
        caller.invoke(registered(work, LONG), {})
    assert len(set(threads)) == 1
    caller.close()
    threads[0].join(LONG)
    assert not threads[0].is_alive()
    caller.close()


def test_a_tool_without_timeout_runs_in_the_callers_thread(caller):
    def work():
        return {"here": threading.current_thread() is threading.main_thread()}

    assert caller.invoke(registered(work, None), {}) == {"here": True}
    assert caller.invoke(registered(work, LONG), {}) == {"here": False}
