"""Async functions as tools: their loop, their timeout, their cancellation and their context."""

import asyncio
import threading
import time
from contextvars import ContextVar

import pytest

from aeon.base.errors import ToolDefinitionError, ToolError
from aeon.tools.async_call import async_tools_on
from aeon.tools.function import tool
from aeon.tools.interface import Tool
from aeon.tools.invocation import ToolInvoker
from aeon.tools.registry import ToolRegistry

SOON = 10.0


@pytest.fixture
def invoker():
    made = ToolInvoker()
    yield made
    made.close()


def called(invoker, made, **arguments):
    return invoker.invoke(ToolRegistry([made]).lookup(made.name), arguments)


@tool
async def slow_double(number: int) -> int:
    """Doubles a number, later."""
    await asyncio.sleep(0.01)
    return 2 * number


def test_an_async_function_is_a_tool(invoker):
    assert slow_double.output_schema["properties"]["result"] == {"type": "integer"}
    assert called(invoker, slow_double, number=21) == {"result": 42}


def test_without_a_timeout_it_is_called_in_the_callers_thread_and_runs_all_the_same(invoker):
    @tool(timeout=None)
    async def where() -> str:
        """Names its thread."""
        return threading.current_thread().name

    assert called(invoker, where) == {"result": "aeon-async-tools"}


def test_it_stays_callable_as_a_coroutine():
    assert asyncio.run(slow_double(4)) == 8


def test_all_calls_share_one_loop(invoker):
    @tool
    async def loop_id() -> int:
        """Names its loop."""
        return id(asyncio.get_running_loop())

    assert called(invoker, loop_id) == called(invoker, loop_id)


def test_what_it_raises_is_a_tool_error(invoker):
    @tool
    async def broken() -> int:
        """Fails."""
        await asyncio.sleep(0)
        raise ValueError("no such thing")

    with pytest.raises(ToolError, match="no such thing"):
        called(invoker, broken)


def test_a_result_that_does_not_fit_is_a_tool_error(invoker):
    @tool
    async def wrong() -> int:
        """Returns a text."""
        return "many"

    with pytest.raises(ToolError, match="does not fit its annotation"):
        called(invoker, wrong)


def test_a_timeout_cancels_the_coroutine(invoker):
    ended = threading.Event()

    @tool(timeout=0.05)
    async def hangs() -> int:
        """Never ends."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.set()
            raise
        return 1

    with pytest.raises(ToolError, match=r"did not answer within 0\.05 s"):
        called(invoker, hangs)
    assert ended.wait(SOON)


def test_cancelling_the_invoker_cancels_the_coroutine(invoker):
    running, ended = threading.Event(), threading.Event()

    @tool
    async def hangs() -> int:
        """Never ends."""
        running.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return 1

    def cancel():
        running.wait(SOON)
        invoker.cancel()

    other = threading.Thread(target=cancel)
    other.start()
    with pytest.raises(ToolError, match="cancelled"):
        called(invoker, hangs)
    other.join()
    assert ended.wait(SOON)


def test_it_runs_on_the_loop_of_the_program_that_waits_for_it(invoker):
    @tool
    async def loop_id() -> int:
        """Names its loop."""
        return id(asyncio.get_running_loop())

    async def main():
        with async_tools_on(asyncio.get_running_loop()):
            return await asyncio.to_thread(called, invoker, loop_id), id(asyncio.get_running_loop())

    result, own = asyncio.run(main())
    assert result == {"result": own}


def test_a_loop_that_the_call_itself_blocks_is_not_waited_for(invoker):
    """A synchronous call inside the program's loop, and one inside an async tool."""

    @tool
    async def outer() -> int:
        """Calls another tool, and blocks its loop meanwhile."""
        inner = ToolInvoker()
        try:
            return called(inner, slow_double, number=1)["result"]
        finally:
            inner.close()

    async def main():
        with async_tools_on(asyncio.get_running_loop()):
            return called(invoker, outer)

    began = time.monotonic()
    assert asyncio.run(main()) == {"result": 2}
    assert called(invoker, outer) == {"result": 2}
    assert time.monotonic() - began < SOON


def test_the_context_of_the_caller_reaches_the_tool(invoker):
    name = ContextVar("name", default="nobody")

    @tool
    async def who() -> str:
        """Names the caller."""
        return name.get()

    @tool
    def who_sync() -> str:
        """Names the caller."""
        return name.get()

    name.set("ann")
    assert called(invoker, who) == called(invoker, who_sync) == {"result": "ann"}


def test_a_generator_is_refused_at_its_definition():
    with pytest.raises(ToolDefinitionError, match="generator"):

        @tool
        async def numbers() -> int:
            """Counts."""
            yield 1


def test_an_async_invoke_of_a_class_is_refused_at_registration():
    class Wrong(Tool):
        name = "wrong"
        description = "is async"
        input_schema = output_schema = {"type": "object"}

        async def invoke(self, **kwargs):
            return {}

    with pytest.raises(ToolDefinitionError, match="async function with @tool"):
        ToolRegistry([Wrong()])
