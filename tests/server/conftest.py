"""A real server on loopback, over a project in a folder of its own and a scripted model."""

import json
import os
import socket
import threading
import time
from contextlib import ExitStack, suppress

import httpx2
import pytest
from tests.remade_prompts import remake_prompts

from aeon.application.workspace import Workspaces
from aeon.base.errors import AeonError
from aeon.base.masking import Mask
from aeon.bootstrap.app import OwnParts, build_app
from aeon.server.mcp.http_door import McpDoor
from aeon.server.site import LazyDoor, ServerState, build_site, site_server
from aeon.settings import load_settings
from aeon.testing.llm import ScriptedAdapter


class Site:
    """A served project. `client(user)` is a program of that user; without one, it is nobody's."""

    def __init__(self, folder, model, closing, more=(), monotonic=time.monotonic, embedder=None):
        self.model = model
        variables = {"HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "state"), "PATH": os.environ["PATH"]}
        variables.update(more)
        self.folder = folder
        flags = {"engine.address": ("test", "memory")}
        loaded = load_settings(flags, variables, folder)
        app = build_app(loaded.settings, variables, folder=folder, own=OwnParts(model=self.model, embedder=embedder))
        closing.callback(app.close)
        self._app = app
        runtime = closing.enter_context(app.process_runtime())
        self.workspaces = Workspaces(app, variables, runtime)
        self.state = ServerState(self.workspaces, "me", monotonic=monotonic)
        listening = closing.enter_context(socket.socket(proto=socket.IPPROTO_TCP))
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        self.name = f"aeon-test.localhost:{port}"
        self.address = f"127.0.0.1:{port}"
        door = LazyDoor(self.state, lambda: McpDoor(app, self.state, Mask([])))
        self._server = site_server(build_site(self.state, [self.name, self.address], door), self.state)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()
        closing.callback(self.stop)
        self._closing = closing

    def stop(self):
        self.state.stopping.set()
        self._server.should_exit = True
        self._thread.join(10)
        assert not self._thread.is_alive()
        with suppress(AeonError):  # the test took the record away
            remake_prompts(self._app.platform())

    def token(self, user="me", **options):
        return self.workspaces.of(user).access.new_token(user, "test", **options).secret

    def client(self, user=None, **options):
        headers = {} if user is None else {"authorization": f"Bearer {self.token(user, **options)}"}
        made = httpx2.Client(base_url=f"http://{self.address}", headers=headers, trust_env=False, timeout=100)
        return self._closing.enter_context(made)

    def browser(self, user="me"):
        """A client that has signed in by a link, under the name that cookies are for."""
        made = self.client()
        link = self.workspaces.of(user).access.new_link(user)
        answer = made.post("/api/v1/session", json={"link": link}, headers={"host": self.name})
        assert answer.status_code == 201, answer.text
        made.headers.update({"host": self.name, "cookie": f"aeon_session={answer.cookies['aeon_session']}"})
        return made


def events_of(answer):
    """The events of a stream: (id, name, data)."""
    found = []
    for block in answer.read().decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "event" in fields:
            found.append((int(fields["id"]) if "id" in fields else None, fields["event"], json.loads(fields["data"])))
    return found


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """`serve(*replies)`: a served project whose model gives these replies; or `serve(model=...)`.

    `variables` are added to its environment; `monotonic` is the clock of its rate limits; `embedder` is its model for
    embeddings.
    """
    monkeypatch.chdir(tmp_path)
    with ExitStack() as closing:
        yield lambda *replies, model=None, variables=(), monotonic=time.monotonic, embedder=None: Site(
            tmp_path, model or ScriptedAdapter(replies), closing, variables, monotonic, embedder
        )


@pytest.fixture
def site(serve):
    """A served project whose model must not be asked."""
    return serve()
