"""Caches results of pure tools in the record: the most recently used ones of each tool.

Large results are stored beside the record.
"""

from contextlib import suppress
from itertools import count

from aeon.base.clock import Clock, instant_to_micros
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.catalog.result_cache import CachedResult, CacheKey
from aeon.platform.runs.claim_check import LostResultError, ResultStore, check_in, check_out, reference_of
from aeon.platform.store import Query, Store, StoreError
from aeon.platform.workers.result_cache import queries

MAX_RESULT_CHARS = 4 * 1024 * 1024
"""Maximum characters of a result as JSON; larger ones are not cached."""

MAX_RESULTS_PER_TOOL = 1000
"""Maximum number of results per tool; trimmed after every 100 puts."""

_TRIM_INTERVAL = 100
_TRIM_BATCH_SIZE = 10_000

_MAX_INLINE_CHARS = 8 * 1024
"""Maximum characters of a result that is stored inline."""

_USE_UPDATE_INTERVAL = 3600 * 1_000_000
"""Microseconds between two updates of the last use: a write with each read would be expensive."""


class SqlResultCache:
    """A `ResultCache` in the record and a result store. If either fails, the result is a miss."""

    def __init__(self, store: Store, results: ResultStore, clock: Clock) -> None:
        self._store = store
        self._results = results
        self._clock = clock
        self._puts = count(1)

    def get(self, key: CacheKey) -> CachedResult | None:
        """Return the result if it is stored and complete."""
        with suppress(StoreError, LostResultError, OSError):
            for row in self._store.read(queries.CACHED, {"key": key.digest}):
                output = parse_strict(check_out(self._results, row["text"]))
                self._record_use(key, row["used_micros"])
                return CachedResult(output)
        return None

    def put(self, key: CacheKey, output: Json) -> None:
        """Store a result unless it is too large. Of two that were computed at once, one stays."""
        text = canonical_json(output)
        if len(text) > MAX_RESULT_CHARS:
            return
        with suppress(StoreError, OSError):
            stored = check_in(self._results, text, _MAX_INLINE_CHARS)
            cached: JsonObject = {
                "key": key.digest,
                "tool_id": key.tool,
                "text": stored,
                "reference": reference_of(stored),
                "used_micros": self._now(),
            }
            self._write(queries.CACHE, cached)
            if next(self._puts) % _TRIM_INTERVAL == 0:
                trimmed: JsonObject = {"tool": key.tool, "most": MAX_RESULTS_PER_TOOL, "limit": _TRIM_BATCH_SIZE}
                self._write(queries.TRIM, trimmed)

    def clear(self, tool: str) -> int:
        """Delete the results of a tool; return their number. Raises StoreError."""
        return self._write(queries.CLEAR, {"tool": tool})

    def _record_use(self, key: CacheKey, used: int) -> None:
        now = self._now()
        if now - used > _USE_UPDATE_INTERVAL:
            self._write(queries.NOTE_USE, {"key": key.digest, "now": now})

    def _write(self, query: Query, params: JsonObject) -> int:
        return self._store.update(lambda unit: unit.write(query, params))

    def _now(self) -> int:
        return instant_to_micros(self._clock.now())
