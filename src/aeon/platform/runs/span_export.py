"""Sends the spans of ended runs, at least once each: what was not taken is sent again later, where that makes sense.

Which runs are to be sent stands in the runs, so that no crash loses any, and nothing waits in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.base.json import Json
from aeon.platform.errors import NotFoundError
from aeon.platform.runs import queries
from aeon.platform.runs.claim_check import LostResultError
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.spans import Span, build_spans
from aeon.platform.store import Store

MAX_BATCH_SPANS = 256
"""Spans in one batch, but for a run that has more: it is sent in several."""

MAX_PENDING_RUNS = 10_000
"""Runs, the latest, whose spans wait while nobody takes them."""

_RUNS_AT_ONCE = 100
_TRIES_AGAIN_AFTER = 30.0
"""Seconds: a receiver that is slow to say no is not waited for all the time."""

_LONGEST_ROUND = 5.0
"""Seconds, and a batch: nor is one that is slow to say yes."""


class SpanExportError(AeonError):
    """Spans were not taken. `is_final`: the same again would be refused again."""

    def __init__(self, message: str, *, next_step: str = "", is_final: bool = False) -> None:
        super().__init__(message, next_step=next_step)
        self.is_final = is_final


class SpanExporter(Protocol):
    """Where spans go."""

    @property
    def with_contents(self) -> bool:
        """Whether inputs and outputs are asked for, too."""
        ...

    def export(self, spans: Sequence[Span]) -> None:
        """Have them delivered, within a few seconds. Raises SpanExportError, and nothing else."""
        ...


class _Batch(NamedTuple):
    """Spans, and the runs that are sent with the last of them."""

    spans: Sequence[Span]
    runs: Sequence[str]


class SpanExportQueue:
    """Sends spans of runs that are marked to be sent. Several processes may do so, and may then send the same ones."""

    def __init__(
        self, store: Store, book: SqlRunRepository, receiver: SpanExporter, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        """`tell` is told once of each kind of trouble."""
        self._store = store
        self._book = book
        self._receiver = receiver
        self._clock = clock
        self._tell = tell
        self._told: set[str] = set()
        self._rests_until = clock.monotonic()

    def export_pending(self) -> None:
        """Send what is to be sent, for a few seconds, or until there is trouble. Raises StoreError."""
        began = self._clock.monotonic()
        if began < self._rests_until:
            return
        for batch in self._batches():
            try:
                if batch.spans:
                    self._receiver.export(batch.spans)
            except SpanExportError as error:
                self._tell_once(error)
                if not error.is_final:
                    self._rest()
                    return
            if batch.runs:
                self._note_sent(batch.runs)
            if self._clock.monotonic() - began > _LONGEST_ROUND:
                return

    def _batches(self) -> Iterator[_Batch]:
        spans: list[Span] = []
        runs: list[str] = []
        for row in self._store.read(queries.UNSENT, {"limit": _RUNS_AT_ONCE}):
            spans += self._spans(row["id"])
            while len(spans) > MAX_BATCH_SPANS:
                yield _Batch(spans[:MAX_BATCH_SPANS], runs)
                spans, runs = spans[MAX_BATCH_SPANS:], []
            runs.append(row["id"])
        if runs:
            yield _Batch(spans, runs)

    def _spans(self, run: str) -> list[Span]:
        """None where what the run came to is gone: nobody will ever know."""
        try:
            found = self._book.get_any(run)
            before = self._book.list_summaries([found.run.retry_of]) if found.run.retry_of else []
            with_contents = self._receiver.with_contents
            entries = self._book.entries(run)
            return build_spans(found, entries, before[0] if before else None, with_contents=with_contents)
        except (LostResultError, NotFoundError):
            return []

    def _note_sent(self, runs: Sequence[str]) -> None:
        sent = list[Json](runs)
        self._store.update(lambda unit: unit.write(queries.SENT, {"runs": sent}))

    def _rest(self) -> None:
        self._rests_until = self._clock.monotonic() + _TRIES_AGAIN_AFTER
        if self._store.update(lambda unit: unit.write(queries.GIVE_UP_UNSENT, {"limit": MAX_PENDING_RUNS})):
            self._tell_once(
                SpanExportError(
                    f"More than {MAX_PENDING_RUNS} runs wait for their spans to be sent: older ones go without."
                )
            )

    def _tell_once(self, error: SpanExportError) -> None:
        if error.message not in self._told:
            self._told.add(error.message)
            self._tell(str(error))
