"""The port to an embedding model: texts to vectors whose angles say how close the texts are in meaning."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from aeon.base.errors import LLMRequestError
from aeon.base.json import Json

Vector: TypeAlias = list[float]
"""A vector of length 1; the cosine of two of them is their scalar product."""

_MAX_NAMED = 5


class EmbeddingInputError(LLMRequestError):
    """The texts cannot be embedded."""

    is_wrong_input: ClassVar[bool] = True
    next_step: ClassVar[str] = "Leave empty texts out, and split long ones into parts."


class EmbeddedTexts(NamedTuple):
    """A vector for each text, in order, and the tokens of all texts as the model counts them."""

    vectors: list[Vector]
    tokens: int


class Embedder(ABC):
    """An embedding model. Threads may share it.

    The same text always gets the same vector, alone or among others. Vectors of two models are not comparable: keep
    `model` with every vector.
    """

    @property
    @abstractmethod
    def model(self) -> str:
        """The model's name, which is kept with every vector."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The length of the list of numbers that is a vector. Raises LLMError if the model cannot be asked for it."""

    @property
    @abstractmethod
    def max_tokens(self) -> int | None:
        """The most tokens of a text; None if only the model's server knows."""

    @abstractmethod
    def count_tokens(self, text: str) -> int | None:
        """The tokens of a text, as the model counts them; None if only the model's server knows."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Returns the vectors of the texts.

        Raises EmbeddingInputError for texts that are empty or too long, which are never cut; LLMError if the model
        does not answer; MissingExtraError if a package that it needs is not installed. All say what to do.
        """

    def close(self) -> None:  # noqa: B027  # most embedders hold nothing that must be closed
        """Releases what the embedder holds; it can be used again."""


def require_embeddable(embedder: Embedder, texts: Sequence[str]) -> None:
    """Raises EmbeddingInputError, which names every text that is empty, broken, or longer than the model takes."""
    problems = [
        f"text {number} {problem}" for number, text in enumerate(texts, 1) if (problem := _problem(embedder, text))
    ]
    if problems:
        listed = "; ".join(problems[:_MAX_NAMED])
        more = f"; and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
        raise EmbeddingInputError(f"The texts cannot be embedded: {listed}{more}.", problems=list[Json](problems))


def _problem(embedder: Embedder, text: str) -> str | None:
    if not text:
        return "is empty"
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "contains half of a surrogate pair"
    tokens, limit = embedder.count_tokens(text), embedder.max_tokens
    if tokens is None or limit is None or tokens <= limit:
        return None
    return f"has {tokens:,} tokens, {tokens - limit:,} more than the {limit:,} that {embedder.model} takes"


def unit_vector(values: Sequence[float]) -> Vector | None:
    """Returns the vector of length 1 in the same direction; None for zeros and for numbers that are not finite."""
    try:
        length = math.hypot(*values)
    except OverflowError:  # an integer that no float can be
        return None
    return [value / length for value in values] if length > 0 and math.isfinite(length) else None
