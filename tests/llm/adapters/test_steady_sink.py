"""Streaming across retries: nothing twice, nothing taken back."""

from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.adapters.wire_adapter import DeduplicatingSink

PIECES = st.lists(st.text("ab", max_size=3), max_size=8)


def shown(*attempts):
    seen = []
    sink = DeduplicatingSink(seen.append)
    for attempt in attempts:
        sink.begin_attempt()
        for piece in attempt:
            sink(piece)
    assert "" not in seen
    return "".join(seen)


def test_a_retry_goes_on_where_the_sink_stands():
    assert shown(["hel", "lo"], ["he", "l", "lo the", "re"]) == "hello there"


def test_a_retry_that_says_something_else_is_not_shown():
    assert shown(["hel"], ["hi", " there"]) == "hel"


def test_a_third_attempt_may_agree_again():
    assert shown(["hel"], ["hi"], ["hello"]) == "hello"


@given(PIECES)
def test_one_attempt_shows_everything(pieces):
    assert shown(pieces) == "".join(pieces)


@given(st.lists(PIECES, min_size=1, max_size=4))
def test_what_is_shown_always_belongs_to_one_of_the_attempts(attempts):
    seen = shown(*attempts)
    assert any("".join(attempt).startswith(seen) for attempt in attempts)


@given(PIECES, st.integers(0, 8))
def test_an_attempt_that_was_cut_and_repeated_shows_the_answer_once(pieces, cut):
    assert shown(pieces[:cut], pieces) == "".join(pieces)
