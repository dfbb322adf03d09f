"""The projection: a graph in Neo4j or FalkorDB that follows the record, for Cypher and graph algorithms."""

from aeon.platform.projection.compare import differences
from aeon.platform.projection.model import Batch, Claim, Edge, Node, Plain, Reference
from aeon.platform.projection.projector import Projector, Status
from aeon.platform.projection.target import (
    GraphTarget,
    ProjectionError,
    ProjectionMovedError,
    RebuildRequiredError,
    TargetUnavailableError,
)

__all__ = [
    "Batch",
    "Claim",
    "Edge",
    "GraphTarget",
    "Node",
    "Plain",
    "ProjectionError",
    "ProjectionMovedError",
    "Projector",
    "RebuildRequiredError",
    "Reference",
    "Status",
    "TargetUnavailableError",
    "differences",
]
