"""A process that creates services for ever, saying each that was acknowledged: to be killed at any moment."""

import sys
from itertools import count
from pathlib import Path

from aeon.platform.catalog.model import NewService
from aeon.platform.catalog.service import Catalog
from aeon.platform.ledger import MutationRequest
from aeon.platform.store import StoreUnavailableError
from aeon.testing.records import new_record
from aeon.testing.vault import InMemoryVault

SCHEMA = {"type": "object", "required": ["endpoint"]}


def main(folder: Path, first: int) -> None:
    catalog = Catalog(new_record(folder), InMemoryVault())
    catalog.add_user("me")
    for number in count(first):
        name = f"service {number}"
        new = NewService.parsed({"name": name, "type": "rest_api", "protocol": "http", "connectionSchema": SCHEMA})
        while True:
            try:
                catalog.services.add(new, MutationRequest("me", f"key {number}"))
                break
            except StoreUnavailableError:
                continue  # with the same key, so that what did happen does not happen twice
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
