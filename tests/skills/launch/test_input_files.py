"""Files of the user that an input names: inside the folder they work in, and there (skills 11)."""

import pytest

from aeon.skills.launch.input_files import resolve_input_files

SCHEMA = {
    "properties": {
        "path": {"type": "string", "format": "file-path"},
        "more": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        "text": {"type": "string"},
        "inner": {"properties": {"path": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/file"}]}}},
    },
    "$defs": {"file": {"type": "string", "format": "file-path"}},
}


@pytest.fixture
def root(tmp_path):
    place = tmp_path / "work"
    place.mkdir()
    (place / "a b.csv").write_text("x")
    (tmp_path / "secret").write_text("y")
    return place


def test_paths_become_absolute_wherever_they_stand(root):
    given = {"path": "a b.csv", "more": ["./a b.csv"], "text": "a b.csv", "inner": {"path": str(root / "a b.csv")}}
    found = resolve_input_files(SCHEMA, given, root)
    absolute = str(root / "a b.csv")

    assert found.input == {"path": absolute, "more": [absolute], "text": "a b.csv", "inner": {"path": absolute}}
    assert (found.files, found.problems) == ((root / "a b.csv",), ())
    assert given["path"] == "a b.csv"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("gone.csv", "does not exist"),
        ("../secret", "is outside the folders that this run may read"),
        ("/etc/passwd", "is outside"),
        ("link", "is outside"),
        (".", "is not a file"),
        ("a\0b", "NUL"),
        ("loop", "cannot be read"),
        ("x" * 5000, "cannot be read"),
        ("~nobody-of-this-name/x", "home directory"),
    ],
)
def test_a_file_that_cannot_be_had_is_a_problem(root, written, said):
    """Skills 11: links are followed before it is decided; all problems at once, each with its path."""
    (root / "link").symlink_to(root.parent / "secret")
    (root / "loop").symlink_to("loop")
    found = resolve_input_files(SCHEMA, {"path": written, "more": [written]}, root)

    assert [problem.path for problem in found.problems] == ["$.path", "$.more[0]"]
    assert said in found.problems[0].message
    assert found.files == ()


def test_other_folders_can_be_allowed(root):
    found = resolve_input_files(SCHEMA, {"path": "../secret"}, root, [root.parent])
    assert found.files == (root.parent / "secret",)


def test_without_a_schema_nothing_is_a_file(root):
    assert resolve_input_files(None, {"path": "x"}, root).input == {"path": "x"}


def test_a_file_of_that_name_where_the_user_works_is_named(root):
    found = resolve_input_files(SCHEMA, {"path": "/home/someone/a b.csv"}, root)

    assert "did you mean 'a b.csv'?" in found.problems[0].message
