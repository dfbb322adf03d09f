"""Texts as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.search.tokenizer import MAX_WORD_CHARS, folding_table, tokenize, trigrams


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Weather forecast", ["weather", "forecast"]),
        ("get_weather(v2.0), PLEASE!", ["get", "weather", "v2", "0", "please"]),
        ("Äpfel naïve Łódź Smørrebrød", ["apfel", "naive", "lodz", "smorrebrod"]),
        ("A\u0308pfel", ["apfel"]),
        ("Straße STRASSE", ["straße", "strasse"]),
        ("Погода ПОГОДА Ёлка", ["погода", "погода", "елка"]),
        ("ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]),
        ("हिन्दी 天気 🚀", ["हिन्दी", "天気", "🚀"]),
        ("ＷＥＡＴＨＥＲ　１", ["weather", "1"]),  # noqa: RUF001  # letters of full width
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
        ("half \ud800 pair, nul \0 and\nlines", ["half", "pair", "nul", "and", "lines"]),
        ("\" ' ( ) * NEAR", ["near"]),
        ("...", []),
        ("", []),
    ],
)
def test_a_text_has_its_words_small_and_without_accents(text, expected):
    assert tokenize(text) == expected


def test_of_a_long_word_the_beginning_counts():
    assert tokenize("x" * 1000) == ["x" * MAX_WORD_CHARS]


@given(st.text())
def test_every_text_has_words_which_stay_the_same(text):
    found = tokenize(text)
    assert all(found)
    assert tokenize(" ".join(found)) == found


def test_what_a_character_becomes_changes_no_further():
    assert not [each for each in folding_table().values() if each.strip(" ") and ord(each) in folding_table()]


def test_trigrams_tell_where_a_word_begins_and_ends():
    assert trigrams(["abc"]) == ["  a", " ab", "abc", "bc "]
    assert trigrams(["ab", "x"]) == ["  a", " ab", "ab ", "b  ", "  x", " x "]
    assert trigrams([]) == []
