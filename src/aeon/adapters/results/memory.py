"""Keeps large results in the memory of this process."""

import time
from collections.abc import Iterator

from aeon.platform.runs.claim_check import LostResultError


class MemoryResultStore:
    """A `ResultStore` that is gone with its process. Threads may share it."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, float]] = {}

    def put(self, digest: str, text: str) -> None:
        """Store a text."""
        self._texts[digest] = text, time.time()

    def get(self, digest: str) -> str:
        """Return the text. Raises LostResultError if it is missing."""
        if digest not in self._texts:
            raise LostResultError(f"The stored result {digest[:12]} is missing.", next_step="Run the process again.")
        return self._texts[digest][0]

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """Return the digests of the texts that were last put before then."""
        return iter([digest for digest, (_, at) in self._texts.items() if at < instant])

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Delete a text that was not put since then; return whether it was deleted."""
        is_unused = digest in self._texts and self._texts[digest][1] < instant
        if is_unused:
            del self._texts[digest]
        return is_unused
