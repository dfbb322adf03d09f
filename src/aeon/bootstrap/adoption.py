"""Takes over a project's `.aeon` that came from elsewhere, after checking everything in it (platform 21)."""

from collections.abc import Mapping
from pathlib import Path

from aeon.base.project_folder import (
    PROJECT_FOLDER,
    ForeignFolderError,
    adopt_folder,
    is_own_folder,
    path_problems,
    state_folder,
)
from aeon.bootstrap.stores import record_file
from aeon.bootstrap.vaults import project_key_file


def project_files(project: Path) -> list[str]:
    """Return the sorted paths of the files in a project's `.aeon`. Raises ForeignFolderError if it does not exist."""
    folder = project / PROJECT_FOLDER
    if not folder.is_dir() or folder.is_symlink():
        raise ForeignFolderError(f"There is no folder {folder}.", next_step="Run the command in the project's folder.")
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def adopt_project(project: Path, environ: Mapping[str, str]) -> bool:
    """Make a project's `.aeon` and its record belong to this user; False if both already did.

    Everything in the folder must be a plain file or folder owned by this user, and the record must be intact. Raises
    ForeignFolderError with everything that is not, or StoreError; then nothing was taken over.
    """
    folder = project / PROJECT_FOLDER
    project_files(project)
    if problems := path_problems([folder, *sorted(folder.rglob("*"))]):
        raise ForeignFolderError(
            f"{len(problems)} problem(s) in {folder}: {' '.join(problems)} It was not taken over.",
            next_step="Remove what you do not trust, correct the rest (chown, chmod go-w, cp), and try again.",
        )
    was_own = is_own_folder(folder)
    has_adopted = _adopt_record(project, environ)
    if not was_own:
        adopt_folder(folder)
    return has_adopted or not was_own


def missing_key_file(project: Path, environ: Mapping[str, str]) -> Path | None:
    """Return where the vault's key must be copied to; None without a vault, or if its key is there."""
    folder = project / PROJECT_FOLDER
    key_file = project_key_file(project, environ)
    if not (folder / "vault.db").exists() or key_file.exists() or (folder / "master.key").exists():
        return None
    return key_file


def _adopt_record(project: Path, environ: Mapping[str, str]) -> bool:
    file = record_file(project)
    if not file.exists():
        return False
    from aeon.adapters.store.sqlite.maintenance import adopt_record

    return adopt_record(file, state=state_folder(environ))
