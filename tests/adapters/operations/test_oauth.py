"""Tokens refreshed at a real authorization server on loopback, and called with (platform 3; RFC 6749, section 6)."""

# ruff: noqa: S105, S106  # the tokens are the demo server's

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs

import pytest

from aeon.adapters.operations.mcp import McpExecutor
from aeon.adapters.operations.oauth import HttpTokenServer
from aeon.adapters.operations.rest import RestExecutor
from aeon.platform.catalog.model import NewSecret, NewService, NewTool, SecretChange
from aeon.platform.catalog.oauth_tokens import OAuthTokens, apply_refresh
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.tool_calls import OperationError, StoredToolCaller
from aeon.platform.ledger import MutationRequest
from aeon.testing.clock import FakeClock
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

from . import mcp_demo
from .oauth_demo import OAuthServer
from .served import Served

SHAPE = {"type": "object", "required": ["endpoint"]}
SOON, LATER = "2026-01-01T00:00:30+00:00", "2026-01-01T09:00:00+00:00"


@pytest.fixture
def server():
    running = OAuthServer()
    running.start()
    yield running
    running.stop()


@pytest.fixture
def store(tmp_path):
    record = new_record(tmp_path)
    yield record
    record.close()


class Setting:
    """Ann's shared tool on the demo's service, with a token of hers; Bob has bound one of his own."""

    def __init__(self, store, server):
        self.clock = FakeClock(tick=0.001)
        self.server = server
        self.catalog = Catalog(store, InMemoryVault(self.clock), clock=self.clock)
        for user in ("ann", "bob"):
            self.catalog.add_user(user)

    def tool(self, value, owner="ann"):
        operation = {"type": "rest_request", "path": "/me"}
        return self.add_tool(value, owner, ("rest_api", "http"), self.server.address, operation)

    def mcp_tool(self, value, protocol, endpoint):
        return self.add_tool(value, "ann", ("mcp_server", protocol), endpoint, {"type": "mcp_call", "tool": "add"})

    def add_tool(self, value, owner, kind, endpoint, operation):
        self.secret = self.add_secret(value, owner)
        api = {"name": "api", "type": kind[0], "protocol": kind[1], "connectionSchema": SHAPE}
        service = self.catalog.services.add(NewService.parsed(api), MutationRequest(owner))
        tool = {
            "name": "get",
            "serviceId": service.id,
            "secretId": self.secret.id,
            "connectionParams": {"endpoint": endpoint},
            "operation": {**operation, "allowPrivate": True},
            "inputSchema": {},
            "shared": True,
        }
        return self.catalog.tools.add(NewTool.parsed(tool), MutationRequest(owner))

    def add_secret(self, value, owner):
        new = NewSecret.parsed({"name": "token", "type": "oauth_token", "value": value})
        return self.catalog.secrets.add(new, MutationRequest(owner))

    def caller(self):
        tokens = OAuthTokens(self.catalog.secrets, HttpTokenServer(), self.clock)
        return StoredToolCaller(self.catalog, {"rest_request": RestExecutor()}, tokens, self.clock)

    def value(self, owner="ann"):
        return self.catalog.secrets.reveal(owner, self.secret.id).reveal()


@pytest.fixture
def setting(store, server):
    return Setting(store, server)


def test_a_token_that_is_about_to_end_is_refreshed_before_the_call(setting, server):
    """What came back is in the vault, in the owner's name, and in the trail."""
    tool = setting.tool(server.value(expires_at=SOON))
    called = setting.caller().call("ann", tool.id, {})
    assert called.output["body"] == {"you": "[hidden]"}
    assert server.tokens_seen == ["access-canary-1"]
    after = setting.value()
    assert (after["access_token"], after["refresh_token"]) == ("access-canary-1", "refresh-canary-1")
    assert after["expires_at"].startswith("2026-01-01T01:00")
    assert [entry["action"] for entry in setting.catalog.ledger.audit_log("ann")].count("secret.rotate") == 1
    setting.caller().call("ann", tool.id, {})
    assert len(server.asked) == 1


def test_a_client_gets_its_token_itself_and_another_one_when_it_ends(setting, server):
    """RFC 6749, section 4.4: no person is asked, and what looks like a refresh token is not kept."""
    tool = setting.tool(server.client_value())
    caller = setting.caller()
    assert [caller.call("ann", tool.id, {}).output["body"] for _ in range(2)] == [{"you": "[hidden]"}] * 2
    assert server.tokens_seen == ["access-canary-1"] * 2
    assert parse_qs(server.asked[0][1]) == {"grant_type": ["client_credentials"], "scope": ["read write"]}
    assert server.client_value().items() < setting.value().items()
    assert "refresh_token" not in setting.value()
    setting.clock.sleep(3_590)
    caller.call("ann", tool.id, {})
    assert server.tokens_seen[-1] == "access-canary-2"
    server.access_tokens = set()
    assert caller.call("ann", tool.id, {}).output["status"] == 200, "refused, it is fetched again"
    assert server.tokens_seen[-1] == "access-canary-3"


def test_a_client_that_its_server_refuses_is_told_why_without_its_secret(setting, server):
    tool = setting.tool(server.client_value(client_secret="wrong-canary"))
    with pytest.raises(OperationError, match=r"gives no token \(invalid_client\)") as refused:
        setting.caller().call("ann", tool.id, {})
    assert "canary" not in f"{refused.value!r} {refused.value.advice}"
    assert server.tokens_seen == []


def test_a_token_that_is_refused_is_refreshed_once_and_the_call_repeated(setting, server):
    tool = setting.tool(server.value(expires_at=LATER))
    assert setting.caller().call("ann", tool.id, {}).output["status"] == 200
    assert server.tokens_seen == ["access-canary-0", "access-canary-1"]
    server.access_tokens = set()
    server.odd = (200, {"access_token": "of no use", "token_type": "bearer"})
    with pytest.raises(OperationError, match="answered 401"):
        setting.caller().call("ann", tool.id, {})
    assert len(server.tokens_seen) == 4
    assert setting.value()["refresh_token"] == "refresh-canary-1"
    assert "expires_at" not in setting.value()


@pytest.mark.server
@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_an_mcp_servers_refusal_refreshes_too(setting, server, protocol):
    """It lets in the token that the authorization server gives next, and no other."""
    app = mcp_demo.server.sse_app() if protocol == "sse" else mcp_demo.server.streamable_http_app()
    served = Served(app, "/sse" if protocol == "sse" else "/mcp")
    served.wanted = "Bearer access-canary-1"
    executor = McpExecutor({})
    try:
        tool = setting.mcp_tool(server.value(), protocol, served.endpoint)
        tokens = OAuthTokens(setting.catalog.secrets, HttpTokenServer(), setting.clock)
        caller = StoredToolCaller(setting.catalog, {"mcp_call": executor}, tokens, setting.clock)
        for n in range(2):
            assert caller.call("ann", tool.id, {"a": n, "b": 2}).output == {"result": n + 2}
        assert server.count == 1
    finally:
        executor.close()
        served.stop()


def test_what_cannot_be_refreshed_is_used_as_it_is(setting, server):
    tool = setting.tool({"access_token": "access-canary-9", "expires_at": SOON})
    with pytest.raises(OperationError, match="answered 401") as refused:
        setting.caller().call("ann", tool.id, {})
    assert refused.value.is_unauthorized
    assert server.asked == []


def test_platform_3_a_shared_tool_refreshes_the_callers_own_token(setting, server):
    tool = setting.tool({"access_token": "of ann", "refresh_token": "x", "token_url": "https://a.b/", "client_id": "c"})
    bobs = setting.add_secret(server.value(), "bob")
    setting.catalog.tools.bind(tool.id, bobs.id, MutationRequest("bob"))
    assert setting.caller().call("bob", tool.id, {}).output["status"] == 200
    assert setting.catalog.secrets.reveal("bob", bobs.id).reveal()["refresh_token"] == "refresh-canary-1"
    assert setting.value()["access_token"] == "of ann"


@pytest.mark.parametrize("expires_at", [SOON, LATER])
def test_threads_that_come_at_once_refresh_once(setting, server, expires_at):
    tool = setting.tool(server.value(expires_at=expires_at))
    caller = setting.caller()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: caller.call("ann", tool.id, {}).output["status"], range(16)))
    assert found == [200] * 16
    assert server.count == len(server.asked) == 1


class Together(HttpTokenServer):
    """Gives nobody its answer before two have one, as two processes may meet."""

    def __init__(self):
        super().__init__()
        self._barrier = threading.Barrier(2)

    def refresh(self, value, *, allow_private):
        found = super().refresh(value, allow_private=allow_private)
        self._barrier.wait(10)
        return found


def test_of_two_processes_that_refresh_at_once_one_result_is_kept_and_both_go_on(setting, server):
    """Neither shares a lock with the other; the server takes a refresh token twice."""
    server.is_rotating = False
    setting.tool(server.value(expires_at=SOON))
    meeting = Together()
    both = [OAuthTokens(setting.catalog.secrets, meeting, setting.clock) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda each: each.get_fresh("ann", setting.secret.id, allow_private=True).reveal(), both))
    assert found[0] == found[1] == setting.value()
    assert server.count == 2
    trail = [entry["action"] for entry in setting.catalog.ledger.audit_log("ann")]
    assert trail.count("secret.rotate") == 1


def test_a_process_that_comes_second_goes_on_with_what_the_first_writes(setting, server):
    """The server takes a refresh token once, and refuses the second before the first has written its answer."""
    value = server.value(expires_at=SOON)
    setting.tool(value)
    firsts = apply_refresh(value, HttpTokenServer().refresh(value, allow_private=True), setting.clock.now())

    class Writing(FakeClock):
        def sleep(self, seconds):
            super().sleep(seconds)
            if len(self.slept) == 3:
                setting.catalog.secrets.rotate(setting.secret.id, firsts, MutationRequest("ann"))

    clock = Writing()
    second = OAuthTokens(setting.catalog.secrets, HttpTokenServer(), clock)
    assert second.get_fresh("ann", setting.secret.id, allow_private=True).reveal() == firsts == setting.value()
    assert len(clock.slept) == 3


def test_a_secret_that_is_renamed_meanwhile_loses_no_token(setting, server):
    setting.tool(server.value(expires_at=SOON))
    secrets = setting.catalog.secrets

    class Renaming(HttpTokenServer):
        def refresh(self, value, *, allow_private):
            found = super().refresh(value, allow_private=allow_private)
            secrets.change(setting.secret.id, SecretChange(name="other"), MutationRequest("ann"))
            return found

    OAuthTokens(secrets, Renaming(), setting.clock).get_fresh("ann", setting.secret.id, allow_private=True)
    assert setting.value()["refresh_token"] == "refresh-canary-1"
    assert secrets.get_own("ann", setting.secret.id).name == "other"


def test_a_refused_refresh_says_to_log_in_again_and_nothing_of_a_token(setting, server):
    server.refresh_token = "another"
    tool = setting.tool(server.value())
    with pytest.raises(OperationError, match=r"its server gives no token \(invalid_grant\)") as refused:
        setting.caller().call("ann", tool.id, {})
    assert "Log in again" in refused.value.advice
    assert "rotate the secret" in refused.value.advice
    assert "canary" not in f"{refused.value} {refused.value.as_dict()}"
    assert sum(setting.clock.slept) == pytest.approx(3)


@pytest.mark.server
def test_two_commands_at_once_both_go_on_with_one_result(server, tmp_path):
    """Processes with a vault and a graph of their folder; the server takes a refresh token once."""
    documents = [
        {"kind": "Service", "name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": SHAPE},
        {"kind": "Secret", "name": "token", "type": "oauth_token", "value": server.value(expires_at=SOON)},
        {
            "kind": "Tool",
            "name": "get",
            "service": "api",
            "secret": "token",
            "connectionParams": {"endpoint": server.address},
            "operation": {"type": "rest_request", "path": "/me", "allowPrivate": True},
            "inputSchema": {},
        },
    ]
    (tmp_path / "api.yaml").write_text("\n---\n".join(map(json.dumps, documents)))
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AEON_")}

    def start(*words):
        command = [sys.executable, "-m", "aeon", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen(command, cwd=tmp_path, env={**environ, "HOME": str(tmp_path)}, **pipes)

    applied = start("apply", "-f", "api.yaml")
    assert "3 of 3 changed" in applied.communicate(timeout=60)[0]
    ended = [each.communicate(timeout=60)[0] for each in [start("tool", "call", "get") for _ in range(3)]]
    assert [text.count('"you": "[hidden]"') for text in ended] == [1, 1, 1], ended
    assert "canary" not in "".join(ended)
    assert server.count == 1
    with start("store", "audit", "list") as listing:
        assert listing.communicate(timeout=60)[0].count("secret.rotate") == 1


# The authorization server


def answered(server, **more):
    return HttpTokenServer().refresh(server.value(**more), allow_private=True)


def test_a_client_says_who_it_is_in_the_header_and_in_the_body_where_that_is_refused(server):
    assert answered(server)["access_token"] == "access-canary-1"
    headers, body = server.asked[0]
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(body) == {"grant_type": ["refresh_token"], "refresh_token": ["refresh-canary-0"]}
    server.wanted_client = ("body", "aeon:1", "s+c ret")
    assert answered(server, refresh_token="refresh-canary-1")["access_token"] == "access-canary-2"
    assert len(server.asked) == 3


def test_a_client_without_a_secret_gives_its_name_in_the_body(server):
    server.wanted_client = ("body", "aeon:1", None)
    value = {name: part for name, part in server.value().items() if name != "client_secret"}
    assert HttpTokenServer().refresh(value, allow_private=True)["access_token"] == "access-canary-1"


@pytest.mark.parametrize(
    ("odd", "match", "is_transient"),
    [
        ((503, {}), "answered 503", True),
        ((429, {}), "answered 429", True),
        ((404, b"<html>"), "answered with 404", False),
        ((302, b""), "answered with 302", False),
        ((200, b"refresh-canary-0"), "other than a JSON object", False),
        ((200, b"x" * 300_000), "longer than 262,144 bytes", False),
        ((200, {"error": "invalid_grant"}), "invalid_grant", False),
        ((400, {"error": "refresh-canary-0 is bad"}), r"gives no token \(400\)", False),
        ((401, {"error": "invalid_client"}), "invalid_client", False),
    ],
)
def test_answers_that_give_no_token(server, odd, match, is_transient):
    server.odd = odd
    with pytest.raises(OperationError, match=match) as failed:
        answered(server)
    assert failed.value.is_transient is is_transient
    assert "canary" not in str(failed.value)


def test_a_private_address_is_asked_only_where_the_operation_allows_it(server):
    with pytest.raises(OperationError, match=r"no token came from its server: .*which is private") as refused:
        HttpTokenServer().refresh(server.value(), allow_private=False)
    assert "allowPrivate" in refused.value.advice
    assert server.asked == []
