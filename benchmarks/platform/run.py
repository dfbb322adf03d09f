"""What the catalog's graph costs: `python benchmarks/platform/run.py [--nodes N] [--rounds N] [--others N]`.

The embedded store in a folder of its own, and Neo4j where AEON_TEST_NEO4J_JARS names its jars (see tests/conftest.py),
beside SQLite with an fsync for each commit as the floor. Times are medians; what is compared is measured in turns, so
that whatever else the machine does meets all of it.
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from aeon.adapters.graph import open_embedded
from aeon.platform.catalog import queries
from aeon.platform.catalog.catalog import Catalog
from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.graph import GraphStore, Schema
from aeon.platform.ledger import Request
from aeon.testing.neo4j_server import Neo4jServer, jars, missing_for_neo4j
from aeon.testing.vault import InMemoryVault

ENDPOINT = {"type": "object", "required": ["endpoint"]}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT, "shared": True}
TOOL = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
}
ONE_NODE = "CREATE (:N {id: $id, v: 'x'})"
SAME_WRITE = """
MATCH (u:User {id: $user}), (s:Service {id: $service})
CREATE (t:Tool)-[:OWNED_BY {created_at: $at}]->(u)
CREATE (t)-[:USES_SERVICE {connectionParams: $connectionParams}]->(s)
SET t += $properties
"""
"""What creating a tool writes of the tool itself, with no guard, trail, event or answer."""


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


def resident(folder: Path) -> float:
    """Megabytes of the embedded store's process."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_bytes()
            if b"redis-server" in command and (status.parent / "cwd").resolve().is_relative_to(folder):
                return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if "VmRSS" in line)
        except OSError:
            continue
    return float("nan")


@contextmanager
def sqlite_floor(folder: Path) -> Iterator[tuple[Callable[[], object], Callable[[], object]]]:
    """One committed write, one look-up by id."""
    with closing(sqlite3.connect(folder / "floor.db", isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=FULL")
        base.execute("CREATE TABLE n (id TEXT PRIMARY KEY, v TEXT)")
        ids = count()
        yield (
            lambda: base.execute("INSERT INTO n VALUES (?, 'x')", (str(next(ids)),)),
            lambda: base.execute("SELECT v FROM n WHERE id = '7'").fetchone(),
        )


def plain(store: GraphStore, folder: Path, nodes: int, rounds: int) -> None:
    """Nodes and edges beside the floor."""
    store.ensure(Schema(unique=(("N", "id"),)))
    ids = count()
    rows = [{"id": next(ids), "v": "x"} for _ in range(nodes)]
    pairs = [{"a": number % nodes, "b": (number * 7 + 1) % nodes} for number in range(2 * nodes)]
    link = "UNWIND $pairs AS p MATCH (a:N {id: p.a}), (b:N {id: p.b}) CREATE (a)-[:TO]->(b)"
    many = spent(lambda: store.write("UNWIND $rows AS row CREATE (n:N) SET n += row", {"rows": rows}))
    edges = spent(lambda: store.write(link, {"pairs": pairs}))
    with sqlite_floor(folder) as (write, read):
        found = in_turns(
            rounds,
            write=lambda: store.write(ONE_NODE, {"id": next(ids)}),
            floor_write=write,
            read=lambda: store.read("MATCH (n:N {id: $id}) RETURN n.v", {"id": 7}),
            floor_read=read,
        )
    print("| what | ms | times SQLite |\n|---|--:|--:|")
    print(f"| one write among {nodes:,} nodes | {found['write']:.2f} | {found['write'] / found['floor_write']:.1f} |")
    print(f"| look-up by id | {found['read']:.2f} | {found['read'] / found['floor_read']:.0f} |")
    print(f"| {nodes:,} nodes in one query | {many:.0f} | |\n| {2 * nodes:,} edges in one query | {edges:.0f} | |\n")


class Watched:
    """A store that remembers what its last write took, so that a mutation's one query can be told from its reads."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self.last = 0.0

    def write(self, *arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._store.write(*arguments, **named)
        finally:
            self.last = (time.perf_counter() - began) * 1e3

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def mutations(store: GraphStore, rounds: int) -> Catalog:
    """A tool created with all its records, beside the same nodes and edges bare, and beside one node."""
    watched = Watched(store)
    catalog = Catalog(watched, InMemoryVault())  # pyright: ignore[reportArgumentType]  # the rest is passed on
    catalog.add_user("me")
    service = catalog.services.add(NewService.parsed(SERVICE), Request("me"))
    numbers = count()
    queried: list[float] = []

    def mutate() -> None:
        number = next(numbers)
        new = NewTool.parsed({**TOOL, "name": f"tool {number}", "serviceId": service.id})
        catalog.tools.add(new, Request("me", f"key {number}", {"x": 1}))
        queried.append(watched.last)

    mutate()
    like = store.read("MATCH (t:Tool {nameKey: $key}) RETURN t", {"key": "me\x1ftool 0"})[0]["t"]

    def same() -> None:
        properties = {**like, "id": f"bare {next(numbers)}", "nameKey": f"bare {next(numbers)}"}
        params = {"user": "me", "service": service.id, "at": "now", "connectionParams": "{}", "properties": properties}
        store.write(SAME_WRITE, params)

    one = in_turns(rounds, mutation=mutate, same=same, node=lambda: store.write(ONE_NODE, {"id": -1 - next(numbers)}))
    query = median(queried)
    print("| a tool created | ms | times the same write bare | times one bare node |\n|---|--:|--:|--:|")
    print(f"| one bare node | {one['node']:.2f} | | 1.0 |")
    print(f"| the same node and edges, bare | {one['same']:.2f} | 1.0 | {one['same'] / one['node']:.1f} |")
    said = f"{query:.2f} | {query / one['same']:.1f} | {query / one['node']:.1f}"
    print(f"| the mutation's query: guard, trail, event, answer to a repetition | {said} |")
    whole = one["mutation"]
    said = f"{whole:.2f} | {whole / one['same']:.1f} | {whole / one['node']:.1f}"
    print(f"| the whole use case, with its two look-ups | {said} |")
    print("\nAim: a mutation with guard, idempotency and outbox at most 3 times a bare write.\n")
    return catalog


def with_others(catalog: Catalog, store: GraphStore, users: int, each_has: int) -> None:
    """Private tools and secrets of other users, written in bulk: what one's own must not notice."""
    service = catalog.services.by_name("me", "api")
    assert service is not None
    rows = [
        {"id": f"t{user}-{number}", "nameKey": f"u{user}\x1ft{number}", "name": f"t{number}", "owner": f"u{user}"}
        for user in range(users)
        for number in range(each_has)
    ]
    for user in range(users):
        catalog.add_user(f"u{user}")
    query = (
        "UNWIND $rows AS row MATCH (u:User {id: row.owner}), (s:Service {id: $service}) "
        "CREATE (t:Tool {id: row.id, nameKey: row.nameKey, name: row.name, shared: false})-[:OWNED_BY]->(u) "
        "CREATE (t)-[:USES_SERVICE {connectionParams: '{}'}]->(s) "
        "CREATE (:Secret {id: row.id, nameKey: row.nameKey, name: row.name, shared: false})-[:OWNED_BY]->(u)"
    )
    for start in range(0, len(rows), 5000):
        store.write(query, {"rows": rows[start : start + 5000], "service": service.id}, timeout=300)


def pages(catalog: Catalog, store: GraphStore, rounds: int, others: int) -> None:
    """Pages of one's own tools and of shared ones, and a mutation, beside a hundred private tools of each of many."""
    service = catalog.services.by_name("me", "api")
    assert service is not None
    numbers = count(1_000_000)

    def mutate() -> None:
        new = NewTool.parsed({**TOOL, "name": f"tool {next(numbers)}", "serviceId": service.id})
        catalog.tools.add(new, Request("me"))

    catalog.add_user("sharer")
    for number in range(100):
        new = NewTool.parsed({**TOOL, "name": f"shared {number}", "serviceId": service.id, "shared": True})
        catalog.tools.add(new, Request("sharer"))
    print("| private tools of others, and as many secrets | a page of one's own 100 | of 100 shared | a tool created |")
    print("|--:|--:|--:|--:|")
    for users in (0, others):
        with_others(catalog, store, users, 100)
        found = in_turns(
            max(30, rounds // 10),
            own=lambda: catalog.tools.page_of_own("me", limit=100),
            shared=lambda: catalog.tools.page_of_shared("me", limit=100),
            made=mutate,
        )
        print(f"| {users * 100:,} | {found['own']:.1f} ms | {found['shared']:.1f} ms | {found['made']:.2f} ms |")
    params = {"user": "me", "after": "me", "end": "mf", "limit": 100}
    print(f"\nThe page's plan:\n\n{store.explain(queries.OWN_TOOLS, params)}\n")


def everything(store: GraphStore, folder: Path, chosen: argparse.Namespace) -> None:
    plain(store, folder, chosen.nodes, chosen.rounds)
    pages(mutations(store, chosen.rounds), store, chosen.rounds, chosen.others)


def embedded(folder: Path, chosen: argparse.Namespace) -> None:
    print("\n## FalkorDB, embedded\n")
    open_embedded(folder / "warm").close()
    began = time.perf_counter()
    with closing(open_embedded(folder / "graph")) as store:
        store.read("RETURN 1 AS one")
        print(f"start: {time.perf_counter() - began:.2f} s (aim: under 1)")
        print(f"idle: {resident(folder.resolve()):.0f} MB (aim: under 80)\n")
        everything(store, folder, chosen)


def neo4j(folder: Path, chosen: argparse.Namespace) -> None:
    print("\n## Neo4j Community, on loopback\n")
    if missing := missing_for_neo4j():
        print(f"not measured: {missing}")
        return
    from aeon.adapters.graph import open_neo4j

    server = Neo4jServer(jars(), folder / "neo4j", heap_mb=1024)
    try:
        print(f"start of the server: {spent(server.start) / 1e3:.1f} s\n")
        with closing(open_neo4j(server.address, lambda: server.password)) as store:
            everything(store, folder / "neo4j", chosen)
    finally:
        server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--others", type=int, default=1000, help="users besides, with 100 tools and secrets each")
    chosen = parser.parse_args()
    for measure in (embedded, neo4j):
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), chosen)


if __name__ == "__main__":
    main()
