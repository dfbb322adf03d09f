"""Independent nodes that set one key differently (skills 6)."""

import pytest

from aeon.skills.executor.plan_result import conflict_warnings


def found(dependencies, *patches):
    names = [f"n{n}" for n in range(len(dependencies))]
    by_node = {n: patch if isinstance(patch, list) else [patch] for n, patch in enumerate(patches)}
    return conflict_warnings(dependencies, range(len(dependencies)), names, by_node)


def test_independent_nodes_that_set_a_key_differently_are_named():
    """Skills 6: a warning that names key and nodes."""
    assert found([[], []], {"a": {"b": 1}}, {"a": {"b": 2}}) == [
        "'a.b' is set differently by 'n0', 'n1', none of which depends on another; the last write wins."
    ]


def test_a_node_that_waits_for_the_other_may_set_it_anew():
    assert not found([[], [0]], {"a": 1}, {"a": 2})
    assert not found([[], [0], [1]], {"a": 1}, {}, {"a": 2})


def test_the_same_value_is_no_conflict():
    assert not found([[], []], {"a": [1, {"x": None}]}, {"a": [1, {"x": None}]})


def test_different_keys_of_one_object_are_no_conflict():
    assert not found([[], []], {"a": {"b": 1}}, {"a": {"c": 2}})


def test_a_removal_and_an_object_differ_from_a_value():
    assert len(found([[], []], {"a": 1}, {"a": None})) == 1
    assert len(found([[], []], {"a": 1}, {"a": {"b": 2}})) == 1
    assert not found([[], []], {"a": {}}, {"a": {"b": 2}})


def test_only_the_last_of_a_node_s_own_values_counts():
    assert not found([[], []], [{"a": 1}, {"a": 2}], {"a": 2})


def test_of_several_only_those_that_clash_are_named():
    """n0 and n2 clash; n1 says what n0 says and comes before n2."""
    assert found([[], [], [1]], {"a": 1}, {"a": 1}, {"a": 2}) == [
        "'a' is set differently by 'n0', 'n2', none of which depends on another; the last write wins."
    ]


def test_many_nodes_and_many_keys_are_told_in_short():
    said = found([[]] * 20, *({f"k{k}": n for k in range(60)} for n in range(20)))
    assert len(said) == 51
    assert "'n4' and 15 more" in said[0]
    assert said[-1] == "10 more keys are set differently by independent nodes."


@pytest.mark.timeout(60)
def test_ten_thousand_nodes_that_all_set_one_key():
    size = 10_000
    assert len(found([[]] * size, *({"a": n % 10} for n in range(size)))) == 1
