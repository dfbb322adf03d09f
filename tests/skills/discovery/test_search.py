"""Every skill below some folders; nothing on disk stops the rest (skills-data-model 7, skills 9)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.skills.discovery import search as discovery
from aeon.skills.discovery.search import SkillRoot, default_roots, discover
from aeon.skills.models import ErrorState


def make(folder: Path, name: str | None = None, description: str = "d") -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name or folder.name}\ndescription: {description}\n---\nbody\n")
    return folder


def found(*roots: Path, **environ: str):
    return discover([SkillRoot(root, "project") for root in roots], environ=environ)


def test_skills_are_found_at_any_reasonable_depth_in_a_steady_order(tmp_path):
    make(tmp_path / "b")
    make(tmp_path / "group" / "inner" / "a")
    make(tmp_path / ".curated" / "x")
    make(tmp_path / ".git" / "z")
    make(tmp_path / "node_modules" / "y")
    make(tmp_path / "b" / "nested")
    catalog = found(tmp_path)

    assert [skill.name for skill in catalog.skills] == ["b", "x", "a"]
    assert catalog.notes == ()


def test_the_first_root_wins_and_the_loser_is_noted(tmp_path):
    """Skills 9: project wins."""
    make(tmp_path / "project" / "greet", description="ours")
    make(tmp_path / "user" / "greet", description="theirs")
    catalog = found(tmp_path / "project", tmp_path / "user")

    assert [skill.description for skill in catalog.skills] == ["ours"]
    assert "takes precedence" in catalog.notes[0].message
    assert catalog.notes[0].is_skip


def test_two_of_one_name_in_one_root_are_one_and_a_note(tmp_path):
    make(tmp_path / "a", "same")
    make(tmp_path / "b", "same")
    catalog = found(tmp_path)

    assert [skill.directory_path.name for skill in catalog.skills] == ["a"]
    assert [note.message.split()[-2:] for note in catalog.notes if note.is_skip] == [["takes", "precedence"]]


def test_the_same_folder_twice_is_no_quarrel(tmp_path):
    make(tmp_path / "skills" / "a")
    (tmp_path / "link").symlink_to("skills")
    assert found(tmp_path / "skills", tmp_path / "link").notes == ()


def test_default_roots_are_the_projects_the_users_and_the_shipped():
    """Skills 9; shipped skills keep their data where the user works."""
    roots = default_roots(Path("/p"), {"HOME": "/h", "XDG_DATA_HOME": "/d"})

    assert [(str(root.path), root.label) for root in roots[:6]] == [
        ("/p/skills", "project"), ("/p/.agents/skills", "project"), ("/p/.claude/skills", "project"),
        ("/h/.agents/skills", "user"), ("/h/.claude/skills", "user"), ("/d/aeon/skills", "user"),
    ]  # fmt: skip
    assert roots[6] == SkillRoot(Path(discovery.__file__).parents[1] / "shipped", "shipped", Path("/p/.aeon/skills"))
    assert [str(r.path) for r in default_roots(Path("/p"), {"HOME": "/h", "XDG_DATA_HOME": "rel"})][
        5
    ] == "/h/.local/share/aeon/skills"
    assert [r.label for r in default_roots(Path("/p"), {})] == ["project", "project", "project", "shipped"]


def test_a_home_of_its_own_holds_the_skills_data(tmp_path):
    make(tmp_path / "s" / "a")
    catalog = discover([SkillRoot(tmp_path / "s", "shipped", tmp_path / "home")], environ={})
    assert catalog.skills[0].data_home == tmp_path / "home" / "a"


def test_a_relative_root_gives_absolute_paths(tmp_path, monkeypatch):
    make(tmp_path / "skills" / "a")
    monkeypatch.chdir(tmp_path)
    assert found(Path("skills")).skills[0].directory_path == tmp_path / "skills" / "a"


def test_no_folder_a_file_and_an_empty_one_are_no_error(tmp_path):
    (tmp_path / "file").touch()
    catalog = found(tmp_path / "none", tmp_path / "file", Path("/x\0y"))

    assert catalog.skills == ()
    assert [note.path.name for note in catalog.notes] == ["file", "x\0y"]


def test_loops_of_links_end(tmp_path):
    make(tmp_path / "a")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "down").symlink_to(tmp_path / "deep")
    catalog = found(tmp_path)

    assert [skill.name for skill in catalog.skills] == ["a"]
    assert sorted(note.path.name for note in catalog.notes) == ["down", "self", "up"]


def test_a_linked_skill_is_a_skill(tmp_path):
    make(tmp_path / "elsewhere" / "a")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "a").symlink_to(tmp_path / "elsewhere" / "a")
    assert [skill.name for skill in found(tmp_path / "skills").skills] == ["a"]


def test_the_search_ends_at_a_depth_and_says_so(tmp_path):
    make(tmp_path.joinpath(*"1234567") / "deep")
    make(tmp_path.joinpath(*"12345") / "near")
    catalog = found(tmp_path)

    assert [skill.name for skill in catalog.skills] == ["near"]
    assert "deeper than 6 folders" in catalog.notes[0].message


def test_the_search_ends_at_a_number_of_folders_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "MAX_FOLDERS", 5)
    make(tmp_path / "0")
    for number in range(9):
        (tmp_path / f"{number}x").mkdir()
    make(tmp_path / "8x" / "late")
    catalog = found(tmp_path)

    assert [skill.name for skill in catalog.skills] == ["0"]
    assert "more than 5 folders" in catalog.notes[0].message


def test_an_unreadable_folder_is_a_note(tmp_path):
    """Run as somebody who may not read it: root may read all."""
    make(tmp_path / "s" / "a")
    make(tmp_path / "s" / "closed" / "b")
    make(tmp_path / "s" / "c")
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[2]); from pathlib import Path\n"
        "from aeon.skills.discovery.search import SkillRoot, discover\n"
        "discover([SkillRoot(Path(sys.argv[1]), 'project')], environ={})\n"  # whoever may not read Python's own files has them
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "catalog = discover([SkillRoot(Path(sys.argv[1]), 'project')], environ={})\n"
        "print([s.name for s in catalog.skills], *catalog.notes)"
    )
    for folder in [tmp_path, *tmp_path.parents][:4]:
        folder.chmod(0o755)
    (tmp_path / "s" / "closed").chmod(0)
    (tmp_path / "s" / "c" / "SKILL.md").chmod(0)
    source = Path(discovery.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s"), str(source)], capture_output=True, text=True, check=False
    )
    (tmp_path / "s" / "closed").chmod(0o700)

    assert done.stdout.startswith("['a']"), done.stderr[-500:]
    assert "closed: skipped: cannot be listed (Permission denied)" in done.stdout
    assert "SKILL.md: skipped: cannot be read (Permission denied)" in done.stdout


def test_a_lower_case_skill_md_is_told_of(tmp_path):
    """Skills 9: the exact name."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "skill.md").write_text("x")
    assert [note.message for note in found(tmp_path).notes] == ["must be named SKILL.md"]


def test_bad_settings_degrade_a_skill_and_keep_it_from_planning(tmp_path):
    """Skills 10: left out of planning, with a warning."""
    folder = make(tmp_path / "a")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "x.sh").touch()
    schema = {"x-env": ["KEY"], "properties": {"key": {"type": "string"}}, "required": ["key"]}
    (folder / "config-schema.json").write_text(json.dumps(schema))
    states = [found(tmp_path).skills[0].error_state]
    (folder / "config.json").write_text('{"key": "${KEY}"}')
    states += [found(tmp_path).skills[0].error_state, found(tmp_path, KEY="k").skills[0].error_state]
    (folder / "config.json").write_text('{"key": "half')
    catalog = found(tmp_path, KEY="k")

    assert [*states, catalog.skills[0].error_state] == [
        ErrorState.DEGRADED,
        ErrorState.DEGRADED,
        ErrorState.HEALTHY,
        ErrorState.DEGRADED,
    ]
    assert catalog.plannable() == ()
    assert "config.json:1: is not valid JSON" in str(catalog.notes[0])


def test_scripts_are_found_by_what_plans_call_them(tmp_path):
    folder = make(tmp_path / "a")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "x.sh").touch()
    catalog = found(tmp_path)

    for name in ("a/scripts/x.sh", "skills/a/scripts/x.sh", str(folder / "scripts" / "x.sh")):
        assert catalog.find_script(name) is not None
    assert catalog.find_script("a/scripts/../scripts/x.sh") is None


def test_discovery_needs_no_extra(tmp_path):
    """Without msgspec, watchfiles and pillow, in a process of its own."""
    make(tmp_path / "a")
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['msgspec', 'watchfiles', 'PIL']))\n"
        "from pathlib import Path; from aeon.skills.discovery.library import SkillLibrary; from aeon.skills.discovery.search import SkillRoot\n"
        "import aeon.skills.launch.preparation, aeon.skills.authoring.linter, aeon.skills.authoring.scaffold\n"
        "print(len(SkillLibrary([SkillRoot(Path(sys.argv[1]), 'project')]).catalog.skills))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.parametrize("odd", ["a b", "ünï", "a\nb", "x" * 200])
def test_folders_of_any_name_are_read(tmp_path, odd):
    folder = tmp_path / odd
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\ndescription: d\n---\n")
    catalog = found(tmp_path)
    assert len(catalog.skills) == 1
    assert catalog.skills[0].directory_path.samefile(folder)
