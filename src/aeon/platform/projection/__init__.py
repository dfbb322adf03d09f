"""The projection: a graph in Neo4j or FalkorDB that follows the record."""

from aeon.platform.projection.diff import find_differences
from aeon.platform.projection.model import GraphBatch, GraphEdge, GraphNode, GraphScalar, NodeKey, ProjectionClaim
from aeon.platform.projection.projector import ProjectionStatus, Projector
from aeon.platform.projection.target import (
    GraphTarget,
    ProjectionError,
    ProjectionMovedError,
    RebuildRequiredError,
    TargetUnavailableError,
)

__all__ = [
    "GraphBatch",
    "GraphEdge",
    "GraphNode",
    "GraphScalar",
    "GraphTarget",
    "NodeKey",
    "ProjectionClaim",
    "ProjectionError",
    "ProjectionMovedError",
    "ProjectionStatus",
    "Projector",
    "RebuildRequiredError",
    "TargetUnavailableError",
    "find_differences",
]
