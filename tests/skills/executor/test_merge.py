"""JSON Merge Patch (skills 6, RFC 7396)."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.base.json import MAX_DEPTH
from aeon.skills.executor.state_patches import MergeDepthError, apply_patches, merge_patch

APPENDIX_A = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


def as_the_rfc_says(target, patch):
    """The pseudocode of RFC 7396, section 2, line by line."""
    if isinstance(patch, dict):
        if not isinstance(target, dict):
            target = {}
        for name, value in patch.items():
            if value is None:
                if name in target:
                    del target[name]
            else:
                target[name] = as_the_rfc_says(target.get(name), value)
        return target
    return patch


def containers(value):
    """The identity of every object and list inside."""
    if isinstance(value, (dict, list)):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@pytest.mark.parametrize(("target", "patch", "result"), APPENDIX_A)
def test_the_cases_of_the_rfc(target, patch, result):
    """Skills 6: the merge is RFC 7396; its Appendix A."""
    assert merge_patch(target, patch) == result


@given(VALUES, VALUES)
def test_as_the_rfc_says_and_pure(target, patch):
    """Skills 6: pure, sharing nothing with its arguments."""
    before = copy.deepcopy((target, patch))
    result = merge_patch(target, patch)
    assert result == as_the_rfc_says(copy.deepcopy(target), copy.deepcopy(patch))
    assert (target, patch) == before
    assert not set(containers(result)) & {*containers(target), *containers(patch)}


@given(VALUES, VALUES)
def test_a_patch_applied_twice_is_applied_once(target, patch):
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once


@given(OBJECTS, st.lists(OBJECTS, max_size=4))
def test_many_patches_are_one_after_another(start, patches):
    before = copy.deepcopy((start, patches))
    result = apply_patches(start, patches)
    expected = start
    for patch in patches:
        expected = merge_patch(expected, patch)
    assert result == expected
    assert (start, patches) == before
    assert not set(containers(result)) & set(containers([start, *patches]))


def nested(depth, leaf=1):
    for _ in range(depth):
        leaf = {"a": leaf}
    return leaf


def test_depth_is_capped_with_an_error_that_says_so():
    """Skills 6: as deep as JSON may be here, and no RecursionError beyond."""
    assert merge_patch({}, nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    assert merge_patch(nested(MAX_DEPTH), nested(MAX_DEPTH, 2)) == nested(MAX_DEPTH, 2)
    in_lists: list = []
    for _ in range(100_000):
        in_lists = [in_lists]
    for target, patch in [
        ({}, nested(MAX_DEPTH + 1)),
        (nested(MAX_DEPTH + 1), {}),
        ({}, nested(100_000)),
        ({}, {"a": in_lists}),
    ]:
        with pytest.raises(MergeDepthError, match=f"{MAX_DEPTH} levels"):
            merge_patch(target, patch)
