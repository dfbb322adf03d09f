"""Calls over HTTP are cancelled by another request of the same client, and by nobody else."""

import json

import pytest

from aeon.server.mcp.running_calls import McpMessage, RunningCalls

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}


def message(content, user="me", session="s1"):
    return McpMessage(user, session, json.dumps(content).encode())


def taken_back(id_):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}


@pytest.mark.parametrize(
    ("cancelling", "is_cancelled"),
    [
        (message(taken_back(1)), True),
        (message(taken_back("1")), False),
        (message(taken_back(2)), False),
        (message(taken_back(1), session="s2"), False),
        (message(taken_back(1), user="eve"), False),
        (message(taken_back(1), session=None), False),
    ],
)
def test_platform_2_only_the_same_session_of_the_same_user_cancels_a_call(cancelling, is_cancelled):
    running, cancelled = RunningCalls(), []
    with running.entered(message(CALL).key) as scope, scope.on_cancel(lambda: cancelled.append(True)):
        if cancelling.cancelled_key is not None:
            running.cancel(cancelling.cancelled_key)
    assert bool(cancelled) == is_cancelled
    running.cancel(message(CALL).key)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"nonsense", b"\xff", b'{"method": "notifications/cancelled", "params": 3}']
)
def test_what_is_no_message_cancels_nothing(body):
    broken = McpMessage("me", "s1", body)
    assert (broken.key, broken.cancelled_key) == (None, None)
