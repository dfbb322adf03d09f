"""REST operations against a real HTTP server on loopback."""

import json
import socket
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlencode

import pytest

from aeon.adapters.operations.placeholders import fill, fill_path
from aeon.adapters.operations.rest import RestExecutor
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.vault import SecretValue


class Echo(BaseHTTPRequestHandler):
    """Says what it was asked; some paths misbehave."""

    def answer(self):
        self.server.asked.append(self.path)
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode()
        said = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
        code, headers, content = self.server.odd.get(self.path.partition("?")[0], (200, {}, json.dumps(said)))
        self.send_response(code)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        sent = content if isinstance(content, bytes) else content.encode()
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815  # the server's names

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as running:
        running.odd, running.asked = {}, []
        thread = threading.Thread(target=partial(running.serve_forever, 0.01))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def ask(server):
    def call(given=None, *, secret=None, connection=None, resolve=None, **operation):
        endpoint = f"http://127.0.0.1:{server.server_port}/api"
        work = OperationRequest(
            "me",
            RestRequest.model_validate({"allowPrivate": True, **operation}),
            "http",
            {"endpoint": endpoint, **(connection or {})},
            given or {},
            SecretValue(secret) if secret else None,
            {},
        )
        return RestExecutor(**({"resolve": resolve} if resolve else {})).execute(work).output

    return call


def test_nothing_is_sent_of_a_call_that_was_lost_while_it_connected(server):
    """Rule 43: it is confirmed once more when the connection is there."""
    connected = []

    def confirm():
        connected.append(True)
        raise LeaseLostError("It is another process's.")

    operation = RestRequest.model_validate({"allowPrivate": True})
    work = OperationRequest(
        "me", operation, "http", {"endpoint": f"http://127.0.0.1:{server.server_port}"}, {}, None, {}, None, confirm
    )
    with pytest.raises(LeaseLostError):
        RestExecutor().execute(work)
    assert connected
    assert server.asked == []


def test_all_attempts_at_a_call_have_one_idempotency_key_platform_10(server):
    """A service may have done what an attempt that timed out asked for. With other arguments it is another call."""

    def key_of(call, amount):
        operation = RestRequest.model_validate({"allowPrivate": True, "method": "POST", "body": {"amount": "{amount}"}})
        endpoint = {"endpoint": f"http://127.0.0.1:{server.server_port}"}
        work = OperationRequest("me", operation, "http", endpoint, {"amount": amount}, None, {}, call_key=call)
        return RestExecutor().execute(work).output["body"]["headers"]["idempotency-key"]

    first = key_of("r:a:1:pay", 5)
    assert first.startswith("r:a:1:pay:")
    assert key_of("r:a:1:pay", 5) == first
    others = {key_of("r:a:1:pay", 6), key_of("r:a:1:send", 5), key_of("s:a:1:pay", 5)}
    assert len(others | {first}) == 4


def test_a_request_is_made_of_its_templates(ask):
    asked = ask(
        {"id": "a/b c?#", "n": 3, "tags": ["x", "y"], "none": None},
        method="POST",
        path="/things/{id}",
        query={"n": "{n}", "gone": "{none}", "q": "n is {n}"},
        headers={"X-Id": "{n}"},
        body={"tags": "{tags}", "n": "{n}", "said": "{n} things", "gone": "{missing}"},
    )["body"]
    assert asked["method"] == "POST"
    path, _, query = asked["path"].partition("?")
    assert (path, parse_qs(query)) == ("/api/things/a%2Fb%20c%3F%23", {"n": ["3"], "q": ["n is 3"]})
    assert asked["headers"]["x-id"] == "3"
    assert json.loads(asked["body"]) == {"tags": ["x", "y"], "n": 3, "said": "3 things"}


@pytest.mark.parametrize(
    ("secret", "connection", "header", "value"),
    [
        ({"key": "k1"}, {}, "authorization", "Bearer k1"),
        ({"key": "k1"}, {"authHeader": "X-Api-Key"}, "x-api-key", "k1"),
        ({"key": "k1"}, {"authPrefix": "token "}, "authorization", "token k1"),
        ({"access_token": "t1"}, {}, "authorization", "Bearer t1"),
        ({"username": "u", "password": "p"}, {}, "authorization", "Basic dTpw"),
    ],
)
def test_each_type_of_secret_has_its_place(ask, secret, connection, header, value):
    headers = ask(secret=secret, connection=connection)["body"]["headers"]
    assert {name.lower(): said for name, said in headers.items()}[header] == value


KEY = "k/1 \u00e9&x=hunter2"


def test_a_key_may_go_into_the_query_and_stands_in_no_log_and_no_error(ask, server, caplog):
    caplog.set_level("DEBUG")
    server.odd = {
        "/api/here": (302, {"Location": f"/api/there?{urlencode({'api_key': KEY})}"}, ""),
        "/api/gone": (404, {}, "gone"),
    }
    secret, connection = {"key": KEY}, {"authQuery": "api_key"}
    asked = ask(path="/a", query={"q": "1"}, secret=secret, connection=connection)["body"]
    assert parse_qs(asked["path"].partition("?")[2]) == {"q": ["1"], "api_key": [KEY]}
    assert "authorization" not in asked["headers"]
    redirected = ask(path="/here", secret=secret, connection=connection)["body"]
    assert parse_qs(redirected["path"].partition("?")[2]) == {"api_key": [KEY]}
    with pytest.raises(OperationError) as failed:
        ask(path="/gone", secret=secret, connection=connection)
    with pytest.raises(OperationError) as unreached:
        ask(secret=secret, connection={**connection, "endpoint": "http://127.0.0.1:1"})
    said = f"{caplog.text}{failed.value}{unreached.value}"
    assert "HTTP Request: GET" in said
    assert not any(part in said for part in ("hunter2", "api_key"))


def test_no_key_goes_over_plain_http_to_another_machine_unless_that_is_allowed(ask, server):
    """Whatever its name says; 0.0.0.0 is this machine but not its loopback, and counts as another."""
    elsewhere = lambda _host, _port: ["127.0.0.1", "0.0.0.0"]  # noqa: E731, S104
    here = lambda _host, _port: ["127.0.0.1", "::1", "::ffff:127.0.0.1"]  # noqa: E731
    endpoint = f"http://localhost:{server.server_port}"
    for options in ({"secret": {"key": "k"}}, {"connection": {"endpoint": endpoint.replace("//", "//user:password@")}}):
        with pytest.raises(OperationError, match="its key would go to 'localhost' over plain http") as refused:
            ask(**{"secret": None, "connection": {"endpoint": endpoint}, **options}, resolve=elsewhere)
        assert "allowInsecure" in refused.value.advice
    assert server.asked == []
    connection = {"endpoint": endpoint}
    assert ask(secret={"key": "k"}, connection=connection, resolve=elsewhere, allowInsecure=True)["status"] == 200
    assert ask(secret={"key": "k"}, connection=connection, resolve=here)["status"] == 200
    assert ask(connection=connection, resolve=elsewhere)["status"] == 200


@pytest.mark.parametrize("given", ["..", ".", "../../admin"])
def test_no_input_climbs_out_of_the_path(given):
    if "/" in given:
        assert fill_path("/a/{x}", {"x": given}) == "/a/..%2F..%2Fadmin"
    else:
        with pytest.raises(OperationError, match=r"contains . or .. segments"):
            fill_path("/a/{x}/b", {"x": given})


@pytest.mark.parametrize("given", [{"id": ""}, {"id": None}, {}])
@pytest.mark.parametrize("path", ["/kunden/{id}", "/kunden/{id}/sperre", "/{kind}/{id}", "/Kunden({id})"])
def test_an_empty_field_of_the_path_is_refused_before_anything_is_sent(ask, server, given, path):
    """`DELETE /kunden/` is about all customers."""
    with pytest.raises(OperationError, match="has no value for 'id'") as refused:
        ask({"kind": "kunden", **given}, method="DELETE", path=path)
    assert refused.value.advice == "Give 'id' a value, or leave the call out where there is none."
    assert not refused.value.is_transient
    assert server.asked == []


def test_a_null_that_was_given_is_sent_in_json_and_left_out_where_there_is_no_null(ask):
    """Of a field that may be null, a null clears the value; a missing one leaves it as it is."""
    given = {"email": None, "name": "x"}
    body = {"email": "{email}", "name": "{name}", "phone": "{phone}", "all": ["{email}", "{phone}"]}
    asked = ask(given, method="PATCH", body=body, query={"email": "{email}"}, headers={"X-Email": "{email}"})["body"]
    assert json.loads(asked["body"]) == {"email": None, "name": "x", "all": [None]}
    assert asked["path"] == "/api"
    assert "x-email" not in asked["headers"]
    form = ask(given, method="POST", body={"email": "{email}", "name": "{name}"}, bodyFormat="form")["body"]
    assert form["body"] == "name=x"
    assert ask(given, method="POST", body="{email}")["body"]["body"] == ""


def test_a_field_of_the_path_may_be_zero_or_false(ask):
    assert ask({"id": 0, "all": False}, path="/kunden/{id}/{all}")["body"]["path"] == "/api/kunden/0/false"


def test_a_field_alone_keeps_its_type_and_one_not_given_is_left_out():
    assert fill(["{a}", "{b}", "x{b}"], {"a": True}) == [True, "x"]
    assert fill({"k{a}": "{a}"}, {"a": 1}) == {"k1": 1}


def test_a_value_inside_a_text_is_json_with_its_letters(ask):
    given = {
        "roles": ["K\u00e4ufer", None, True],
        "filter": {"ort": "K\u00f6ln"},
        "page": 2.0,
        "on": False,
        "share": 0.5,
    }
    fields = {"all": "{roles}", "said": "Rollen: {roles}", "page": "{page}", "text": "{page} {on} {share}"}
    roles = '["K\u00e4ufer",null,true]'
    said = {"said": f"Rollen: {roles}", "page": "2", "text": "2 false 0.5"}
    asked = ask(
        given,
        path="/{page}/{filter}",
        query={**fields, "literal": 2.0},
        headers={"X-Page": "{page}", "X-On": "{on}"},
    )["body"]
    path, _, query = asked["path"].partition("?")
    assert unquote(path) == '/api/2/{"ort":"K\u00f6ln"}'
    assert parse_qs(query) == {"all": [roles], "literal": ["2.0"], **{name: [text] for name, text in said.items()}}
    assert (asked["headers"]["x-page"], asked["headers"]["x-on"]) == ("2", "false")
    form = ask(given, method="POST", body=fields, bodyFormat="form")["body"]["body"]
    assert parse_qs(form) == {"all": ["K\u00e4ufer", "null", "true"], **{name: [text] for name, text in said.items()}}
    body = ask(given, method="POST", body=fields)["body"]["body"]
    assert json.loads(body) == {"all": ["K\u00e4ufer", None, True], **said, "page": 2}
    assert '"page": 2,' in body
    assert ask(given, method="POST", body="Rollen: {roles}")["body"]["body"] == f"Rollen: {roles}"


def test_errors_of_the_service_say_what_it_said_and_whether_to_try_again(ask, server):
    server.odd = {"/api/no": (404, {}, "nothing   here"), "/api/busy": (503, {}, ""), "/api/bad": (200, {}, "{")}
    with pytest.raises(OperationError, match="it answered 404: nothing here") as missing:
        ask(path="/no")
    assert not missing.value.is_transient
    with pytest.raises(OperationError, match="503") as busy:
        ask(path="/busy")
    assert busy.value.is_transient
    with pytest.raises(OperationError, match="invalid JSON"):
        ask(path="/bad")


def test_headers_of_the_answer_are_kept_where_the_operation_names_them(ask, server):
    headers = {"Link": '</api/things?page=2>; rel="next"', "ETag": '"1"', "Set-Cookie": "a=b"}
    server.odd = {"/api/things": (201, headers, "[]")}
    assert ask(path="/things") == {"status": 201, "contentType": "application/json", "body": []}
    found = ask(path="/things", keepHeaders=["link", "ETag", "Location"])
    assert found["headers"] == {"link": '</api/things?page=2>; rel="next"', "etag": '"1"'}


PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


@pytest.mark.parametrize(
    ("kind", "content", "body"),
    [
        ("image/png", PNG, {"body": "iVBORw0KGgoA/w==", "bodyEncoding": "base64", "size": 10}),
        ("text/plain", b"caf\xc3\xa9", {"body": "caf\u00e9"}),
        ("text/plain; charset=ISO-8859-1", b"caf\xe9", {"body": "caf\u00e9"}),
        ("text/plain", b"caf\xe9", {"body": "Y2Fm6Q==", "bodyEncoding": "base64", "size": 4}),
        ("text/plain; charset=idna", b"a.b", {"body": "a.b"}),
        ("text/plain; charset=rot13", b"a.b", {"body": "a.b"}),
        ('application/json; charset="utf-16"', '{"a": 1}'.encode("utf-16"), {"body": {"a": 1}}),
        ("application/octet-stream", b"", {"body": ""}),
    ],
)
def test_a_body_is_text_where_its_bytes_are_and_else_comes_whole_in_base64(ask, server, kind, content, body):
    """It was decoded as UTF-8 with U+FFFD for what is none, and told as a success."""
    server.odd = {"/api/file": (200, {"Content-Type": kind}, content)}
    assert ask(path="/file") == {"status": 200, "contentType": kind, **body}


def test_an_error_that_is_no_text_is_told_by_its_size_and_type(ask, server):
    server.odd = {"/api/file": (404, {"Content-Type": "image/png"}, PNG)}
    with pytest.raises(OperationError, match="it answered 404: 10 bytes of image/png"):
        ask(path="/file")


def test_answers_have_a_limit(ask, server):
    server.odd = {"/api/long": (200, {}, "x" * 5000)}
    with pytest.raises(OperationError, match="longer than 1,000 bytes"):
        ask(path="/long", maxBytes=1000)


def test_an_answer_that_is_cut_off_is_not_called_a_service_that_cannot_be_reached(ask, server):
    server.odd["/api/half"] = (200, {"Transfer-Encoding": "chunked"}, b'20\r\n{"left":')
    with pytest.raises(OperationError, match="gave no complete HTTP answer: RemoteProtocolError") as cut:
        ask(path="/half")
    assert cut.value.is_transient
    assert cut.value.advice == "Look into the log of the service, and of a proxy in front of it."


def test_an_answer_that_cannot_be_decoded_is_not_called_a_service_that_cannot_be_reached(ask, server):
    server.odd["/api/plain"] = (200, {"Content-Encoding": "gzip"}, '{"a": 1}')
    with pytest.raises(OperationError, match="could not be decoded: it is not what its Content-Encoding says") as wrong:
        ask(path="/plain")
    assert not wrong.value.is_transient
    assert "runs" not in wrong.value.advice


@pytest.mark.parametrize("charset", ["", "; charset=utf-8"])
def test_json_that_begins_with_a_byte_order_mark_is_read(ask, server, charset):
    """RFC 8259, section 8.1."""
    kind = f"application/json{charset}"
    server.odd["/api/mark"] = (200, {"Content-Type": kind}, b'\xef\xbb\xbf{"a": "\xc3\xa4"}')
    assert ask(path="/mark")["body"] == {"a": "\u00e4"}


def test_redirects_are_followed_where_they_do_no_harm(ask, server):
    port = server.server_port
    server.odd = {
        "/api/here": (302, {"Location": "/api/there"}, ""),
        "/api/away": (302, {"Location": f"http://localhost:{port}/api/there"}, ""),
        "/api/port": (302, {"Location": "http://127.0.0.1:1/api/there"}, ""),
        "/api/safe": (302, {"Location": f"https://127.0.0.1:{port}/api/there"}, ""),
        "/api/file": (302, {"Location": "file:///etc/passwd"}, ""),
        "/api/round": (302, {"Location": "/api/round"}, ""),
    }
    assert ask(path="/here")["body"]["path"] == "/api/there"
    with pytest.raises(OperationError, match="another host, localhost"):
        ask(path="/away", secret={"key": "k"})
    with pytest.raises(OperationError, match=r"another address, http://127\.0\.0\.1:1 "):
        ask(path="/port", secret={"key": "k"})
    with pytest.raises(OperationError, match=r"another address, https://127\.0\.0\.1"):
        ask(path="/safe", secret={"key": "k"})
    with pytest.raises(OperationError, match="redirected to a file address"):
        ask(path="/file")
    with pytest.raises(OperationError, match="more than 5 times"):
        ask(path="/round")
    with pytest.raises(OperationError, match="a POST request was redirected"):
        ask(path="/here", method="POST")


def test_private_addresses_are_refused_whatever_name_leads_there(ask):
    """Also where a public name's second address is private."""
    for addresses in (["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:127.0.0.1"]):
        with pytest.raises(OperationError, match="which is private"):
            ask(allowPrivate=False, resolve=lambda _host, _port, found=addresses: found)
    with pytest.raises(OperationError, match="which is private"):
        ask(allowPrivate=False, resolve=lambda _host, _port: ["93.184.216.34", "192.168.1.1"])


def test_every_address_of_a_host_is_tried_until_one_takes_a_connection(ask, server):
    """As where a name has an IPv6 address that leads nowhere."""
    connection = {"endpoint": f"http://api.example:{server.server_port}"}
    for addresses in (["::1", "127.0.0.1"], ["127.0.0.2", "::1", "127.0.0.1"], ["127.0.0.1", "::1"]):
        asked = ask(connection=connection, resolve=lambda _host, _port, found=addresses: found)["body"]
        assert asked["headers"]["host"].startswith("api.example:")
    with pytest.raises(OperationError, match="ConnectError"):
        ask(connection=connection, resolve=lambda _host, _port: ["::1", "127.0.0.2"])


def test_a_request_that_was_sent_goes_to_no_second_address(ask, server):
    server.odd = {"/api/slow": (503, {}, "")}
    resolve = lambda _host, _port: ["127.0.0.1", "127.0.0.1"]  # noqa: E731
    with pytest.raises(OperationError, match="503"):
        ask(path="/slow", method="POST", resolve=resolve)
    assert server.asked.count("/api/slow") == 1


def test_an_address_that_does_not_answer_leaves_time_for_the_next(ask, server):
    """The first takes no connection: its queue is full."""
    with socket.create_server(("127.0.0.2", server.server_port), backlog=0) as silent:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(silent.getsockname())
        try:
            found = ask(timeout=1, resolve=lambda _host, _port: ["127.0.0.2", "127.0.0.1"])
            assert found["status"] == 200
        finally:
            for each in waiting:
                each.close()


def test_a_host_that_is_not_there_is_said_so(ask):
    def nowhere(_host, _port):
        raise OSError(-2, "Name or service not known")

    with pytest.raises(OperationError, match="was not found: Name or service not known"):
        ask(resolve=nowhere)
    with pytest.raises(OperationError, match="ConnectError") as refused:
        ask(connection={"endpoint": "http://127.0.0.1:1"})
    assert refused.value.is_transient


def test_the_protocol_of_the_service_holds(ask):
    with pytest.raises(OperationError, match="begins with http://"):
        ask(connection={"endpoint": "file:///etc/passwd"})


@pytest.mark.parametrize(
    "endpoint",
    ["http://[::1", "http://127.0.0.1:1:2", "http://a..b", f"http://{'a' * 300}.x", "http://x/\x00", "http:"],
)
def test_an_endpoint_that_is_no_address_is_refused(ask, endpoint):
    with pytest.raises(OperationError):
        ask(connection={"endpoint": endpoint})


@pytest.mark.parametrize("odd", ["hunter2\u00e9", "hunter2\nX-Other: 1", "hunter2\x00"])
def test_platform_3_a_secret_that_no_header_can_hold_is_refused_and_not_quoted(ask, odd):
    with pytest.raises(OperationError, match="the header 'authorization'") as refused:
        ask(secret={"key": odd})
    assert "hunter2" not in str(refused.value)
    with pytest.raises(OperationError, match="the header 'x-note'"):
        ask({"note": odd}, headers={"X-Note": "{note}"})


def test_a_redirect_to_no_address_is_refused(ask, server):
    server.odd = {"/api/odd": (302, {"Location": "http://[::1"}, "")}
    with pytest.raises(OperationError, match="an invalid address"):
        ask(path="/odd")


@pytest.mark.parametrize(("status", "seconds"), [(429, 7.0), (503, 7.0), (404, None)])
def test_a_service_may_say_when_to_ask_again(ask, server, status, seconds):
    """RFC 9110, section 10.2.3; RFC 6585, section 4."""
    server.odd = {"/api/busy": (status, {"Retry-After": "7"}, "")}
    with pytest.raises(OperationError) as refused:
        ask(path="/busy")
    assert refused.value.retry_after == seconds
