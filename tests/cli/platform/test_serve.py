"""`aeon serve`: a real process, from its link to its end, and the tokens of programs (platform 31)."""

import http.client
import json
import re
import signal
import ssl
import threading
import time

import pytest

from aeon.cli.platform.server_announcement import announced_server, read_announced_link

from .certificates import NAME, free_port, make_certificate
from .conftest import until

LINK = re.compile(r"http://(aeon-[a-z]{4}\.localhost:(\d+))/#(aeon_[\w-]+)")


def call(port, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    text = None if body is None else json.dumps(body)
    connection.request(method, path, text, {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    found = answer.status, answer.getheader("set-cookie"), json.loads(answer.read() or "null")
    connection.close()
    return found


@pytest.fixture
def served(aeon, double, background):
    """A running server: its port, its name and its link."""
    double("Flour, eggs and milk.")
    process = background("serve", "--port", "0")
    name, port, link = LINK.search(process.process.stdout.readline()).groups()
    process.port, process.name, process.link = int(port), name, link
    return process


@pytest.mark.server
@pytest.mark.slow
def test_the_printed_link_signs_in_once_and_an_answer_is_streamed(served):
    status, cookie, _ = call(served.port, "POST", "/api/v1/session", {"link": served.link}, Host=served.name)
    assert status == 201
    session = {"Host": served.name, "Cookie": cookie.partition(";")[0]}
    assert call(served.port, "POST", "/api/v1/session", {"link": served.link}, Host=served.name)[0] == 401
    place = call(served.port, "POST", "/api/v1/conversations", {}, **session)[2]["id"]
    said = {"content": "What do pancakes need?"}
    message = call(served.port, "POST", f"/api/v1/conversations/{place}/messages", said, **session)[2]["id"]
    answer = call(served.port, "POST", f"/api/v1/messages/{message}/answers", **session)[2]["id"]
    path = f"/api/v1/messages/{answer}"
    until(lambda: call(served.port, "GET", path, **session)[2]["content"] == "Flour, eggs and milk.")
    assert served.ends(signal.SIGTERM) == 0
    assert served.link not in served.err


@pytest.mark.server
@pytest.mark.slow
def test_a_server_with_open_streams_ends_at_a_signal_and_with_exit_code_0(aeon, served):
    token = aeon("serve", "token", "create", "test").out.strip()
    asked = {"Authorization": f"Bearer {token}"}
    aeon("apply", "-f", "-", stdin=WAITS.encode())
    run = call(served.port, "POST", "/api/v1/processes/waits/runs", {"inputs": {}}, **asked)[2]["id"]
    opened = [http.client.HTTPConnection("127.0.0.1", served.port, timeout=20) for _ in range(30)]
    for each in opened:
        each.request("GET", f"/api/v1/runs/{run}/events", headers=asked)
    readers = [threading.Thread(target=each.getresponse().read) for each in opened]
    for each in readers:
        each.start()
    assert served.ends(signal.SIGTERM) == 0
    for each in readers:
        each.join(5)
        assert not each.is_alive()
    for each in opened:
        each.close()


WAITS = """
kind: Service
name: graph
type: neo4j_graph
protocol: bolt
connectionSchema: {type: object, required: [endpoint]}
---
kind: Tool
name: mine
service: graph
connectionParams: {endpoint: "aeon:graph"}
operation: {type: graph_query, query: "@users_of_mine"}
inputSchema: {type: object}
---
kind: Process
name: waits
steps:
  - {id: ask, tool: mine, output: said, execution: {interactionMode: manual, timeout: 300}}
"""


@pytest.mark.server
@pytest.mark.slow
def test_a_small_answer_is_not_kept_back_by_the_network(served):
    """With Nagle's algorithm, each of these takes 40 ms on Linux; without, the fastest needs no machine at rest."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    took = []
    for _ in range(50):
        began = time.perf_counter()
        connection.request("GET", "/health/live")
        connection.getresponse().read()
        took.append(time.perf_counter() - began)
    assert min(took) < 0.03
    connection.close()


@pytest.mark.server
@pytest.mark.slow
def test_another_name_is_answered_if_it_was_given_and_a_wrong_one_is_refused(aeon, background, double):
    double()
    process = background("serve", "--port", "0", "--name", "Aeon.example.org")
    port = int(LINK.search(process.process.stdout.readline())[2])
    asked = {"X-Forwarded-Proto": "https"}
    assert call(port, "GET", "/health/live", Host="aeon.example.org")[0] == 200
    assert call(port, "GET", "/health/live", Host="aeon.example.org:1")[0] == 421
    link = aeon("serve", "link", "--port", str(port)).out.strip().partition("#")[2]
    foreign = call(
        port,
        "POST",
        "/api/v1/session",
        {"link": link},
        Host="aeon.example.org",
        Origin="http://aeon.example.org",
        **asked,
    )
    own = call(
        port,
        "POST",
        "/api/v1/session",
        {"link": link},
        Host="aeon.example.org",
        Origin="https://aeon.example.org",
        **asked,
    )
    assert (foreign[0], own[0]) == (403, 201)
    assert "Secure" in own[1]
    for wrong in ("http://aeon.example.org", "a b", "", "x:", "-"):
        refused = aeon("serve", "--name", wrong)
        assert (refused.code, "--name is wrong" in " ".join(refused.err.split())) == (2, True), wrong


@pytest.mark.server
@pytest.mark.slow
def test_a_port_that_is_taken_is_said_with_what_to_do(aeon, served):
    refused = aeon("serve", "--port", str(served.port))
    assert (refused.code, "aeon serve --port 0" in refused.err) == (2, True)


@pytest.mark.server
@pytest.mark.slow
def test_another_link_leads_to_where_the_server_listens(aeon, served):
    name, port, secret = LINK.search(aeon("serve", "link").out).groups()
    assert (name, int(port)) == (served.name, served.port)
    assert call(served.port, "POST", "/api/v1/session", {"link": secret}, Host=served.name)[0] == 201
    assert LINK.search(aeon("serve", "link", "--port", "81").out)[2] == "81"
    assert served.ends(signal.SIGTERM) == 0
    assert LINK.search(aeon("serve", "link").out)[2] == "8420"


def test_a_killed_server_announces_nothing_and_of_two_the_first_counts(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert read_announced_link(tmp_path) is None
    with announced_server(tmp_path, "http://a.localhost:1/#"), announced_server(tmp_path, "http://b.localhost:2/#"):
        assert read_announced_link(tmp_path) == "http://a.localhost:1/#"
    assert read_announced_link(tmp_path) is None
    (tmp_path / ".aeon" / "server-address").write_text("http://killed.localhost:1/#")
    assert read_announced_link(tmp_path) is None


def test_tokens_are_made_listed_and_revoked(aeon):
    made = aeon("serve", "token", "create", "laptop", "--read", "--days", "7")
    assert (made.code, made.out.startswith("aeon_")) == (0, True)
    listed = aeon("serve", "token", "list", "--json").json
    assert [(each["name"], each["scope"]) for each in listed] == [("laptop", "read")]
    assert made.out.strip() not in aeon("serve", "token", "list").out
    assert aeon("serve", "token", "create", "laptop").code == 0
    several = aeon("serve", "token", "delete", "laptop", "--yes")
    assert (several.code, "by its id" in several.err) == (2, True)
    for each in aeon("serve", "token", "list", "-o", "name").out.split():
        assert aeon("serve", "token", "delete", each, "--yes").code == 0
    assert aeon("serve", "token", "delete", "laptop", "--yes").code == 2
    assert aeon("serve", "token", "create", "x", "--days", "1000").code == 2
    assert LINK.search(aeon("serve", "link").out)


def test_a_link_for_an_unknown_user_is_refused_and_adds_no_user(aeon):
    refused = aeon("serve", "link", "--user", "nobody")
    assert (refused.code, refused.out) == (2, "")
    assert "There is no user 'nobody'." in refused.err
    assert "aeon serve user create nobody" in " ".join(refused.err.split())
    assert [each["name"] for each in aeon("serve", "user", "list", "--json").json] == ["me"]
    assert aeon("serve", "user", "create", "nobody").code == 0
    assert LINK.search(aeon("serve", "link", "--user", "nobody").out)


def test_the_user_of_this_machine_gets_a_link_in_a_fresh_project(aeon, monkeypatch):
    monkeypatch.setenv("AEON_USER", "ann")
    assert LINK.search(aeon("serve", "link").out)
    assert [each["name"] for each in aeon("serve", "user", "list", "--json").json] == ["ann"]


def test_users_are_added_changed_linked_and_disabled_platform_31(aeon):
    user = ("serve", "user")
    assert aeon(*user, "create", "ann", "--role", "operator").code == 0
    assert aeon(*user, "create", "ann").code == 1
    assert aeon(*user, "set", "ann", "--role", "user").code == 0
    linking = ("ann", "--subject", "4711", "--issuer", "https://login.example.org")
    assert aeon(*user, "link", *linking).code == 0
    shown = aeon(*user, "show", "ann", "--json").json
    assert (shown["role"], shown["identities"]) == (
        "user",
        [{"issuer": "https://login.example.org", "subject": "4711"}],
    )
    assert "4711 of https://login.example.org" in aeon(*user, "show", "ann").out
    assert aeon(*user, "unlink", *linking).code == 0
    assert aeon(*user, "unlink", *linking).code == 2
    assert "server.oidc_issuer" in aeon(*user, "link", "ann", "--subject", "4711").err
    assert aeon("serve", "token", "create", "x", "--user", "ann").code == 0
    assert aeon(*user, "disable", "ann").code == 2, "it asks first"
    assert aeon(*user, "disable", "ann", "--yes").code == 0
    refused = aeon("serve", "token", "create", "x", "--user", "ann")
    assert (refused.code, "aeon serve user enable ann" in refused.err) == (1, True)
    assert aeon("serve", "token", "list", "-o", "name", "--user", "ann").out.strip() == ""
    assert aeon(*user, "enable", "ann").code == 0
    assert [each["name"] for each in aeon(*user, "list", "--json").json] == ["ann", "me"]
    assert "operator" not in aeon(*user, "list").out
    assert "There is no user 'nobody'" in aeon(*user, "disable", "nobody").err, "before it asks"
    assert "aeon serve link --user 'Ann Lee'" in " ".join(aeon(*user, "create", "Ann Lee").err.split())
    own = aeon(*user, "disable", "me", "--yes")
    assert (own.code, "another operator" in own.err) == (2, True)


def test_other_machines_are_not_let_in_without_a_provider_a_name_and_https_platform_31(aeon):
    refused = aeon("serve", "--port", "0", "--host", "0.0.0.0")  # noqa: S104  # that is refused
    said = " ".join(refused.err.split())
    assert refused.code == 2
    assert all(each in said for each in ("server.oidc_issuer", "server.names", "server.certificate", "server.proxies"))


PUBLIC = {
    "AEON_SERVER_OIDC_ISSUER": "https://login.example.org",
    "AEON_SERVER_OIDC_CLIENT_ID": "aeon",
    "AEON_SERVER_PROXIES": "127.0.0.1",
}


@pytest.mark.server
@pytest.mark.slow
def test_a_server_for_other_machines_answers_https_and_its_names_alone_platform_31(background, double):
    double()
    port = free_port()
    process = background("serve", "--port", str(port), "--host", "0.0.0.0", "--name", NAME, **PUBLIC)  # noqa: S104
    assert process.process.stdout.readline().startswith(f"https://{NAME}/#aeon_")
    name, by_https = {"Host": NAME}, {"X-Forwarded-Proto": "https"}
    assert call(port, "GET", "/health/live", **name, **by_https)[0] == 200
    assert call(port, "GET", "/health/live", **name)[0] == 403
    for other in (f"127.0.0.1:{port}", f"localhost:{port}"):
        assert call(port, "GET", "/health/live", Host=other, **by_https)[0] == 421
    assert process.ends(signal.SIGTERM) == 0


@pytest.mark.server
@pytest.mark.slow
def test_a_server_with_a_certificate_of_its_own_believes_no_proxy(background, double, tmp_path):
    double()
    make_certificate(tmp_path)
    files = {"CERTIFICATE": str(tmp_path / "aeon.pem"), "CERTIFICATE_KEY": str(tmp_path / "aeon.key"), "PROXIES": ""}
    own = {**PUBLIC, **{f"AEON_SERVER_{key}": value for key, value in files.items()}}
    port = free_port()
    process = background("serve", "--port", str(port), "--host", "0.0.0.0", "--name", f"{NAME}:{port}", **own)  # noqa: S104
    secret = process.process.stdout.readline().strip().partition("#")[2]
    context = ssl.create_default_context(cafile=str(tmp_path / "aeon.pem"))
    context.check_hostname = False
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)
    sent = {"Host": f"{NAME}:{port}", "Content-Type": "application/json", "X-Forwarded-For": "6.6.6.6"}
    connection.request("POST", "/api/v1/session", json.dumps({"link": secret}), sent)
    answer = connection.getresponse()
    cookie = answer.getheader("set-cookie")
    assert (answer.status, "Secure" in cookie, answer.read() != b"") == (201, True, True)
    connection.request("GET", "/api/v1/audit", headers={**sent, "Cookie": cookie.partition(";")[0]})
    log = connection.getresponse().read().decode()
    connection.close()
    assert ("127.0.0.1" in log, "6.6.6.6" in log) == (True, False)
    assert process.ends(signal.SIGTERM) == 0
