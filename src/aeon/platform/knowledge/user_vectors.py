"""The vectors of what one user can see, in memory: read from the record as they are made there."""

from collections.abc import Sequence
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.user_index import UserIndex
from aeon.platform.knowledge.vectors import VectorMatrix, part_order
from aeon.platform.store import UnitOfWork

_AT_ONCE: Final = 1_000

_PROBED: Final = 64
"""How many of the messages without vectors, the newest in the index, are looked for by each search.

Where one of them has got its vector, or the index has changed, all are looked for.
"""


class UserVectors:
    """The vectors that the model of an embedder has made of one user's messages and notes. Not thread-safe."""

    def __init__(self, user: str, embedder: Embedder) -> None:
        self.matrix = VectorMatrix(embedder.dimensions)
        self._of_model: JsonObject = {"user": user, "model": embedder.model}
        self._missing: list[str] = []
        self._changes = 0

    def refresh(self, unit: UnitOfWork, index: UserIndex) -> None:
        """Forget the vectors of what has left the index, and read those that were made since."""
        has_changed = index.changes != self._changes
        if has_changed:
            self._changes = index.changes
            for gone in [message for message in self.matrix.messages() if message not in index.numbers]:
                self.matrix.remove(gone)
            self._missing = [message for message in index.numbers if message not in self.matrix]
        if has_changed or self._read(unit, self._missing[-_PROBED:]):
            for first in range(0, len(self._missing), _AT_ONCE):
                self._read(unit, self._missing[first : first + _AT_ONCE])
            self._missing = [message for message in self._missing if message not in self.matrix]

    def _read(self, unit: UnitOfWork, messages: Sequence[str]) -> bool:
        """Read the vectors of messages that have none here; return whether one has got any."""
        ids: list[Json] = [message for message in messages if message not in self.matrix]
        found: dict[str, dict[str, str]] = {}
        for row in unit.read(queries.VECTORS, {**self._of_model, "ids": ids}) if ids else []:
            found.setdefault(row["id"], {})[row["subject"]] = row["vector"]
        for message, vectors in found.items():
            self.matrix.add(message, part_order(vectors))
        return bool(found)
