"""Finds every skill below some folders (skills-data-model 7, skills 9).

The first skill of a name wins.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from aeon.skills.config.skill_settings import with_config
from aeon.skills.discovery.cache import DiscoveryCache
from aeon.skills.models import SKILL_JSON, SKILL_MD, Skill, SkillCatalog, SkillNote, shadow_note

RootLabel: TypeAlias = Literal["project", "user", "shipped"]

MAX_DEPTH_BELOW_ROOT = 6
"""Maximum depth of the search below a root."""
MAX_FOLDERS = 2000
"""Maximum number of searched folders per root that are not skills, in case the root is a whole disk."""

_SKIPPED = frozenset({"node_modules", "__pycache__", ".git", ".hg", ".svn", ".venv", ".tox", ".cache", ".aeon"})
_TEMPORARY = ".install-"
"""The beginning of the names of folders in which an installation is under way."""


class SkillRoot(NamedTuple):
    """A folder with skills.

    `data_home`: the folder for the user's data, if it is not the skills' own folders.
    """

    path: Path
    label: RootLabel
    data_home: Path | None = None


def default_roots(cwd: Path, environ: Mapping[str, str]) -> tuple[SkillRoot, ...]:
    """Returns the searched folders by precedence: the project's, the user's, Aeon's own."""
    return (
        SkillRoot(cwd / "skills", "project"),
        SkillRoot(cwd / ".agents" / "skills", "project"),
        SkillRoot(cwd / ".claude" / "skills", "project"),
        *(SkillRoot(folder, "user") for folder in user_folders(environ)),
        SkillRoot(Path(__file__).parents[1] / "shipped", "shipped", cwd / ".aeon" / "skills"),
    )


def user_folders(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yields the user's own folders of skills; the last one is Aeon's."""
    home = environ.get("HOME", "")
    if Path(home).is_absolute():
        yield Path(home) / ".agents" / "skills"
        yield Path(home) / ".claude" / "skills"
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
    """Returns all skills below the roots.

    Skipped and leniently read files give notes; nothing raises. `environ` provides the variables that settings name,
    by default the process's own. Skills of a project, which may be another person's, do not get the variables in
    `withheld`.
    """
    environ = os.environ if environ is None else environ
    cache = cache or DiscoveryCache(None)
    skills: dict[str, Skill] = {}
    shadowed: dict[str, Skill] = {}
    notes: list[SkillNote] = []
    for root in roots:
        path, home = root.path.absolute(), root.data_home.absolute() if root.data_home else None
        with cache.open_root(path, home) as readings:
            for folder in _folders(path, notes):
                reading = readings.read(folder)
                notes += reading.notes
                if reading.skill is None:
                    continue
                winner = skills.get(reading.skill.name)
                if winner and reading.skill.directory_path.resolve() == winner.directory_path.resolve():
                    continue
                is_from_project = root.label == "project"
                withheld_variables = frozenset(withheld) if is_from_project else frozenset[str]()
                skill = with_config(
                    replace(reading.skill, withheld_variables=withheld_variables, is_from_project=is_from_project),
                    environ,
                )
                if winner:
                    notes.append(shadow_note(skill, winner))
                    if winner.is_from_project and not is_from_project:
                        shadowed.setdefault(skill.name, skill)
                    continue
                notes += skill.notes[len(reading.notes) :]
                skills[skill.name] = skill
    return SkillCatalog(tuple(skills.values()), tuple(notes), tuple(shadowed.values()))


@dataclass
class _FolderWalk:
    """A breadth-first search of folders; `seen` has the visited ones by device and inode."""

    notes: list[SkillNote]
    seen: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    searched: int = 0

    def below(self, root: str) -> Iterator[str]:
        level = [root]
        for depth in range(MAX_DEPTH_BELOW_ROOT + 1):
            inner: list[str] = []
            for folder in level:
                subfolders, is_skill = self._listed(folder)
                if is_skill:
                    yield folder
                    continue
                self.searched += 1
                if self.searched > MAX_FOLDERS:
                    self._note(root, f"more than {MAX_FOLDERS} folders; those from {folder} on are not searched")
                    return
                inner += subfolders
            level = inner
            if level and depth == MAX_DEPTH_BELOW_ROOT:
                self._note(
                    level[0],
                    f"deeper than {MAX_DEPTH_BELOW_ROOT} folders below {root}; folders at this depth are not searched",
                )

    def _listed(self, folder: str) -> tuple[list[str], bool]:
        """Returns the folders in a folder, and whether the folder itself is a skill."""
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
            self._note(os.path.join(folder, odd), f"must be named {SKILL_MD}")  # noqa: PTH118  # paths stay text here
        return [entry.path for entry in listed if self._is_new_folder(entry)], False

    def _is_new_folder(self, entry: "os.DirEntry[str]") -> bool:
        if entry.name.startswith(_TEMPORARY) or entry.name in _SKIPPED:
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
    """Yields the skill folders below a root, by depth and name.

    A root that does not exist yields nothing, and gives no note.
    """
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
