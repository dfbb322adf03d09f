"""The inputs that options give together."""

import io
import json
import sys

import pytest

from aeon.base.errors import InputError
from aeon.cli.given_inputs import property_schemas, read_inputs


def test_a_name_given_twice_is_refused():
    """Else the last value wins, and nobody sees that the others were dropped."""
    with pytest.raises(InputError, match="given more than once: order, n\\.") as caught:
        read_inputs(["order=A", "n=1", "order=B", "n=1", "x=2"])
    assert "several values are a list" in str(caught.value)


def test_a_pair_replaces_what_a_file_says(tmp_path):
    """So a file can have the usual inputs."""
    file = tmp_path / "inputs.json"
    file.write_text(json.dumps({"order": "A", "n": 1}), "utf-8")
    assert read_inputs([f"@{file}", "order=B"]).values == {"order": "B", "n": 1}


SCHEMAS = {
    "id": {"type": "string"},
    "n": {"type": "integer"},
    "either": {"type": ["string", "integer"]},
    "perhaps": {"type": ["string", "null"]},
    "list": {"type": "array"},
}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (["id=12"], {"id": "12"}),
        (["id=true"], {"id": "true"}),
        (['id={"a": 1}'], {"id": '{"a": 1}'}),
        (['id="12"'], {"id": "12"}),
        (["n=12"], {"n": 12}),
        (["either=12"], {"either": 12}),
        (["either=1.5"], {"either": "1.5"}),
        (["perhaps=12"], {"perhaps": "12"}),
        (["perhaps=null"], {"perhaps": None}),
        (["unknown=12"], {"unknown": 12}),
        (['{"id": 12}'], {"id": 12}),
        (["id=1", '{"id": 12}'], {"id": 12}),
        (["id=me@example.org"], {"id": "me@example.org"}),
        (["id=@nobody"], {"id": "@nobody"}),
    ],
)
def test_a_pair_is_a_text_where_its_schema_takes_a_text(inputs, expected):
    """What a JSON object says is not changed: it has types of its own. A value is never the name of a file."""
    assert read_inputs(inputs).fitted(SCHEMAS) == expected


def test_a_value_that_was_meant_as_a_file_is_told_how():
    with pytest.raises(InputError, match="not a text") as caught:
        read_inputs(["list=@rows.json"]).fitted(SCHEMAS)
    assert caught.value.advice == "To take it from a file, write --input list@rows.json"


def test_the_fields_of_every_form_of_a_schema_are_known():
    """The calculator takes an expression, or two numbers and an operation."""
    forms = {"properties": {"a": {"type": "string"}}, "anyOf": [{"properties": {"a": {}, "b": {"type": "null"}}}, True]}
    assert property_schemas(forms) == {"a": {"type": "string"}, "b": {"type": "null"}}


def test_without_a_schema_a_script_gets_the_words_as_they_are():
    """`1e3` would be 1000.0 among the script's arguments."""
    assert read_inputs(["x=1e3", '{"y": 1e3}']).fitted({}, untyped=("string",)) == {"x": "1e3", "y": 1000.0}


def test_one_input_comes_from_a_file(tmp_path):
    """JSON, or text where the input takes a text; without the newline at the end."""
    rows, text = tmp_path / "rows.json", tmp_path / "mail @ home=1.txt"
    rows.write_text("[1, 2]\n")
    text.write_text("12\n")
    given = read_inputs([f"list@{rows}", f"id@{rows}"]).fitted(SCHEMAS)
    assert given == {"list": [1, 2], "id": "[1, 2]"}
    renamed = text.rename(tmp_path / "mail @ home.txt")
    assert read_inputs([f"id@{renamed}"]).fitted(SCHEMAS) == {"id": "12"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"Dear all,\r\nhello\r\n", "Dear all,\r\nhello"),
        (b"a\n", "a"),
        (b"a\n\n", "a\n"),
        (b"a\r\n\r\n", "a\r\n"),
        (b"a\r", "a\r"),
        (b"\r\n", ""),
        (b"", ""),
    ],
)
def test_one_line_end_of_a_file_is_taken_off_also_that_of_windows(tmp_path, written, read):
    file = tmp_path / "mail.txt"
    file.write_bytes(written)
    assert read_inputs([f"id@{file}"]).values == {"id": read}


def test_one_input_comes_from_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Dear all,\nhello\n")))
    assert read_inputs(["id@-"]).values == {"id": "Dear all,\nhello"}


@pytest.mark.parametrize("written", ["topic", "@", "topic@", "=x"])
def test_what_is_neither_is_refused_with_every_form(written):
    with pytest.raises(InputError) as caught:
        read_inputs([written])
    if written != "@":
        assert "--input topic@tea.txt" in caught.value.advice


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InputError, match=r"The input 'topic' in nowhere\.txt cannot be read: No such file"):
        read_inputs(["topic@nowhere.txt"])
