"""Builds the spans of open runs while they go on: one for each attempt, when it has ended."""

from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.errors import NotFoundError
from aeon.platform.runs import queries
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.spans import Span, build_attempt_spans
from aeon.platform.runs.trace import TraceBuilder
from aeon.platform.store import Row, Store

_PAGE_SIZE: Final = 100

_MAX_TRACES: Final = 200
"""Open runs that are kept in memory; others are read from their first entry when they go on."""


class OpenRunSpans(NamedTuple):
    """New spans of an open run, and the number of its entries from which all spans are built then."""

    run: str
    entries: int
    spans: list[Span]


class OpenRunTracer:
    """Builds new spans of the open runs of one executor. For one thread at a time.

    What was exported is in the record alone (`note_sent`), so another process continues after any crash. In memory are
    only states from which entries can be read on.
    """

    def __init__(self, store: Store, runs: SqlRunRepository, executor: str) -> None:
        self._store = store
        self._runs = runs
        self._executor = executor
        self._traces: dict[str, _OpenTrace] = {}
        self._after = ""

    def list_new(self, *, with_contents: bool) -> Iterator[OpenRunSpans]:
        """Yield each open run that has new entries. A call begins where the one before was left. Raises StoreError."""
        began = self._after
        for row in chain(self._rows(began), takewhile(lambda row: row["id"] <= began, self._rows(""))):
            self._after = row["id"]
            if (found := self._advance(row["id"], row["sent"], with_contents=with_contents)) is not None:
                yield found

    def note_sent(self, sent: OpenRunSpans) -> None:
        """Write down that the spans were exported. Raises StoreError."""
        params: JsonObject = {"run": sent.run, "entries": sent.entries}
        self._store.update(lambda unit: unit.write(queries.NOTE_SENT_ENTRIES, params))

    def sent_entries(self, run: str) -> int:
        """Return how many entries of a run were exported."""
        rows = self._store.read(queries.SENT_ENTRIES, {"run": run})
        return rows[0]["entries"] if rows else 0

    def forget(self, run: str) -> None:
        """Forget what is kept in memory of a run, which has ended."""
        self._traces.pop(run, None)

    def _rows(self, after: str) -> Iterator[Row]:
        while True:
            params: JsonObject = {"executor": self._executor, "after": after, "limit": _PAGE_SIZE}
            rows = self._store.read(queries.OPEN_UNSENT, params)
            yield from rows
            if len(rows) < _PAGE_SIZE:
                return
            after = rows[-1]["id"]

    def _advance(self, run: str, sent: int, *, with_contents: bool) -> OpenRunSpans | None:
        """Return the new spans of a run; None if its entries are lost."""
        try:
            trace = self._traces.pop(run, None)
            if trace is None or trace.entries != sent:  # the spans of its last entries were not exported
                trace = _OpenTrace(self._runs.get_any(run))
            spans = trace.advance(self._runs, sent, with_contents=with_contents)
        except (LostResultError, NotFoundError):
            return None
        self._traces[run] = trace
        if len(self._traces) > _MAX_TRACES:
            del self._traces[next(iter(self._traces))]
        return OpenRunSpans(run, trace.entries, spans)


class _OpenTrace:
    """The state of a run after some of its entries, and its attempts that have not ended."""

    def __init__(self, planned: PlannedRun) -> None:
        self.entries = 0
        self._planned = planned
        self._builder = TraceBuilder(planned.plan)

    def advance(self, runs: SqlRunRepository, sent: int, *, with_contents: bool) -> list[Span]:
        """Read further entries; return the spans of attempts that ended by them, and after the entry `sent`."""
        entries = list(runs.entries(self._planned.run.id, self.entries))
        for entry in entries:
            self._builder.take(entry)
            self.entries = entry.n
        ended = [each for each in self._builder.found if each.ended_at is not None]
        self._builder.found = [each for each in self._builder.found if each.ended_at is None]
        new = [each for each in ended if each.ended_by > sent]
        return build_attempt_spans(self._planned, new, entries, with_contents=with_contents)
