"""Peers that give away what they are told: an HTTP server, and an MCP server (over stdio where it is run).

What they were told stands in their answers in every spelling that a careless service could choose.
"""

import html
import json
import os
import socket
import threading
from base64 import b64decode, b64encode
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, quote_plus

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError


def spelled(text):
    """A text in all its ways, and cut in two."""
    return {
        "plain": text,
        "json": json.dumps({"in": {"json": json.dumps(text)}}),
        "url": quote(text, safe=""),
        "form": quote_plus(text),
        "html": html.escape(text),
        "base64": [b64encode(b"?" * at + text.encode()).decode() for at in range(3)],
        "hex": text.encode().hex(),
        "within": f"<<{text}>>{text}",
        text: "as a key",
    }


class Echo(BaseHTTPRequestHandler):
    """Answers with the whole request; the path says how."""

    def do_POST(self):  # the server's name
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        self.server.asked.append(self.path)
        told = "\n".join([*self.headers.values(), body, self.path])
        scheme, _, credentials = self.headers.get("authorization", "").partition(" ")
        if scheme == "Basic":
            told = f"{b64decode(credentials).decode()}\n{told}"
        getattr(self, f"answer_{self.path.strip('/').partition('/')[0]}")(told)

    do_GET = do_POST  # noqa: N815  # the server's name

    def answer_(self, told):
        """To whom looks whether it is there."""
        self.answer(200, told, "text/plain")

    def answer_ok(self, told):
        self.answer(200, json.dumps({"echo": [spelled(line) for line in told.splitlines()]}))

    def answer_text(self, told):
        self.answer(200, told, "text/plain")

    def answer_error(self, told):
        self.answer(500, told)

    def answer_cut(self, told):
        """What is quoted of it ends in the middle of the secret."""
        credentials = max(told.splitlines(), key=len)
        self.answer(500, "x" * 250 + credentials)

    def answer_refused(self, told):
        self.answer(401, json.dumps(spelled(told)))

    def answer_broken(self, told):
        self.answer(200, f'{{"{told}": ')

    def answer_twice(self, told):
        key = json.dumps(told.splitlines()[0])
        self.answer(200, f"{{{key}: 1, {key}: 2}}")

    def answer_away(self, told):
        credentials = quote(self.headers.get("authorization") or told.splitlines()[0])
        self.answer(302, "", "text/plain", location=f"/ok?was={credentials}")

    def answer_closed(self, told):
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer_short(self, told):
        self.answer(200, told, length=100_000)

    def answer_slow(self, told):
        self.server.over.wait(30)

    def answer_token(self, told):
        """A token server that gives new tokens."""
        self.answer(200, json.dumps({**self.server.tokens, "token_type": "Bearer", "expires_in": 3600, "told": told}))

    def answer(self, status, text, kind="application/json", length=None, **headers):
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


class EchoServer(ThreadingHTTPServer):
    """The server in a thread; `tokens` is what its token endpoint gives."""

    daemon_threads = True

    def __init__(self, tokens):
        super().__init__(("127.0.0.1", 0), Echo)
        self.tokens, self.over, self.asked = tokens, threading.Event(), []
        self.thread = threading.Thread(target=partial(self.serve_forever, 0.01))
        self.thread.start()

    def handle_error(self, *_):
        pass

    def stop(self):
        self.over.set()
        self.shutdown()
        self.thread.join()
        self.server_close()


server = MCPServer("echo")
heard: list[str] = [""]
"""The headers of the last request."""


@server.tool()
def echo() -> dict[str, list[dict[str, object]]]:
    """Its headers and its environment."""
    return {"told": [spelled(each) for each in (*heard, *os.environ.values())]}


@server.tool()
def fail() -> str:
    """Fails, with its headers and its environment, where they will be cut."""
    raise ToolError("x" * 900 + "".join([*heard, *os.environ.values()]))


async def listening(app, scope, receive, send):
    """The app, the headers that it is asked with remembered."""
    if scope["type"] == "http":
        heard[:] = [value.decode("latin-1") for _, value in scope["headers"]]
    await app(scope, receive, send)


if __name__ == "__main__":
    server.run()
