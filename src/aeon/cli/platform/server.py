"""`aeon serve`: the page and the REST API of one project, on loopback."""

import hashlib
import os
import re
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aeon.application.models import key_variables
from aeon.application.workers import WorkerService
from aeon.application.workspace import Workspaces
from aeon.base.errors import InputError, MissingExtraError
from aeon.base.masking import Mask
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.session import workspace_session
from aeon.cli.signals import exit_code_of
from aeon.cli.text import printable

if TYPE_CHECKING:
    from aeon.bootstrap.app import App
    from aeon.server.mcp.http_door import McpDoor
    from aeon.server.site import ServerState, SiteServer

_LOOPBACK: Final = "127.0.0.1"
_WAITING: Final = 128
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:[0-9]{1,5})?")


def run_server(port: int, model: str | None, user: str, names: Sequence[str] = ()) -> int:
    """Serve until interrupted; `names` are those that a proxy before it has, each with its port unless it is usual.

    Raises InputError for a port in use and for an invalid name, MissingExtraError, and the errors of an app.
    """
    proxied = [_checked_name(each) for each in names]
    try:
        from aeon.server.site import LazyDoor, ServerState, build_site, site_server
    except ImportError as error:
        raise MissingExtraError(
            f"Serving needs a package that is not installed: {error.name}.",
            next_step="Install aeon-orchestrator[platform,server].",
        ) from None
    with (
        closing(_listen(port)) as listening,
        session.app_session(session.load_cli_settings(model=model)) as app,
        app.process_runtime() as runtime,
    ):
        workspaces = Workspaces(app, os.environ, runtime)
        own = workspaces.of(user)
        os.environ.pop(session.MASTER_KEY, None)  # child processes must not inherit it
        own.conversations.recover()
        place = listening.getsockname()[1]
        name = f"{_name_of(Path.cwd())}.localhost:{place}"
        state = ServerState(workspaces, user, is_local=not proxied)
        with _maintenance(own.workers, state.stopping):
            print_data(f"http://{name}/#{own.access.new_link(user)}")
            print_message("open this link in a browser; it signs you in once, within ten minutes", "next: ")
            mask = Mask(os.environ.get(each, "") for each in key_variables(app.settings))
            hosts = [name, f"{_LOOPBACK}:{place}", f"localhost:{place}", *proxied]
            site = build_site(state, hosts, LazyDoor(state, lambda: _mcp_door(app, state, mask)))
            _serve(site_server(site, state, has_proxy=bool(proxied)), listening)
    return ExitCode.DONE


def _mcp_door(app: "App", state: "ServerState", mask: Mask) -> "McpDoor":
    from aeon.server.mcp.http_door import McpDoor

    return McpDoor(app, state, mask)


def _serve(server: "SiteServer", listening: socket.socket) -> None:
    """Serve until a signal; stopping is how a server ends, so it is no failure."""
    try:
        server.run([listening])
    except KeyboardInterrupt as stop:
        exit_code_of(stop)


def print_link(port: int, user: str) -> int:
    """Print a link to the server of this folder, which may be running already."""
    with workspace_session(user) as workspace:
        print_data(f"http://{_name_of(Path.cwd())}.localhost:{port}/#{workspace.access.new_link(user)}")
    return ExitCode.DONE


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name.lower()):
        raise InputError(
            f"{name!r} is not a name of a server.",
            next_step="Give a host, with its port unless that is 80 or 443: --name aeon.example.org",
        )
    return name.lower()


def _listen(port: int) -> socket.socket:
    # The protocol is named: only then does asyncio send small answers at once, instead of 40 ms later (TCP_NODELAY).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"Port {port} cannot be used: {error.strerror}.",
            next_step="Stop the program that uses it, or choose another: aeon serve --port 0",
        ) from None
    listening.listen(_WAITING)
    return listening


def _name_of(folder: Path) -> str:
    """A name of the project's own: cookies go to every port of a name, so other local servers need another name."""
    digest = hashlib.sha256(os.fsencode(folder)).digest()
    return "aeon-" + "".join(chr(ord("a") + byte % 26) for byte in digest[:4])


@contextmanager
def _maintenance(workers: WorkerService, stopping: threading.Event) -> Generator[None]:
    """Serve runs beside the server until it ends."""

    def report(line: str) -> None:
        print_message(printable(line))

    thread = threading.Thread(target=workers.serve_until, args=(stopping, report), name="aeon-worker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(2)
