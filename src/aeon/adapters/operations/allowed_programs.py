"""The programs that the user of this machine allows for tools that other users can change."""

import os
from pathlib import Path

from aeon.base.project_folder import make_folder, path_problems
from aeon.platform.catalog.trust import StdioProgram


class AllowedPrograms:
    """A store of allowed programs: one file each, in the user's state folder. A `Programs`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def allows(self, program: StdioProgram) -> bool:
        """Return whether exactly this command, with its arguments and environment, was allowed."""
        file = self._folder / program.digest
        return os.path.lexists(file) and not path_problems([self._folder.parent, self._folder, file])

    def allow(self, program: StdioProgram) -> None:
        """Allow a program. Raises OSError."""
        make_folder(self._folder, 0o700)
        file = self._folder / program.digest
        file.unlink(missing_ok=True)
        file.touch(0o600)
        file.write_text(f"{program}\n", "utf-8")  # for people who read the file

    def forbid(self, program: StdioProgram) -> None:
        """Stop allowing a program."""
        (self._folder / program.digest).unlink(missing_ok=True)
