"""Large results in the record of a database server, where every machine reads them (decision 85)."""

import hashlib
from collections.abc import Iterator
from itertools import chain
from typing import Final

from aeon.base.clock import Clock, instant_to_micros
from aeon.base.json import JsonObject
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import LostResultError, ResultStore
from aeon.platform.store import Store

_PAGE: Final = 500
_MICROS: Final = 1_000_000


class RecordedResults:
    """A `ResultStore` in the record. Its methods raise StoreError, too."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def put(self, digest: str, text: str) -> None:
        """Store a text; one that is there already is not sent again."""
        at = instant_to_micros(self._clock.now())
        if self._store.update(lambda unit: unit.write(queries.KEEP_RESULT, {"digest": digest, "at": at})) != 1:
            row: JsonObject = {"digest": digest, "text": text, "at": at}
            self._store.update(lambda unit: unit.write(queries.PUT_RESULT, row))

    def get(self, digest: str) -> str:
        """Return the text. Raises LostResultError if it is missing or was changed."""
        rows = self._store.read(queries.RESULT, {"digest": digest})
        what = "is missing" if not rows else "was changed"
        if not rows or hashlib.sha256(rows[0]["text"].encode()).hexdigest() != digest:
            raise LostResultError(f"The stored result {digest[:12]} {what}.", next_step="Run the process again.")
        return rows[0]["text"]

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """Yield the digests of the texts that were last put before then, by pages."""
        after, before = "", round(instant * _MICROS)
        while True:
            params: JsonObject = {"before": before, "after": after, "limit": _PAGE}
            digests: list[str] = [row["digest"] for row in self._store.read(queries.UNUSED_RESULTS, params)]
            yield from digests
            if len(digests) < _PAGE:
                return
            after = digests[-1]

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Delete a text that was not put since then; return whether it was deleted."""
        params: JsonObject = {"digest": digest, "before": round(instant * _MICROS)}
        return self._store.update(lambda unit: unit.write(queries.REMOVE_RESULT, params)) == 1


class LayeredResults:
    """A `ResultStore` that writes into one place, and reads what is not there from another one.

    So a record that moved to a server, or back from one, finds what it had stored before.
    """

    def __init__(self, current: ResultStore, former: ResultStore) -> None:
        self._current = current
        self._former = former

    def put(self, digest: str, text: str) -> None:
        """Store a text in the current place."""
        self._current.put(digest, text)

    def get(self, digest: str) -> str:
        """Return the text. Raises LostResultError if neither place has it, or it was changed."""
        try:
            return self._current.get(digest)
        except LostResultError as error:
            try:
                return self._former.get(digest)
            except LostResultError:
                raise error from None

    def list_unused_since(self, instant: float) -> Iterator[str]:
        """Yield the digests of the texts of both places that were last put before then."""
        return chain(self._current.list_unused_since(instant), self._former.list_unused_since(instant))

    def remove_unused(self, digest: str, instant: float) -> bool:
        """Delete a text that was not put since then; return whether one was deleted."""
        removed = [each.remove_unused(digest, instant) for each in (self._current, self._former)]
        return any(removed)
