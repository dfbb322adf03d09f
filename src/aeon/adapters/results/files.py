"""Stores large results as files named by their SHA-256, in a shareable folder."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from aeon.base.project_folder import make_folder, require_ownership
from aeon.platform.runs.claim_check import LostResultError


class FileResultStore:
    """Stores texts in a folder that only its owner can read. Files appear atomically and synced."""

    def __init__(self, folder: Path) -> None:
        """Raises ForeignFolderError for a folder in a project's folder that came from elsewhere."""
        require_ownership(folder)
        self._folder = folder

    def put(self, digest: str, text: str) -> None:
        """Stores a text. Raises OSError if the disk is full."""
        file = self._file(digest)
        with suppress(FileNotFoundError):
            os.utime(file)
            return
        make_folder(file.parent, 0o700)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f"{digest}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(file.parent)

    def get(self, digest: str) -> str:
        """Returns the text. Raises LostResultError if it is missing or was changed."""
        try:
            text = self._file(digest).read_bytes()
        except FileNotFoundError:
            raise LostResultError(
                f"The stored result {digest[:12]} is missing.", next_step="Run the process again."
            ) from None
        if hashlib.sha256(text).hexdigest() != digest:
            raise LostResultError(f"The stored result {digest[:12]} was changed.", next_step="Run the process again.")
        return text.decode()

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """Yields the digests of texts not stored since then, and drafts of killed writers."""
        for file in self._folder.glob("*/*"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime < instant:
                    yield file.name

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Deletes a text that was not stored since then; returns whether it was deleted."""
        file = self._file(digest)
        with suppress(FileNotFoundError):
            if file.stat().st_mtime < instant:
                file.unlink()
                return True
        return False

    def _file(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
