"""The order of what was found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.search.ranking import SIMILARITY_THRESHOLD, SearchDocument, name_similarity, score_bm25


def document(name, body=""):
    return SearchDocument(name.split(), body.split())


def order(asked, *documents):
    """The numbers of the documents that have one of the words, the best first."""
    scores = score_bm25(asked.split(), documents)
    return sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])


def test_the_name_counts_more_than_the_body():
    assert order("weather", document("report", "weather today"), document("weather", "report today")) == [1, 0]


def test_a_rare_word_counts_more_than_a_common_one():
    common = [document("get", "item") for _ in range(5)]
    assert order("get weather", *common, document("weather", "item"))[0] == 5


def test_both_words_are_better_than_one_of_them_twice():
    assert order("get weather", document("get get", "x x"), document("get weather", "x x"))[0] == 1


def test_the_shorter_of_two_is_better():
    assert order("weather", document("weather of a city by day"), document("weather map")) == [1, 0]


def test_the_last_word_may_be_the_beginning_of_one_and_counts_less_then():
    assert order("weath", document("order"), document("weather")) == [1]
    assert order("weather", document("weathers"), document("weather")) == [1, 0]
    assert order("weath map", document("weather"), document("map")) == [1]


def test_nothing_found_has_no_scores():
    assert score_bm25(["weather"], []) == []
    assert score_bm25(["weather"], [SearchDocument([], [])]) == [0]


@given(
    st.lists(st.sampled_from(["ab", "ac", "b", "c", "d"]), min_size=1, unique=True),
    st.lists(st.tuples(*[st.lists(st.sampled_from(["ab", "ac", "b", "c", "d"]))] * 2), max_size=6),
)
def test_who_has_a_word_scores_above_zero_and_nobody_else(asked, texts):
    documents = [SearchDocument(*each) for each in texts]
    for each, score in zip(documents, score_bm25(asked, documents), strict=True):
        found = {*each.name, *each.body}
        has = bool(found & {*asked}) or any(word.startswith(asked[-1]) for word in found)
        assert (score > 0) == has


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("wether", "weather"),
        ("waether", "weather"),
        ("gti", "git"),
        ("weatherforecast", "weather forecast"),
        ("wether", "weather forecast of a city"),
        ("forcast wether", "weather forecast"),
        ("list invoces", "list invoices"),
    ],
)
def test_names_with_typing_errors_are_alike(asked, name):
    assert SIMILARITY_THRESHOLD <= name_similarity(asked.split(), name.split()) < 1


@pytest.mark.parametrize(
    ("asked", "name"), [("weather", "invoice"), ("a", "weather"), ("wether in any order", "weather")]
)
def test_other_names_are_not_alike(asked, name):
    assert name_similarity(asked.split(), name.split()) < SIMILARITY_THRESHOLD


def test_equal_names_are_most_alike_and_further_words_make_it_less():
    assert name_similarity(["weather"], ["weather"]) == 1
    assert name_similarity(["wether"], ["weather"]) > name_similarity(["wether"], ["weather", "map"])
    assert name_similarity([], ["weather"]) == name_similarity(["weather"], []) == 0
