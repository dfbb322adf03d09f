"""Folders that Aeon makes, and what keeps those of a project out of its repository."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

PROJECT_FOLDER: Final = ".aeon"
"""Where a project keeps all that Aeon writes for it, under the folder in which its commands are run."""


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder with its parents, unless it is there. Raises OSError.

    A project's `.aeon`, and each folder in it, is for its user alone (0700), and holds a `.gitignore` of `*`: `git add`
    must not publish a vault or a log (platform 21).
    """
    project = next((each for each in (folder, *folder.parents) if each.name == PROJECT_FOLDER), None)
    if project is not None:
        mode = 0o700
        project.mkdir(mode, parents=True, exist_ok=True)
        _keep_out_of_git(project)
    folder.mkdir(mode, parents=True, exist_ok=True)


def _keep_out_of_git(project: Path) -> None:
    """Errors are left to the next write into the folder, which reports them."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(OSError):
        descriptor = os.open(project / ".gitignore", flags, 0o600)
        try:
            os.write(descriptor, b"*\n")
        finally:
            os.close(descriptor)
