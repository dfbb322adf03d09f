"""The skill http-fetch, written in JavaScript, against a real server on loopback."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = [pytest.mark.server, pytest.mark.slow]

PAGES = {
    "/page": (200, {"Content-Type": "text/plain; charset=utf-8"}, "héllo".encode()),
    "/latin1": (200, {"Content-Type": "text/html; charset=ISO-8859-1"}, "héllo".encode("latin-1")),
    "/unsaid": (200, {"Content-Type": "text/plain"}, "héllo".encode("latin-1")),
    "/broken": (200, {"Content-Type": "text/plain; charset=utf-8"}, b"a\xffb"),
    "/koi8": (200, {"Content-Type": "text/plain; charset=koi8-r"}, b"\xc1"),
    "/json": (200, {"Content-Type": "application/problem+json"}, b'{"a":1}'),
    "/binary": (200, {"Content-Type": "image/png"}, bytes(range(256))),
    "/odd-type": (200, {"Content-Type": "no type at all"}, b"x"),
    "/packed": (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, b"\x1f\x8b"),
    "/gone": (404, {"Content-Type": "text/plain"}, b"not here"),
    "/long": (200, {"Content-Type": "text/plain"}, b"a" * 19_999 + "\U0001f600".encode() + b"b" * 10),
    "/big": (200, {"Content-Type": "text/plain"}, b"a" * 5000),
    "/to-page": (302, {"Location": "/page"}, b"a" * 5000),
    "/to-localhost": (302, {"Location": "http://localhost:{port}/page"}, b""),
    "/to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/to-user": (302, {"Location": "http://me:secret@127.0.0.1:{port}/page"}, b""),
    "/to-nothing": (302, {"Location": "http://["}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/not-modified": (304, {}, b""),
}


class Server(ThreadingHTTPServer):
    """Serves PAGES, `/slow` that stops in the middle until `released`, and `/endless` that says no length."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.asked: list[str] = []
        self.released = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class Page(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.server.asked.append(f"{self.command} {self.path}")
        if self.path in ("/slow", "/endless"):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(b"x" * (10 if self.path == "/slow" else 5000))
            self.server.released.wait(30)
            return
        status, headers, body = PAGES[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value.replace("{port}", str(self.server.server_port)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def fetch(skills, server):
    """Fetches a path of the server, which is allowed unless `allowedHosts` says otherwise."""

    def fetched(path, config=None, **given):
        url = path if "://" in path else f"http://{server.host}{path}"
        return skills.run(
            "http-fetch", "fetch", {"url": url, **given}, {"allowedHosts": [server.host], **(config or {})}
        )

    return fetched


def test_fetches_a_page(fetch, server):
    run = fetch("/page")
    assert run.output["http"] == {
        "url": f"http://{server.host}/page",
        "status": 200,
        "mediaType": "text/plain",
        "bytes": 6,
        "redirects": 0,
        "isText": True,
        "body": "héllo",
        "truncated": False,
    }
    assert run.summary == f"200 from {server.host}: 6 bytes of text/plain."


@pytest.mark.parametrize(
    ("path", "body", "logged"),
    [
        ("/latin1", "héllo", ""),
        ("/unsaid", "héllo", "it was read as Latin-1"),
        ("/broken", "a\ufffdb", "bytes were replaced"),
        ("/json", '{"a":1}', ""),
    ],
)
def test_text_is_decoded_by_its_charset_and_guesses_are_said(fetch, path, body, logged):
    run = fetch(path)
    assert run.output["http"]["body"] == body
    assert logged in run.logged
    assert bool(logged) == bool(run.logged)


@pytest.mark.parametrize("path", ["/binary", "/koi8", "/packed", "/odd-type"])
def test_what_is_no_text_has_no_body_but_can_be_saved(fetch, path):
    run = fetch(path, save=True)
    assert (run.output["http"]["isText"], run.output["http"]["body"]) == (False, "")
    (asset,) = run.of("asset")
    assert Path(asset["path"]).read_bytes() == PAGES[path][2]


def test_a_saved_body_lies_in_the_data_folder_skills_11(skills, fetch):
    (asset,) = fetch("/long", save=True).of("asset")
    assert Path(asset["path"]).is_relative_to(skills.data / "downloads" / "request-1")
    assert Path(asset["path"]).read_bytes() == PAGES["/long"][2]
    assert asset["mediaType"] == "text/plain"


def test_a_long_text_is_truncated_aloud_and_between_characters(fetch):
    run = fetch("/long")
    assert run.output["http"]["truncated"] is True
    assert run.output["http"]["body"] == "a" * 19_999
    assert "the first 19999 characters" in run.summary


def test_a_status_that_is_no_success_is_an_answer(fetch):
    run = fetch("/gone")
    assert (run.output["http"]["status"], run.output["http"]["body"]) == (404, "not here")
    assert fetch("/not-modified").output["http"]["status"] == 304


def test_head_asks_for_no_body(fetch, server):
    run = fetch("/big", {"maxBytes": 10}, method="HEAD", save=True)
    assert (run.output["http"]["status"], run.output["http"]["bytes"]) == (200, 0)
    assert server.asked == ["HEAD /big"]
    assert not run.of("asset")


@pytest.mark.parametrize("path", ["/big", "/endless"])
def test_more_bytes_than_allowed_are_refused_while_they_come(fetch, path):
    assert "too_large: The answer is over 4999 bytes" in fetch(path, {"maxBytes": 4999}).error


def test_as_many_bytes_as_allowed_are_fine(fetch):
    assert fetch("/big", {"maxBytes": 5000}).output["http"]["bytes"] == 5000


def test_a_server_that_stops_in_the_middle_is_given_up(fetch):
    assert fetch("/slow", {"timeoutSeconds": 0.5}).error.startswith("timeout: ")


def test_nothing_is_allowed_at_first_and_the_error_says_how_to_allow(skills, server):
    run = skills.run("http-fetch", "fetch", {"url": f"http://{server.host}/page"})
    assert f"aeon skill config http-fetch --set allowedHosts={server.host}" in run.error
    assert server.asked == []


@pytest.mark.parametrize(
    ("entry", "is_allowed"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:{port}", True),
        ("127.0.0.1:1", False),
        ("127.0.0.2", False),
        ("*.0.0.1", False),
        ("example.org", False),
    ],
)
def test_a_listed_host_is_allowed_with_its_port_or_any(fetch, server, entry, is_allowed):
    run = fetch("/page", {"allowedHosts": [entry.replace("{port}", str(server.server_port))]})
    assert run.ok == is_allowed
    assert bool(server.asked) == is_allowed


@pytest.mark.parametrize("spelling", ["http://0x7f.1:{port}/page", "http://2130706433:{port}/page"])
def test_an_address_is_the_same_however_it_is_spelled(fetch, server, spelling):
    url = spelling.replace("{port}", str(server.server_port))
    assert fetch(url).ok
    assert "host_not_allowed" in fetch(url, {"allowedHosts": ["0x7f.2"]}).error


def test_a_name_that_leads_to_a_private_address_is_not_followed_there(fetch, server):
    """The name is allowed, the address behind it is not listed."""
    url = f"http://localhost:{server.server_port}/page"
    error = fetch(url, {"allowedHosts": ["localhost"]}).error
    assert error.startswith("private_address: ")
    assert "is not listed itself" in error
    assert server.asked == []
    assert fetch(url, {"allowedHosts": ["localhost", "127.0.0.1", "::1"]}).ok


def test_private_addresses_are_known_in_every_form(skills):
    """Asked of the module itself: most of these lead nowhere that a test could reach."""
    private = ["10.0.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.1", "255.255.255.255", "::", "::1", "fe80::1"]
    private += [
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "fd00::1",
        "2002:7f00:1::",
        "64:ff9b::a00:1",
        "2001:0:1::",
        "ff02::1",
    ]
    public = ["8.8.8.8", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"]
    node, script = skills.command("http-fetch", "fetch")
    module = (Path(script).parents[1] / "lib" / "allowed.mjs").as_uri()
    code = f"import {{ isPrivate }} from {json.dumps(module)};"
    code += f"console.log(JSON.stringify({json.dumps(private + public)}.filter(isPrivate)));"
    found = subprocess.run([node, "--input-type=module", "-e", code], stdout=subprocess.PIPE, check=True, timeout=30)
    assert json.loads(found.stdout) == private


def test_redirects_are_followed_and_counted(fetch, server):
    told = fetch("/to-page", {"maxBytes": 100}).output["http"]
    assert (told["url"], told["redirects"], told["body"]) == (f"http://{server.host}/page", 1, "héllo")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/to-localhost", "host_not_allowed: localhost"),
        ("/to-file", "bad_url: file: is not fetched"),
        ("/to-user", "bad_url: The URL holds a user name or password"),
        ("/to-nothing", "bad_redirect: "),
        ("/loop", "more than the 5 that followRedirects allows"),
    ],
)
def test_a_redirect_leads_nowhere_that_is_not_allowed(fetch, server, path, said):
    assert said in fetch(path).error
    assert set(server.asked) == {f"GET {path}"}


def test_redirects_are_not_followed_when_the_configuration_says_so(fetch):
    assert "too_many_redirects" in fetch("/to-page", {"followRedirects": 0}).error


def test_a_host_that_is_not_there_is_unreachable(fetch):
    assert fetch("http://127.0.0.1:1/", {"allowedHosts": ["127.0.0.1"]}).error.startswith("unreachable: ")


@pytest.mark.parametrize("entry", ["http://example.org", "example.org/path", "a b", "me@example.org", ""])
def test_an_entry_that_is_no_host_is_said(fetch, entry):
    assert "write host, host:port or *.domain" in fetch("/page", {"allowedHosts": [entry]}).error


@pytest.mark.parametrize("url", ["ftp://example.org/", "example.org", "", 7, "http://me:secret@example.org/"])
def test_what_is_no_url_to_fetch_is_refused_without_repeating_secrets(skills, url):
    run = skills.run_line("http-fetch", "fetch", skills.line("http-fetch", "fetch", {"url": url}))
    assert run.error.startswith("bad_url: ")
    assert "secret" not in run.error


def test_another_method_is_refused(skills):
    line = skills.line("http-fetch", "fetch", {"url": "http://example.org/", "method": "DELETE"})
    assert "neither GET nor HEAD" in skills.run_line("http-fetch", "fetch", line).error
