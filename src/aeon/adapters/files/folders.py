"""`FolderAccess`: what of the user's files tools may read and write (least privilege)."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from aeon.base.errors import ToolError

_KEY_SUFFIXES = frozenset((".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks", ".keystore"))
"""Files that hold keys. Others with secrets, such as `.env`, are hidden."""


class FolderAccess:
    """The folders whose files may be read, and those in which files may be written.

    Nothing hidden is read, listed or written, no key file, and nothing to which a link leads out of the folders.
    """

    def __init__(
        self,
        base: Path,
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        confirm: Callable[[Path], bool] | None = None,
    ) -> None:
        """Relative paths start at `base`. What may be written may be read.

        `confirm` asks the user about a file outside the writable folders; without it such a file is refused.
        """
        self.base = base.resolve()
        self._confirm = confirm
        self._writable = [(base / each.expanduser()).resolve() for each in writable]
        self._readable = [*((base / each.expanduser()).resolve() for each in readable), *self._writable]

    def readable(self, name: str) -> Path:
        """The path of something that may be read. Raises ToolError."""
        return self._allowed(name, self._readable, "read", "--allow-read")

    def writable(self, name: str) -> Path:
        """The path of a file that may be written, or that the user allows to be. Raises ToolError."""
        path = (self.base / Path(name).expanduser()).resolve()
        is_inside = any(path.is_relative_to(each) for each in self._writable)
        if self._confirm is None or is_inside or any(_is_private(part) for part in path.parts):
            return self._allowed(name, self._writable, "written", "--allow-write")
        if not self._confirm(path):
            raise ToolError(f"{name} was not written: you did not allow it.")
        return path

    def shown(self, path: Path) -> str:
        """A path as people name it: relative to the base if it is inside."""
        return str(path.relative_to(self.base)) if path.is_relative_to(self.base) else str(path)

    def files_in(self, folder: Path) -> Iterator[Path]:
        """Yields the files in a folder and the folders in it that may be read, sorted; links are not followed."""
        for place, folders, files in os.walk(folder, followlinks=False):
            folders[:] = sorted(each for each in folders if not _is_private(each))
            for name in sorted(files):
                path = Path(place) / name
                if not _is_private(name) and path.is_file() and not path.is_symlink():
                    yield path

    def _allowed(self, name: str, roots: Sequence[Path], what: str, flag: str) -> Path:
        path = (self.base / Path(name).expanduser()).resolve()
        root = next((each for each in roots if path.is_relative_to(each)), None)
        if root is None:
            place = path.parent if what == "written" else path
            raise ToolError(
                f"{name} may not be {what}: it is in no folder that you allowed.",
                next_step=f"If you want it, add {flag} {place}.",
            )
        if any(_is_private(part) for part in path.relative_to(root).parts):
            raise ToolError(f"{name} may not be {what}: it is hidden, or may hold keys.")
        return path


def _is_private(name: str) -> bool:
    return name.startswith(".") or Path(name).suffix.casefold() in _KEY_SUFFIXES
