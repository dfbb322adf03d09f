"""Which record this is: what others keep for it can say whose it is."""

from aeon.platform import queries
from aeon.platform.store import Store


def mark_of(store: Store) -> str:
    """The record's id, the same for all that open it, and with it wherever it is moved. Raises StoreError."""
    (row,) = store.read(queries.RECORD_ID)
    return row["id"]
