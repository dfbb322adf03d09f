"""Words are the same in the forms of English, and common words of a question do not count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.knowledge.stems import question_stems, stem_of, text_stems


@pytest.mark.parametrize(
    "forms",
    [
        ("paint", "paints", "painted", "painting"),
        ("stop", "stops", "stopped", "stopping"),
        ("move", "moved", "moving", "moves"),
        ("story", "stories"),
        ("box", "boxes"),
        ("class", "classes"),
        ("quick", "quickly"),
        ("carry", "carried", "carries"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms):
    assert len({stem_of(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["sing", "red", "bus", "this", "fly", "東京", "grun"])
def test_words_without_an_ending_stay_as_they_are(word):
    assert stem_of(word) in {word, "fli"}


def test_common_words_count_only_alone():
    assert question_stems("Where did Mara go?") == ["mara", "go"]
    assert question_stems("Wo ist meine Uhr?") == ["uhr"]
    assert question_stems("Who is who?") == ["who", "is"]
    assert question_stems("war and peace, son") == ["war", "peac", "son"]


@given(st.text(max_size=200))
def test_each_stem_of_a_question_is_one_of_the_text(text):
    stems = question_stems(text)
    assert len(stems) == len(set(stems)) <= 64
    assert set(stems) <= set(text_stems(text))
