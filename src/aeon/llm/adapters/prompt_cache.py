"""What a model made of its instructions, kept on disk: read once on this machine, not once in every process."""

import hashlib
import json
import os
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

from aeon.llm.adapters.llama_runtime import RuntimeSettings

MIN_CACHED_CHARACTERS = 2000
"""Characters from which instructions are worth keeping; a shorter text is read faster than a file."""

_KEPT = 4
"""Files that are kept, the last used ones: 12 to 28 KB a token."""

_SECONDS = 60.0


class PromptCache:
    """Restores the state of llama.cpp's one slot after the instructions, or has them read and saves it.

    Only instructions are in a file, never a request. A file is bound to the weights, the context and the runtime's
    version; one that does not load is removed. Nothing here fails a question: without the cache it only takes longer.
    """

    def __init__(self, folder: Path, settings: RuntimeSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._prepared: set[str] = set()

    def for_new_server(self) -> "PromptCache":
        """The same cache for a server that has just been loaded and knows nothing."""
        return PromptCache(self._folder, self._settings)

    def load_instructions(self, address: str, instructions: str, read: Callable[[], None]) -> None:
        """Have the server at `address` know `instructions`; `read` makes it read them."""
        if len(instructions) < MIN_CACHED_CHARACTERS or instructions in self._prepared:
            return
        self._prepared.add(instructions)
        file = self._folder / f"{self._key(instructions)}.state"
        if file.exists() and self._act(address, "restore", file):
            os.utime(file)
            return
        file.unlink(missing_ok=True)
        read()
        fresh = file.with_suffix(f".{os.getpid()}")
        if self._act(address, "save", fresh):
            fresh.replace(file)
            self._prune()

    def _act(self, address: str, action: str, file: Path) -> bool:
        """Ask the server, over its own loopback port, to save its slot to a file or to restore it."""
        place = urlsplit(address)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=_SECONDS)
        headers = {"Authorization": f"Bearer {self._settings.api_key}", "Content-Type": "application/json"}
        try:
            connection.request("POST", f"/slots/0?action={action}", json.dumps({"filename": file.name}), headers)
            return connection.getresponse().status == 200  # noqa: PLR2004  # OK
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _key(self, instructions: str) -> str:
        weights = self._settings.model_path.stat()
        bound = (
            self._settings.model_path.name,
            weights.st_size,
            weights.st_mtime_ns,
            self._settings.context,
            _runtime(),
        )
        return hashlib.sha256(json.dumps([*bound, instructions]).encode()).hexdigest()[:32]

    def _prune(self) -> None:
        files = sorted(self._folder.glob("*.state"), key=lambda file: file.stat().st_mtime)
        for file in files[:-_KEPT]:
            file.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> Path | None:
    """The folder, made for its owner alone; None when it cannot be had."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


def _runtime() -> str:
    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        return "unknown"
