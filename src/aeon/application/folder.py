"""`FolderService`: who owns a project's folder, what is in it, and whether its secrets are safe."""

from collections.abc import Mapping
from pathlib import Path

from aeon.base.project_folder import PROJECT_FOLDER
from aeon.bootstrap.adoption import adopt_project, missing_key_file, project_files
from aeon.bootstrap.stores import old_graph_record, record_file
from aeon.bootstrap.tracked_files import TrackedFiles, find_tracked_files
from aeon.bootstrap.vaults import project_key_file
from aeon.settings import StoreSettings

__all__ = ["FolderService", "TrackedFiles"]


class FolderService:
    """The `.aeon` of one project. It belongs to a user of the machine, not to one of the record."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        """`folder` is the project's."""
        self._folder = folder
        self._environ = environ

    @property
    def place(self) -> Path:
        """The folder `.aeon` itself, which may not exist."""
        return self._folder / PROJECT_FOLDER

    def list_files(self) -> list[str]:
        """The files in `.aeon`, relative to it. Raises ForeignFolderError if it does not exist."""
        return project_files(self._folder)

    def adopt(self) -> bool:
        """Take over a `.aeon` that came from elsewhere; False if it was the user's already.

        Raises ForeignFolderError or StoreError; then nothing was taken over.
        """
        return adopt_project(self._folder, self._environ)

    @property
    def key_file(self) -> Path:
        """Where the master key of the vault belongs."""
        return project_key_file(self._folder, self._environ)

    def missing_key_file(self) -> Path | None:
        """Where the vault's key must be copied to; None without a vault, or if its key is there."""
        return missing_key_file(self._folder, self._environ)

    def tracked_files(self) -> TrackedFiles:
        """The files of `.aeon` that git tracks: everyone with access to the repository can read them."""
        return find_tracked_files(self._folder)

    def has_record(self, settings: StoreSettings) -> bool:
        """Whether the project has a record; looking for it creates none."""
        has_own = settings.address is not None or record_file(self._folder).exists()
        return has_own or self.old_record(settings) is not None

    def old_record(self, settings: StoreSettings) -> Path | None:
        """The record of an older Aeon, if this version would start an empty one beside it."""
        return old_graph_record(self._folder, settings)
