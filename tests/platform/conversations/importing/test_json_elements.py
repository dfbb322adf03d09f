"""Splitting a stream of JSON into the objects of its list."""

import json

from hypothesis import given
from hypothesis import strategies as st

from aeon.platform.conversations.importing.json_elements import CUT_OFF, ENDS_EARLY, NO_OBJECT, split_elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=3), max_size=5)


def split(text, size=3, limit=10_000):
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    return [each.text if each.text is not None else each.problem for each in split_elements(chunks, limit)]


@given(OBJECTS, st.integers(1, 50), st.sampled_from([None, 2]), st.booleans())
def test_the_objects_of_a_list_come_out_wherever_the_stream_is_cut(objects, size, indent, ascii_only):
    text = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    assert [json.loads(each) for each in split(text, size)] == objects


@given(OBJECTS, st.integers(1, 50))
def test_objects_that_follow_each_other_come_out_like_those_of_a_list(objects, size):
    text = "\n".join(map(json.dumps, objects))
    assert [json.loads(each) for each in split(text, size)] == objects


@given(OBJECTS.filter(bool), st.data())
def test_what_is_whole_before_a_cut_comes_out_and_the_cut_is_said(objects, data):
    text = json.dumps(objects)
    cut = data.draw(st.integers(1, len(text) - 1))
    *whole, last = split(text[:cut])
    assert [json.loads(each) for each in whole] == objects[: len(whole)]
    assert last in {CUT_OFF, ENDS_EARLY}


@given(st.text(alphabet='[]{}",\\ ax1', max_size=60), st.integers(1, 9))
def test_any_text_comes_to_an_end_whatever_is_in_it(text, size):
    split(text, size)


def test_a_value_that_is_not_json_harms_no_other():
    assert split('[{"a": 1}, {"a": nope}, 17, "text", [1], {"b": 2}]') == [
        '{"a": 1}',
        '{"a": nope}',
        NO_OBJECT,
        "[1]",
        '{"b": 2}',
    ]


def test_an_object_that_is_too_long_is_left_out_and_the_next_one_comes():
    assert split('[{"a": "' + "x" * 500 + '"}, {"b": 2}]', limit=100) == [
        "it has more than 100 characters",
        '{"b": 2}',
    ]
