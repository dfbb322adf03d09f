"""Copies of trusted skills, which nothing changes between the check of their digest and their use (skills 15)."""

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from aeon.base.errors import SkillError
from aeon.base.project_folder import make_folder
from aeon.skills.launch.preparation import remove_old
from aeon.skills.launch.trust_store import USAGE_FILES, skill_digest
from aeon.skills.models import Skill


class VerifiedCopies:
    """One folder for each digest, in the user's own folder, where no script writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copy_of(self, skill: Skill, digest: str) -> Skill:
        """Returns the skill with the files of a copy that has this digest.

        Raises SkillError if the skill's files have another digest, or cannot be read.
        """
        kept = self._folder / digest
        if kept.is_dir():
            os.utime(kept)
        else:
            self._make(skill, digest, kept)
        return _moved(skill, kept / skill.directory_path.name)

    def _make(self, skill: Skill, digest: str, kept: Path) -> None:
        make_folder(self._folder, 0o700)
        remove_old(self._folder)
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".making-") as place:
            made = Path(place) / digest
            made.mkdir(0o700)
            copied = made / skill.directory_path.name
            try:
                shutil.copytree(skill.directory_path, copied, ignore=partial(_not_in_digest, skill))
            except (OSError, shutil.Error) as error:
                raise SkillError(f"The skill {skill.name!r} cannot be read completely: {error}.") from None
            # The digest is that of the copy: what was swapped while it was read shows in it.
            if skill_digest(_moved(skill, copied)) != digest:
                raise SkillError(
                    f"The skill {skill.name!r} changed while it was read.",
                    next_step="Look at its folder, and run it again.",
                )
            with suppress(OSError):  # another process made the same copy
                made.rename(kept)


def _not_in_digest(skill: Skill, folder: str, names: list[str]) -> set[str]:
    """Returns what the digest does not hold: the skill's data and settings, pipes, sockets and links to nothing."""
    odd = {name for name in names if not (Path(folder, name).is_file() or Path(folder, name).is_dir())}
    return odd | (USAGE_FILES.intersection(names) if Path(folder) == skill.directory_path else set[str]())


def _moved(skill: Skill, folder: Path) -> Skill:
    """Returns the skill in another folder; its data stay where they are."""

    def moved(path: Path) -> Path:
        return folder / path.relative_to(skill.directory_path)

    return replace(
        skill,
        directory_path=folder,
        manifest_path=moved(skill.manifest_path),
        prompt_path=skill.prompt_path and moved(skill.prompt_path),
        scripts=tuple(replace(script, path=moved(script.path)) for script in skill.scripts),
    )
