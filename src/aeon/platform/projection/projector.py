"""Brings a graph up to the record: every event, in order, as the present state of the node that it names.

An event only says which node to read again, so that taking one twice changes nothing. A batch of events is written to
the graph together with its new position, before the record learns of it: a crash between the two repeats the batch.

In PostgreSQL a transaction may commit an event after others with greater numbers were read. A projector therefore notes
the last event and a new transaction id, and reads up to that event once all transactions with smaller ids have ended.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import uuid4

from aeon.base.clock import Clock
from aeon.base.errors import AeonError
from aeon.platform.projection import queries
from aeon.platform.projection.model import GraphBatch, NodeKey
from aeon.platform.projection.source import RecordGraph
from aeon.platform.projection.stamps import NO_STAMP, BuildProgress, ProjectionPosition, is_building, parse_position
from aeon.platform.projection.target import (
    GraphTarget,
    ProjectionMovedError,
    RebuildRequiredError,
    TargetUnavailableError,
)
from aeon.platform.queries import RECORD_ID
from aeon.platform.store import Row, Store, StoreUnavailableError, UnitOfWork

_MARK: Final = "Projection"
"""The label of the event that a new consumer begins at, which names no node."""

_BUILDER_SECONDS: Final = 10.0
"""A builder that has written nothing for so long is taken for dead."""

_SETTLING_SECONDS, _SETTLING_PAUSE = 10.0, 0.01

_LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """How far a graph is behind the record. `reason` says why it must be rebuilt, `lag` is in seconds."""

    target: str
    state: Literal["empty", "building", "following", "rebuild required"]
    reason: str
    behind: int
    lag: float


class Projector:
    """Keeps one graph equal to one record, as the consumer `name` of its events.

    Several projectors may work on the same graph: one of them moves it on, and the others find that it moved.
    """

    def __init__(
        self,
        store: Store,
        target: GraphTarget,
        clock: Clock,
        *,
        name: str = "graph",
        size: int = 500,
        patience: float = _BUILDER_SECONDS,
    ) -> None:
        """`size` is the number of events or nodes in a batch."""
        self._store = store
        self._target = target
        self._clock = clock
        self._name = name
        self._size = size
        self._patience = patience
        self._record = RecordGraph(store)
        self._horizon: Row | None = None

    @property
    def target(self) -> str:
        """The kind of the graph's server, and where it is. It need not answer."""
        return self._target.name

    def sync(self, seconds: float = _SETTLING_SECONDS) -> int:
        """Bring the graph up to the record as it is now, and build it where there is none.

        Changes wait for transactions that are under way. Where one of these takes longer than `seconds`, the changes
        are left for the next time, and `status` tells. Returns the number of events that were taken. Raises
        RebuildRequiredError, ProjectionMovedError, TargetUnavailableError and StoreError.
        """
        self._await_builder()
        return self._catch_up(self._checked() or self._build(), seconds)

    def rebuild(self) -> None:
        """Delete the projection, build it anew and bring it up to the record. Raises as `sync`."""
        self._catch_up(self._build(), _SETTLING_SECONDS)

    def follow(self, wait: Callable[[float], bool], *, pause: float = 0.5, report: Callable[[AeonError], None]) -> None:
        """Sync again and again, until `wait(seconds)` returns True, as `threading.Event.wait` does.

        A record or a graph that does not answer is reported and asked again after longer and longer pauses. Raises
        RebuildRequiredError.
        """
        longer = pause
        while True:
            try:
                self.sync(seconds=0)
                longer = pause
            except (TargetUnavailableError, ProjectionMovedError, StoreUnavailableError) as error:
                report(error)
                longer = min(longer * 2, _LONGEST_PAUSE)
            if wait(longer):
                return

    def status(self) -> ProjectionStatus:
        """How far the graph is behind the record. Changes nothing."""
        stamp = self._target.stamp()
        at = parse_position(stamp)

        def look(unit: UnitOfWork) -> tuple[str, Row]:
            reason = self._objection(unit, at) if at else ""
            after = at.seq if at and not reason else self._consumed(unit) or 0
            return reason, unit.read(queries.BEHIND, {"after": after})[0]

        reason, behind = self._store.view(look)
        oldest = behind["oldest"]
        lag = 0.0 if oldest is None else max(0.0, (self._micros() - oldest) / 1e6)
        if at is None:
            state = "building" if is_building(stamp) else "empty"
        else:
            state = "rebuild required" if reason else "following"
        return ProjectionStatus(self._target.name, state, reason, behind["events"], lag)

    def unregister(self) -> None:
        """Stop being a consumer, so that the record notes no more events for this graph. The graph stays as it is."""

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.RETIRE, {"name": self._name})
            unit.write(queries.FORGET_EVENTS)

        self._store.update(work)

    def _await_builder(self) -> None:
        """Wait while another process builds the graph, until it is done or seems dead."""
        stamp = NO_STAMP
        while is_building(now := self._target.stamp()) and now != stamp:
            stamp = now
            self._clock.sleep(self._patience)

    def _checked(self) -> ProjectionPosition | None:
        """Where the graph is; None where it must be built first. Raises RebuildRequiredError."""
        at = parse_position(self._target.stamp())
        if at is None:
            return None
        reason, is_ahead = self._store.view(lambda unit: (self._objection(unit, at), self._consumed(unit) != at.seq))
        if reason:
            raise RebuildRequiredError(reason)
        if is_ahead:
            self._advance(at)
        return at

    def _objection(self, unit: UnitOfWork, at: ProjectionPosition) -> str:
        """Why a graph at this position does not continue the record; empty if it does.

        The event at the position is kept until all consumers are past it. While it is there, all later ones are.
        """
        if unit.read(RECORD_ID)[0]["id"] != at.record:
            return "The graph is the projection of another record."
        if self._consumed(unit) is None:
            return "The record has not noted its changes for this graph since it was brought up to date."
        event = unit.read(queries.EVENT, {"seq": at.seq})
        if not event or event[0]["micros"] != at.micros:
            return "The record or the graph was restored from a backup."
        return ""

    def _consumed(self, unit: UnitOfWork) -> int | None:
        rows = unit.read(queries.POSITION, {"name": self._name})
        return rows[0]["position"] if rows else None

    def _build(self) -> ProjectionPosition:
        """Fill the graph from nothing. What changes in the meantime has events, which are taken afterwards."""
        at, stamp = self._registered(), BuildProgress.begun()
        self._target.clear(stamp.stamp)
        for batch in self._everything():
            self._target.apply(batch, self._target.claim(stamp.stamp), stamp.next.stamp)
            stamp = stamp.next
        self._target.apply(GraphBatch(), self._target.claim(stamp.stamp), at.stamp)
        self._advance(at)
        return at

    def _registered(self) -> ProjectionPosition:
        """Be a consumer from now on, at an event of its own. All changes from here on have later events."""
        micros, mark = self._micros(), uuid4().hex

        def work(unit: UnitOfWork) -> ProjectionPosition:
            unit.read(queries.LOCK_CONSUMERS)
            record = unit.read(RECORD_ID)[0]["id"]
            seq = unit.read(queries.MARK, {"micros": micros, "label": _MARK, "subject": mark})[0]["seq"]
            unit.write(queries.REGISTER, {"name": self._name, "seq": seq})
            return ProjectionPosition(record, seq, micros)

        return self._store.update(work)

    def _everything(self) -> Iterator[GraphBatch]:
        """All nodes, then all edges: an edge needs its two nodes."""
        for page in self._record.pages(self._size):
            yield GraphBatch(nodes=self._record.nodes(page))
        for page in self._record.pages(self._size):
            yield GraphBatch(edge_sources=page.keys, edges=self._record.edges(page))

    def _catch_up(self, at: ProjectionPosition, seconds: float) -> int:
        """Take the events up to the one that is the last now. Returns how many."""
        until, taken = self._settled(at.seq, seconds), 0
        while at.seq < until and (events := self._events(at.seq, until)):
            at = self._take(events, at)
            taken += len(events)
        return taken

    def _events(self, after: int, until: int) -> list[Row]:
        return self._store.read(queries.EVENTS, {"after": after, "until": until, "limit": self._size})

    def _settled(self, after: int, seconds: float) -> int:
        """The last event before which no other one can still appear; `after` where there is none in so many seconds."""
        last = self._store.read(queries.LAST_EVENT)[0]["seq"]
        if last is None or last <= after:
            return after
        horizon = self._horizon or self._store.update(lambda unit: unit.read(queries.HORIZON)[0])
        self._horizon, end = horizon, self._clock.monotonic() + seconds
        while self._store.read(queries.OLDEST_TRANSACTION)[0]["xid"] < horizon["xid"]:
            if self._clock.monotonic() >= end:
                return after
            self._clock.sleep(_SETTLING_PAUSE)
        self._horizon = None
        return horizon["seq"]

    def _take(self, events: list[Row], at: ProjectionPosition) -> ProjectionPosition:
        named = [NodeKey(event["label"], event["subject"]) for event in events if event["label"] != _MARK]
        references = list(dict.fromkeys(named))
        after = ProjectionPosition(at.record, events[-1]["seq"], events[-1]["micros"])
        claim = self._target.claim(at.stamp)
        batch = self._record.batch(references, self._target.find_missing(references, claim))
        self._target.apply(batch, claim, after.stamp)
        self._advance(after)
        return after

    def _advance(self, at: ProjectionPosition) -> None:
        """Have the record forget what all consumers have. It never goes back."""

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.ADVANCE, {"name": self._name, "seq": at.seq})
            unit.write(queries.PRUNE)

        self._store.update(work)

    def _micros(self) -> int:
        return round(datetime.fromisoformat(self._clock.now()).timestamp() * 1e6)
