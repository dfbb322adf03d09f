"""An embedding model for tests: a hash of each word, so that texts with common words are close.

embedder = HashEmbedder()
vectors = embedder.embed(["the train", "a train"]).vectors
"""

import hashlib
import re
from collections.abc import Sequence

from aeon.platform.embedder import EmbeddedTexts, Embedder, Vector, require_embeddable, unit_vector

_WORDS = re.compile(r"\w+|\S")


class HashEmbedder(Embedder):
    """Adds up a direction for each word, chosen by its hash; a text without words has one of its own.

    Deterministic on every machine. A token is a word or a sign. `requests` records what was asked, in order.
    """

    def __init__(self, dimensions: int = 64, max_tokens: int = 256, model: str = "hash") -> None:
        self.requests: list[list[str]] = []
        self._dimensions = dimensions
        self._max_tokens = max_tokens
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        return len(_WORDS.findall(text))

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        require_embeddable(self, texts)
        self.requests.append([*texts])
        return EmbeddedTexts([self._vector(text) for text in texts], sum(map(self.count_tokens, texts)))

    def _vector(self, text: str) -> Vector:
        words = [word.casefold() for word in _WORDS.findall(text)] or [""]
        directions = [self._direction(word) for word in words]
        vector = unit_vector([sum(values) for values in zip(*directions, strict=True)])
        return vector if vector is not None else directions[0]

    def _direction(self, word: str) -> Vector:
        content = hashlib.shake_256(word.encode()).digest(self._dimensions)
        # Half numbers, so that no byte is zero and no direction has the length 0.
        return unit_vector([byte - 127.5 for byte in content]) or []
