"""What the tools of a user who is not an operator may do on the server's machine: nothing (platform 31)."""

import http.server
import threading

import pytest

from aeon.application.discovery import DiscoveryRequest
from aeon.platform.errors import ForbiddenError

pytestmark = pytest.mark.server

STDIO = {"type": "object", "required": ["command"]}
SELF = {"command": "aeon:self"}
HTTP = {"type": "object", "required": ["endpoint"]}


class Answering(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"n": 1}')

    def log_message(self, *_args):
        pass


@pytest.fixture
def here():
    """The address of a server on this machine."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def users(site):
    """Clients of an operator, and of two users who are none."""
    owner = site.workspaces.of("me").users
    owner.create("opa", "operator")
    owner.create("bob")
    owner.create("eve")
    return {name: site.client(name) for name in ("me", "opa", "bob", "eve")}


def make(client, kind, fields, shared):
    answer = client.post(f"/api/v1/{kind}", json=fields)
    assert answer.status_code == 201, answer.text
    if shared:
        address = f"/api/v1/{kind}/{answer.json()['id']}"
        assert client.patch(address, json={"shared": True}, headers={"if-match": answer.headers["etag"]}).is_success
    return answer.json()["id"]


def program(client, folder, *, shared=False):
    """The id of a stored tool that starts a program, and the file that the program makes."""
    made = folder / "made"
    service = {"name": "sh", "type": "mcp_server", "protocol": "stdio", "connectionSchema": STDIO}
    tool = {
        "name": "run",
        "serviceId": make(client, "services", service, shared),
        "operation": {"type": "mcp_call", "tool": "x"},
    }
    tool |= {"connectionParams": {"command": "/bin/sh", "args": ["-c", f"touch {made}"]}, "inputSchema": {}}
    return make(client, "tools", tool, shared), made


def private(client, address, *, shared=False):
    """The id of a stored tool that calls a private address."""
    service = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": HTTP}
    tool = {
        "name": "look",
        "serviceId": make(client, "services", service, shared),
        "connectionParams": {"endpoint": address},
    }
    tool |= {"operation": {"type": "rest_request", "path": "/", "allowPrivate": True}, "inputSchema": {}}
    return make(client, "tools", tool, shared)


def call(client, tool):
    return client.post(f"/api/v1/tools/{tool}/call", json={"arguments": {}})


@pytest.mark.parametrize("name", ["me", "opa"])
def test_a_program_of_an_operator_starts(users, name, tmp_path):
    run, made = program(users[name], tmp_path)
    call(users[name], run)
    assert made.exists()


def test_a_program_of_another_user_does_not_start_whatever_they_try(site, users, tmp_path):
    bob, eve = users["bob"], users["eve"]
    run, made = program(bob, tmp_path, shared=True)
    refused = call(bob, run)
    assert refused.status_code == 422
    assert "only the tools of operators may" in refused.json()["message"]
    assert eve.put(f"/api/v1/tools/{run}/trust", json={}).status_code == 403
    assert call(eve, run).status_code == 422
    asked = DiscoveryRequest("sh", {"command": "/bin/sh", "args": ["-c", f"touch {made}"]}, None, (), False)
    with pytest.raises(ForbiddenError, match="only operators may start programs"):
        site.workspaces.of("bob").tools.discover(asked)
    process = "kind: Process\nname: p\nsteps: [{id: a, tool: run, output: x}]\noutputTemplate: x\n"
    site.workspaces.of("bob").documents.apply(process)
    runs = site.workspaces.of("bob").runs
    settled = runs.settle(runs.start("p", {}).id, 20)
    assert settled.view.state.phase == "failed"
    assert not made.exists()


def test_aeon_for_another_user_has_neither_the_files_of_the_folder_nor_their_programs(site, users, tmp_path):
    """`aeon:self` runs Aeon's own server as its caller: it is isolated there, too."""
    _, made = program(users["bob"], tmp_path)
    (site.folder / "private.txt").write_text("of the folder")
    listed = users["bob"].get("/api/v1/services").json()["data"]
    itself = next(each["id"] for each in listed if each["name"] == "aeon itself")
    for name, asked in (("read_file", {"path": "private.txt"}), ("run", {})):
        operation = {"type": "mcp_call", "tool": name, "arguments": asked}
        tool = {"name": name + "_", "serviceId": itself, "operation": operation, "inputSchema": {}}
        answer = call(users["bob"], make(users["bob"], "tools", {**tool, "connectionParams": SELF}, shared=False))
        assert answer.status_code == 502, answer.text
        assert "of the folder" not in answer.text
    assert not made.exists()


def test_an_operator_shares_a_program_that_another_user_then_trusts(users, tmp_path):
    run, made = program(users["me"], tmp_path, shared=True)
    assert call(users["bob"], run).status_code == 422
    assert not made.exists()
    assert users["bob"].put(f"/api/v1/tools/{run}/trust", json={}).is_success
    call(users["bob"], run)
    assert made.exists()


def test_only_tools_of_operators_call_private_addresses(site, users, here):
    look = private(users["bob"], here)
    refused = call(users["bob"], look)
    assert refused.status_code == 422
    assert "only operators and their tools may call private addresses" in refused.json()["message"]
    assert refused.json()["nextStep"].startswith("Remove allowPrivate")
    look = private(users["me"], here, shared=True)
    assert call(users["me"], look).json()["output"]["body"] == {"n": 1}
    assert call(users["eve"], look).json()["output"]["body"] == {"n": 1}
    with pytest.raises(ForbiddenError, match="only operators may call private addresses"):
        site.workspaces.of("bob").tools.read_openapi(here, allow_private=True)


def test_a_user_who_is_no_operator_any_more_starts_nothing(site, users, tmp_path):
    run, made = program(users["opa"], tmp_path)
    site.client("me").patch("/api/v1/users/opa", json={"role": "user"})
    assert call(users["opa"], run).status_code == 422
    assert not made.exists()
