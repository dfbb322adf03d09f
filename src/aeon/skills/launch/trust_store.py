"""What the user granted to single skills for good (skills 15): by the digest of their files, outside the project."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

from aeon.base.errors import SkillError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.base.project_folder import make_folder, path_problems
from aeon.skills.launch.grants import Grants
from aeon.skills.models import Skill

_USAGE_FILES = frozenset({"data", "config.json"})
"""What changes in a skill's folder while it is used."""

_LARGEST = 256 * 1024 * 1024


class SkillTrustStore:
    """A file for each trusted skill in a folder of the user's own. A skill that changed is another one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_trusted(self, skill: Skill) -> bool:
        """Whether the skill is trusted as it is now."""
        return self._trust_file(skill) is not None

    def grants_for(self, skill: Skill, of_run: Grants) -> Grants:
        """What the skill may use: what this run grants, and what it was trusted with."""
        file = self._trust_file(skill)
        return of_run if file is None else _join_grants(of_run, file)

    def _trust_file(self, skill: Skill) -> Path | None:
        """The file of a skill that is trusted as it is now."""
        if not self._folder.is_dir() or not any(self._folder.glob(f"{_name_digest(skill)}-*")):
            return None
        with suppress(SkillError):  # nobody trusted what cannot be read whole
            file = self._file(skill)
            if file.is_file() and not path_problems([self._folder.parent, self._folder, file]):
                return file
        return None

    def trust(self, skill: Skill, grants: Grants) -> None:
        """Remember what the skill, as it is now, may use. Raises OSError, SkillError as `digest`."""
        make_folder(self._folder, 0o700)
        file = self._file(skill)
        file.unlink(missing_ok=True)
        file.touch(0o600)
        write = [str(folder) for folder in grants.write]
        what = {"skill": skill.name, "network": grants.network, "model": grants.model, "write": write}
        file.write_text(canonical_json(what) + "\n", "utf-8")

    def revoke(self, skill: Skill) -> None:
        """Forget it. Raises OSError, SkillError as `digest`."""
        self._file(skill).unlink(missing_ok=True)

    def _file(self, skill: Skill) -> Path:
        return self._folder / f"{_name_digest(skill)}-{skill_digest(skill)}"


def _name_digest(skill: Skill) -> str:
    """What stands for the skill's name, which may hold any characters: so a skill nobody trusted is not read whole."""
    return hashlib.sha256(skill.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def skill_digest(skill: Skill) -> str:
    """Of the names and contents of all files of the skill, those of its use left out.

    Raises SkillError for a skill that cannot be read whole, or is too large to be.
    """
    whole = hashlib.sha256()
    size = 0
    try:
        for file in _files(skill.directory_path):
            if file.relative_to(skill.directory_path).parts[0] in _USAGE_FILES:
                continue
            size += file.stat().st_size
            if size > _LARGEST:
                raise SkillError(f"The skill {skill.name!r} is larger than {_LARGEST // 1024**2} MiB.")
            name = str(file.relative_to(skill.directory_path)).encode("utf-8", "surrogateescape")
            with file.open("rb") as opened:
                whole.update(hashlib.sha256(name).digest() + hashlib.file_digest(opened, "sha256").digest())
    except OSError as error:
        raise SkillError(f"The skill {skill.name!r} cannot be read whole: {error}.") from None
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Its files in order, links to files as what they lead to. Raises SkillError for a link to a folder."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        elif entry.is_file():
            yield entry
        elif entry.is_dir():
            raise SkillError(f"{entry} is a link to a folder, whose files nobody can vouch for.")


def _join_grants(of_run: Grants, file: Path) -> Grants:
    kept = cast(JsonObject, parse_strict(file.read_text("utf-8")))
    folders = tuple(Path(place) for place in kept.get("write", []))
    return replace(
        of_run,
        network=of_run.network or kept.get("network") is True,
        model=of_run.model or kept.get("model") is True,
        write=(*of_run.write, *folders),
    )
