"""Keys of YAML are texts, whatever YAML 1.1 makes of them."""

import pytest

from aeon.plan.yaml import YamlError, dump_yaml, load_yaml


def test_a_key_that_looks_like_a_truth_value_is_a_text():
    assert load_yaml("{on: [x], no: true, y: 1, true: 2}") == {"on": ["x"], "no": True, "y": 1, "true": 2}
    assert load_yaml(dump_yaml({"on": 1, "off": {"yes": 2}})) == {"on": 1, "off": {"yes": 2}}


@pytest.mark.parametrize(
    "text",
    ["01067", "12:30", "08:00", "1_000", "+49123", "0o17", "0b11", "007.5", "NO", "yes", "On", "off", "190:20:30"],
)
def test_what_only_yaml_1_1_reads_as_a_number_or_a_truth_value_is_a_text(text):
    """A postal code, a time and a country lost what they were: 567, 750 and false."""
    assert load_yaml(f"{{a: {text}, b: [{text}]}}") == {"a": text, "b": [text]}
    assert load_yaml(dump_yaml([text])) == [text]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-12", -12),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1.0e+3", 1000.0),
        ("true", True),
        ("~", None),
    ],
)
def test_numbers_and_truth_values_are_what_they_look_like(text, value):
    assert load_yaml(f"a: {text}") == {"a": value}


def test_a_number_with_too_many_digits_is_refused_in_words():
    """Its message named a function of Python."""
    with pytest.raises(YamlError, match=r"4300 digits; use a string$"):
        load_yaml("a: " + "9" * 6000)
