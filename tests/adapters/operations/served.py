"""An application that is served over HTTP on loopback for a test."""

import socket
import threading

import uvicorn


class Served:
    """The tests' own server over HTTP in a thread. `bearers` are those it was asked with; `wanted` lets one in only."""

    def __init__(self, app, path, **tls):
        self.bearers, self.hosts = set(), set()
        self.wanted = None
        self._app = app
        self._socket = socket.create_server(("127.0.0.1", 0))
        scheme = "https" if tls else "http"
        self.endpoint = f"{scheme}://127.0.0.1:{self._socket.getsockname()[1]}{path}"
        options = {"interface": "asgi3", "ws": "none", "log_level": "error", "timeout_graceful_shutdown": 1}
        self._server = uvicorn.Server(uvicorn.Config(self._guarded, **options, **tls))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))
        self._thread.start()

    async def _guarded(self, scope, receive, send):
        if scope["type"] == "http":
            bearer = dict(scope["headers"]).get(b"authorization", b"").decode()
            self.bearers.add(bearer)
            self.hosts.add(dict(scope["headers"])[b"host"].decode())
            if self.wanted and bearer != self.wanted:
                await send({"type": "http.response.start", "status": 401, "headers": []})
                await send({"type": "http.response.body", "body": b"no"})
                return
        await self._app(scope, receive, send)

    def stop(self):
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
