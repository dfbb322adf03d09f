"""The inputs that options give together."""

import json

import pytest

from aeon.base.errors import InputError
from aeon.cli.inputs import read_inputs, with_texts


def test_a_name_given_twice_is_refused():
    """Else the last value wins, and nobody sees that the others were dropped."""
    with pytest.raises(InputError, match="given more than once: order, n\\.") as caught:
        read_inputs(["order=A", "n=1", "order=B", "n=1", "x=2"])
    assert "several values are a list" in str(caught.value)


def test_a_pair_replaces_what_a_file_says(tmp_path):
    """So a file can have the usual inputs."""
    file = tmp_path / "inputs.json"
    file.write_text(json.dumps({"order": "A", "n": 1}), "utf-8")
    assert read_inputs([f"@{file}", "order=B"]) == {"order": "B", "n": 1}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (["id=12"], {"id": "12"}),
        (["id=true"], {"id": "true"}),
        (['id={"a": 1}'], {"id": '{"a": 1}'}),
        (['id="12"'], {"id": "12"}),
        (["n=12"], {"n": 12}),
        (["either=12"], {"either": 12}),
        (["unknown=12"], {"unknown": 12}),
        (['{"id": 12}'], {"id": 12}),
        (["id=1", '{"id": 12}'], {"id": 12}),
    ],
)
def test_a_pair_is_a_text_where_its_schema_takes_a_text_alone(inputs, expected):
    """What a JSON object says is not changed: it has types of its own."""
    schemas = {"id": {"type": "string"}, "n": {"type": "integer"}, "either": {"type": ["string", "integer"]}}
    assert with_texts(read_inputs(inputs), inputs, schemas) == expected
