"""Results of MCP servers that break their promises, or return other than text: nothing is lost, nothing done twice."""

import subprocess
import sys
import threading
import time

import pytest

from aeon.adapters.operations.mcp import McpExecutor
from aeon.base.cancellation import CancelScope
from aeon.platform.catalog.operations import McpCall
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest

from . import mcp_raw

TEXT = {"type": "text", "text": "see"}
IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///a.pdf", "name": "a", "description": "The bill."}
EMBEDDED = {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "embedded"}}


@pytest.fixture
def executor():
    running = McpExecutor({"PATH": "/usr/bin:/bin"})
    yield running
    running.close()


@pytest.fixture
def received(tmp_path):
    return tmp_path / "received"


@pytest.fixture
def called(executor, received):
    """The result of a call of `order` for which the server returns the given result."""
    connection = {"command": sys.executable, "args": [mcp_raw.__file__, str(received)]}

    def call(result, tool="order"):
        operation = McpCall.model_validate({"type": "mcp_call", "tool": tool})
        return executor.execute(OperationRequest("me", operation, "stdio", connection, {"result": result}, None, {}))

    return call


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"content": [TEXT]}, "did not return structured content"),
        ({"content": [TEXT], "structuredContent": {"number": "x"}}, "'x' is not of type 'integer'"),
        ({"content": 5}, "validation error"),
    ],
)
def test_a_call_that_has_run_is_not_called_unreachable_whatever_it_returned(called, received, result, reason):
    with pytest.raises(OperationError, match="does not fit what it declares") as failed:
        called(result)
    assert reason in failed.value.message
    assert not failed.value.is_transient
    assert received.read_text().count("tools/call") == 1


def test_a_tool_of_the_second_page_is_checked_and_no_log_reaches_the_terminal(received, tmp_path):
    """In a program without logging, as `aeon` is."""
    program = f"""
from aeon.adapters.operations.mcp import McpExecutor
from aeon.platform.catalog.operations import McpCall
from aeon.platform.catalog.tool_calls import OperationRequest
executor = McpExecutor({{"PATH": "/usr/bin:/bin"}})
connection = {{"command": {sys.executable!r}, "args": [{mcp_raw.__file__!r}, {str(received)!r}]}}
given = {{"result": {{"content": [], "structuredContent": {{"number": 3}}}}}}
work = OperationRequest("me", McpCall(tool="order"), "stdio", connection, given, None, {{}})
print(executor.execute(work).output)
executor.close()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == ("{'number': 3}\n", "")


def test_what_is_no_text_is_kept_with_the_names_of_the_protocol(called):
    result = called({"content": [TEXT, IMAGE, LINK, EMBEDDED]}, "first")
    assert result.output["content"] == "see\n[image]\n[resource_link]\nembedded"
    assert result.output["parts"] == [IMAGE, LINK, EMBEDDED]
    assert result.warnings == ()
    assert called({"content": [TEXT]}, "first").output == {"content": "see"}


def test_data_that_is_too_large_is_left_out_with_a_warning(called):
    result = called({"content": [{**IMAGE, "data": "A" * 600_000}, IMAGE]}, "first")
    assert result.output["parts"][0] == {"type": "image", "mimeType": "image/png"}
    assert result.warnings == ("The output leaves out the data of image (image/png): it is too large.",)


def test_other_content_beside_structured_content_is_left_out_with_a_warning(called):
    result = called({"content": [TEXT, LINK], "structuredContent": {"number": 3}})
    assert result.output == {"number": 3}
    assert result.warnings == ("The output leaves out resource_link (file:///a.pdf) beside the structured content.",)


def test_half_a_surrogate_pair_in_an_argument_is_sent_as_an_escape(called):
    assert called({"content": [{"type": "text", "text": "\ud83d"}]}, "first").output == {"content": "\\ud83d"}


def test_a_call_whose_caller_stops_waiting_is_cancelled_on_the_server(called, received):
    scope, failures = CancelScope(), []

    def call():
        with scope.activate(), pytest.raises(OperationError, match="was cancelled") as failed:
            called(None)
        failures.append(failed.value)

    thread = threading.Thread(target=call)
    thread.start()
    until(lambda: received.exists() and "tools/call" in received.read_text())
    scope.cancel()
    thread.join(10)
    assert [each.is_transient for each in failures] == [False]
    until(lambda: "notifications/cancelled" in received.read_text())


def test_a_server_that_ends_at_its_start_says_why_without_its_secrets(executor):
    program = "import os, sys; print('key', os.environ['API_KEY'], file=sys.stderr); sys.exit('bad \\x1b[31mAPI_KEY')"
    connection = {"command": sys.executable, "args": ["-c", program], "env": {"API_KEY": "sk-do-not-tell"}}
    with pytest.raises(OperationError, match="connection was lost") as lost:
        executor.list_tools("stdio", connection)
    assert lost.value.message == "the connection was lost; the server wrote: key [hidden] / bad  [31mAPI_KEY"


def until(is_so):
    """Another process does not say when it is so far."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
