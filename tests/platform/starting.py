"""A process that opens a record when it is told to, and creates services of its own, saying when all are acknowledged."""

import sys
from pathlib import Path

from aeon.platform.catalog.model import NewService
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

SERVICE = {"type": "rest_api", "protocol": "http", "connectionSchema": {"type": "object", "required": ["endpoint"]}}


def main(folder, who, count):
    print("ready", flush=True)  # noqa: T201  # to whom started this
    sys.stdin.readline()
    store = new_record(folder)
    catalog = Catalog(store, InMemoryVault())
    catalog.add_user("me")
    for number in range(count):
        catalog.services.add(NewService.parsed({"name": f"{who} {number}", **SERVICE}), MutationRequest("me"))
    print("done", flush=True)  # noqa: T201  # as above
    sys.stdin.readline()
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
