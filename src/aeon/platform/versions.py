"""Which version of Aeon's structure a graph has, and the way forward from older ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aeon.platform.graph import GraphError, GraphStore, Schema

FIRST: Final = 1

_VERSION: Final = "MATCH (v:AeonVersion {id: 'structure'}) RETURN v.number AS number"
_NOTE_VERSION: Final = """
MERGE (v:AeonVersion {id: 'structure'})
SET v.number = $number
RETURN v
"""
_IS_EMPTY: Final = "MATCH (n) RETURN n LIMIT 1"


@dataclass(frozen=True, slots=True)
class Migration:
    """A step from the version before to `version`. Its queries may be repeated: a crash in their middle begins anew."""

    version: int
    about: str
    queries: tuple[str, ...]


def bring_up_to_date(store: GraphStore, schemas: Sequence[Schema], migrations: Sequence[Migration]) -> int:
    """Have the graph enforce the schemas, after every migration that it has not had; the version that it is at now.

    `migrations` are in order, each one further than the one before, the first to version 2. A graph without a version
    that holds something is at the first. Raises GraphError for one that a newer Aeon has changed, and leaves it alone.
    """
    newest = migrations[-1].version if migrations else FIRST
    current = _version(store, newest)
    if current > newest:
        raise GraphError(
            f"The graph has structure {current}; this Aeon knows {newest} at most. Nothing was changed.",
            next_step="Use the newer Aeon that it was last opened with.",
        )
    for migration in migrations:
        if migration.version > current:
            for query in migration.queries:
                store.write(query)
            store.write(_NOTE_VERSION, {"number": migration.version})
    for schema in schemas:
        store.ensure(schema)
    if current == newest and not store.read(_VERSION):
        store.write(_NOTE_VERSION, {"number": newest})
    return newest


def _version(store: GraphStore, newest: int) -> int:
    found = store.read(_VERSION)
    if found:
        return found[0]["number"]
    return FIRST if store.read(_IS_EMPTY) else newest
