"""Folders that Aeon makes."""

from pathlib import Path

from aeon.base.project_folder import claim_folder, find_project_folder, require_ownership


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder with its parents, unless it is there. Raises OSError.

    A project's `.aeon`, and each folder in it, is for its user alone (0700); it must be marked as theirs (platform 21).
    Raises ForeignFolderError for one that came from elsewhere.
    """
    project = find_project_folder(folder)
    if project is not None:
        mode = 0o700
        claim_folder(project)
        require_ownership(folder)
    folder.mkdir(mode, parents=True, exist_ok=True)
