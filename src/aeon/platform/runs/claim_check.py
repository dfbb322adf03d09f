"""Claim check for large texts: stored once under their digest, and passed by reference."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Protocol

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.errors import PlatformError

if TYPE_CHECKING:
    from aeon.platform.runs.model import RunEntry

MAX_INLINE_CHARS: Final = 256 * 1024
"""Maximum number of characters of a text that is stored inline."""

REFERENCE_PREFIX: Final = "@sha256:"
"""A prefix that no JSON text has."""


class LostResultError(PlatformError):
    """A stored result is missing or damaged."""


class ResultStore(Protocol):
    """Stores texts under their SHA-256. Threads and processes may share one."""

    def put(self, digest: str, text: str) -> None:
        """Store a text durably. Storing the same text again changes nothing."""
        ...

    def get(self, digest: str) -> str:
        """Return the text unchanged. Raises LostResultError if it is missing or damaged."""
        ...

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """Return the digests of the texts that were last put before then, in seconds since 1970."""
        ...

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Delete a text that was not put since then; return whether it was deleted."""
        ...


def check_in(results: ResultStore, text: str, largest: int = MAX_INLINE_CHARS) -> str:
    """Return the text, or store it and return a reference if it has over `largest` characters."""
    if len(text) <= largest:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    results.put(digest, text)
    return f"{REFERENCE_PREFIX}{digest}"


def check_out(results: ResultStore, text: str) -> str:
    """Return the text of an inline text or a reference. Raises LostResultError."""
    digest = reference_of(text)
    return text if digest is None else results.get(digest)


def reference_of(text: str) -> str | None:
    """Return the digest that a text refers to; None for an inline text."""
    return text.removeprefix(REFERENCE_PREFIX) if text.startswith(REFERENCE_PREFIX) else None


def run_entry_row(results: ResultStore, run: str, entry: "RunEntry") -> JsonObject:
    """Return the columns of an entry. A large one is stored by reference."""
    text = check_in(results, canonical_json(entry.as_dict()))
    return {"run_id": run, "n": entry.n, "text": text, "reference": reference_of(text)}
