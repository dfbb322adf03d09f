"""The inputs that options give together."""

import json

import pytest

from aeon.base.errors import InputError
from aeon.cli.inputs import read_inputs


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
