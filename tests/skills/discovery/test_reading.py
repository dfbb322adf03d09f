"""A folder as a skill: SKILL.md, skill.json or both (skills 8, 9, 13)."""

import json
import os

import pytest

from aeon.base.errors import SkillError
from aeon.skills.discovery.skill_reader import read_prompt, read_skill
from aeon.skills.models import ErrorState

MD = "---\nname: greet\ndescription: Greets.\nmetadata:\n  version: 2.0.0\n  author: Ada\n---\n# How\n"
MANIFEST = {"name": "greet", "version": "1.2.3", "description": "Other.", "priority": 70, "capabilities": ["network"]}
RUN = {"name": "run", "path": "scripts/run.py", "inputSchema": {"type": "object"}, "timeout": 1500}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "greet"
    (place / "scripts").mkdir(parents=True)
    (place / "scripts" / "run.py").write_text("print(1)\n")
    return place


def write(folder, md=MD, manifest=None, **files):
    if md is not None:
        (folder / "SKILL.md").write_text(md)
    if manifest is not None:
        (folder / "skill.json").write_text(json.dumps(manifest))
    for name, text in files.items():
        (folder / name.replace("__", ".").replace("_", "-")).write_text(text)
    return read_skill(folder)


def messages(reading):
    return [note.message for note in reading.notes]


def test_a_published_skill_is_a_skill(folder):
    """Skills 9: identity, version from its metadata, its body as the prompt, its scripts run plainly."""
    reading = write(folder)
    skill = reading.skill

    assert (skill.name, skill.version, skill.author, skill.manifest_path.name) == ("greet", "2.0.0", "Ada", "SKILL.md")
    assert [(s.name, s.tool_path, s.protocol) for s in skill.scripts] == [("run", "greet/scripts/run.py", "plain")]
    assert read_prompt(skill) == "# How"
    assert (skill.data_home, reading.notes) == (folder, ())


def test_without_a_version_it_is_none(folder):
    """Skills 9."""
    assert write(folder, "---\nname: greet\ndescription: d\nversion: 3.0.0\n---\n").skill.version == "0.0.0"


def test_in_both_files_skill_md_wins_and_skill_json_adds(folder):
    """Skills 9: SKILL.md for what both say; scripts, retries, priority and the version from skill.json."""
    skill = write(folder, manifest={**MANIFEST, "scripts": [RUN], "retryPolicy": {"maxRetries": 1}}).skill

    assert (skill.description, skill.version, skill.priority, skill.capabilities) == (
        "Greets.",
        "1.2.3",
        70,
        ("network",),
    )
    assert [(s.name, s.protocol, s.timeout) for s in skill.scripts] == [("run", "ndjson", 1.5)]
    assert skill.retry_policy.max_retries == 1


def test_a_skill_json_alone_is_a_skill_as_before(folder):
    """Skills 9: with prompt.md as its prompt."""
    reading = write(folder, md=None, manifest={**MANIFEST, "scripts": [RUN]}, prompt__md="Do it.\r\n")

    assert (reading.skill.description, read_prompt(reading.skill)) == ("Other.", "Do it.")
    assert reading.notes == ()


@pytest.mark.parametrize("foreign", [{"slug": "x", "files": []}, {"name": "@org/x", "version": "1"}, []])
def test_a_foreign_skill_json_is_ignored_with_a_warning(folder, foreign):
    """Skills 9: it never stops a SKILL.md."""
    reading = write(folder, manifest=foreign)

    assert reading.skill.version == "2.0.0"
    assert "is not Aeon's and is ignored" in messages(reading)[0]


def test_a_bad_skill_json_alone_is_skipped_with_all_reasons(folder):
    """Skills 8, 13."""
    reading = write(folder, md=None, manifest={"name": "No", "version": 1})

    assert reading.skill is None
    assert all(field in messages(reading)[0] for field in ("$.name", "$.version", "$.description"))


def test_an_unreadable_skill_md_leaves_what_skill_json_says(folder):
    reading = write(folder, "no front matter", manifest=MANIFEST)

    assert reading.skill.manifest_path.name == "skill.json"
    assert reading.notes[0].is_skip
    assert reading.notes[0].line == 1


def test_a_gigabyte_of_skill_md_is_never_read_whole(folder):
    """Skills 9: skipped with the reason; a sparse file stands for the gigabyte."""
    with (folder / "SKILL.md").open("wb") as file:
        file.write(MD.encode())
        file.truncate(1 << 30)
    reading = read_skill(folder)

    assert reading.skill is None
    assert messages(reading) == ["is larger than 1024 KiB"]


@pytest.mark.timeout(10)
def test_what_is_no_file_is_not_waited_for(folder):
    """A pipe called SKILL.md, and one called config-schema.json."""
    os.mkfifo(folder / "SKILL.md")
    assert messages(read_skill(folder)) == ["is not a file"]
    (folder / "SKILL.md").unlink()
    os.mkfifo(folder / "config-schema.json")
    assert write(folder).skill is not None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("scripts/gone.py", "does not exist"),
        ("../other/run.py", "without .."),
        ("/bin/sh", "not absolute"),
        ("scripts/ru\0n.py", "NUL"),
        ("scripts/out.py", "leads out"),
        ("scripts", "is not a file"),
        ("scripts/loop.py", "cannot be reached"),
        ("scripts/data.bin", "no interpreter"),
        ("x" * 900, "cannot be reached"),
    ],
)
def test_a_script_that_cannot_be_is_a_permanent_failure(folder, path, said):
    """Skills 13: missing, out of the skill's folder, not executable; said with its reason."""
    (folder / "scripts" / "out.py").symlink_to("/etc/passwd")
    (folder / "scripts" / "loop.py").symlink_to("loop.py")
    (folder / "scripts" / "data.bin").write_bytes(b"\0\1")
    reading = write(folder, manifest={**MANIFEST, "scripts": [RUN, {"name": "bad", "path": path}]})

    assert reading.skill.error_state is ErrorState.PERMANENT_FAILURE
    assert not reading.skill.can_be_planned
    assert any(said in message and "'bad'" in message for message in messages(reading)), messages(reading)


def test_a_script_that_is_not_required_is_left_out(folder):
    """Skills 8: `required`."""
    script = {"name": "bad", "path": "scripts/gone.py", "required": False}
    reading = write(folder, manifest={**MANIFEST, "scripts": [RUN, script]})

    assert reading.skill.error_state is ErrorState.HEALTHY
    assert [s.name for s in reading.skill.scripts] == ["run"]
    assert reading.notes[0].is_skip


def test_spaces_in_paths_are_nothing_special(folder):
    (folder / "scripts" / "my run.py").write_text("print(1)")
    reading = write(folder, manifest={**MANIFEST, "scripts": [{"name": "my", "path": "scripts/my run.py"}]})

    assert [s.tool_path for s in reading.skill.scripts] == ["greet/scripts/my run.py", "greet/scripts/run.py"]


def test_plain_scripts_are_files_with_a_known_interpreter(folder):
    """Skills 9: by suffix or shebang, exec bit or not; a name that is taken is told apart; links that lead out are not."""
    scripts = folder / "scripts"
    for name, text in {
        "run.sh": "",
        "tool": "#!/usr/bin/env -S bash -e\n",
        "notes.txt": "",
        "_part.py": "",
        "data": "",
    }.items():
        (scripts / name).write_text(text)
    (scripts / "out.sh").symlink_to("/etc/profile")
    (scripts / "sub").mkdir()
    reading = write(folder)

    assert [s.name for s in reading.skill.scripts] == ["run", "run.sh", "tool"]
    assert [str(note.path.name) for note in reading.notes] == ["out.sh"]


def test_scripts_that_the_body_names_and_that_are_not_there_are_warned_of(folder):
    """Skills 9."""
    reading = write(folder, MD + "Run `scripts/run.py`, scripts/gone.sh or python scripts/lib/x.py.\n")

    assert messages(reading) == ["names files that do not exist: scripts/gone.sh, scripts/lib/x.py"]


@pytest.mark.parametrize("schema", ["{", "[]", '{"type": "nothing"}', '{"$ref": "https://example.org/x"}'])
def test_a_bad_settings_schema_degrades_our_skill_and_not_a_published_one(folder, schema):
    """Skills 10."""
    assert write(folder, config_schema__json=schema).skill.error_state is ErrorState.HEALTHY
    reading = write(folder, manifest=MANIFEST)
    assert reading.skill.error_state is ErrorState.DEGRADED
    assert reading.skill.config_schema is None
    assert "config-schema.json" in str(reading.notes[-1])


def test_files_that_are_named_and_missing_are_said(folder):
    reading = write(folder, md=None, manifest={**MANIFEST, "prompt": "p.md", "configSchema": "s.json"})

    assert [(note.path.name, note.message) for note in reading.notes] == [
        ("skill.json", "the prompt 'p.md' does not exist"), ("s.json", "does not exist"),
    ]  # fmt: skip
    assert reading.skill.error_state is ErrorState.DEGRADED


def test_a_prompt_that_went_away_is_an_error_of_the_skill(folder):
    skill = write(folder).skill
    (folder / "SKILL.md").unlink()
    with pytest.raises(SkillError, match=r"prompt of the skill 'greet'.*does not exist"):
        read_prompt(skill)


def test_a_name_that_no_file_can_have_is_a_file_that_is_not_there(folder):
    """Skills 9: whatever the text says, it stops nothing."""
    reading = write(folder, f"---\nname: greet\ndescription: d\n---\nRun scripts/{'a' * 300}.py\n")

    assert reading.skill.can_be_planned
    assert any("do not exist" in message for message in messages(reading))


def test_two_scripts_by_one_file_are_refused(folder):
    """Skills 7, 8: a plan names a script by its file, and would run the first for the second."""
    twice = [RUN, {**RUN, "name": "other", "path": "./" + RUN["path"]}]
    reading = write(folder, manifest={**MANIFEST, "scripts": twice})

    assert any("$.scripts[1].path: is the file of an earlier script" in message for message in messages(reading))
