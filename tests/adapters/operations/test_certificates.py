"""Client certificates, and servers whose authority is not public, over real TLS on loopback (platform 3)."""

import ssl
import tempfile
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from aeon.adapters.operations import tls
from aeon.adapters.operations.mcp import McpExecutor
from aeon.adapters.operations.probes import HttpProbe
from aeon.adapters.operations.rest import RestExecutor
from aeon.platform.catalog.operations import McpCall, RestRequest
from aeon.platform.catalog.tool_calls import OperationError, OperationRequest
from aeon.platform.vault import SecretValue

from . import mcp_demo
from .authority import Authority
from .served import Served

OURS, THEIRS = Authority("ours"), Authority("theirs")


class WhoAreYou(BaseHTTPRequestHandler):
    """Says whose certificate it was shown, and what headers it got."""

    def do_GET(self):  # the server's name
        subject = dict(part[0] for part in self.connection.getpeercert()["subject"])
        content = f'{{"you": "{subject["commonName"]}", "authorization": {int("authorization" in self.headers)}}}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *args):
        pass


class NobodyInParticular(BaseHTTPRequestHandler):
    """Answers with nothing."""

    def do_GET(self):  # the server's name
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


class TlsServer(ThreadingHTTPServer):
    """Shakes hands in the thread of each connection, and takes it in silence that some do not get in."""

    def get_request(self):
        connection, address = super().get_request()
        return self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, client_address):
        pass


@pytest.fixture
def kept(tmp_path):
    """The server's own certificate and key, and the authority whose clients it lets in, in files."""
    own = OURS.issued("server")
    files = {"chain": own["certificate"] + own["private_key"], "authority": OURS.pem}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "chain", tmp_path / "authority"


@pytest.fixture
def endpoint(kept):
    chain, authority = kept
    with TlsServer(("127.0.0.1", 0), WhoAreYou) as server:
        server.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(authority))
        server.tls.load_cert_chain(chain)
        server.tls.verify_mode = ssl.CERT_REQUIRED
        thread = threading.Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        yield f"https://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


def ask(endpoint, secret, authority=OURS.pem, protocol="https"):
    connection = {"endpoint": endpoint} | ({} if authority is None else {"caCertificate": authority})
    asked = RestRequest(allow_private=True, timeout=10)
    work = OperationRequest("me", asked, protocol, connection, {}, SecretValue(secret) if secret else None, {})
    return RestExecutor().execute(work).output["body"]


def test_the_right_certificate_is_let_in_and_stands_in_no_header(endpoint):
    assert ask(endpoint, OURS.issued("ann")) == {"you": "ann", "authorization": 0}


@pytest.mark.parametrize("secret", [None, {"key": "k"}, THEIRS.issued("eve")], ids=["none", "key", "theirs"])
def test_none_or_another_authoritys_is_not(endpoint, secret):
    with pytest.raises(OperationError, match="could not be reached") as refused:
        ask(endpoint, secret)
    assert "PRIVATE KEY" not in str(refused.value)


@pytest.mark.parametrize("authority", [None, THEIRS.pem], ids=["public", "theirs"])
def test_a_server_is_trusted_for_its_own_authority_alone(endpoint, authority):
    with pytest.raises(OperationError, match="its certificate was refused"):
        ask(endpoint, OURS.issued("ann"), authority)


def test_what_a_connection_trusts_is_trusted_for_it_alone(endpoint):
    assert ask(endpoint, OURS.issued("ann"))["you"] == "ann"
    with pytest.raises(OperationError, match="its certificate was refused"):
        ask(endpoint, OURS.issued("ann"), None)


@pytest.mark.parametrize("has_memory_files", [True, False])
def test_platform_3_the_private_key_is_left_in_no_file(endpoint, monkeypatch, tmp_path, has_memory_files):
    """On Linux it never is in one."""
    place, seen = tmp_path / "temporary", []
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    if not has_memory_files:
        monkeypatch.setattr(tls, "_OPEN_FILES", tmp_path / "nowhere")
    load = ssl.SSLContext.load_cert_chain

    def watched(context, path):
        seen.append((Path(path).stat().st_mode & 0o777, list(place.iterdir())))
        load(context, path)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    assert ask(endpoint, OURS.issued("ann"))["you"] == "ann"
    ((mode, files),) = seen
    assert (len(files) == 0) is has_memory_files
    assert has_memory_files or mode == 0o600
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("endpoint", "secret", "authority", "match"),
    [
        ("http://127.0.0.1:1", OURS.issued("ann"), None, "certificate needs https"),
        ("https://127.0.0.1:1", None, "nothing", "caCertificate is not a certificate"),
        ("https://127.0.0.1:1", None, 7, "caCertificate is not a certificate"),
        ("https://127.0.0.1:1", None, "", "caCertificate is not a certificate"),
        (
            "https://127.0.0.1:1",
            {**OURS.issued("ann"), "private_key": OURS.issued("bob")["private_key"]},
            None,
            "do not belong together",
        ),
    ],
)
def test_what_cannot_be_used_is_said_and_not_shown(endpoint, secret, authority, match):
    with pytest.raises(OperationError, match=match) as refused:
        ask(endpoint, secret, authority, endpoint.partition(":")[0])
    assert "BEGIN" not in f"{refused.value}".replace("from its BEGIN to its END line", "")


def test_contexts_are_made_once_for_all_clients_and_the_authorities_read_for_https_alone(monkeypatch):
    """A context of its own cost every REST call 25 ms of CPU, those over http:// too."""
    read = []
    monkeypatch.setattr(
        tls, "_context_trusting", lambda authority: read.append(authority) or ssl.create_default_context()
    )
    tls._shared_context.cache_clear()
    for connection in ({}, {"caCertificate": OURS.pem}, {}, {"caCertificate": OURS.pem}):
        tls.client_context("http", connection, None)
    assert read == []
    made = [tls.client_context("https", each, None) for each in ({}, {"caCertificate": OURS.pem}) * 2]
    assert made[0] is made[2] is not made[1] is made[3]
    assert read == [None, OURS.pem]
    own = tls.client_context("https", {}, SecretValue(OURS.issued("ann")))
    assert own is not made[0]  # a client certificate is in no context that others use
    tls._shared_context.cache_clear()


def test_the_context_for_http_trusts_nobody():
    context = tls.client_context("http", {}, None)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.get_ca_certs() == []


def test_the_authorities_that_the_users_environment_names_are_trusted(endpoint, kept, monkeypatch):
    for named, is_let_in in ((str(kept[1]), True), (str(kept[1].parent / "none"), False)):
        monkeypatch.setenv("SSL_CERT_FILE", named)
        tls._shared_context.cache_clear()
        if is_let_in:
            assert ask(endpoint, OURS.issued("ann"), authority=None)["you"] == "ann"
        else:
            with pytest.raises(OperationError, match="authorities cannot be read") as refused:
                ask(endpoint, OURS.issued("ann"), authority=None)
            assert "SSL_CERT_FILE" in refused.value.advice
    tls._shared_context.cache_clear()


@contextmanager
def serving(certificate, folder):
    """A server on localhost that shows this certificate and asks for none."""
    chain = folder / "shown"
    chain.write_text(certificate["certificate"] + certificate["private_key"])
    with TlsServer(("127.0.0.1", 0), NobodyInParticular) as server:
        server.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server.tls.load_cert_chain(chain)
        thread = threading.Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_a_probe_trusts_the_connections_own_authority(tmp_path):
    with serving(OURS.issued("server"), tmp_path) as port:
        connection = {"endpoint": f"https://localhost:{port}"}
        trusting = {**connection, "caCertificate": OURS.pem}
        found = [HttpProbe().problem("https", each, allow_private=True) for each in (connection, trusting)]
    assert found == ["its certificate was refused: unable to get local issuer certificate", None]


@pytest.mark.parametrize(
    ("authority", "host", "ended", "problem", "advice"),
    [
        (None, "localhost", False, "unable to get local issuer certificate", "`caCertificate`"),
        (THEIRS.pem, "localhost", False, "certificate", "`caCertificate`"),
        (OURS.pem, "localhost", True, "certificate has expired", "renew"),
        (
            OURS.pem,
            "api.example",
            False,
            "Hostname mismatch",
            "name or address in the endpoint that is in the certificate",
        ),
    ],
    ids=["public", "another authority", "expired", "another name"],
)
def test_a_fault_of_a_certificate_is_told_as_such(tmp_path, authority, host, ended, problem, advice):
    """It was "see whether the service runs"; and trying again does not help."""
    with serving(OURS.issued("server", ended=ended), tmp_path) as port:
        connection = {"endpoint": f"https://{host}:{port}", "caCertificate": authority}
        work = OperationRequest("me", RestRequest(allow_private=True, timeout=10), "https", connection, {}, None, {})
        with pytest.raises(OperationError, match=f"its certificate was refused: .*{problem}") as refused:
            RestExecutor(lambda _host, _port: ["127.0.0.1"]).execute(work)
    assert advice in refused.value.advice
    assert not refused.value.is_transient


def test_a_service_that_speaks_no_tls_is_told_as_such():
    with ThreadingHTTPServer(("127.0.0.1", 0), NobodyInParticular) as server:
        thread = threading.Thread(target=partial(server.serve_forever, 0.01))
        thread.start()
        try:
            with pytest.raises(OperationError, match="TLS failed") as refused:
                ask(f"https://localhost:{server.server_port}", None)
        finally:
            server.shutdown()
            thread.join()
    assert "uses TLS on this port" in refused.value.advice


@pytest.mark.server
@pytest.mark.parametrize("protocol", ["http", "sse"])
def test_an_mcp_server_is_shown_the_certificate_too(kept, protocol):
    chain, authority = kept
    app = mcp_demo.server.sse_app() if protocol == "sse" else mcp_demo.server.streamable_http_app()
    demands = {"ssl_certfile": chain, "ssl_ca_certs": authority, "ssl_cert_reqs": ssl.CERT_REQUIRED}
    server = Served(app, "/sse" if protocol == "sse" else "/mcp", **demands)
    executor = McpExecutor({})
    connection = {"endpoint": server.endpoint, "caCertificate": OURS.pem}

    def call(secret):
        asked = McpCall(tool="add", allow_private=True, timeout=10)
        work = OperationRequest("me", asked, protocol, connection, {"a": 1, "b": 2}, secret and SecretValue(secret), {})
        return executor.execute(work).output

    try:
        assert call(OURS.issued("ann")) == {"result": 3}
        with pytest.raises(OperationError, match="could not be reached"):
            call(THEIRS.issued("eve"))
        with pytest.raises(OperationError, match="could not be reached"):
            call(None)
        assert server.bearers == {""}
    finally:
        executor.close()
        server.stop()
