"""Stores permanent grants for trusted skills (skills 15).

They are keyed by the digest of the skill's files, outside the project.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from aeon.base.errors import SkillError
from aeon.base.json import JsonObject, canonical_json, parse_strict
from aeon.base.project_folder import make_folder, path_problems
from aeon.skills.launch.grants import Grants
from aeon.skills.models import Skill

USAGE_FILES = frozenset({"data", "config.json"})
"""Entries of a skill's folder that change while it is used."""

_LARGEST = 256 * 1024 * 1024


class SkillTrustStore:
    """One file per trusted skill in the user's own folder.

    A skill whose files change is no longer trusted.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def trusted_digest(self, skill: Skill) -> str | None:
        """Returns the digest of the skill's current files if the skill is trusted with them."""
        file = self._trust_file(skill)
        return file and file.name.rpartition("-")[2]

    def grants_for(self, skill: Skill, of_run: Grants) -> Grants:
        """Returns the union of the run's grants and the grants that the skill is trusted with."""
        file = self._trust_file(skill)
        return of_run if file is None else _join_grants(of_run, file)

    def _trust_file(self, skill: Skill) -> Path | None:
        """Returns the trust file of the skill with its current files, or None if it is not trusted."""
        if not self._folder.is_dir() or not any(self._folder.glob(f"{_name_digest(skill)}-*")):
            return None
        with suppress(SkillError):  # an unreadable skill cannot have been trusted
            file = self._file(skill)
            if file.is_file() and not path_problems([self._folder.parent, self._folder, file]):
                return file
        return None

    def trust(self, skill: Skill, grants: Grants, *, expected_digest: str | None = None) -> None:
        """Stores the grants for the skill's current files.

        Raises OSError, and SkillError as `skill_digest` does, or if the files have another digest than expected.
        """
        files = file_digests(skill)
        digest = digest_of_files(files)
        if expected_digest not in (None, digest):
            raise SkillError(
                f"The files of the skill {skill.name!r} changed since you looked at them.",
                next_step="Look at them again, then trust it.",
            )
        make_folder(self._folder, 0o700)
        file = self._folder / f"{_name_digest(skill)}-{digest}"
        file.unlink(missing_ok=True)
        file.touch(0o600)
        write = [str(folder) for folder in grants.write]
        what = {
            "skill": skill.name,
            "network": grants.network,
            "model": grants.model,
            "write": write,
            "install": grants.install,
            "packages": list(grants.packages),
            "files": files,
        }
        file.write_text(canonical_json(what) + "\n", "utf-8")

    def last_trusted_files(self, skill: Skill) -> dict[str, str] | None:
        """Returns the digests of the files that a skill of that name was last trusted with, by their paths.

        Returns None if it never was, or before they were kept.
        """
        files = [each for each in self._folder.glob(f"{_name_digest(skill)}-*") if each.is_file()]
        safe = [each for each in files if not path_problems([self._folder.parent, self._folder, each])]
        if not safe:
            return None
        newest = max(safe, key=lambda each: each.stat().st_mtime_ns)
        return cast(JsonObject, parse_strict(newest.read_text("utf-8"))).get("files")

    def revoke(self, skill: Skill) -> None:
        """Removes the trust file. Raises OSError, and SkillError as `skill_digest` does."""
        self._file(skill).unlink(missing_ok=True)

    def _file(self, skill: Skill) -> Path:
        return self._folder / f"{_name_digest(skill)}-{skill_digest(skill)}"


def _name_digest(skill: Skill) -> str:
    """Returns a file-safe digest of the name.

    By it, an untrusted skill is recognized without reading its files.
    """
    return hashlib.sha256(skill.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def skill_digest(skill: Skill) -> str:
    """Returns the digest of the skill's files and their names.

    Files that change in use are not included. Raises SkillError if the skill cannot be read completely or is too
    large.
    """
    return digest_of_files(file_digests(skill))


def digest_of_files(files: Mapping[str, str]) -> str:
    """Returns the digest of a skill whose files have these digests, by their paths in its folder."""
    whole = hashlib.sha256()
    for path, digest in files.items():
        name = path.encode("utf-8", "surrogateescape")
        whole.update(hashlib.sha256(name).digest() + bytes.fromhex(digest))
    return whole.hexdigest()


def file_digests(skill: Skill) -> dict[str, str]:
    """Returns the SHA-256 of each file of a skill that counts for trust, by its path in the skill's folder.

    Raises SkillError as `skill_digest` does.
    """
    found: dict[str, str] = {}
    size = 0
    try:
        for file in _files(skill.directory_path):
            path = file.relative_to(skill.directory_path)
            if path.parts[0] in USAGE_FILES:
                continue
            size += file.stat().st_size
            if size > _LARGEST:
                raise SkillError(f"The skill {skill.name!r} is larger than {_LARGEST // 1024**2} MiB.")
            with file.open("rb") as opened:
                found[str(path)] = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise SkillError(f"The skill {skill.name!r} cannot be read completely: {error}.") from None
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Yields the folder's files in order and follows links to files.

    Raises SkillError for a link to a folder.
    """
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        elif entry.is_file():
            yield entry
        elif entry.is_dir():
            raise SkillError(f"{entry} is a link to a folder, which cannot be trusted; put a real folder in its place.")


def _join_grants(of_run: Grants, file: Path) -> Grants:
    trusted = cast(JsonObject, parse_strict(file.read_text("utf-8")))
    folders = tuple(Path(place) for place in trusted.get("write", []))
    return of_run._replace(
        network=of_run.network or trusted.get("network") is True,
        model=of_run.model or trusted.get("model") is True,
        write=(*of_run.write, *folders),
        install=of_run.install or trusted.get("install") is True,
        packages=tuple(dict.fromkeys((*of_run.packages, *trusted.get("packages", [])))),
    )
