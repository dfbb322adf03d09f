"""One server: all doors over one project, on one port."""

import logging
import signal
from collections.abc import Sequence
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI
from starlette.routing import Route

import aeon
from aeon.server.edge.guard import AsgiApp, Guard
from aeon.server.edge.lazy_door import LazyDoor
from aeon.server.edge.recorder import Recorder
from aeon.server.edge.state import ServerState
from aeon.server.hooks.door import mount_hooks
from aeon.server.openai.door import openai_door
from aeon.server.rest.router import PREFIX, handle_errors, mount_rest
from aeon.server.web.mount import mount_web

__all__ = ["LazyDoor", "ServerState", "SiteServer", "build_site", "site_server"]

_STOPPING: Final = 2
"""Seconds that requests under way have when the server stops."""


def build_site(
    state: ServerState, hosts: Sequence[str], mcp: AsgiApp | None = None, *, only_https: bool = False
) -> AsgiApp:
    """The application that serves all doors under these names, each with its port; `mcp` is at /mcp.

    `only_https`: what does not come by https, to this server or to a proxy that is believed, is refused.
    """
    app = FastAPI(
        title="Aeon",
        version=aeon.__version__,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.server = state
    handle_errors(app)
    mount_rest(app)
    mount_hooks(app)
    app.mount("/v1", openai_door(state))
    if mcp is not None:
        app.router.routes.append(Route("/mcp", mcp))
        app.mount("/mcp", mcp)
    mount_web(app)
    return Recorder(Guard(app, hosts, only_https=only_https), state)


class SiteServer(uvicorn.Server):
    """A server whose streams end as soon as it is asked to stop: otherwise it would wait for their readers.

    `is_terminated` says that SIGTERM or `terminate` stopped it.
    """

    def __init__(self, config: uvicorn.Config, state: ServerState) -> None:
        super().__init__(config)
        self._state = state
        self._is_stopping = False
        self.is_terminated = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at SIGINT or SIGTERM; a second one may come while this one is handled."""
        if not self._is_stopping:  # an event that is set again while it is being set waits for itself
            self._is_stopping = True
            self.is_terminated = sig == signal.SIGTERM
            self._state.stopping.set()
        super().handle_exit(sig, frame)

    def terminate(self) -> None:
        """Stop as SIGTERM does, from any thread."""
        self.is_terminated = self.should_exit = True
        self._state.stopping.set()


def site_server(
    site: AsgiApp, state: ServerState, *, proxies: Sequence[str] = (), certificate: tuple[str, str] | None = None
) -> SiteServer:
    """The server of a site; its `run` takes the sockets, and ends at SIGINT or SIGTERM.

    Proxies at the addresses `proxies` are believed about the scheme and the address of a client. `certificate` is the
    files of a certificate chain and its key, for https.
    """
    chain, key = certificate or (None, None)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        site,
        loop="asyncio",
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[*proxies],
        ssl_certfile=chain,
        ssl_keyfile=key,
        timeout_graceful_shutdown=_STOPPING,
    )
    return SiteServer(config, state)
