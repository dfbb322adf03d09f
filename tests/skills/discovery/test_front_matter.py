"""SKILL.md is read leniently, and nothing in it can crash or flood the reader (skills 9)."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.skills.bounded_files import UnreadableFileError
from aeon.skills.discovery.front_matter import read_body, read_document

PLAIN = b"---\nname: a\ndescription: b\n---\n# Body\n"


def fields(text: str):
    return read_document(text.encode()).fields


def test_fields_lines_and_body_are_read_without_guessing_types():
    """Skills 9: a loader without implicit types; `version: 1.10` stays what was written."""
    document = read_document(b"---\nname: a\nversion: 1.10\nflag: no\nwhen: 2026-01-01\n---\n\n# Body\n")

    assert document.fields == {"name": "a", "version": "1.10", "flag": "no", "when": "2026-01-01"}
    assert document.lines == {"name": 2, "version": 3, "flag": 4, "when": 5}
    assert (document.body, document.remarks) == ("# Body", ())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xef\xbb\xbf" + PLAIN, "byte order mark"),
        (PLAIN.replace(b"\n", b"\r\n"), "line endings"),
        (PLAIN.replace(b"Body", b"\xff\xfe"), "not UTF-8"),
        (PLAIN.replace(b"description: b", b"description: Use it: often"), "were quoted"),
        (PLAIN.replace(b"description: b", b"description: a\x07b"), "were quoted"),
        (PLAIN.replace(b"description: b", b"description: b\nhint: [a] [b]"), "all its values"),
        (PLAIN.replace(b"description: b", b'description: "b" or c'), "all its values"),
        (PLAIN.replace(b"description: b", b"description: b\nmetadata:\n  x: [1\n  - y"), "without its nested values"),
        (PLAIN.replace(b"description: b", b"description: b\nname: a"), "occurs twice"),
    ],
)
def test_what_is_read_leniently_is_said(data, said):
    """Skills 9: a byte order mark, foreign line ends, bad bytes, unquoted colons: remark and read."""
    document = read_document(data)

    assert document.fields["name"] == "a"
    assert "description" in document.fields
    assert any(said in remark.message for remark in document.remarks), document.remarks


def test_an_unquoted_colon_keeps_the_whole_text_and_the_other_fields():
    """Skills 9: an unquoted colon is read as text, over several lines too, and line numbers hold."""
    document = read_document(b'---\nname: a\ndescription: Use: this\n  and \\ "that"\nlicense: MIT\n---\nB')

    assert document.fields == {"name": "a", "description": 'Use: this and \\ "that"', "license": "MIT"}
    assert document.lines["license"] == 5
    assert document.remarks[0].line == 3


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# Heading\n", 1, "no front matter"),
        ("", 1, "no front matter"),
        ("---\nname: a\n", 1, "not closed"),
        ("---\n---\nbody", 1, "empty"),
        ("---\n- a\n---\n", 2, "not a list of"),
        ("---\n{name: a,\n description: b\n---\n", 4, "not valid YAML"),
        ("---\n? [a, b]\n: c\n---\n", 2, "field name that is not text"),
        (f"---\na: {'x' * 70_000}\n---\n", 1, "longer than 64 KiB"),
        ("---\n" + "? " * 30_000 + "\n---\n", 2, "field name that is not text"),
        ("---\n" + "- " * 30_000 + "\n---\n", 2, "not a list of"),
        ("---\n" + "".join(" " * n + "a:\n" for n in range(300)) + "---\n", 102, "nested deeper"),
        ("---\n- " + "[" * 500 + "]" * 500 + "\n---\n", 2, "not a list of"),
    ],
)
def test_what_cannot_be_read_says_why_and_where(text, line, said):
    """Skills 9: unreadable front matter is skipped with the reason; aliases and depth are no way to flood memory."""
    with pytest.raises(UnreadableFileError) as caught:
        fields(text)

    assert said in caught.value.message
    assert caught.value.line == line


def test_an_alias_is_text_so_that_none_can_multiply():
    """Skills 9: a bomb of aliases, and brackets without end, are texts like others, and remarked."""
    bomb = "a: &a [x, x]\n" + "".join(
        f"{after}: &{after} [*{before}, *{before}]\n" for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    document = read_document(f"---\n{bomb}---\n".encode())

    assert document.fields["i"] == "&i [*h, *h]"
    assert "the alias *a is not allowed" in document.remarks[0].message
    deep = read_document(("---\na: " + "[" * 500 + "]" * 500 + "\n---\n").encode())
    assert "nested deeper" in deep.remarks[0].message


@given(
    st.binary(max_size=300) | st.text(max_size=300).map(lambda t: ("---\n" + t + "\n---\n").encode("utf-8", "replace"))
)
def test_whatever_the_bytes_are_the_answer_is_a_document_or_a_reason(data):
    """Skills 9: no SKILL.md crashes the reader."""
    with suppress(UnreadableFileError):
        assert isinstance(read_document(data).fields, dict)
    assert isinstance(read_body(data), str)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=80).map(str.strip).filter(bool))
def test_any_one_line_value_is_read_as_something(value):
    """Skills 9: whatever stands behind a description, one line of ASCII loads, by one reading or another."""
    try:
        found = fields(f"---\nname: a\ndescription: {value}\n---\n")
    except UnreadableFileError:
        assert value.lstrip("-+|>0123456789 ") != value or value.startswith("#"), value
    else:
        assert found["name"] == "a"


def test_a_body_without_front_matter_is_the_whole_text():
    assert read_body(b"# Only a body\n") == "# Only a body\n"
