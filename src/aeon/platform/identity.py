"""Which graph this is: what others keep for it can say whose it is."""

from uuid import uuid4

from aeon.platform import queries
from aeon.platform.graph import GraphStore


def mark_of(store: GraphStore) -> str:
    """Its id: made once, the same for all that open the graph, and with it wherever it is moved. Raises GraphError."""
    store.ensure(queries.SCHEMA)
    (row,) = store.write(queries.MARK, {"new": str(uuid4())})
    return row["id"]
