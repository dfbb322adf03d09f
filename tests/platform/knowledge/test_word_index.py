"""The index of words gives the scores that its passages have, whatever was added and removed before."""

import random
from collections import Counter

import pytest

from aeon.platform.knowledge import word_index
from aeon.platform.knowledge.word_index import WordIndex


def bag(text):
    return Counter(text.split())


def test_rare_words_count_more_and_more_words_count_more():
    index = WordIndex()
    numbers = [index.add(bag(text), bag(text)) for text in ("a b", "a c", "a d", "a b b")]
    scores = index.scores(["a", "b"])
    assert set(scores) == set(numbers)
    assert scores[numbers[3]] > scores[numbers[0]] > scores[numbers[1]] == scores[numbers[2]]
    assert 0 < max(scores.values()) < 1


def test_a_words_own_occurrence_counts_more_than_a_neighbours():
    index = WordIndex()
    own, near = index.add(bag("a x"), bag("a a x y")), index.add(bag("y z"), bag("a a y z"))
    scores = index.scores(["a"])
    assert scores[own] > scores[near] > 0


def test_a_word_that_nobody_said_lowers_the_scores_of_the_others():
    index = WordIndex()
    number = index.add(bag("a b"), bag("a b"))
    assert index.scores(["a"])[number] > index.scores(["a", "z"])[number]
    assert index.scores(["z"]) == {}
    assert index.scores([]) == {}
    assert WordIndex().scores(["a"]) == {}


def test_an_index_from_which_much_was_removed_is_as_if_it_had_never_been_there():
    chance = random.Random(3)
    texts = [" ".join(chance.choices("abcdefgh", k=chance.randint(1, 9))) for _ in range(2_000)]
    index, kept = WordIndex(), WordIndex()
    numbers = [index.add(bag(text), bag(text)) for text in texts]
    for number in numbers[:1_500]:
        index.remove(number)
    for text in texts[1_500:]:
        kept.add(bag(text), bag(text))
    for stems in (["a"], ["b", "c"], list("adgz")):
        expected = kept.scores(stems)
        found = index.scores(stems)
        assert {number - 1_500: pytest.approx(score) for number, score in found.items()} == expected


def test_of_many_occurrences_those_of_the_rarest_words_are_ranked(monkeypatch):
    monkeypatch.setattr(word_index, "_MAX_POSTINGS", 5)
    index = WordIndex()
    for number in range(10):
        index.add(bag("often"), bag("often"))
        if number == 3:
            index.add(bag("rare often"), bag("rare often"))
    assert len(index.scores(["often", "rare"])) == 1
    assert len(index.scores(["often"])) == 11
