"""`GraphitiService`: shows Graphiti, and other programs that read its graph, the knowledge from a user's messages."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final, Literal, NamedTuple

from aeon.base.json import JsonObject
from aeon.bootstrap.graphiti import no_graphiti
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import ConflictError
from aeon.platform.knowledge.extraction import ExtractionQueue
from aeon.platform.knowledge.view import KnowledgeGraph, KnowledgeView, SyncCounts
from aeon.platform.store import StoreError

__all__ = ["GRAPH_TASK", "GraphitiService", "GraphitiStatus", "SyncCounts", "kept_lease", "required_graph"]

GRAPH_TASK: Final = "graphiti"
"""What only one process at a time does for a user: changing their graph."""

_RENEWAL_SECONDS: Final = 30.0


class GraphitiStatus(NamedTuple):
    """Where a user's graph is, and whether it shows what is known and on screen now."""

    target: str
    group: str
    state: Literal["empty", "behind", "up to date"]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {"target": self.target, "group": self.group, "state": self.state}


class GraphitiService:
    """The graph of one user. Methods raise StoreError, ConfigError, MissingExtraError and ProjectionError."""

    def __init__(self, platform: Platform, user: str, holder: str) -> None:
        """The caller closes `platform`. `holder` is who holds leases in this process."""
        self._platform = platform
        self._user = user
        self._holder = holder

    def sync(self) -> SyncCounts:
        """Make the graph equal to what is on screen. Raises ConflictError while another process changes it."""
        return self._write(required_graph(self._platform).sync)

    def follow(self) -> SyncCounts:
        """As `sync`, for a process that has written the graph before: what it has shown is not read again."""
        return self._write(required_graph(self._platform).follow)

    def status(self) -> GraphitiStatus:
        """Return whether the graph shows what is on screen."""
        graph, views = required_graph(self._platform), self._platform.knowledge_views
        state = graph.state(views.owner(self._user))
        if not state.stamp:
            return GraphitiStatus(graph.name, state.group, "empty")
        is_same = state.stamp == views.stamp(self._user)
        return GraphitiStatus(graph.name, state.group, "up to date" if is_same else "behind")

    def _write(self, write: Callable[[KnowledgeView], SyncCounts]) -> SyncCounts:
        with kept_lease(self._platform.extraction, self._user, self._holder, GRAPH_TASK) as is_held:
            if not is_held:
                raise ConflictError(
                    "Another process is changing this graph.", next_step="Wait until it is done, and try again."
                )
            return write(self._platform.knowledge_views.read(self._user))


def required_graph(platform: Platform) -> KnowledgeGraph:
    """Return the graph for Graphiti. Raises ConfigError if none is configured, and MissingExtraError."""
    if (graph := platform.knowledge_graph) is None:
        raise no_graphiti("No graph server is configured for Graphiti.")
    return graph


@contextmanager
def kept_lease(queue: ExtractionQueue, user: str, holder: str, task: str) -> Generator[bool]:
    """Hold a task of a user until the end of the block. Yields False if somebody else holds it. Raises StoreError."""
    if not queue.take(user, holder, task):
        yield False
        return
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(_RENEWAL_SECONDS):
            with suppress(StoreError):  # the lease is renewed the next time, or lost
                queue.take(user, holder, task)

    renewing = threading.Thread(target=renew, name="aeon-lease", daemon=True)
    renewing.start()
    try:
        yield True
    finally:
        ended.set()
        renewing.join()
        queue.release(user, holder, task)
