"""The names that a project and its user have, for the completion of a shell: nothing is opened, made or changed."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from aeon.adapters.store.sqlite.stored_names import NameKind, StoredName, read_names
from aeon.base.errors import AeonError
from aeon.base.project_folder import require_ownership
from aeon.bootstrap.stores import record_file
from aeon.skills.discovery.search import default_roots

__all__ = ["NameKind", "StoredName", "names_in_record", "names_of_skills"]

_SKILL_FILES = ("SKILL.md", "skill.json")


def names_in_record(project: Path, kind: NameKind, user: str, prefix: str, limit: int) -> list[StoredName]:
    """The stored names of a kind that begin with `prefix`, in the project's own file; none if it has no such file."""
    file = record_file(project)
    try:
        require_ownership(file)
    except AeonError:
        return []
    return read_names(file, kind, user, prefix, limit) if file.is_file() else []


def names_of_skills(project: Path, folders: list[str], environ: Mapping[str, str]) -> Iterator[str]:
    """The names of the folders of all skills: in the configured folders, the project's, the user's, the shipped."""
    configured = [project / Path(folder).expanduser() for folder in folders]
    for root in [*configured, *(each.path for each in default_roots(project, environ))]:
        if root.is_dir():
            yield from (each.name for each in root.iterdir() if any((each / file).is_file() for file in _SKILL_FILES))
