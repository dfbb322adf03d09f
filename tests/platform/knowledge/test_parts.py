"""Parts of a text are together the text, and each fits."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.parts import TextSpan, split_text


def test_a_text_is_split_at_the_ends_of_sentences():
    text = "One two. Three four! Five?\nSix seven eight nine."
    parts = [part.of(text) for part in split_text(text, lambda part: len(part.split()), 4)]
    assert parts == ["One two. Three four! ", "Five?\n", "Six seven eight nine."]


def test_a_text_that_fits_is_one_part():
    assert split_text("", len, 10) == [TextSpan(0, 0)]
    assert split_text("One. Two.", len, 10) == [TextSpan(0, 9)]


def test_a_sentence_that_is_too_long_is_cut_between_words():
    text = "one two three four five six seven eight"
    assert [part.of(text) for part in split_text(text, len, 20)] == ["one two three four ", "five six seven eight"]


@given(st.text(alphabet=st.sampled_from("ab .!?\n。é"), max_size=300), st.integers(1, 40))
def test_parts_are_together_the_text_and_each_fits(text, limit):
    parts = split_text(text, len, limit)
    assert "".join(part.of(text) for part in parts) == text
    assert all(part.end - part.start <= limit for part in parts)
