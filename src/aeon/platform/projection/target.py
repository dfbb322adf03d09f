"""The port to the graph database that the record is projected into."""

from collections.abc import Collection, Sequence
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.base.next_steps import NextStep
from aeon.platform.projection.model import GraphBatch, GraphEdge, GraphNode, GraphScalar, NodeKey, ProjectionClaim


class ProjectionError(AeonError):
    """The graph's server refuses a request of the projection."""

    next_step = "See the server's log."


class TargetUnavailableError(ProjectionError):
    """The graph's server does not answer, or cannot run the query now."""

    is_retryable = True
    next_step = "Check that the server runs and its address is right; the projection then continues where it was."


class ProjectionMovedError(ProjectionError):
    """Another process changed the projection in the meantime. Nothing is lost."""

    is_retryable = True
    next_step = "Run one projector at a time, or try again."


class RebuildRequiredError(ProjectionError):
    """The graph does not continue this record."""

    next_step = NextStep("projection.rebuild")


class GraphTarget(Protocol):
    """One graph on one server, with a stamp that stores its position.

    Foreign nodes on the same server are neither changed nor deleted. All methods raise ProjectionError.
    """

    @property
    def name(self) -> str:
        """The kind of server and its location, without credentials."""
        ...

    def stamp(self) -> str:
        """Returns the stamp that the last batch or `clear` has set; empty without a projection."""
        ...

    def clear(self, stamp: str) -> None:
        """Deletes the projection and sets this stamp."""
        ...

    def claim(self, expected: str) -> ProjectionClaim:
        """Claims the right to apply the next batch.

        Raises ProjectionMovedError if the stamp differs.
        """
        ...

    def find_missing(self, references: Sequence[NodeKey], claim: ProjectionClaim) -> Collection[NodeKey]:
        """Returns the missing nodes, or all of them if an earlier batch was applied in part."""
        ...

    def apply(self, batch: GraphBatch, claim: ProjectionClaim, stamp: str) -> None:
        """Changes the graph and sets the stamp.

        Raises ProjectionMovedError if another process has made a claim since. After an error, either the old stamp
        remains and any part of the batch was applied, or the new stamp is set and all of it was.
        """
        ...

    def fetch(self, references: Sequence[NodeKey]) -> tuple[list[GraphNode], list[GraphEdge]]:
        """Returns the graph's versions of these nodes, and the edges from them."""
        ...

    def count(self) -> int:
        """Returns the number of nodes of the projection."""
        ...

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        """Returns what the server returns for a stored value, such as a float with fewer digits."""
        ...

    def close(self) -> None:
        """Closes all connections. Calling it again does nothing."""
        ...
