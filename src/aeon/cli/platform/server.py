"""`aeon serve`: the page and the REST API of one project."""

import hashlib
import os
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from aeon.application.models import key_variables
from aeon.application.server_address import checked_server_address
from aeon.application.users import UserService
from aeon.application.workers import DrainPolicy, WorkerService
from aeon.application.workspace import Workspaces
from aeon.base.errors import InputError, MissingExtraError
from aeon.base.masking import Mask, keys_of_environment
from aeon.cli import session
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.server_announcement import announced_server, read_announced_link
from aeon.cli.platform.session import workspace_session
from aeon.cli.signals import exit_code_of
from aeon.cli.text import printable
from aeon.platform.errors import UnknownUserError
from aeon.settings import LoadedSettings

if TYPE_CHECKING:
    from aeon.bootstrap.app import App
    from aeon.server.mcp.http_door import McpDoor
    from aeon.server.site import ServerState, SiteServer

_WAITING: Final = 128
_STOPPING: Final = 2.0
"""The seconds that the maintenance has to end, beside the grace."""


class ServeOptions(NamedTuple):
    """The options of `aeon serve`; None takes what the settings say. `grace` is in seconds."""

    port: int
    host: str | None
    names: Sequence[str]
    model: str | None
    grace: int

    def load(self) -> LoadedSettings:
        """The settings of the current folder with these options. Raises ConfigError."""
        more = {"server.host": ("--host", self.host), "server.names": ("--name", [*self.names] or None)}
        return session.load_cli_settings(model=self.model, more=more)


def run_server(options: ServeOptions, user: str) -> int:
    """Serve until interrupted, or drained by SIGTERM or by `aeon serve worker drain`.

    Raises InputError for a port in use, ConfigError for settings that are wrong or not enough to let other machines in,
    MissingExtraError, and the errors of an app.
    """
    loaded = options.load()
    address = checked_server_address(loaded.settings.server)
    try:
        from aeon.server.site import LazyDoor, ServerState, build_site, site_server
    except ImportError as error:
        raise MissingExtraError(
            f"Serving needs a package that is not installed: {error.name}.",
            next_step="Install aeon-orchestrator[platform,server].",
        ) from None
    with (
        closing(_listen(address.host, options.port)) as opened,
        session.app_session(loaded) as app,
        app.process_runtime() as runtime,
    ):
        runtime.grace = options.grace
        workspaces = Workspaces(app, os.environ, runtime)
        state = ServerState(workspaces, user, is_local=not address.names)
        own = workspaces.of(user)
        os.environ.pop(session.MASTER_KEY, None)  # child processes must not inherit it
        own.conversations.recover()
        place = opened.getsockname()[1]
        name = f"{_name_of(Path.cwd())}.localhost:{place}"
        mask = Mask(keys_of_environment(os.environ, key_variables(app.settings)))
        os.environ.pop(app.settings.server.oidc_client_secret_env or "", None)
        here = [] if address.is_public else [name, f"127.0.0.1:{place}", f"localhost:{place}"]
        door = LazyDoor(state, lambda: _mcp_door(app, state, mask))
        site = build_site(state, [*here, *address.names], door, only_https=address.is_public)
        server = site_server(site, state, proxies=address.proxies, certificate=address.certificate)
        with (
            announced_server(Path.cwd(), address.link("", name)),
            _maintenance(own.workers, server, state.stopping, options.grace),
        ):
            print_data(address.link(own.access.new_link(user), name))
            print_message("open this link in a browser; it signs you in once, within ten minutes", "next: ")
            _serve(server, opened)
    return ExitCode.DONE


def _mcp_door(app: "App", state: "ServerState", mask: Mask) -> "McpDoor":
    from aeon.server.mcp.http_door import McpDoor

    return McpDoor(app, state, mask)


def _serve(server: "SiteServer", listening: socket.socket) -> None:
    """Serve until a signal; stopping is how a server ends, so it is not a failure."""
    try:
        server.run([listening])
    except KeyboardInterrupt as stop:
        exit_code_of(stop)


def print_link(port: int | None, user: str, *, default_port: int) -> int:
    """Print a link to the server of this folder: at a port, else where it listens now, else at the default port.

    Raises ConfigError, and UnknownUserError: a link adds no user but the one of this machine.
    """
    address = checked_server_address(session.load_cli_settings().settings.server)
    with workspace_session(os.environ.get("AEON_USER") or "me") as workspace:
        _require_user(workspace.users, user)
        running = read_announced_link(Path.cwd()) if port is None else None
        begins = running or address.link("", f"{_name_of(Path.cwd())}.localhost:{port or default_port}")
        print_data(f"{begins}{workspace.access.new_link(user)}")
    return ExitCode.DONE


def _require_user(users: UserService, name: str) -> None:
    try:
        users.get(name)
    except UnknownUserError as error:
        raise UnknownUserError(
            error.message, next_step=f"Check the name, or add the user: aeon serve user create {quote(name)}"
        ) from None


def _listen(host: str, port: int) -> socket.socket:
    # The protocol is named: only then does asyncio send small answers at once, instead of 40 ms later (TCP_NODELAY).
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"Port {port} of {host} cannot be used: {error.strerror}.",
            next_step="Stop the program that uses it, or choose another: aeon serve --port 0",
        ) from None
    listening.listen(_WAITING)
    return listening


def _name_of(folder: Path) -> str:
    """A name of the project's own: cookies go to every port of a name, so other local servers need another name."""
    digest = hashlib.sha256(os.fsencode(folder)).digest()
    return "aeon-" + "".join(chr(ord("a") + byte % 26) for byte in digest[:4])


@contextmanager
def _maintenance(
    workers: WorkerService, server: "SiteServer", stopping: threading.Event, grace: int
) -> Generator[None]:
    """Serve runs beside the server until it ends; if it is terminated, the jobs here have `grace` seconds to end."""

    def report(line: str) -> None:
        print_message(printable(line))

    def end() -> None:
        report(f"drains: takes no new job or run; the jobs here have {grace} s to end")
        server.terminate()

    drain = DrainPolicy(grace, lambda: server.is_terminated, end)
    thread = threading.Thread(
        target=workers.serve_until, args=(stopping, report, drain), name="aeon-worker", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(_STOPPING + (grace if server.is_terminated else 0))
