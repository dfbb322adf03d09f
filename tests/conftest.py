"""What holds for every test: no network but loopback, and hypothesis that tries the same examples in every run."""

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from aeon.testing.weights import ScriptedSource

settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)  # `make check`
settings.register_profile("release", settings.get_profile("ci"), max_examples=1000)  # `make nightly`
settings.load_profile("ci")


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory):
    """Commands that tests run keep the marks of records here, not in the user's own state folder."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def git():
    """`git(folder, "add", ".")`: what git prints, in a repository of the test's own."""
    program = shutil.which("git")
    if program is None:
        pytest.skip("git is not installed: apt-get install git")

    def run(folder, *command):
        as_somebody = ["-c", "user.name=me", "-c", "user.email=me@example"]
        called = [program, "-C", str(folder), *as_somebody, *command]
        return subprocess.run(called, capture_output=True, text=True, check=True).stdout

    return run


# A runner may have every Python print at once; the commands that tests start buffer, as a user's do.
os.environ.pop("PYTHONUNBUFFERED", None)

# A runner in the background ignores Ctrl-C, and one under nohup a hang-up: so would every command that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)  # xdist's
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a third of the tests' time is spent waiting."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_terminal_summary(terminalreporter) -> None:
    """One line that says what could not be tried here, and how to add it."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        listed = "; ".join(f"{count} ({reason})" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"not tried on this machine: {listed}", yellow=True)


def _reason(report) -> str:
    where = report.longrepr
    return (where[2] if isinstance(where, tuple) else str(where)).removeprefix("Skipped: ")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: looking through it again and again is a fifth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


_LOOPBACK = ("127.", "::1", "localhost")


class NetworkForbiddenError(RuntimeError):
    """A test tried to reach beyond this machine."""


def _is_local(sock: socket.socket, address) -> bool:
    if sock.family == getattr(socket, "AF_UNIX", None):
        return True
    return isinstance(address, tuple) and str(address[0]).startswith(_LOOPBACK)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Refuse every connection, and every datagram, that would leave this machine (style.md 12)."""

    def guarded(name: str, address_at: int):
        real = getattr(socket.socket, name)

        def guard(sock, *args):
            if not _is_local(sock, args[address_at]):
                raise NetworkForbiddenError(f"a test tried to {name} to {args[address_at]!r}")
            return real(sock, *args)

        monkeypatch.setattr(socket.socket, name, guard)

    guarded("connect", 0)
    guarded("connect_ex", 0)
    guarded("sendto", -1)


@pytest.fixture
def uninstall(monkeypatch) -> Callable[..., None]:
    """Makes packages look as if they were not installed: `uninstall("psycopg")`. Importing one fails, and it is not found."""

    def hide(*packages: str) -> None:
        for name in packages:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


@pytest.fixture
def fetch_from(monkeypatch) -> Callable[..., None]:
    """Replaces the sources of weights, which lie beyond this machine, by doubles: without one nothing can be fetched."""

    def replace(*sources: ScriptedSource) -> None:
        monkeypatch.setattr("aeon.bootstrap.app.App._sources", lambda _: sources)

    return replace


@pytest.fixture(scope="session")
def llama() -> None:
    """What the embedded model runs on; skips where its package is missing, or a library of the system that it needs."""
    how = "the embedded model cannot be loaded: `aeon doctor` says why; on Debian: apt-get install libgomp1"
    pytest.importorskip("xllamacpp", reason=how, exc_type=ImportError)


@pytest.fixture(scope="session")
def small_model(llama) -> str:
    """The name of the model that tests of the main job run on; skips with its reason where its weights are not."""
    from aeon.adapters.weights import CATALOG, find_verified, weights_dir

    if find_verified(CATALOG["small"], weights_dir(os.environ), lambda _progress: None) is None:
        pytest.skip("the small model's weights are not on this machine; run: aeon model fetch small")
    return "small"


@pytest.fixture(scope="session")
def tiny_model(llama) -> Path:
    """The tiny model's weights: AEON_TEST_GGUF, or what `aeon model fetch tiny` left in the cache."""
    if named := os.environ.get("AEON_TEST_GGUF"):
        return Path(named)
    cache = Path.home() / ".cache" / "aeon" / "models"
    found = sorted(path for path in cache.glob("*.gguf") if "smollm2-135m" in path.name.lower())
    if not found:
        pytest.skip("no weights: set AEON_TEST_GGUF, or run `aeon model fetch tiny`")
    return found[0]


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server of the tests' own that no test kills; skips with its reason where there is none."""
    from aeon.testing.postgres_server import PostgresTestServer, missing_for_postgres

    if missing := missing_for_postgres():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="aeon-postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresTestServer(Path(folder), settings={"fsync": "off"})  # it runs as another user than the tests
        server.start()
        yield server
        server.kill()  # nobody needs its data


@pytest.fixture(scope="session")
def postgres_record(postgres_server):
    """Makes records in PostgreSQL, each in a database of its own."""
    from aeon.adapters.store.postgresql import migrate, open_postgresql

    def new():
        address = postgres_server.create_database()
        migrate(address)
        return open_postgresql(address)

    return new


@pytest.fixture(scope="session")
def falkordb_server(tmp_path_factory):
    """A FalkorDB server of the tests' own, started when the first test asks for it."""
    from aeon.testing.falkordb_server import FalkorTestServer, missing_for_falkordb

    if missing := missing_for_falkordb():
        pytest.skip(missing)
    server = FalkorTestServer(tmp_path_factory.mktemp("falkordb"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory):
    """A Neo4j server of the tests' own, started when the first test asks for it; skips with its reason without.

    `.ci/run` fetches its jars. By hand, with java and maven: `mvn -q -B dependency:copy-dependencies
    -f .ci/neo4j/pom.xml -DoutputDirectory=FOLDER`, then run the tests with AEON_TEST_NEO4J_JARS=FOLDER.
    """
    yield from _neo4j_server(tmp_path_factory)


@pytest.fixture(scope="session")
def other_neo4j_server(tmp_path_factory):
    """A second one, since a Community server has one database."""
    yield from _neo4j_server(tmp_path_factory)


def _neo4j_server(tmp_path_factory):
    from aeon.testing.neo4j_server import Neo4jTestServer, jars_folder, missing_for_neo4j

    missing = missing_for_neo4j()
    if missing:
        pytest.skip(missing)
    server = Neo4jTestServer(jars_folder(), tmp_path_factory.mktemp("neo4j"))
    server.start()
    yield server
    server.kill()  # nobody needs its data
