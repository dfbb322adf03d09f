"""The conformance suite of embedding models, run against those that need no server."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.adapters.embeddings.minilm import MiniLMEmbedder
from aeon.base.errors import LLMError
from aeon.platform.embedder import EmbeddingInputError, unit_vector
from aeon.testing.embedder_conformance import EmbedderConformance
from aeon.testing.embedding import HashEmbedder

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


class TestHash(EmbedderConformance):
    def embedder(self):
        return HashEmbedder()


class TestMiniLM(EmbedderConformance):
    loaded = MiniLMEmbedder()

    def embedder(self):
        return self.loaded

    def failing_embedder(self):
        return MiniLMEmbedder(Path("no-such-folder/model.onnx"))


@pytest.mark.parametrize("embedder", [HashEmbedder(), TestMiniLM.loaded], ids=["hash", "minilm"])
@settings(deadline=None, max_examples=25)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_any_texts_have_vectors_of_length_1_that_do_not_depend_on_the_texts_beside_them(embedder, texts):
    vectors = embedder.embed(texts).vectors
    assert all(abs(math.hypot(*each) - 1) < 1e-9 for each in vectors)
    assert vectors == [embedder.embed([text]).vectors[0] for text in texts]


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=8))
def test_a_unit_vector_has_length_1_or_is_none(values):
    vector = unit_vector(values)
    if vector is None:
        assert not any(values) or not all(map(math.isfinite, values))
    else:
        assert math.isclose(math.hypot(*vector), 1)


def test_every_text_that_cannot_be_embedded_is_named_and_by_how_much_it_is_too_long():
    with pytest.raises(EmbeddingInputError) as raised:
        HashEmbedder(max_tokens=3).embed(["one two", "", "one two three four five"])
    assert raised.value.message == (
        "The texts cannot be embedded: text 2 is empty; text 3 has 5 tokens, 2 more than the 3 that hash takes."
    )


def test_of_many_texts_that_cannot_be_embedded_some_are_named():
    with pytest.raises(EmbeddingInputError, match="text 5 is empty; and 15 more"):
        HashEmbedder().embed([""] * 20)


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path):
    file = tmp_path / "model.onnx"
    file.write_bytes(b"something else")
    with pytest.raises(LLMError, match="does not have the weights of all-MiniLM-L6-v2-onnx-int8"):
        MiniLMEmbedder(file).embed(["x"])
