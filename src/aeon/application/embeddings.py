"""`EmbeddingService`: texts to vectors, by the embedding model of the settings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aeon.platform.embedder import EmbeddedTexts, Vector, require_embeddable

if TYPE_CHECKING:
    from aeon.platform.embedder import Embedder

__all__ = ["EmbeddedTexts", "EmbeddingService", "Vector"]


class EmbeddingService:
    """The embedding model of a project. Its vectors belong to nobody: nothing is kept."""

    def __init__(self, embedder: "Embedder") -> None:
        """The caller closes `embedder`."""
        self._embedder = embedder

    @property
    def model(self) -> str:
        """The model's name; vectors of two models are not comparable."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """The length of a vector. Raises LLMError."""
        return self._embedder.dimensions

    def check(self, texts: Sequence[str]) -> None:
        """Raise EmbeddingInputError, which names every text that is empty or longer than the model takes."""
        require_embeddable(self._embedder, texts)

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Return the vectors of texts. Raises EmbeddingInputError, LLMError, MissingExtraError."""
        return self._embedder.embed(texts)
