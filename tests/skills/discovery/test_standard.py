"""The standard's fields: a wrong name or a long description warns and loads, no description does not (skills 9)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.skills.bounded_files import UnreadableFileError
from aeon.skills.discovery.front_matter import read_document
from aeon.skills.discovery.standard_fields import MAX_DESCRIPTION_KEPT, clean_text, read_fields, standard_name


def read(front: str, folder: str = "greet"):
    return read_fields(read_document(f"---\n{front}\n---\nbody".encode()), folder)


def test_a_sound_skill_has_no_remarks():
    published = read("name: greet\ndescription: Greets.\nlicense: MIT\nmetadata:\n  version: '1.2.0'")

    assert (published.name, published.description, published.license) == ("greet", "Greets.", "MIT")
    assert published.metadata == {"version": "1.2.0"}
    assert published.remarks == ()


@pytest.mark.parametrize(
    ("written", "name", "said"),
    [
        ("Greet People", "greet-people", "standard's form"),
        ("other", "other", "differs from the folder's"),
        ("x" * 80, "x" * 64, "80 characters"),
        ("../../etc", "etc", "standard's form"),
        ("-a--b-", "a-b", "standard's form"),
    ],
)
def test_a_wrong_name_warns_and_loads(written, name, said):
    """Skills 9; and a name never leads out of the folder where the skill's data go."""
    published = read(f"name: {written}\ndescription: d")

    assert published.name == name
    assert any(said in remark.message for remark in published.remarks)


def test_no_name_takes_the_folders():
    assert read("description: d").name == "greet"
    assert read("name: '///'\ndescription: d", folder="///").name == "skill"


def test_a_long_description_warns_and_loads():
    """Skills 9."""
    published = read(f"name: greet\ndescription: {'word ' * 1200}")

    assert len(published.description) == MAX_DESCRIPTION_KEPT
    assert "the standard allows 1024, the first 4096 are kept" in published.remarks[0].message


@pytest.mark.parametrize(
    ("front", "line"), [("name: a", 1), ("name: a\ndescription:", 3), ("name: a\ndescription: [a, b]", 3)]
)
def test_no_description_is_a_reason_to_skip(front, line):
    """Skills 9: with the reason and its line."""
    with pytest.raises(UnreadableFileError, match="description") as caught:
        read(front)
    assert caught.value.line == line


def test_a_description_that_yaml_took_for_a_mapping_is_text_again():
    assert read("name: greet\ndescription:\n  Use when: asked").description == "Use when: asked"


def test_nothing_that_steers_a_terminal_comes_through():
    published = read('name: greet\ndescription: "a\\e[31mb\\nc"\nlicense: "M\\0IT"')

    assert (published.description, published.license) == ("a [31mb c", "M IT")


@given(st.text(max_size=100))
def test_a_standard_name_is_one_and_stays_one(text):
    """Skills 9: what Aeon calls a skill fits the standard whatever was written, and is a file name."""
    name = standard_name(text)

    assert standard_name(name) == name == unicodedata.normalize("NFKC", name) == name.lower()
    assert len(name) <= 64
    assert len(name.encode()) <= 255
    assert all(c.isalnum() or c == "-" for c in name)
    assert "--" not in name
    assert name == name.strip("-")


@given(st.text(max_size=100))
def test_cleaned_text_is_one_line_of_encodable_text(text):
    assert "\n" not in clean_text(text).encode().decode()
