"""What the catalog's graph costs: `python benchmarks/platform/run.py [--nodes N] [--rounds N]`.

The embedded store in a folder of its own, beside SQLite with an fsync for each commit as the floor, round by round in
one run. Times are medians; a mutation is measured beside a bare write of the same store.
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median

from aeon.adapters.graph.embedded import open_embedded
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.graph import GraphStore, Schema
from aeon.platform.ledger import Request
from aeon.testing.vault import InMemoryVault

ENDPOINT = {"type": "object", "required": ["endpoint"]}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT, "shared": True}
TOOL = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
}


def each(times: int, act: Callable[[], object]) -> float:
    """Milliseconds of one, as the median of so many."""
    spent: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        spent.append(time.perf_counter() - began)
    return median(spent) * 1e3


def resident(folder: Path) -> float:
    """Megabytes of the store's process."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_bytes()
            if b"redis-server" in command and (status.parent / "cwd").resolve().is_relative_to(folder):
                return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if "VmRSS" in line)
        except OSError:
            continue
    return float("nan")


def sqlite_floor(folder: Path, rounds: int) -> tuple[float, float]:
    """One committed write, one look-up by id."""
    with closing(sqlite3.connect(folder / "floor.db", isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=FULL")
        base.execute("CREATE TABLE n (id TEXT PRIMARY KEY, v TEXT)")
        ids = count()
        write = each(rounds, lambda: base.execute("INSERT INTO n VALUES (?, 'x')", (str(next(ids)),)))
        return write, each(rounds, lambda: base.execute("SELECT v FROM n WHERE id = '7'").fetchone())


def bare(store: GraphStore, nodes: int, rounds: int) -> dict[str, float]:
    store.ensure(Schema(unique=(("N", "id"),)))
    ids = count()
    found = {"one write": each(rounds, lambda: store.write("CREATE (:N {id: $id, v: 'x'})", {"id": next(ids)}))}
    rows = [{"id": next(ids), "v": "x"} for _ in range(nodes)]
    found[f"{nodes:,} nodes at once"] = each(
        1, lambda: store.write("UNWIND $rows AS row CREATE (n:N) SET n += row", {"rows": rows})
    )
    first = rows[0]["id"]
    pairs = [{"a": first + number % nodes, "b": first + (number * 7 + 1) % nodes} for number in range(2 * nodes)]
    link = "UNWIND $pairs AS p MATCH (a:N {id: p.a}), (b:N {id: p.b}) CREATE (a)-[:TO]->(b)"
    found[f"{2 * nodes:,} edges at once"] = each(1, lambda: store.write(link, {"pairs": pairs}))
    found["look-up by id"] = each(rounds, lambda: store.read("MATCH (n:N {id: $id}) RETURN n.v", {"id": first + 7}))
    return found


def with_others(catalog: Catalog, store: GraphStore, service: str, users: range, each_has: int) -> None:
    """Private tools of other users, written in bulk: what a page of one's own must not notice."""
    rows = [
        {"id": f"t{user}-{number}", "nameKey": f"u{user}\x1ft{number}", "name": f"t{number}", "owner": f"u{user}"}
        for user in users
        for number in range(each_has)
    ]
    for user in users:
        catalog.add_user(f"u{user}")
    query = (
        "UNWIND $rows AS row MATCH (u:User {id: row.owner}), (s:Service {id: $service}) "
        "CREATE (t:Tool {id: row.id, nameKey: row.nameKey, name: row.name, shared: false})-[:OWNED_BY]->(u) "
        "CREATE (t)-[:USES_SERVICE {connectionParams: '{}'}]->(s)"
    )
    for start in range(0, len(rows), 5000):
        store.write(query, {"rows": rows[start : start + 5000], "service": service})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=300)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor_write, floor_read = sqlite_floor(folder, chosen.rounds)
        print(f"\nSQLite, fsync each commit: write {floor_write:.2f} ms, look-up {floor_read:.3f} ms\n")
        open_embedded(folder / "warm").close()
        began = time.perf_counter()
        store = open_embedded(folder / "graph")
        store.read("RETURN 1 AS one")
        print(f"start of the embedded store: {time.perf_counter() - began:.2f} s (aim: under 1)")
        print(f"idle: {resident(folder.resolve()):.0f} MB (aim: under 80)\n")
        print("| what | ms | times SQLite |\n|---|--:|--:|")
        measured = bare(store, chosen.nodes, chosen.rounds)
        for what, spent in measured.items():
            base = {"one write": floor_write, "look-up by id": floor_read}.get(what)
            print(f"| {what} | {spent:.2f} | {f'{spent / base:.1f}' if base else ''} |")
        catalog = Catalog(store, InMemoryVault())
        catalog.add_user("me")
        service = catalog.services.add(NewService.parsed(SERVICE), Request("me"))
        numbers = count()

        def mutate() -> None:
            new = NewTool.parsed({**TOOL, "name": f"tool {next(numbers)}", "serviceId": service.id})
            catalog.tools.add(new, Request("me", f"key {next(numbers)}", {"x": 1}))

        spent = each(chosen.rounds, mutate)
        print(f"\na tool created (guard, trail, event, idempotency): {spent:.2f} ms, ", end="")
        print(f"{spent / measured['one write']:.1f} times a bare write (aim: at most 3 for the query itself)\n")
        print("| tools of 1,000 other users | a page of one's own 100, ms |\n|--:|--:|")
        for have in (0, 10, 100):
            with_others(catalog, store, service.id, range(1000), have) if have else None
            store.write("MATCH (t:Tool) WHERE t.id STARTS WITH 't' AND t.counted IS NULL SET t.counted = true")
            page = each(30, lambda: catalog.tools.page_of_own("me", limit=100))
            print(f"| {have * 1000:,} | {page:.1f} |")
            store.write("MATCH (t:Tool) WHERE t.id STARTS WITH 't' AND t.counted DETACH DELETE t")
        from aeon.platform.catalog.queries import OWN_TOOLS

        print("\n" + store.explain(OWN_TOOLS, {"user": "me", "after": "me", "end": "mf", "limit": 100}))
        store.close()


if __name__ == "__main__":
    main()
