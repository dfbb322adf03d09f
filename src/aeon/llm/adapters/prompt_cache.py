"""A disk cache of the model's state after its instructions: processed once per machine, not once per process."""

import hashlib
import json
import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aeon.llm.adapters.llama_http import post_json
from aeon.llm.adapters.llama_runtime import RuntimeSettings

MIN_CACHED_CHARACTERS = 2000
"""Characters from which instructions are cached; a shorter text is processed faster than a file is loaded."""

_MAX_FILES = 4
"""The number of files to keep, the last used ones; 12 to 28 KB per token."""


class PromptCache:
    """Restores the state of llama.cpp's one slot after the instructions, or processes them and saves the state.

    A file contains only instructions, never a request. It is bound to the weights, the context and the runtime's
    version; a file that does not load is removed. The cache never fails a request: without it, requests take longer.
    """

    def __init__(self, folder: Path, settings: RuntimeSettings) -> None:
        self._folder = folder
        self._settings = settings
        self._prepared: set[str] = set()

    def for_new_server(self) -> "PromptCache":
        """The same cache for a freshly loaded server."""
        return PromptCache(self._folder, self._settings)

    def load_instructions(self, address: str, instructions: str, read: Callable[[], None]) -> None:
        """Loads `instructions` into the server at `address`; `read` makes the server process them."""
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
        """Asks the server, on its loopback port, to save its slot to a file or to restore it."""
        path = f"/slots/0?action={action}"
        return post_json(address, self._settings.api_key, path, {"filename": file.name}) is not None

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
        for file in files[:-_MAX_FILES]:
            file.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> Path | None:
    """Makes the folder with access for its owner only; returns None if that fails."""
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
