"""One of the processes that write at once: `writing.py ours|bare|fair ADDRESS SECONDS NUMBER` prints what it wrote."""

import json
import sys
import time
from itertools import count
from pathlib import Path

from bare import BarePostgres, BareSqlite, FairSqlite

from aeon.platform.catalog.model import NewService, NewTool
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.testing.vault import InMemoryVault

ENDPOINT = {"type": "object", "required": ["endpoint"]}
SERVICE = {"name": "api", "type": "rest_api", "protocol": "http", "connectionSchema": ENDPOINT}
TOOL = {
    "connectionParams": {"endpoint": "http://127.0.0.1"},
    "operation": {"type": "rest_request", "path": "/{id}"},
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
}


def ours(address, number):
    """Creates a tool of this process's user, with all its records."""
    if address.startswith("postgresql:"):
        from aeon.adapters.store.postgresql import open_postgresql

        store = open_postgresql(address)
    else:
        from aeon.testing.records import new_record

        store = new_record(Path(address))
    catalog, user, made = Catalog(store, InMemoryVault()), f"writer {number}", count()
    catalog.add_user(user)
    # A service of the writer's own: another's would be told of each tool in their audit trail, two entries more.
    service = catalog.services.find_own(user, "api") or catalog.services.add(
        NewService.parsed(SERVICE), MutationRequest(user)
    )

    def add():
        name = f"{time.time_ns()} {next(made)}"
        new = NewTool.parsed({**TOOL, "name": name, "serviceId": service.id})
        catalog.tools.add(new, MutationRequest(user, name))

    return add


def bare(address, number, sqlite=BareSqlite):
    """Writes the same rows."""
    database = BarePostgres(address) if address.startswith("postgresql:") else sqlite(Path(address, "own", "aeon.db"))
    like = database.run("SELECT * FROM tools WHERE owner_id = 'me' LIMIT 1", {})[0]
    user = f"bare {number} {time.time_ns()}"
    return lambda: database.add(like, user)


def fair(address, number):
    """Writes the same rows, and waits for SQLite's lock as Aeon does."""
    return bare(address, number, FairSqlite)


def main(kind, address, seconds, number):
    add = {"ours": ours, "bare": bare, "fair": fair}[kind](address, number)
    print("ready", flush=True)
    sys.stdin.readline()  # all begin at once
    began, written = time.perf_counter(), 0
    while time.perf_counter() - began < float(seconds):
        add()
        written += 1
    print(json.dumps({"written": written, "seconds": time.perf_counter() - began, "refused": 0}))


if __name__ == "__main__":
    main(*sys.argv[1:])
