"""Makes the vectors of a user's messages, in the background, newest first; it goes on where it was stopped."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.embedder import Embedder, EmbeddingInputError
from aeon.platform.episodes.forgetting import remove_vectors
from aeon.platform.knowledge import search_queries as queries
from aeon.platform.knowledge.parts import TextSpan, split_text
from aeon.platform.knowledge.vectors import encode_vector, vector_subject
from aeon.platform.store import Row, Store, UnitOfWork

_UNCOUNTED_CHARS: Final = 1_000
"""The most characters of a part where only the model's server counts tokens."""

_MAX_PARTS: Final = 64
"""How many parts of one text get a vector."""


class EmbeddingProgress(NamedTuple):
    """How many of a user's texts have vectors of the model, and how many there are."""

    done: int
    all: int


def text_parts(embedder: Embedder, text: str) -> list[TextSpan]:
    """Return the parts of a text that get vectors, each as long as the model takes."""
    limit = embedder.max_tokens
    if limit is None or embedder.count_tokens("a") is None:
        return split_text(text, len, _UNCOUNTED_CHARS)[:_MAX_PARTS]
    return split_text(text, lambda part: embedder.count_tokens(part) or 0, limit)[:_MAX_PARTS]


class EmbeddingBacklog:
    """The texts that have no vector of the model yet. Thread- and process-safe.

    Every method raises StoreError. Vectors of another model are replaced, so a user may change the model.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder

    def embed_next(self, user: str, limit: int = 32) -> int:
        """Make the vectors of the newest texts without any.

        Returns how many texts got vectors, at most `limit`; 0 means that none is left. A text that the model refuses
        counts, and is found by its words alone. Raises LLMError if the model does not answer.
        """
        rows = self._store.read(queries.WAITING, {"user": user, "model": self._embedder.model, "limit": limit})
        for row in rows:
            self._embed(user, row)
        return len(rows)

    def progress(self, user: str) -> EmbeddingProgress:
        """Return how far a user's texts have vectors."""
        of_user: JsonObject = {"user": user}

        def work(unit: UnitOfWork) -> EmbeddingProgress:
            (embedded,) = unit.read(queries.EMBEDDED, {**of_user, "model": self._embedder.model})
            (embeddable,) = unit.read(queries.EMBEDDABLE, of_user)
            return EmbeddingProgress(embedded["number"], embeddable["number"])

        return self._store.view(work)

    def _embed(self, user: str, row: Row) -> None:
        of_text: JsonObject = {"user": user, "id": row["id"]}
        vectors = list(self._vectors(row["content"]))

        def work(unit: UnitOfWork) -> None:
            remove_vectors(unit, user, row["id"])
            if not (unit.read(queries.LOCKED_MESSAGE, of_text) or unit.read(queries.LOCKED_NOTE, of_text)):
                return  # erased meanwhile
            for part, vector in enumerate(vectors):
                of_part = {"subject": vector_subject(row["id"], part), "model": self._embedder.model, "vector": vector}
                unit.write(queries.ADD_VECTOR, {**of_text, **of_part})

        self._store.update(work)

    def _vectors(self, text: str) -> Iterator[str]:
        """Yield a vector for each part of a text; an empty one for a part that cannot be embedded."""
        for part in text_parts(self._embedder, text):
            try:
                yield encode_vector(self._embedder.embed([part.of(text)]).vectors[0])
            except EmbeddingInputError:
                yield ""
