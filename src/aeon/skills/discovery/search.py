"""Every skill below some folders (skills-data-model 7, skills 9). The first of a name wins; nothing stops the rest."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from aeon.skills.config.skill_settings import with_config
from aeon.skills.discovery.cache import DiscoveryCache
from aeon.skills.discovery.skill_reader import SKILL_JSON, SKILL_MD
from aeon.skills.models import Skill, SkillCatalog, SkillNote

RootLabel: TypeAlias = Literal["project", "user", "shipped"]

MAX_DEPTH_BELOW_ROOT = 6
"""Folders below a root that are looked into."""
MAX_FOLDERS = 2000
"""Folders of one root that are looked into without being skills: a root that is somebody's whole disk ends early."""

_SKIPPED = frozenset({"node_modules", "__pycache__"})


class SkillRoot(NamedTuple):
    """A folder with skills. `home`: where the user's data for them goes, when not into the skills' own folders."""

    path: Path
    label: RootLabel
    data_home: Path | None = None


def default_roots(cwd: Path, environ: Mapping[str, str]) -> tuple[SkillRoot, ...]:
    """The folders that are searched, in order of precedence: the project's, the user's, those that Aeon ships."""
    return (
        SkillRoot(cwd / "skills", "project"),
        SkillRoot(cwd / ".agents" / "skills", "project"),
        *(SkillRoot(folder, "user") for folder in _user_folders(environ)),
        SkillRoot(Path(__file__).parents[1] / "shipped", "shipped", cwd / ".aeon" / "skills"),
    )


def _user_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    home = environ.get("HOME", "")
    if Path(home).is_absolute():
        yield Path(home) / ".agents" / "skills"
    # The XDG specification says to ignore a relative path.
    data = environ.get("XDG_DATA_HOME", "")
    if Path(data).is_absolute():
        yield Path(data) / "aeon" / "skills"
    elif Path(home).is_absolute():
        yield Path(home) / ".local" / "share" / "aeon" / "skills"


def discover(
    roots: Sequence[SkillRoot],
    *,
    environ: Mapping[str, str] | None = None,
    cache: DiscoveryCache | None = None,
    withheld: Collection[str] = frozenset(),
) -> SkillCatalog:
    """All skills below the roots. Whatever is skipped or read leniently is a note; nothing raises.

    `environ` is where settings look for the variables they name, by default the process's own; the skills of a project,
    which may be somebody else's, do not get those in `withheld`.
    """
    environ = os.environ if environ is None else environ
    cache = cache or DiscoveryCache(None)
    found: dict[str, Skill] = {}
    notes: list[SkillNote] = []
    for root in roots:
        path, home = root.path.absolute(), root.data_home.absolute() if root.data_home else None
        with cache.open_root(path, home) as readings:
            for folder in _folders(path, notes):
                reading = readings.read(folder)
                notes += reading.notes
                if reading.skill is None:
                    continue
                if winner := found.get(reading.skill.name):
                    notes += _shadowed_notes(reading.skill, winner)
                    continue
                is_foreign = root.label == "project"
                kept = frozenset(withheld) if is_foreign else frozenset[str]()
                skill = with_config(
                    replace(reading.skill, withheld_variables=kept, is_from_project=is_foreign), environ
                )
                notes += skill.notes[len(reading.notes) :]
                found[skill.name] = skill
    return SkillCatalog(tuple(found.values()), tuple(notes))


def _shadowed_notes(skill: Skill, winner: Skill) -> list[SkillNote]:
    """The note on a second skill of one name; none where it is the first again, by another way."""
    if skill.directory_path.resolve() == winner.directory_path.resolve():
        return []
    said = f"a skill {skill.name!r} was found before, in {winner.directory_path}; that one counts"
    return [SkillNote(skill.manifest_path, None, said, is_skip=True)]


@dataclass
class _FolderWalk:
    """One search: folders still to be looked into, breadth first, and those seen, by device and inode."""

    notes: list[SkillNote]
    seen: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    looked_into: int = 0

    def below(self, root: str) -> Iterator[str]:
        level = [root]
        for depth in range(MAX_DEPTH_BELOW_ROOT + 1):
            inner: list[str] = []
            for folder in level:
                subfolders, is_skill = self._listed(folder)
                if is_skill:
                    yield folder
                    continue
                self.looked_into += 1
                if self.looked_into > MAX_FOLDERS:
                    self._note(root, f"more than {MAX_FOLDERS} folders; those from {folder} on are not looked into")
                    return
                inner += subfolders
            level = inner
            if level and depth == MAX_DEPTH_BELOW_ROOT:
                self._note(
                    level[0],
                    f"deeper than {MAX_DEPTH_BELOW_ROOT} folders below {root}; not looked into, as are its like",
                )

    def _listed(self, folder: str) -> tuple[list[str], bool]:
        """The folders in a folder, and whether it is a skill itself."""
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._note(folder, f"cannot be listed ({error.strerror})")
            return [], False
        names = {entry.name for entry in listed}
        if SKILL_MD in names or SKILL_JSON in names:
            return [], True
        if odd := next((name for name in names if name.lower() == "skill.md"), None):
            self._note(os.path.join(folder, odd), f"is not called {SKILL_MD}")  # noqa: PTH118  # paths stay text here
        return [entry.path for entry in listed if self._is_new_folder(entry)], False

    def _is_new_folder(self, entry: "os.DirEntry[str]") -> bool:
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            return False
        try:
            if not entry.is_dir():
                return False
            status = entry.stat()
        except OSError as error:
            self._note(entry.path, f"cannot be reached ({error.strerror})")
            return False
        first = self.seen.setdefault((status.st_dev, status.st_ino), entry.path)
        if first != entry.path:
            self._note(entry.path, f"is the same folder as {first}")
        return first == entry.path

    def _note(self, path: str, message: str) -> None:
        self.notes.append(SkillNote(Path(path), None, message, is_skip=True))


def _folders(root: Path, notes: list[SkillNote]) -> Iterator[Path]:
    """The folders of skills below a root, by depth and name. No such root: nothing, and no note."""
    try:
        status = root.stat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        notes.append(SkillNote(root, None, f"cannot be reached ({error})", is_skip=True))
        return
    walk = _FolderWalk(notes)
    walk.seen[(status.st_dev, status.st_ino)] = str(root)
    for folder in walk.below(str(root)):
        yield Path(folder)
