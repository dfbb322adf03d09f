"""Two machines: network namespaces with a project folder each, and a third namespace with PostgreSQL and Temporal.

Everything is in the namespaces, also the bridge between them, so tests that run at the same time do not meet.
"""

import ctypes
import os
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.adapters.store.namespaces import enter, ip

from aeon.base.project_folder import PROJECT_FOLDER
from aeon.bootstrap.vaults import project_key_file
from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres
from aeon.testing.temporal_server import ONE_PARTITION, TemporalServer, missing_for_temporal

from .two_servers import Proxy

MIDDLE = "10.231.78.1"
"""The address of PostgreSQL and Temporal."""

ADDRESSES = ("10.231.78.2", "10.231.78.3")
"""The addresses of the machines."""

RECORDS = tuple(f"record{number}" for number in range(8))
"""The namespaces of Temporal, one for each record."""


def missing_for_machines():
    """The reason why there can be no such machines here; empty if there can."""
    if os.geteuid():
        return "network namespaces need the rights of root"
    if shutil.which("ip") is None:
        return "iproute2 is not installed (apt-get install iproute2)"
    return missing_for_postgres() or missing_for_temporal() or _refusal()


def _refusal():
    """What the kernel says if it has no namespaces, links or bridges."""
    try:
        with _joined_namespaces():
            return ""
    except (subprocess.CalledProcessError, OSError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        return f"network namespaces cannot be made here: {said.decode().strip()}"


class Namespace:
    """A network namespace, with its own loopback. A context manager."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        with suppress(subprocess.CalledProcessError):  # it was never made
            ip("netns", "delete", self.name)

    def add_address(self, link, address):
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", link)
        ip("-n", self.name, "link", "set", link, "up")

    @contextmanager
    def inside(self):
        """The sockets that this thread opens, and the processes that it starts, are in the namespace."""
        libc = ctypes.CDLL(None, use_errno=True)
        with Path("/proc/thread-self/ns/net").open() as home, Path(f"/run/netns/{self.name}").open() as there:
            enter(libc, there)
            try:
                yield
            finally:
                enter(libc, home)


@contextmanager
def _joined_namespaces():
    """The namespace of the servers in the middle, and one for each machine, joined by a bridge."""
    with ExitStack() as stack:
        names = (f"aeon-{os.getpid()}-{part}" for part in ("middle", "one", "two"))
        middle, *ends = (stack.enter_context(Namespace(name)) for name in names)
        ip("-n", middle.name, "link", "add", "bridge", "type", "bridge")
        middle.add_address("bridge", MIDDLE)
        for end, address in zip(ends, ADDRESSES, strict=True):
            port = f"to{address.rpartition('.')[2]}"
            ip("-n", middle.name, "link", "add", port, "type", "veth", "peer", "name", "cable", "netns", end.name)
            ip("-n", middle.name, "link", "set", port, "master", "bridge", "up")
            end.add_address("cable", address)
        yield middle, ends


class Network:
    """Makes machines that share nothing but PostgreSQL and Temporal. A context manager."""

    def __init__(self):
        self._records = iter(RECORDS)
        self._stack = ExitStack()

    def __enter__(self):
        with ExitStack() as stack:
            middle, self._ends = stack.enter_context(_joined_namespaces())
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="aeon-machines-", ignore_cleanup_errors=True)))
            self._postgres = PostgresTestServer(folder / "postgres", listen=MIDDLE, port=5432)
            self._temporal = TemporalServer(folder / "temporal", RECORDS, ONE_PARTITION, 7233, listen="0.0.0.0")  # noqa: S104  # of the namespace
            with middle.inside():
                stack.callback(self._postgres.kill)
                self._postgres.start()
                stack.callback(self._temporal.kill)
                self._temporal.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def machines(self, folder):
        """Two machines with folders in `folder`, and the settings of the host for the same empty record."""
        store = self._postgres.create_database()
        engine = f"temporal://{MIDDLE}:{self._temporal.port}/{next(self._records)}"
        addresses = {"AEON_STORE_ADDRESS": store, "AEON_ENGINE_ADDRESS": engine}
        made = [Machine(each, folder / each.name, addresses) for each in self._ends]
        socket_address = f"postgresql://postgres@/{store.rpartition('/')[2]}?host={self._postgres.data}"
        return made, addresses | {"AEON_STORE_ADDRESS": socket_address}


class Machine:
    """A namespace with a project folder, a home and settings of its own. A `SharedMachine` is another kind."""

    def __init__(self, namespace, folder, settings):
        self._namespace = namespace
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self._env = {**settings, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
        self._stack = ExitStack()

    def copy_vault(self, project):
        """Gives the machine a copy of the vault of a project of the host, with its key in the environment."""
        self._init()
        shutil.copy(project / PROJECT_FOLDER / "vault.db", self.project / PROJECT_FOLDER)
        self._env["AEON_MASTER_KEY"] = project_key_file(project, os.environ).read_text().strip()

    def _init(self):
        command, env = [sys.executable, "-m", "aeon", "init"], {**os.environ, **self._env}
        with self._namespace.inside():
            subprocess.run(command, cwd=self.project, env=env, check=True, capture_output=True)

    def start(self, background, *argv):
        """Starts a command that stays."""
        with self._namespace.inside():
            return background(*argv, folder=self.project, **self._env)

    def connect(self, port):
        """A connection to a port of the machine's loopback."""
        with self._namespace.inside():
            return socket.create_connection(("127.0.0.1", port))

    def reach(self, port):
        """Makes a port of the host's loopback one of the machine's."""
        with self._namespace.inside():
            listening = socket.create_server(("127.0.0.1", port), backlog=128)
        proxy = Proxy(listening, [lambda: socket.create_connection(("127.0.0.1", port))])
        self._stack.callback(proxy.close)

    def close(self):
        self._stack.close()
