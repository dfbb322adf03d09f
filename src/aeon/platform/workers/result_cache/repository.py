"""Keeps results of pure tools in the record, large ones beside it; so many of each tool, those used last."""

from contextlib import suppress
from itertools import count

from aeon.base.clock import Clock
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.catalog.result_cache import CachedResult, CacheKey
from aeon.platform.runs.claim_check import LostResultError, ResultStore, check_in, check_out, reference_of
from aeon.platform.runs.repository import instant_to_micros
from aeon.platform.store import Query, Store, StoreError
from aeon.platform.workers.result_cache import queries

MAX_RESULT_CHARS = 4 * 1024 * 1024
"""Characters of a result as JSON; larger ones are made again."""

MAX_RESULTS_PER_TOOL = 1000
"""Results; looked at after each so many that were kept here."""

_TRIMMED_EVERY = 100
_TRIMMED_AT_ONCE = 10_000

_INLINE = 8 * 1024
"""Characters of a result that stands in the record itself."""

_USE_IS_NOTED_AFTER = 3600 * 1_000_000
"""Microseconds: a read that writes each time would be dear."""


class SqlResultCache:
    """A `ResultCache` in the record and a store of results. What of either does not answer is not there."""

    def __init__(self, store: Store, results: ResultStore, clock: Clock) -> None:
        self._store = store
        self._results = results
        self._clock = clock
        self._puts = count(1)

    def get(self, key: CacheKey) -> CachedResult | None:
        """The result, if it is there and whole."""
        with suppress(StoreError, LostResultError, OSError):
            for row in self._store.read(queries.CACHED, {"key": key.digest}):
                output = parse_strict(check_out(self._results, row["text"]))
                self._note_use(key, row["used_micros"])
                return CachedResult(output)
        return None

    def put(self, key: CacheKey, output: Json) -> None:
        """Keep it, unless it is too large. Of two that were made at once one stays."""
        text = canonical_json(output)
        if len(text) > MAX_RESULT_CHARS:
            return
        with suppress(StoreError, OSError):
            kept = check_in(self._results, text, _INLINE)
            cached: JsonObject = {
                "key": key.digest,
                "tool_id": key.tool,
                "text": kept,
                "reference": reference_of(kept),
                "used_micros": self._now(),
            }
            self._write(queries.CACHE, cached)
            if next(self._puts) % _TRIMMED_EVERY == 0:
                trimmed: JsonObject = {"tool": key.tool, "most": MAX_RESULTS_PER_TOOL, "limit": _TRIMMED_AT_ONCE}
                self._write(queries.TRIM, trimmed)

    def clear(self, tool: str) -> int:
        """Forget what is kept of a tool; how many results. Raises StoreError."""
        return self._write(queries.CLEAR, {"tool": tool})

    def _note_use(self, key: CacheKey, used: int) -> None:
        now = self._now()
        if now - used > _USE_IS_NOTED_AFTER:
            self._write(queries.NOTE_USE, {"key": key.digest, "now": now})

    def _write(self, query: Query, params: JsonObject) -> int:
        return self._store.update(lambda unit: unit.write(query, params))

    def _now(self) -> int:
        return instant_to_micros(self._clock.now())
