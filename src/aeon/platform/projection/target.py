"""The port to the graph that the record is projected into."""

from collections.abc import Collection, Sequence
from typing import Protocol

from aeon.base.errors import AeonError
from aeon.platform.projection.model import GraphBatch, GraphEdge, GraphNode, GraphScalar, NodeKey, ProjectionClaim


class ProjectionError(AeonError):
    """The graph's server refuses what the projection asks of it."""

    next_step = "See the server's log."


class TargetUnavailableError(ProjectionError):
    """The graph's server does not answer, or cannot serve the query now."""

    is_retryable = True
    next_step = "See that the server runs and its address is right; the projection then goes on where it was."


class ProjectionMovedError(ProjectionError):
    """Another process has changed the projection in the meantime. Nothing is lost."""

    is_retryable = True
    next_step = "Let one process project at a time, or try again."


class RebuildRequiredError(ProjectionError):
    """The graph does not continue this record."""

    next_step = "Run `aeon graph rebuild`."


class GraphTarget(Protocol):
    """One graph on one server, and a stamp in it that says how far it was brought.

    Nodes of others on the same server are neither changed nor deleted. All raise ProjectionError and its kinds.
    """

    @property
    def name(self) -> str:
        """The kind of server, and where it is, without credentials."""
        ...

    def stamp(self) -> str:
        """What the last batch or `clear` has left; empty where there is no projection."""
        ...

    def clear(self, stamp: str) -> None:
        """Delete the projection and leave this stamp."""
        ...

    def claim(self, expected: str) -> ProjectionClaim:
        """Be the one who applies the next batch. Raises ProjectionMovedError where the stamp is another one."""
        ...

    def find_missing(self, references: Sequence[NodeKey], claim: ProjectionClaim) -> Collection[NodeKey]:
        """The nodes that are not there, or all of these where an earlier batch was applied in part."""
        ...

    def apply(self, batch: GraphBatch, claim: ProjectionClaim, stamp: str) -> None:
        """Change the graph and set the stamp.

        Raises ProjectionMovedError where somebody else has made a claim since. After an error the stamp is the old one,
        and nothing, a part or all of the batch was applied; or it is the new one, and all was.
        """
        ...

    def fetch(self, references: Sequence[NodeKey]) -> tuple[list[GraphNode], list[GraphEdge]]:
        """What the graph holds of these nodes, and the edges from them."""
        ...

    def count(self) -> int:
        """How many nodes the projection has."""
        ...

    def round_trip(self, value: GraphScalar) -> GraphScalar:
        """What the server answers for a value that it was given, such as a float with fewer digits."""
        ...

    def close(self) -> None:
        """Close all connections. Calling it again does nothing."""
        ...
