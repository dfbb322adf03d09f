"""The vectors of what one user can see, in memory: read from the record as they are made there."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.embedder import Embedder
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.user_index import UserIndex
from aeon.platform.knowledge.vectors import VectorMatrix, part_order
from aeon.platform.store import UnitOfWork

_AT_ONCE: Final = 1_000

_ALWAYS: Final = 64
"""Of how many messages without vectors, the newest, vectors are looked for when their number is the same as before."""


class UserVectors:
    """The vectors that the model of an embedder has made of one user's messages and notes. Not thread-safe."""

    def __init__(self, user: str, embedder: Embedder) -> None:
        self.matrix = VectorMatrix(embedder.dimensions)
        self._of_model: JsonObject = {"user": user, "model": embedder.model}
        self._number = self._changes = 0

    def refresh(self, unit: UnitOfWork, index: UserIndex) -> None:
        """Forget the vectors of what is no longer in the index, and read those that were made since."""
        messages = index.numbers
        if index.changes != self._changes:
            self._changes = index.changes
            for gone in [message for message in self.matrix.messages() if message not in messages]:
                self.matrix.remove(gone)
        if len(self.matrix) == len(messages):
            return
        missing = [message for message in messages if message not in self.matrix]
        (row,) = unit.read(queries.NUMBER_OF_VECTORS, self._of_model)
        if row["number"] == self._number:
            missing = missing[-_ALWAYS:]
        self._number = row["number"]
        for first in range(0, len(missing), _AT_ONCE):
            self._read(unit, list(islice(missing, first, first + _AT_ONCE)))

    def _read(self, unit: UnitOfWork, messages: Sequence[Json]) -> None:
        found: dict[str, dict[str, str]] = {}
        for row in unit.read(queries.VECTORS, {**self._of_model, "ids": [*messages]}):
            found.setdefault(row["id"], {})[row["subject"]] = row["vector"]
        for message, vectors in found.items():
            self.matrix.add(message, part_order(vectors))
