"""Keys of YAML are texts, whatever YAML 1.1 makes of them."""

from aeon.plan.yaml import dump_yaml, load_yaml


def test_a_key_that_looks_like_a_truth_value_is_a_text():
    assert load_yaml("{on: [x], no: on, y: 1, true: 2}") == {"on": ["x"], "no": True, "y": 1, "true": 2}
    assert load_yaml(dump_yaml({"on": 1, "off": {"yes": 2}})) == {"on": 1, "off": {"yes": 2}}
