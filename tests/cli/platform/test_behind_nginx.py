"""Behind a real nginx with the configuration of the how-to: HTTPS, a name, a Secure cookie, streams at once (platform 31, 32)."""

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from .certificates import NAME, free_port, make_certificate
from .conftest import until
from .test_serve import LINK, WAITS

pytestmark = [pytest.mark.server, pytest.mark.slow]

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "run-the-server.md"
AROUND = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{server}
}}
"""


class Proxied:
    """A server behind nginx."""

    def __init__(self, port, link):
        self.port, self.link = port, link
        self._opened = []
        self._context = ssl.create_default_context()
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self._context)
        self._opened.append(connection)
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Host": NAME, "Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        self._opened.append(answer)
        return answer

    def close(self):
        for each in self._opened:
            each.close()


@pytest.fixture
def proxied(aeon, double, background, tmp_path):
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("nginx is not installed: apt-get install nginx-light")
    double()
    process = background("serve", "--port", "0", "--name", NAME)
    _, port, link = LINK.search(process.process.stdout.readline()).groups()
    folder, listening = tmp_path / "nginx", free_port()
    folder.mkdir()
    make_certificate(folder)
    (server,) = re.findall(r"^```nginx\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for said, here in {
        "listen 443": f"listen 127.0.0.1:{listening}",
        "127.0.0.1:8420": f"127.0.0.1:{port}",
        "/etc/ssl/aeon.pem": f"{folder}/aeon.pem",
        "/etc/ssl/private/aeon.key": f"{folder}/aeon.key",
    }.items():
        assert server.count(said) == 1
        server = server.replace(said, here)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, server=server))
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    nginx = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    made = Proxied(listening, link)
    until(lambda: is_there(listening), (folder / "error.log").read_text)
    yield made
    made.close()
    nginx.terminate()
    nginx.wait(20)


def is_there(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def test_a_browser_signs_in_by_https_and_reads_a_stream_as_it_comes(proxied, aeon):
    signed_in = proxied.ask("POST", "/api/v1/session", {"link": proxied.link}, Origin=f"https://{NAME}")
    cookie = signed_in.getheader("set-cookie")
    assert (signed_in.status, "; Secure" in cookie, "HttpOnly" in cookie) == (201, True, True)
    session = {"Cookie": cookie.partition(";")[0], "Origin": f"https://{NAME}"}
    assert proxied.ask("POST", "/api/v1/conversations", {}, **session).status == 201
    foreign = {**session, "Origin": f"http://{NAME}"}
    assert proxied.ask("POST", "/api/v1/conversations", {}, **foreign).status == 403

    aeon("apply", "-f", "-", stdin=WAITS.encode())
    begun = json.loads(proxied.ask("POST", "/api/v1/processes/waits/runs", {"inputs": {}}, **session).read())
    stream = proxied.ask("GET", f"/api/v1/runs/{begun['id']}/events", **session)
    assert (stream.status, stream.getheader("content-type")) == (200, "text/event-stream; charset=utf-8")
    lines = iter(stream.readline, b"")
    assert any(line.startswith(b"event: entry") for line in lines), "it comes although the run has not ended"
    cancelled = proxied.ask("POST", f"/api/v1/runs/{begun['id']}/cancel", **session)
    assert cancelled.status in {200, 202}
    assert any(line.startswith(b"event: end") for line in lines)


def test_another_name_is_refused_and_the_address_of_the_client_is_in_the_audit_log(proxied, aeon):
    assert proxied.ask("GET", "/health/live").status == 200
    assert proxied.ask("GET", "/health/live", Host="evil.example").status == 421
    token = aeon("serve", "token", "create", "test").out.strip()
    assert proxied.ask("POST", "/api/v1/conversations", {}, Authorization=f"Bearer {token}").status == 201
    asked = proxied.ask("GET", "/api/v1/audit?limit=200", Authorization=f"Bearer {token}")
    (made,) = [each for each in json.loads(asked.read())["data"] if each["action"] == "conversation.create"]
    assert json.loads(made["details"])["origin"]["address"] == "127.0.0.1"
