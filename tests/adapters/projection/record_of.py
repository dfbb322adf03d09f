"""The record that a process of the tests is told of: a folder, or the address of one in PostgreSQL."""

from pathlib import Path

from aeon.adapters.store.postgresql import open_postgresql
from aeon.testing.records import new_record


def record_of(place):
    return open_postgresql(place) if place.startswith("postgresql:") else new_record(Path(place))
