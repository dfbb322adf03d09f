"""A process that writes to a record in PostgreSQL: `postgres_writer.py ADDRESS NAME COUNT`, the password on stdin.

Each unit of work adds a request with its own key and counts it. It says each key once that is acknowledged, and waits
for a line on stdin after the first.
"""

import sys
import time

from aeon.adapters.store.postgresql import open_postgresql
from aeon.platform.store import StoreUnavailableError
from aeon.testing.store.rows import insertion, row_of
from aeon.testing.store.units_of_work import ADD, ADD_ONE

HAS = "SELECT id FROM requests WHERE id = :id"
WAITS = 60
COUNTER = {"name": "counter"}


def make_counter(store):
    store.update(lambda unit: unit.write(ADD, {**COUNTER, "position": 0}))


def write_all(store, keys, acknowledged, failed=lambda _error: None):
    """Write each of the keys once, again and again while the server is away; tell of successes and failures."""
    for key in keys:
        end = time.monotonic() + WAITS
        while True:
            try:
                store.update(lambda unit, key=key: write_once(unit, key))
                break
            except StoreUnavailableError as error:
                failed(error)
                if time.monotonic() > end:
                    raise
        acknowledged(key)


def write_once(unit, key):
    """Add a request and count it, unless an earlier try did so."""
    if not unit.read(HAS, {"id": key}):
        row = row_of("requests", id=key)
        unit.write(insertion("requests", row), row)
        unit.write(ADD_ONE, COUNTER)


def main():
    address, name, count = sys.argv[1:]
    store = open_postgresql(address, sys.stdin.readline().removesuffix("\n"))

    def say(key):
        print(key, flush=True)  # noqa: T201  # heard by the test that started it

    def complain(error):
        print(error, file=sys.stderr, flush=True)  # noqa: T201  # as above

    keys = [f"{name}-{number}" for number in range(int(count))]
    write_all(store, keys[:1], say)
    sys.stdin.readline()
    write_all(store, keys[1:], say, complain)
    store.close()


if __name__ == "__main__":
    main()
