"""Keeps a graph up to date: writes the current state of each node that an event names.

An event only names a node to read again, so processing it twice changes nothing. A batch of events is written to the
graph together with its new position, before the record stores the position: a crash between the two repeats the batch.

In PostgreSQL, a transaction may commit an event after events with greater numbers were read. A projector therefore
notes the last event and a new transaction id, and reads up to that event once all older transactions have ended.
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

_MARKER_LABEL: Final = "Projection"
"""The label of the event at which a new consumer begins; it names no node."""

_BUILDER_SECONDS: Final = 10.0
"""A builder that has written nothing for this time is considered dead."""

_SETTLING_SECONDS, _SETTLING_PAUSE = 10.0, 0.01

_MAX_DELAY: Final = 30.0


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """How far a graph is behind the record.

    `reason` explains a required rebuild, `lag` is in seconds.
    """

    target: str
    state: Literal["empty", "building", "following", "rebuild required"]
    reason: str
    behind: int
    lag: float


class Projector:
    """Keeps one graph equal to one record, as the consumer `name` of the record's events.

    Several projectors may share a graph: one advances it, and the others detect that it has moved.
    """

    def __init__(
        self,
        store: Store,
        target: GraphTarget,
        clock: Clock,
        *,
        name: str = "graph",
        size: int = 500,
        builder_timeout: float = _BUILDER_SECONDS,
    ) -> None:
        """`size` is the number of events or nodes in a batch.

        After `builder_timeout` seconds, a silent builder is considered dead.
        """
        self._store = store
        self._target = target
        self._clock = clock
        self._name = name
        self._size = size
        self._builder_timeout = builder_timeout
        self._record = RecordGraph(store)
        self._horizon: Row | None = None

    @property
    def target(self) -> str:
        """The kind of the graph's server and its location. The server need not be available."""
        return self._target.name

    def sync(self, seconds: float = _SETTLING_SECONDS) -> int:
        """Updates the graph to the record's current state, or builds it if there is none.

        Returns the number of events. Changes wait for running transactions. If one of these takes longer than
        `seconds`, the changes are left for the next call, and `status` shows it. Raises RebuildRequiredError,
        ProjectionMovedError, TargetUnavailableError and StoreError.
        """
        self._await_builder()
        return self._catch_up(self._position() or self._build(), seconds)

    def rebuild(self) -> None:
        """Deletes the projection, builds it again and updates it to the record. Raises like `sync`."""
        self._catch_up(self._build(), _SETTLING_SECONDS)

    def follow(self, wait: Callable[[float], bool], *, pause: float = 0.5, report: Callable[[AeonError], None]) -> None:
        """Syncs repeatedly until `wait(seconds)` returns True, as `threading.Event.wait` does.

        Reports an unavailable record or graph, and retries after growing pauses. Raises RebuildRequiredError.
        """
        delay = pause
        while True:
            try:
                self.sync(seconds=0)
                delay = pause
            except (TargetUnavailableError, ProjectionMovedError, StoreUnavailableError) as error:
                report(error)
                delay = min(delay * 2, _MAX_DELAY)
            if wait(delay):
                return

    def status(self) -> ProjectionStatus:
        """Returns how far the graph is behind the record. Changes nothing."""
        stamp = self._target.stamp()
        at = parse_position(stamp)

        def read(unit: UnitOfWork) -> tuple[str, Row]:
            reason = self._rebuild_reason(unit, at) if at else ""
            after = at.seq if at and not reason else self._stored_position(unit) or 0
            return reason, unit.read(queries.BEHIND, {"after": after})[0]

        reason, behind = self._store.view(read)
        oldest = behind["oldest"]
        lag = 0.0 if oldest is None else max(0.0, (self._micros() - oldest) / 1e6)
        if at is None:
            state = "building" if is_building(stamp) else "empty"
        else:
            state = "rebuild required" if reason else "following"
        return ProjectionStatus(self._target.name, state, reason, behind["events"], lag)

    def unregister(self) -> None:
        """Unregisters the consumer: the record stores no more events for this graph.

        The graph stays as it is.
        """

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.RETIRE, {"name": self._name})
            unit.write(queries.FORGET_EVENTS)

        self._store.update(work)

    def _await_builder(self) -> None:
        """Waits while another process builds the graph, until it is done or considered dead."""
        stamp = NO_STAMP
        while is_building(current := self._target.stamp()) and current != stamp:
            stamp = current
            self._clock.sleep(self._builder_timeout)

    def _position(self) -> ProjectionPosition | None:
        """Returns the graph's position; None if it must be built first. Raises RebuildRequiredError."""
        at = parse_position(self._target.stamp())
        if at is None:
            return None
        reason, needs_advance = self._store.view(
            lambda unit: (self._rebuild_reason(unit, at), self._stored_position(unit) != at.seq)
        )
        if reason:
            raise RebuildRequiredError(reason)
        if needs_advance:
            self._advance(at)
        return at

    def _rebuild_reason(self, unit: UnitOfWork, at: ProjectionPosition) -> str:
        """Returns why a graph at this position does not continue the record; empty if it does.

        The event at the position is stored until all consumers are past it. While it exists, so do all later ones.
        """
        if unit.read(RECORD_ID)[0]["id"] != at.record:
            return "The graph is the projection of another record."
        if self._stored_position(unit) is None:
            return "The record has not recorded its changes for this graph since the graph was last up to date."
        event = unit.read(queries.EVENT, {"seq": at.seq})
        if not event or event[0]["micros"] != at.micros:
            return "The record or the graph was restored from a backup."
        return ""

    def _stored_position(self, unit: UnitOfWork) -> int | None:
        rows = unit.read(queries.POSITION, {"name": self._name})
        return rows[0]["position"] if rows else None

    def _build(self) -> ProjectionPosition:
        """Builds the graph from nothing.

        Changes during the build have events, which are processed afterwards.
        """
        at, stamp = self._register(), BuildProgress.begun()
        self._target.clear(stamp.stamp)
        for batch in self._full_batches():
            self._target.apply(batch, self._target.claim(stamp.stamp), stamp.next.stamp)
            stamp = stamp.next
        self._target.apply(GraphBatch(), self._target.claim(stamp.stamp), at.stamp)
        self._advance(at)
        return at

    def _register(self) -> ProjectionPosition:
        """Registers the consumer at a new event. All later changes have later events."""
        micros, marker_id = self._micros(), uuid4().hex

        def work(unit: UnitOfWork) -> ProjectionPosition:
            unit.read(queries.LOCK_CONSUMERS)
            record = unit.read(RECORD_ID)[0]["id"]
            seq = unit.read(queries.MARK, {"micros": micros, "label": _MARKER_LABEL, "subject": marker_id})[0]["seq"]
            unit.write(queries.REGISTER, {"name": self._name, "seq": seq})
            return ProjectionPosition(record, seq, micros)

        return self._store.update(work)

    def _full_batches(self) -> Iterator[GraphBatch]:
        """Yields all nodes, then all edges: an edge needs its two nodes."""
        for page in self._record.pages(self._size):
            yield GraphBatch(nodes=self._record.nodes(page))
        for page in self._record.pages(self._size):
            yield GraphBatch(edge_sources=page.keys, edges=self._record.edges(page))

    def _catch_up(self, at: ProjectionPosition, seconds: float) -> int:
        """Processes the settled events up to the one that is last now or a later one, and returns their number."""
        until, processed = self._settled_event(at.seq, seconds), 0
        while at.seq < until and (events := self._events(at.seq, until)):
            at = self._process(events, at)
            processed += len(events)
        return processed

    def _events(self, after: int, until: int) -> list[Row]:
        return self._store.read(queries.EVENTS, {"after": after, "until": until, "limit": self._size})

    def _settled_event(self, after: int, seconds: float) -> int:
        """Returns a settled event that is not before the last one; an earlier one if that does not settle in `seconds`.

        No other event can appear before a settled one. A horizon that did not settle is kept for the next call, so
        that constant writers cannot hold the graph up; events after it need a horizon of their own.
        """
        last, settled = self._store.read(queries.LAST_EVENT)[0]["seq"] or after, after
        end = self._clock.monotonic() + seconds
        while settled < last:
            horizon = self._horizon or self._store.update(lambda unit: unit.read(queries.HORIZON)[0])
            self._horizon = horizon
            while self._store.read(queries.OLDEST_TRANSACTION)[0]["xid"] < horizon["xid"]:
                if self._clock.monotonic() >= end:
                    return settled
                self._clock.sleep(_SETTLING_PAUSE)
            self._horizon, settled = None, max(settled, horizon["seq"])
        return settled

    def _process(self, events: list[Row], at: ProjectionPosition) -> ProjectionPosition:
        keys = [NodeKey(event["label"], event["subject"]) for event in events if event["label"] != _MARKER_LABEL]
        distinct = list(dict.fromkeys(keys))
        after = ProjectionPosition(at.record, events[-1]["seq"], events[-1]["micros"])
        claim = self._target.claim(at.stamp)
        batch = self._record.batch(distinct, self._target.find_missing(distinct, claim))
        self._target.apply(batch, claim, after.stamp)
        self._advance(after)
        return after

    def _advance(self, at: ProjectionPosition) -> None:
        """Stores the position, and deletes events that all consumers have processed.

        The position never goes back.
        """

        def work(unit: UnitOfWork) -> None:
            unit.write(queries.ADVANCE, {"name": self._name, "seq": at.seq})
            unit.write(queries.PRUNE)

        self._store.update(work)

    def _micros(self) -> int:
        return round(datetime.fromisoformat(self._clock.now()).timestamp() * 1e6)
