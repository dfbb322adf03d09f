"""No credential in any message."""

import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.adapters.redaction import Secrets

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40)


@given(KEYS, st.text(), st.text())
def test_a_secret_never_shows_in_any_spelling(key, before, after):
    for spelt in (key, json.dumps(key)[1:-1], quote(key, safe="")):
        assert key not in Secrets([key]).hide(before + spelt + after).replace("[hidden]", "")


def test_other_text_is_left_alone():
    assert Secrets(["sk-1234567", "a", ""]).hide("a day at sea") == "a day at sea"


def test_a_secret_inside_a_longer_one():
    assert Secrets(["sk-123456", "sk-123456-long"]).hide("key sk-123456-long.") == "key [hidden]."


def test_its_repr_shows_nothing():
    assert "sk-1234567" not in repr(Secrets(["sk-1234567"]))
