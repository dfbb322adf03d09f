"""The conformance suite of embedding models: subclass `EmbedderConformance`, build your embedder, run pytest.

class TestMyEmbedder(EmbedderConformance):
    def embedder(self):
        return MyEmbedder(...)
"""

import math
import threading

import pytest

from aeon.base.errors import LLMError
from aeon.platform.embedder import EmbeddedTexts, Embedder, EmbeddingInputError, Vector

_TEXTS = ("The train leaves at noon.", "Der Zug fährt um zwölf.", "列車は正午に出ます。", "🐉", " ", "a\x00b\u200b\nc")
_CLOSE = 1e-4
"""A server may compute a batch in another order; its vectors then differ by rounding."""

_THREADS = 4


class EmbedderConformance:
    """The contract of `Embedder`."""

    def embedder(self) -> Embedder:
        """Returns the embedder under test."""
        raise NotImplementedError

    def failing_embedder(self) -> Embedder | None:
        """Returns the embedder with a model that never answers, or None if that is not possible."""
        return None

    def test_it_has_a_name_and_dimensions(self) -> None:
        embedder = self.embedder()
        assert embedder.model
        assert embedder.dimensions > 0
        assert embedder.max_tokens is None or embedder.max_tokens > 0

    def test_each_text_has_a_vector_of_length_1(self) -> None:
        embedder = self.embedder()
        embedded = embedder.embed(_TEXTS)
        assert len(embedded.vectors) == len(_TEXTS)
        assert {len(vector) for vector in embedded.vectors} == {embedder.dimensions}
        assert all(abs(math.hypot(*vector) - 1) < _CLOSE for vector in embedded.vectors)
        assert all(type(value) is float for vector in embedded.vectors for value in vector)

    def test_a_text_has_the_same_vector_alone_and_among_others(self) -> None:
        embedder = self.embedder()
        together = embedder.embed(_TEXTS).vectors
        alone = [embedder.embed([text]).vectors[0] for text in _TEXTS]
        assert all(_distance(one, other) < _CLOSE for one, other in zip(alone, together, strict=True))

    def test_a_text_is_closest_to_itself(self) -> None:
        first, second, third = self.embedder().embed([_TEXTS[0], _TEXTS[3], _TEXTS[0]]).vectors
        assert _distance(first, third) < _distance(first, second)

    def test_tokens_are_counted(self) -> None:
        embedder = self.embedder()
        counts = [embedder.count_tokens(text) for text in _TEXTS]
        known = [count for count in counts if count is not None]
        assert len(known) in {0, len(_TEXTS)}
        assert not known or embedder.embed(_TEXTS).tokens == sum(known)

    def test_no_texts_have_no_vectors(self) -> None:
        assert self.embedder().embed([]) == EmbeddedTexts([], 0)

    @pytest.mark.parametrize("text", ["", "half a pair: \ud83d"])
    def test_what_is_not_a_text_is_refused_by_its_number(self, text: str) -> None:
        with pytest.raises(EmbeddingInputError, match="text 2 ") as raised:
            self.embedder().embed([_TEXTS[0], text])
        assert raised.value.advice

    def test_a_long_text_is_refused_and_not_cut(self) -> None:
        embedder = self.embedder()
        if embedder.max_tokens is None:
            pytest.skip("only the model's server knows its limit")
        with pytest.raises(EmbeddingInputError, match=f"more than the {embedder.max_tokens:,} that"):
            embedder.embed(["train " * (embedder.max_tokens + 1)])

    def test_threads_may_share_it(self) -> None:
        embedder = self.embedder()
        found: list[Vector] = []
        threads = [
            threading.Thread(target=lambda: found.extend(embedder.embed([_TEXTS[0]]).vectors)) for _ in range(_THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == _THREADS
        assert all(_distance(found[0], each) < _CLOSE for each in found)

    def test_it_can_be_used_after_it_was_closed(self) -> None:
        embedder = self.embedder()
        before = embedder.embed([_TEXTS[0]]).vectors[0]
        embedder.close()
        assert _distance(before, embedder.embed([_TEXTS[0]]).vectors[0]) < _CLOSE

    def test_a_failure_is_an_llm_error_with_advice(self) -> None:
        embedder = self.failing_embedder()
        if embedder is None:
            pytest.skip("this embedder cannot be made to fail")
        with pytest.raises(LLMError) as raised:
            embedder.embed(["x"])
        assert raised.value.message
        assert raised.value.advice


def _distance(one: Vector, other: Vector) -> float:
    return math.dist(one, other)
