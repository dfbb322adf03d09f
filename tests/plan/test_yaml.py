"""YAML as plain data."""

import pytest

from aeon.plan.yaml import load_yaml


@pytest.mark.parametrize("name", ["on", "off", "yes", "no", "On", "NO"])
def test_words_that_only_yaml_1_1_takes_for_booleans_are_names_as_keys(name):
    """`retry: {on: [timeout]}` of a step was refused as "not a mapping of JSON values"."""
    assert load_yaml(f"{name}: [timeout]") == {name: ["timeout"]}


def test_true_is_no_name_and_values_stay_as_they_were():
    assert load_yaml("true: 1") == {True: 1}
    assert load_yaml("enabled: yes") == {"enabled": True}
