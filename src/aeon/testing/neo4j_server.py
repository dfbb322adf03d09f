"""A real Neo4j Community server on loopback for tests, in its own folder.

server = Neo4jTestServer(jars, folder)
server.start()
graph = open_neo4j(server.address, lambda: server.password)
server.stop()

`jars` is a folder with the jars of `org.neo4j.app:neo4j-server` and its dependencies; `java` must be on the PATH.
"""

import os
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

JARS_VARIABLE = "AEON_TEST_NEO4J_JARS"
"""The environment variable that names the folder of jars."""

_START_SECONDS = 180.0
_STOP_SECONDS = 60.0
_PAUSE_SECONDS = 0.1
_USER = "neo4j"
_SMALL = ("-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_SETTINGS = (
    "server.bolt.listen_address=127.0.0.1:{port}",
    "server.http.enabled=false",
    "server.https.enabled=false",
    "server.memory.pagecache.size=32m",
    "db.tx_log.preallocate=false",
    "dbms.usage_report.enabled=false",
)


def missing_for_neo4j() -> str:
    """The reason why no server can be started here; empty if one can."""
    folder = os.environ.get(JARS_VARIABLE)
    if not folder:
        return f"{JARS_VARIABLE} does not name a folder with Neo4j's jars: .ci/run fetches them with maven"
    if not any(Path(folder).glob("neo4j-server-*.jar")):
        return f"{JARS_VARIABLE} names a folder without Neo4j's jars"
    return "" if shutil.which("java") else "Neo4j needs java: apt-get install default-jre-headless"


def jars_folder() -> Path:
    """The folder of jars, from the environment."""
    return Path(os.environ[JARS_VARIABLE])


@dataclass(slots=True)
class Neo4jTestServer:
    """A Neo4j server that can be stopped or killed and restarted with the same data and port."""

    jars: Path
    folder: Path
    heap_mb: int = 384
    password: str = field(default_factory=lambda: f"p{secrets.token_urlsafe(16)}", repr=False)
    port: int = field(default_factory=lambda: _free_port())  # noqa: PLW0108  # defined below
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the server and waits until it answers. Raises RuntimeError with the end of its log on failure."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Starts the server without waiting."""
        if not (self.folder / "conf").exists():
            self._prepare()
        with (self.folder / "out.log").open("ab") as log:
            flags = (f"--home-dir={self.folder}", f"--config-dir={self.folder / 'conf'}")
            command = self._java("org.neo4j.server.CommunityEntryPoint", *flags)
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=self._environment())  # noqa: S603  # only java

    def wait_until_ready(self) -> None:
        """Polls the server until it answers a query: it has no other sign of readiness."""
        end = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process is None or self._process.poll() is not None or time.monotonic() > end:
                log_end = (self.folder / "out.log").read_text(errors="replace")[-2000:]
                self.kill()
                raise RuntimeError(f"Neo4j did not start: {log_end}")
            time.sleep(_PAUSE_SECONDS)

    def stop(self) -> None:
        """Shuts the server down. Calling it again does nothing."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """Ends the server like a crash (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def driver(self) -> Any:
        """A connection of Neo4j's own client, with full access."""
        import neo4j

        database: Any = neo4j.GraphDatabase
        return database.driver(self.address, auth=(_USER, self.password), notifications_min_severity="OFF")

    def clear(self) -> None:
        """Deletes all constraints, indexes, nodes and edges."""
        with self.driver() as driver, driver.session() as session:
            for row in session.run("SHOW CONSTRAINTS YIELD name").data():
                session.run(f"DROP CONSTRAINT `{row['name']}`").consume()
            for row in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").data():
                session.run(f"DROP INDEX `{row['name']}`").consume()
            session.run("MATCH (n) DETACH DELETE n").consume()

    def _prepare(self) -> None:
        conf = self.folder / "conf"
        conf.mkdir(parents=True)
        (conf / "neo4j.conf").write_text("\n".join(_SETTINGS).format(port=self.port) + "\n")
        admin = self._java("org.neo4j.cli.AdminTool", "dbms", "set-initial-password", self.password)
        subprocess.run(admin, check=True, env=self._environment(), capture_output=True, timeout=_START_SECONDS)  # noqa: S603  # as above

    def _java(self, main: str, *arguments: str) -> list[str]:
        return ["java", f"-Xmx{self.heap_mb}m", *_SMALL, "-cp", f"{self.jars}/*", main, *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "NEO4J_HOME": str(self.folder), "NEO4J_CONF": str(self.folder / "conf")}

    def _answers(self) -> bool:
        with socket.socket() as probe:  # faster than the client's connection timeout while the port is closed
            if probe.connect_ex(("127.0.0.1", self.port)):
                return False
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self.driver() as driver, driver.session() as session:
                session.run("RETURN 1").consume()
        except (DriverError, Neo4jError, OSError):
            return False
        return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
