"""Where a text is in the whole record."""

from aeon.testing.store.rows import ROWS

_SEARCH = {
    "pieces": ("alternative_id", "text"),
    "search_message_documents": ("conversation_id", "alternative_id"),
    "search_message_words": ("words",),
    "search_message_terms": ("term", "postings"),
    "requests": ("id", "body", "answer"),
}


def places_of(store, text):
    """The columns of the whole record that have a text."""
    tables = {table: tuple(row) for table, row in ROWS.items()} | _SEARCH
    return {
        f"{table}.{column}"
        for table, columns in tables.items()
        for column in columns
        for row in store.read(f"SELECT CAST({column} AS text) AS said FROM {table}")
        if text in (row["said"] or "")
    }
