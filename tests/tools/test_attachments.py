"""Attached texts: their parts are the whole text, and a plan gets the text that it was made for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.errors import ToolError
from aeon.tools.attachments import PART_CHARACTERS, Attachments, AttachmentTool, split_text


@given(st.text(), st.integers(1, 50))
def test_the_parts_of_a_text_are_the_text_and_none_is_too_long(text, size):
    parts = split_text(text, size)
    assert "".join(parts) == text
    assert all(len(part) <= size for part in parts)
    assert len(parts) == 1 or all(parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two\n\nthree four", ["one two\n\n", "three four"]),
        ("one two\nthree four", ["one two\n", "three four"]),
        ("one two three four", ["one two ", "three four"]),
        ("onetwothreefour", ["onetwothre", "efour"]),
    ],
)
def test_a_part_ends_at_a_paragraph_a_line_or_a_word(text, parts):
    assert split_text(text, 10) == parts


def read(tool, **changes):
    digest = Attachments({"a": "tea"}).digests["a"]
    return tool.invoke(**{"name": "a", "part": 1, "digest": digest, **changes})


def test_a_part_is_read_by_name_and_digest():
    tool = AttachmentTool(Attachments({"a": "tea"}))
    assert read(tool) == {"text": "tea"}
    for changes, why in [
        ({"name": "b"}, "There is no part 1 of a text 'b'"),
        ({"part": 2}, "There is no part 2"),
        ({"digest": "0" * 16}, "is not the one that the run began with"),
    ]:
        with pytest.raises(ToolError, match=why):
            read(tool, **changes)


def test_no_planner_is_offered_the_tool():
    assert not AttachmentTool(Attachments({"a": "tea"})).suits("read the attachment a")


def test_a_part_fits_into_a_prompt_whole():
    from aeon.llm.material import MAX_MATERIAL

    assert PART_CHARACTERS <= MAX_MATERIAL
