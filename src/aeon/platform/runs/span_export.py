"""Exports the spans of runs while they go on and when they end, at least once each; retries what was not accepted.

The record says which runs are to be exported, and how far open ones are, so that no crash loses any, and nothing waits
in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from threading import Event, Lock
from typing import NamedTuple, Protocol

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.errors import NotFoundError
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.open_spans import OpenRunSpans, OpenRunTracer
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.spans import Span, build_spans
from aeon.platform.store import Store, StoreError, UnitOfWork

MAX_BATCH_SPANS = 256
"""Maximum spans in a batch; a run with more spans is sent in several batches."""

MAX_PENDING_RUNS = 10_000
"""Maximum number of runs, the latest ones, whose spans wait while the receiver is unavailable."""

_RUN_BATCH_SIZE = 100
_RETRY_DELAY = 30.0
"""Seconds to wait after a failed export, so that a slow receiver does not block the process."""

EXPORT_INTERVAL = 5.0
"""Seconds between two looks at what open runs have done."""

_MAX_ROUND_SECONDS = 5.0
"""Seconds of exporting at a stretch, plus one batch."""


class SpanExportError(AeonError):
    """Spans were not accepted. `is_final`: sending them again would fail again."""

    def __init__(self, message: str, *, next_step: str = "", is_final: bool = False) -> None:
        super().__init__(message, next_step=next_step)
        self.is_final = is_final


class SpanExporter(Protocol):
    """Sends spans to a receiver."""

    @property
    def with_contents(self) -> bool:
        """Whether spans should contain inputs and outputs, too."""
        ...

    def export(self, spans: Sequence[Span]) -> None:
        """Deliver spans within a few seconds. Raises SpanExportError, and nothing else."""
        ...


class _Batch(NamedTuple):
    """Spans, the ended runs that are complete with the last of them, and the open runs that they are of."""

    spans: Sequence[Span]
    runs: Sequence[str] = ()
    open_runs: Sequence[OpenRunSpans] = ()


class SpanExportQueue:
    """Exports spans of the open runs of one executor, and of all marked runs that have ended.

    Several processes may do so, and may export the same ones of ended runs. Threads may share it.
    """

    def __init__(
        self,
        store: Store,
        runs: SqlRunRepository,
        receiver: SpanExporter,
        clock: Clock,
        warn: Callable[[str], None],
        executor: str,
    ) -> None:
        """`warn` is called once for each kind of failure. `executor` is the one whose open runs are exported here."""
        self._store = store
        self._runs = runs
        self._receiver = receiver
        self._clock = clock
        self._warn = warn
        self._warned: set[str] = set()
        self._paused_until = clock.monotonic()
        self._tracer = OpenRunTracer(store, runs, executor)
        self._exporting = Lock()

    def export_pending(self) -> None:
        """Export pending spans, for a few seconds or until a failure. Raises StoreError."""
        with self._exporting:
            self._export_round()

    def export_until(self, stopping: Event) -> None:
        """Export what is pending every few seconds until `stopping` is set."""
        while not stopping.wait(EXPORT_INTERVAL):
            with suppress(StoreError):  # the next round, or the next process, exports it
                self.export_pending()

    def _export_round(self) -> None:
        began = self._clock.monotonic()
        if began < self._paused_until:
            return
        for batch in chain(self._batches(), self._open_batches()):
            try:
                if batch.spans:
                    self._receiver.export(batch.spans)
            except SpanExportError as error:
                self._warn_once(error)
                if not error.is_final:
                    self._pause()
                    return
            self._mark_sent(batch)
            if self._clock.monotonic() - began > _MAX_ROUND_SECONDS:
                return

    def _batches(self) -> Iterator[_Batch]:
        spans: list[Span] = []
        runs: list[str] = []
        for row in self._store.read(queries.UNSENT, {"limit": _RUN_BATCH_SIZE}):
            spans += self._spans(row["id"])
            while len(spans) > MAX_BATCH_SPANS:
                yield _Batch(spans[:MAX_BATCH_SPANS], runs)
                spans, runs = spans[MAX_BATCH_SPANS:], []
            runs.append(row["id"])
        if runs:
            yield _Batch(spans, runs)

    def _open_batches(self) -> Iterator[_Batch]:
        spans: list[Span] = []
        open_runs: list[OpenRunSpans] = []
        for found in self._tracer.list_new(with_contents=self._receiver.with_contents):
            spans += found.spans
            while len(spans) > MAX_BATCH_SPANS:
                yield _Batch(spans[:MAX_BATCH_SPANS], open_runs=open_runs)
                spans, open_runs = spans[MAX_BATCH_SPANS:], []
            open_runs.append(found)
        if open_runs:
            yield _Batch(spans, open_runs=open_runs)

    def _spans(self, run: str) -> list[Span]:
        """Return the spans of an ended run that are not yet exported; none if its entries are lost."""
        self._tracer.forget(run)
        try:
            planned = self._runs.get_any(run)
            before = self._runs.list_summaries([planned.run.retry_of]) if planned.run.retry_of else []
            with_contents = self._receiver.with_contents
            entries = self._runs.entries(run)
            sent = self._tracer.sent_entries(run)
            return build_spans(planned, entries, before[0] if before else None, with_contents=with_contents, sent=sent)
        except (LostResultError, NotFoundError):
            return []

    def _mark_sent(self, batch: _Batch) -> None:
        for each in batch.open_runs:
            self._tracer.note_sent(each)
        if not batch.runs:
            return
        params: JsonObject = {"runs": list[Json](batch.runs)}

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.SENT, params)
            unit.write(queries.FORGET_SENT_ENTRIES, params)

        self._store.update(work)

    def _pause(self) -> None:
        self._paused_until = self._clock.monotonic() + _RETRY_DELAY
        if self._store.update(lambda unit: unit.write(queries.GIVE_UP_UNSENT, {"limit": MAX_PENDING_RUNS})):
            self._warn_once(
                SpanExportError(
                    f"More than {MAX_PENDING_RUNS} runs wait for the export of their spans: older ones are dropped."
                )
            )

    def _warn_once(self, error: SpanExportError) -> None:
        if error.message not in self._warned:
            self._warned.add(error.message)
            self._warn(str(error))
