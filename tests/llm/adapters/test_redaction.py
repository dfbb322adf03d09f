"""No credential in any message."""

import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from aeon.llm.adapters.model_server import Redactor

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40)


@given(KEYS, st.text(), st.text())
def test_a_secret_never_shows_in_any_spelling(key, before, after):
    for spelt in (key, json.dumps(key)[1:-1], quote(key, safe="")):
        assert key not in Redactor([key]).redact(before + spelt + after).replace("[hidden]", "")


def test_other_text_is_left_alone():
    assert Redactor(["sk-1234567", "a", ""]).redact("a day at sea") == "a day at sea"


def test_a_secret_inside_a_longer_one():
    assert Redactor(["sk-123456", "sk-123456-long"]).redact("key sk-123456-long.") == "key [hidden]."


def test_its_repr_shows_nothing():
    assert "sk-1234567" not in repr(Redactor(["sk-1234567"]))
