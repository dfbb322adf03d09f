"""The programs that this machine's user allows for tools that other users have a say in (measured P4)."""

import os
from pathlib import Path

from aeon.base.project_folder import make_folder, path_problems
from aeon.platform.catalog.trust import StdioProgram


class AllowedPrograms:
    """A file for each in a folder of the user's own, outside of every project. A `Programs`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def allows(self, program: StdioProgram) -> bool:
        """Whether the very same command, arguments and environment were allowed."""
        file = self._folder / program.digest
        return os.path.lexists(file) and not path_problems([self._folder.parent, self._folder, file])

    def allow(self, program: StdioProgram) -> None:
        """Allow a program. Raises OSError."""
        make_folder(self._folder, 0o700)
        file = self._folder / program.digest
        file.unlink(missing_ok=True)
        file.touch(0o600)
        file.write_text(f"{program}\n", "utf-8")  # for people who look

    def forbid(self, program: StdioProgram) -> None:
        """Allow it no more."""
        (self._folder / program.digest).unlink(missing_ok=True)
