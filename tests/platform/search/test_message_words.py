"""The words of messages, of queries, and the part of a message that a hit shows. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.search.message_postings import SEGMENT, Postings, row_without, segment_rows
from aeon.platform.search.message_words import QueryWord, message_words, parse_query
from aeon.platform.search.snippets import snippet_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Grüße aus Köln!", ["grusse", "aus", "koln"]),
        ("GRU\u0308SSE", ["grusse"]),
        ("東京都の天気", ["東京", "京都", "都の", "の天", "天気", "気"]),
        ("iPhone用ケース", ["iphone", "用ケ", "ケー", "ース", "ス"]),
        ("か\u3099", ["が"]),
        ("a-b c++ \0 \ud83d 🍎", ["a", "b", "c", "🍎"]),
        ("", []),
    ],
)
def test_a_text_has_words_in_every_script(text, words):
    assert list(message_words(text)) == words


def test_a_query_has_distinct_words_and_the_last_may_go_on():
    assert parse_query("the flour the flou").words == (QueryWord("the"), QueryWord("flour"), QueryWord("flou", 0.5))
    assert parse_query("be").words == (QueryWord("be", 0.5),)
    assert parse_query("to be").words == (QueryWord("to"), QueryWord("be"))
    assert parse_query("어디 서울").words == (QueryWord("어디"), QueryWord("서울", 0.5))
    assert parse_query("東京都").words == (QueryWord("東京"), QueryWord("京都"))
    assert parse_query("京").words == (QueryWord("京", 1),)
    assert len(parse_query(" ".join(f"word{n}" for n in range(1000))).words) == 32
    assert parse_query("x " * 1_000_000).words == (QueryWord("x"),)


def marked(content, query):
    snippet = snippet_of(content, parse_query(query))
    return [snippet.text[start:end] for start, end in snippet.marks]


@pytest.mark.parametrize(
    ("content", "query", "found"),
    [
        ("500 g of flour for 4 guests", "Guests FLOUR", ["flour", "guests"]),
        ("Straßen und STRASSE", "strasse", ["Straßen", "STRASSE"]),
        ("Ko\u0308ln, Köln, koln, kölsch", "köln", ["Köln", "Köln", "koln"]),
        ("floury, flour, preflour", "flour", ["floury", "flour"]),
        ("flour floury", "flour x", ["flour"]),
        ("明日の東京都の天気は?", "東京都 天気", ["東京都", "天気"]),
        ("京都と東京", "京", ["京", "京"]),
        ("a.b*c (d", "b* (d", ["b", "d"]),
        ("nothing here", "else", []),
    ],
)
def test_a_snippet_marks_what_was_found(content, query, found):
    assert marked(content, query) == found


def test_a_snippet_is_the_place_with_the_most_words_on_one_line():
    content = f"flour {'x ' * 500}\nflour for\n12 guests {'y ' * 500}"
    snippet = snippet_of(content, parse_query("flour guests"))
    assert "flour for 12 guests" in snippet.text
    assert (snippet.text[0], snippet.text[-1]) == ("…", "…")
    assert len(snippet.text) == 162
    assert "\n" not in snippet.text


@given(st.text(), st.text())
def test_the_marks_of_any_text_are_inside_the_snippet_and_in_order(content, query):
    snippet = snippet_of(content.encode(errors="replace").decode(), parse_query(query))
    places = [place for mark in snippet.marks for place in mark]
    assert places == sorted(places)
    assert all(0 <= place <= len(snippet.text) for place in places)
    assert all(start < end for start, end in snippet.marks)


@given(st.text())
def test_every_text_with_words_is_marked_by_its_own_words(text):
    content = text.encode(errors="replace").decode()
    words = list(message_words(content))
    snippet = snippet_of(content, parse_query(content))
    assert bool(snippet.marks) == bool(words)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), min_size=1), min_size=2, max_size=SEGMENT))
def test_a_segment_without_a_document_is_the_segment_of_the_others(documents):
    whole = dict(enumerate(documents, SEGMENT + 1))
    left = {term: row_without(term, row, SEGMENT + 1) for term, row in segment_rows(whole)}
    del whole[SEGMENT + 1]
    assert {term: row for term, row in left.items() if row} == dict(segment_rows(whole))


@given(st.lists(st.dictionaries(st.sampled_from(["a", "ab", "b"]), st.integers(1, 9)), min_size=1, max_size=SEGMENT))
def test_documents_rank_alike_whether_they_wait_or_are_in_a_segment(documents):
    words, numbered = parse_query("b a").words, dict(enumerate(documents, 1))
    closed = Postings(words, {})
    for term, row in segment_rows(numbered):
        if term in ("", "a", "b"):
            closed.add({"segment": 0, "term": term, "postings": row})
    there = {number: counts for number, counts in numbered.items() if counts}
    assert closed.scores() == Postings(words, there).scores()
    assert closed.scores(set(there)) == closed.scores()
