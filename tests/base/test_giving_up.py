"""Whoever calls a tool may wait no longer: the tool is told, once, and can end what it has started."""

import threading
from queue import SimpleQueue

import pytest

from aeon.base.cancellation import CancelScope, on_cancel
from aeon.base.errors import ToolError
from aeon.base.threads import WorkerThread
from aeon.tools.interface import Tool
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry

LONG = 60.0


class Waits(Tool):
    """Works until it is told that nobody waits; `begun` is set before, `told` counts how often it was."""

    name = "waits"
    description = "Waits."
    input_schema = {"type": "object"}
    output_schema = {"type": "object"}

    def __init__(self, timeout):
        self.timeout = timeout
        self.begun, self.stopped, self.told = threading.Event(), threading.Event(), []

    def invoke(self, **given):
        with on_cancel(self._stop):
            self.begun.set()
            if not given.get("ends"):
                assert self.stopped.wait(LONG), "nobody told it"
        return {}

    def _stop(self):
        self.told.append(threading.current_thread().name)
        self.stopped.set()


class Calls(Tool):
    """Calls another tool, as the kernel does that is a tool itself."""

    name = "calls"
    description = "Calls."
    input_schema = {"type": "object"}
    output_schema = {"type": "object"}
    timeout = None

    def __init__(self, inner):
        self._inner = inner

    def invoke(self, **given):
        return ToolInvoker().invoke(registered(self._inner), given)


def registered(tool):
    return ToolRegistry([tool]).lookup(tool.name)


def given_up(tool, begun):
    """What a call comes to that is given up, by another thread, once it has begun."""
    caller = ToolInvoker()
    thread = threading.Thread(target=lambda: (begun.wait(LONG), caller.cancel()), name="elsewhere")
    thread.start()
    result = caller.invoke(registered(tool), {})
    thread.join()
    return result


def test_a_tool_whose_time_is_over_is_told():
    tool = Waits(0.05)
    with pytest.raises(ToolError, match="did not answer within"):
        ToolInvoker().invoke(registered(tool), {})
    assert tool.stopped.wait(LONG)
    assert len(tool.told) == 1


@pytest.mark.parametrize("timeout", [LONG, None])
def test_a_call_that_is_given_up_from_elsewhere_is_told(timeout):
    tool = Waits(timeout)
    assert given_up(tool, tool.begun) == {}
    assert tool.told == ["elsewhere"]


def test_it_reaches_what_a_tool_calls_itself():
    inner = Waits(LONG)
    assert given_up(Calls(inner), inner.begun) == {}
    assert inner.told == ["elsewhere"]


def test_what_begins_after_it_is_told_at_once():
    caller, tool = ToolInvoker(), Waits(LONG)
    caller.cancel()
    assert caller.invoke(registered(tool), {}) == {}
    assert len(tool.told) == 1


def test_what_is_over_is_not_told():
    caller, tool = ToolInvoker(), Waits(LONG)
    assert caller.invoke(registered(tool), {"ends": True}) == {}
    caller.cancel()
    caller.cancel()
    assert tool.told == []


def test_an_interruption_of_who_waits_is_told():
    tool, caller = Waits(LONG), ToolInvoker()

    class Interrupted(SimpleQueue):
        """A queue on which an interruption is waited for instead of an answer."""

        def get(self, *, timeout):
            assert tool.begun.wait(timeout)
            raise KeyboardInterrupt

    caller._worker = WorkerThread("test")
    caller._worker.outcomes = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        caller.invoke(registered(tool), {})
    assert tool.stopped.wait(LONG)


def test_without_a_caller_nothing_is_told():
    with on_cancel(lambda: pytest.fail("nobody could have")):
        pass


def test_each_call_is_a_matter_of_its_own():
    one, two, told = CancelScope(), CancelScope(), []
    with one.activate(), on_cancel(lambda: told.append("one")):
        two.cancel()
        assert told == []
        one.cancel()
    assert told == ["one"]
