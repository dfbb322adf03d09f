"""Cypher queries besides Graphiti's own.

What Aeon keeps for itself stands on a side node of each group: Graphiti replaces all properties of its nodes when it
saves them.
"""

from typing import Final

STAMP: Final = "MATCH (a:AeonGraphiti {group_id: $group}) RETURN a.view AS view, a.vectors AS vectors"

SET_STAMP: Final = "MERGE (a:AeonGraphiti {group_id: $group}) SET a.view = $view, a.vectors = $vectors"

PROJECTION: Final = "MATCH (at:AeonProjection {id: 'aeon'}) RETURN at.id AS id"

DELETE_OTHERS: Final = (
    "MATCH (n:Community {group_id: $group}) DETACH DELETE n",
    "MATCH (n:Saga {group_id: $group}) DETACH DELETE n",
)
"""What other programs derived from the contents of a group."""
