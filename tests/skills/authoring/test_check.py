"""Everything wrong or lenient with one folder, for its author (skills 8 to 10)."""

import json

import pytest

from aeon.skills.authoring.linter import check_skill
from aeon.skills.authoring.scaffold import new_skill


@pytest.fixture
def folder(tmp_path):
    return new_skill("greet", tmp_path, "bash")


def said(folder, **environ):
    return [
        str(note).removeprefix(f"{folder}/")
        for note in check_skill(folder, environ={"PATH": "/usr/bin:/bin", **environ})
    ]


def changed(folder, **fields):
    manifest = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps({**manifest, **fields}))


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("name: greet\ndescription: d\nversion: 1", "SKILL.md:4: the field 'version' is not in the standard"),
        ("name: Greet\ndescription: d", "SKILL.md:2: the name 'Greet' is not in the standard's form"),
        ("name: other\ndescription: d", "SKILL.md:2: the name 'other' differs from the folder's"),
        (f"name: greet\ndescription: {'d' * 1025}", "SKILL.md:3: the description has 1025 characters"),
        (f"name: greet\ndescription: d\ncompatibility: {'d' * 501}", "SKILL.md:4: compatibility has more than 500"),
        ("name: greet\ndescription: d\ncompatibility: [a]", "SKILL.md:4: compatibility must be text"),
        ("name: greet\ndescription: d\nallowed-tools: [a]", "SKILL.md:4: allowed-tools must be text"),
        ("name: greet\ndescription: d\nmetadata: {a: [b]}", "SKILL.md:4: metadata must be a mapping of text to text"),
        ("name: greet", "SKILL.md:1: skipped: has no description"),
    ],
)
def test_what_is_not_strict_is_said_with_its_line(folder, front, expected):
    """Skills 9: read leniently, and told so."""
    (folder / "SKILL.md").write_text(f"---\n{front}\n---\nbody\n")
    assert any(note.startswith(expected) for note in said(folder)), said(folder)


def test_a_manifest_with_every_field_wrong_is_told_of_at_once(folder):
    """Skills 8."""
    changed(folder, name=1, version=2, description=3, priority=4000)
    assert all(f"$.{field}" in said(folder)[0] for field in ("name", "version", "description", "priority"))


def test_schemas_that_are_none_are_said(folder):
    """Skills 8 and 10."""
    changed(folder, scripts=[{"name": "run", "path": "scripts/run.sh", "inputSchema": {"type": "nothing"}}])
    (folder / "config-schema.json").write_text('{"x-env": "KEY", "type": 5}')
    notes = said(folder)

    assert "$.scripts[0].inputSchema: is not a valid JSON Schema" in notes[0]
    assert notes[1].startswith("config-schema.json: skipped: is not a valid JSON Schema")


def test_what_runs_and_will_not_serve_is_said(folder):
    (folder / "scripts" / "extra.rb").write_text("")
    (folder / "SKILL.md").write_text("---\nname: greet\ndescription: d\n---\n")
    (folder / "config-schema.json").write_text('{"x-env": "KEY"}')
    changed(folder, scripts=[{"name": "run", "path": "scripts/run.sh"}], capabilities=["network", "teleport"], color=1)
    notes = "\n".join(said(folder, PATH="/nowhere"))

    for expected in (
        "has unknown fields: $.color", "has no prompt", "extra.rb: is not declared in skill.json",
        "run.sh: The script", "needs bash or sh, which is not installed", "'run' has no description",
        "'run' has no inputSchema", "capability 'teleport' is unknown", "x-env in its settings schema",
    ):  # fmt: skip
        assert expected in notes, notes


def test_bad_settings_and_long_bodies_are_said(folder):
    """Skills 10."""
    (folder / "config.json").write_text('{"greeting": 1}')
    (folder / "SKILL.md").write_text("---\nname: greet\ndescription: d\n---\n" + "line\n" * 501)
    notes = "\n".join(said(folder))

    assert "$.greeting" in notes
    assert "longer than 500 lines" in notes


def test_what_is_no_skill_is_said(tmp_path):
    (tmp_path / "file").touch()
    assert [str(note.message) for note in check_skill(tmp_path / "none")] == ["is not a folder"]
    assert [str(note.message) for note in check_skill(tmp_path / "file")] == ["is not a folder"]
    assert "neither SKILL.md nor skill.json" in check_skill(tmp_path)[0].message
