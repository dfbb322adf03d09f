"""Server-sent events from bytes, however they are cut."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.adapters.wire import ServerEvent, parse_events
from aeon.llm.retry import AttemptFailed

STREAM = (
    ': a comment\r\n\r\nevent: start\r\ndata: {"a": 1}\r\n\r\ndata:one\ndata: two ü\n\nid: 7\nretry: 5\n\ndata\n\n'
    "data: never closed\n"
).encode()
EVENTS = [ServerEvent("start", '{"a": 1}'), ServerEvent("message", "one\ntwo ü"), ServerEvent("message", "")]


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_the_cut_of_the_bytes_does_not_matter(cuts):
    edges = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(edges)]
    assert list(parse_events(chunks)) == EVENTS


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_any_bytes_are_events_or_a_failed_attempt(chunks):
    with suppress(AttemptFailed):
        assert all(isinstance(event, ServerEvent) for event in parse_events(chunks))


def test_a_long_line_costs_its_length():
    piece = b"x" * 1000
    (event,) = parse_events([b"data: ", *[piece] * 5000, b"\n\n"])
    assert len(event.data) == 5_000_000


def test_bytes_that_are_no_utf_8():
    with pytest.raises(AttemptFailed, match="UTF-8"):
        list(parse_events([b"data: \xff\n\n"]))
