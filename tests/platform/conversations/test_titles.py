"""Titles that a model makes: one short line without Markdown, quotes and controls, whatever the model replies."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.conversations.model import ConversationChange
from aeon.platform.conversations.titles import MAX_TITLE, title_from

ANY = st.text(alphabet=st.characters(exclude_categories=[]), max_size=200)


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ('"Flour for twelve guests."', "Flour for twelve guests"),
        ("**Title:** Flour for guests", "Flour for guests"),
        ("# Mehl f\u00fcr G\u00e4ste\n\nMore.", "Mehl f\u00fcr G\u00e4ste"),
        ("\n  - \u201eMehl\u201c\n", "Mehl"),
        ("red\u202eevil\x1b[31m\x07", "redevil 31m"),
        ("\u300c\u6771\u4eac\u306e\u5929\u6c17\u300d", "\u6771\u4eac\u306e\u5929\u6c17"),
        ("Is it raining?", "Is it raining?"),
        ("word " * 40, "word word word word word word word word word word word word"),
        ("...", None),
        ("", None),
    ],
)
def test_a_title_is_one_short_line(reply, title):
    assert title_from(reply) == title


@given(ANY)
def test_every_title_is_one_that_the_record_takes(reply):
    title = title_from(reply)
    if title is not None:
        assert ConversationChange(title=title).title == title
        assert len(title) <= MAX_TITLE
        assert all(unicodedata.category(each)[0] != "C" for each in title)
        assert title_from(title) in {title, None} or len(title_from(title)) <= len(title)
