"""What others publish, read as it is: nested scripts, other manifests, descriptions of scripts (skills 9, 17)."""

import json
from pathlib import Path

import pytest

from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.models import ErrorState

SAYS = "#!/bin/sh\necho hi\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docx" / "scripts").mkdir(parents=True)
    (tmp_path / "docx" / "SKILL.md").write_text("---\nname: docx\ndescription: Works on documents.\n---\nRun it.")
    return tmp_path / "docx"


def put(folder: Path, path: str, text: str = SAYS) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def test_nested_scripts_are_offered_skills_17(folder):
    for path in ("scripts/a.sh", "scripts/office/a.sh", "ooxml/scripts/pack.sh", "scripts/_in.sh", "scripts/_x/b.sh"):
        put(folder, path)
    put(folder, "examples/demo.sh")
    put(folder, "data/scripts/left.sh")
    scripts = read_skill(folder).skill.scripts

    assert [(script.tool_path, script.name) for script in scripts] == [
        ("docx/scripts/a.sh", "a"),
        ("docx/ooxml/scripts/pack.sh", "pack"),
        ("docx/scripts/office/a.sh", "a.sh"),
    ]


def test_scripts_in_bin_and_those_beside_the_text_that_names_them_are_offered_skills_17(folder):
    for path in ("bin/tool.sh", "fill.sh", "sum.sh", "setup.sh", "my-fill.sh"):
        put(folder, path)
    put(folder, "notes.md", "Notes.")
    body = "Run `./fill.sh FORM`, then sum.sh. See notes.md and other/setup.sh."
    (folder / "SKILL.md").write_text(f"---\nname: docx\ndescription: Fills forms.\n---\n{body}")
    scripts = read_skill(folder).skill.scripts
    assert [script.tool_path for script in scripts] == ["docx/fill.sh", "docx/sum.sh", "docx/bin/tool.sh"]


def test_a_new_nested_script_makes_a_reading_stale(folder):
    put(folder, "scripts/office/a.sh")
    assert str(folder / "scripts" / "office") in read_skill(folder).files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"""Packs a folder.\n\nMore."""\n', "Packs a folder."),
        ('"""\nUnpacks it.\n"""\n', "Unpacks it."),
        ("#!/bin/sh\n#\n# Says hi.\necho hi\n", "Says hi."),
        ("// Rolls dice.\nlet a;\n", "Rolls dice."),
        ("/*\n", ""),
        ("import os\n# Later.\n", ""),
        ("# /// script\n# dependencies = []\n# ///\n# Adds up.\nx = 1\n", "Adds up."),
    ],
)
def test_a_published_script_is_described_by_its_first_words(folder, text, said):
    put(folder, "scripts/a.py", text)
    assert read_skill(folder).skill.scripts[0].description == said


def test_an_input_schema_may_be_a_path_and_that_is_noted(folder):
    put(folder, "scripts/a.sh")
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    put(folder, "schemas/in.json", json.dumps(schema))
    script = {"name": "a", "path": "scripts/a.sh", "description": "d", "inputSchema": "schemas/in.json"}
    manifest = {"name": "docx", "version": "1.0.0", "description": "d", "scripts": [script]}
    put(folder, "skill.json", json.dumps(manifest))
    skill = read_skill(folder).skill

    assert skill.scripts[0].input_schema == schema
    assert "its schema was read from schemas/in.json" in skill.notes[-1].message
    put(folder, "skill.json", json.dumps(manifest).replace("schemas/in.json", "../in.json"))
    broken = read_skill(folder).skill
    assert broken.error_state is ErrorState.PERMANENT_FAILURE
    assert "must be inside the skill's folder" in broken.notes[-1].message


def test_a_broken_skill_json_beside_skill_md_is_said_and_the_skill_not_used(folder):
    """Else a script that speaks the protocol would silently be called as a plain one."""
    put(folder, "scripts/a.sh")
    put(folder, "skill.json", json.dumps({"name": "docx", "scripts": [{"name": "a", "path": "scripts/a.sh"}]}))
    skill = read_skill(folder).skill

    assert skill.error_state is ErrorState.DEGRADED
    assert "is broken, so the skill is not used" in skill.notes[-1].message
    put(folder, "skill.json", json.dumps({"id": 3, "tags": ["x"]}))
    assert read_skill(folder).skill.error_state is ErrorState.HEALTHY, "another program's is ignored, with a note"
