"""Large texts travel by reference: stored once under their digest, and named where they are used."""

import hashlib
from collections.abc import Iterator
from typing import Final, Protocol

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.errors import PlatformError
from aeon.platform.runs.model import RunEntry

MAX_INLINE_CHARS: Final = 256 * 1024
"""Characters of a text that still travels itself."""

_MARK: Final = "@sha256:"
"""What no JSON text begins with."""


class LostResultError(PlatformError):
    """A stored result is not there any more."""


class ResultStore(Protocol):
    """Keeps texts under their SHA-256. Threads and processes may share one."""

    def put(self, digest: str, text: str) -> None:
        """Keep a text, durably; whoever puts the same one again changes nothing."""
        ...

    def get(self, digest: str) -> str:
        """The text, exactly. Raises LostResultError when it is not there, or not the same any more."""
        ...

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """The digests of what nobody has put since then, in seconds since 1970."""
        ...

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Forget a text that nobody has put since then; whether it was there, and is gone now."""
        ...


def check_in(results: ResultStore, text: str, largest: int = MAX_INLINE_CHARS) -> str:
    """The text itself, or, of more than `largest` characters, a reference under which it is kept from now on."""
    if len(text) <= largest:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    results.put(digest, text)
    return f"{_MARK}{digest}"


def check_out(results: ResultStore, text: str) -> str:
    """The text that was checked in. Raises LostResultError."""
    digest = reference_of(text)
    return text if digest is None else results.get(digest)


def reference_of(text: str) -> str | None:
    """The digest that a text refers to; None for one that is there itself."""
    return text.removeprefix(_MARK) if text.startswith(_MARK) else None


def run_entry_row(results: ResultStore, run: str, entry: RunEntry) -> JsonObject:
    """An entry's columns. A large one is kept by reference."""
    text = check_in(results, canonical_json(entry.as_dict()))
    return {"run_id": run, "n": entry.n, "text": text, "reference": reference_of(text)}
