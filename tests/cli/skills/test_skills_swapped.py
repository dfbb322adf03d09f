"""Files and links that are swapped between their check and their use (skills 15, issue S12)."""

from pathlib import Path

import pytest

from aeon.base.errors import SkillError
from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.instructions import InstructionFollower
from aeon.skills.launch.trust_store import skill_digest
from aeon.skills.launch.verified_copies import VerifiedCopies
from aeon.skills.sandbox import SandboxRunner
from aeon.testing.llm import ScriptedAdapter

DIARY = "the diary"


def written(folder: Path) -> Path:
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: shower\ndescription: Shows.\n---\nRead guide.md.")
    (folder / "scripts" / "show.py").write_text("print('trusted')")
    (folder / "guide.md").write_text("A guide.")
    return folder


def skill_in(folder: Path):
    skill = read_skill(folder).skill
    assert skill is not None
    return skill


def swap(file: Path, target: Path) -> None:
    file.unlink()
    file.symlink_to(target)


def test_a_link_swapped_after_the_checks_is_not_run_skills_15(aeon, monkeypatch):
    """The link leads to a script of the user's folder, which a sandboxed script may read."""
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT")
    folder = written(Path("skills/shower"))
    Path("evil.py").write_text("print('evil')")
    aeon("skill", "trust", "shower")
    start = SandboxRunner.start

    def swap_then_start(self, invocation, *more):
        swap(folder / "scripts/show.py", Path("evil.py").absolute())
        return start(self, invocation, *more)

    monkeypatch.setattr(SandboxRunner, "start", swap_then_start)
    ended = aeon("skill", "run", "shower/show.py")

    assert (ended.code, ended.out) == (0, "trusted\n"), ended.err


def test_a_script_of_a_trusted_skill_runs_from_the_copy_that_was_checked_skills_15(aeon, monkeypatch):
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT")
    folder = written(Path("skills/shower"))
    (folder / "scripts/show.py").write_text("print(__file__)")
    aeon("skill", "trust", "shower")
    ended = aeon("skill", "run", "shower/show.py")

    assert ended.out.strip().endswith("/shower/scripts/show.py"), ended.err
    assert not Path(ended.out.strip()).is_relative_to(folder.absolute())


def test_a_copy_has_the_digest_that_was_checked_skills_15(tmp_path):
    skill = skill_in(written(tmp_path / "shower"))
    digest, copies = skill_digest(skill), VerifiedCopies(tmp_path / "copies")
    (skill.directory_path / "scripts" / "show.py").write_text("print('evil')")

    with pytest.raises(SkillError, match="'shower' changed while it was read"):
        copies.copy_of(skill, digest)
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_copy_stays_as_it_was_checked_skills_15(tmp_path):
    skill = skill_in(written(tmp_path / "shower"))
    copies, digest = VerifiedCopies(tmp_path / "copies"), skill_digest(skill)
    copied = copies.copy_of(skill, digest)
    swap(skill.scripts[0].path, tmp_path / "evil.py")

    assert copied.scripts[0].path.read_text() == "print('trusted')"
    assert copies.copy_of(skill, digest) == copied
    assert copied.data_home == skill.data_home


def test_a_reference_swapped_for_a_link_is_not_read_skills_14(tmp_path):
    """The user's own skills are read where they are; a link out of the folder is not followed."""
    skill = skill_in(written(tmp_path / "shower"))
    (tmp_path / "secret.txt").write_text(DIARY)

    class Swaps(ScriptedAdapter):
        def complete(self, request, on_text=None):
            if not (skill.directory_path / "guide.md").is_symlink():
                swap(skill.directory_path / "guide.md", tmp_path / "secret.txt")
            return super().complete(request, on_text)

    model = Swaps([{"files": ["guide.md"]}, {"files": ["none"]}, "Done."])
    InstructionFollower(model).follow([skill], "Show.")

    seen = [request.system_prompt or "" for request in model.requests]
    assert "it cannot be read: leads out of the folder" in seen[-1]
    assert not any(DIARY in text for text in seen)


def test_all_that_the_digest_holds_is_copied_skills_15(tmp_path):
    """Also packages of Node.js, caches, links to files elsewhere, and nested folders named data; not the user's data."""
    folder = written(tmp_path / "shower")
    (tmp_path / "shared.py").write_text("shared")
    (folder / "scripts" / "shared.py").symlink_to(tmp_path / "shared.py")
    for name in (
        "node_modules/a/index.js",
        "scripts/__pycache__/b.pyc",
        "assets/data/c.csv",
        "data/own.txt",
        "in/SKILL.md",
        "in/data/d",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    skill = skill_in(folder)
    copied = VerifiedCopies(tmp_path / "copies").copy_of(skill, skill_digest(skill)).directory_path

    assert (copied / "scripts/shared.py").read_text() == "shared"
    assert (copied / "assets/data/c.csv").exists()
    assert (copied / "in/data/d").exists()
    assert not (copied / "data").exists()


def test_an_untrusted_skill_that_cannot_be_digested_is_only_untrusted_skills_15(aeon, monkeypatch, tmp_path):
    monkeypatch.delenv("AEON_SKILLS_TRUST_PROJECT")
    folder = written(Path("skills/shower"))
    (folder / "elsewhere").symlink_to(tmp_path)
    ended = aeon("skill", "run", "shower/show.py")

    assert ended.code == 1
    assert "you have not trusted its current files" in " ".join(ended.err.split())
