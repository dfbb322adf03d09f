"""What Aeon writes, the standard's own validator accepts, always (skills 9)."""

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from skills_ref import validate

from aeon.base.errors import SkillError
from aeon.skills.authoring.export import export_skill, quote_yaml
from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.models import Skill

MD = """\
---
name: Greet People
description: "Greets: {x} --- 'all' # of them"
license: MIT
compatibility: needs a voice
allowed-tools: [Read, Bash]
metadata:
  version: 1.2.0
  level: 3
  nested: [1]
---
# How

--- with dashes
"""


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "greet"
    for name in ("scripts", "references", "data", "assets", ".git", "scripts/__pycache__"):
        (place / name).mkdir(parents=True)
        (place / name / "x.py").write_text("print(1)")
    (place / "SKILL.md").write_text(MD)
    (place / "config.json").write_text("{}")
    (place / "references" / "out").symlink_to("/etc/passwd")
    (place / "references" / "up").symlink_to("..")
    return place


def exported(folder, target, **more):
    reading = read_skill(folder)
    assert reading.skill is not None
    return export_skill(reading.skill, target, **more)


def test_a_lenient_skill_becomes_a_strict_one(folder, tmp_path):
    """Skills 9: the same skill again, and all its files but the user's data."""
    remarks = []
    target = exported(folder, tmp_path / "out", on_remark=remarks.append)
    again = read_skill(target)

    assert validate(target) == []
    assert target.name == "greet-people"
    assert (again.skill.description, again.skill.version) == ("Greets: {x} --- 'all' # of them", "1.2.0")
    assert (target / "SKILL.md").read_text().endswith("# How\n\n--- with dashes\n")
    assert 'allowed-tools: "Read Bash"' in (target / "SKILL.md").read_text()
    files = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert files == ["SKILL.md", "assets/x.py", "references/x.py", "scripts/x.py"]
    assert [remark.rsplit("/", 1)[-1] for remark in remarks] == [
        "data was left out: it holds the user's data", "out was left out: it is a link out of the skill's folder", "up was left out: it is a link to a folder",
    ]  # fmt: skip


def test_a_skill_json_alone_gets_a_skill_md(tmp_path):
    """Skills 9."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "skill.json").write_text('{"name": "a", "version": "1.0.0", "description": "d", "author": "Ada"}')
    (tmp_path / "a" / "prompt.md").write_text("Do it.")
    target = exported(tmp_path / "a", tmp_path / "out")

    assert validate(target) == []
    assert (target / "skill.json").exists()
    text = (target / "SKILL.md").read_text()
    assert 'metadata:\n  "version": "1.0.0"\n  "author": "Ada"\n---\n\nDo it.\n' in text


def test_nothing_is_written_over_unasked(folder, tmp_path):
    target = exported(folder, tmp_path / "out")
    (target / "SKILL.md").write_text("mine")
    with pytest.raises(SkillError, match="already exists"):
        exported(folder, tmp_path / "out")
    assert (target / "SKILL.md").read_text() == "mine"
    exported(folder, tmp_path / "out", overwrite=True)
    assert validate(target) == []


def test_a_skill_is_not_exported_onto_itself(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").write_text("---\nname: a\ndescription: d\n---\n")
    with pytest.raises(SkillError, match="is inside the skill's own folder"):
        exported(tmp_path / "a", tmp_path, overwrite=True)


def test_a_folder_that_cannot_be_written_is_said(folder, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SkillError, match="cannot be exported"):
        exported(folder, tmp_path / "file" / "x")


anything = st.text(max_size=60) | st.text("-'\"\\: #{}[]&*!|>%@`\t\n\x00\x1b\u2028\ufeff\U0001f600é", max_size=40)
optional = st.none() | anything


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    name=anything | st.text("Ⅷ\U0001d7d8İßㄱﬁ²", min_size=1, max_size=80),
    description=anything | st.text("a-", min_size=1000, max_size=3000),
    texts=st.tuples(optional, optional, optional, optional),
    metadata=st.dictionaries(anything, anything, max_size=4),
    compatibility=anything | st.just("x" * 600),
)
def test_whatever_a_skill_is_called_and_says_the_export_is_valid(name, description, texts, metadata, compatibility):
    """Skills 9: what Aeon creates passes the standard's own validator, always."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        source.mkdir()
        fields = {"description": "d", "metadata": metadata, "compatibility": compatibility, "odd": [1]}
        text = yaml.safe_dump(fields, allow_unicode=True)
        (source / "SKILL.md").write_bytes(f"---\n{text}---\n{description}".encode("utf-8", "replace"))
        author, licence, homepage, display = texts
        skill = Skill(
            name, description, source, source / "SKILL.md", source, version=name, author=author, license=licence,
            homepage=homepage, display_name=display, prompt_path=source / "SKILL.md",
        )  # fmt: skip
        assert validate(export_skill(skill, Path(place) / "out")) == []


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=100))
def test_quoted_text_is_read_back_as_it_was(text):
    scalar = quote_yaml(text)

    assert yaml.safe_load(scalar) == text
    assert "--" not in scalar
    assert scalar.isprintable()
