"""An authorization server and the service that it protects, in one, on loopback, for the tests."""

import json
import threading
from base64 import b64decode
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote_plus


class OAuthDemo(BaseHTTPRequestHandler):
    """POST /token gives tokens for a refresh token that is used once; GET answers who has the current access token."""

    def do_POST(self):  # the server's name
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.asked.append((dict(self.headers), body))
        with self.server.lock:
            self.reply(*self.server.token_answer(self.client(body), {k: v[0] for k, v in parse_qs(body).items()}))

    def do_GET(self):  # the server's name
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        with self.server.lock:
            self.server.tokens_seen.append(token)
            is_let_in = token in self.server.access_tokens
        self.reply(200 if is_let_in else 401, {"you": token})

    def client(self, body):
        header = self.headers.get("authorization", "")
        if header.startswith("Basic "):
            name, _, secret = b64decode(header.removeprefix("Basic ")).decode().partition(":")
            return "basic", unquote_plus(name), unquote_plus(secret)
        fields = {k: v[0] for k, v in parse_qs(body).items()}
        return "body", fields.get("client_id"), fields.get("client_secret")

    def reply(self, status, said):
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


class OAuthServer(ThreadingHTTPServer):
    """`odd` is an answer in place of its own; `wanted_client` how a client must say who it is."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), OAuthDemo)
        self.lock = threading.Lock()
        self.asked, self.tokens_seen = [], []
        self.odd = None
        self.wanted_client = ("basic", "aeon:1", "s+c ret")
        self.refresh_token, self.access_tokens, self.count = "refresh-canary-0", set(), 0
        self.is_rotating = True
        self.wanted_scope = "read write"

    def token_answer(self, client, fields):
        if self.odd:
            return self.odd
        if client != self.wanted_client:
            return 401, {"error": "invalid_client", "error_description": f"{client} {fields}"}
        if fields["grant_type"] == "client_credentials" and self.wanted_scope == fields.get("scope"):
            self.count += 1
            self.access_tokens = {f"access-canary-{self.count}"}
            kept = {"refresh_token": "a client needs none"}
            return 200, {"access_token": f"access-canary-{self.count}", "expires_in": 3600, **kept}
        if fields["grant_type"] != "refresh_token" or fields["refresh_token"] != self.refresh_token:
            return 400, {"error": "invalid_grant", "error_description": f"not {fields['refresh_token']}"}
        self.count += 1
        self.access_tokens = {f"access-canary-{self.count}"}
        answer = {"access_token": f"access-canary-{self.count}", "token_type": "Bearer", "expires_in": 3600}
        if self.is_rotating:
            self.refresh_token = f"refresh-canary-{self.count}"
            answer["refresh_token"] = self.refresh_token
        return 200, answer

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def value(self, **more):
        kept = {"token_url": f"{self.address}/token", "client_id": "aeon:1", "client_secret": "s+c ret"}
        return {"access_token": "access-canary-0", "refresh_token": "refresh-canary-0", **kept, **more}

    def client_value(self, **more):
        kept = {"token_url": f"{self.address}/token", "client_id": "aeon:1", "client_secret": "s+c ret"}
        return {"grant": "client_credentials", "scope": "read write", **kept, **more}

    def start(self):
        self.thread = threading.Thread(target=partial(self.serve_forever, 0.01))
        self.thread.start()

    def stop(self):
        self.shutdown()
        self.thread.join()
        self.server_close()
