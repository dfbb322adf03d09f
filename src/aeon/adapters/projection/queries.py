"""The projection's Cypher queries, in the subset that Neo4j and FalkorDB share.

Every node of the projection has the label `Aeon` besides its own, so that foreign nodes are never touched. One more
node, `AeonProjection`, stores the stamp and the token of the last claim: a change requires that the token matches.

Neo4j runs the statements of a batch as one transaction. FalkorDB runs them one by one, and `isCutOff` stays set if some
are missing. They are not sent as one MULTI: a killed server may then never start again, because Redis 8.2 fails with
`ASSERTION FAILED !server.in_exec` when it reads them from its journal.
"""

import re
from typing import Final

from aeon.platform.projection import ProjectionError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")

_AT: Final = "MATCH (at:AeonProjection {id: 'aeon'})"
_MINE: Final = f"{_AT} WHERE at.token = $token"
_STEP: Final = f"{_MINE} SET at.isCutOff = true WITH at UNWIND $rows AS row"

STAMP: Final = f"{_AT} RETURN at.stamp AS stamp"
SET_STAMP: Final = (
    "MERGE (at:AeonProjection {id: 'aeon'}) SET at.stamp = $stamp, at.token = $token, at.isCutOff = false "
    "RETURN 1 AS done"
)
DELETE_SOME: Final = f"{_MINE} MATCH (n:Aeon) WITH n LIMIT 1000 DETACH DELETE n RETURN count(n) AS deleted"

CLAIM: Final = f"{_AT} WHERE at.stamp = $expected SET at.token = $token"
CLAIMED: Final = f"{_MINE} AND at.stamp = $expected RETURN at.isCutOff AS cut_off"
COMMIT_STAMP: Final = f"{_MINE} SET at.stamp = $stamp, at.isCutOff = false RETURN 1 AS done"

DELETE_NODES: Final = _STEP + " MATCH (n:LABEL:Aeon {id: row}) DETACH DELETE n"
PUT_NODES: Final = _STEP + " MERGE (n:LABEL:Aeon {id: row.id}) SET n = row.properties"
DELETE_EDGES_FROM: Final = _STEP + " MATCH (n:LABEL:Aeon {id: row})-[edge]->(:Aeon) DELETE edge"
DELETE_EDGES_TO: Final = _STEP + " MATCH (n:LABEL:Aeon {id: row})<-[edge]-(:Aeon) DELETE edge"
CREATE_EDGES: Final = (
    _STEP + " MATCH (source:LABEL:Aeon {id: row.source}) MATCH (target:OTHER:Aeon {id: row.target})"
    " CREATE (source)-[edge:TYPE]->(target) SET edge = row.properties"
)

EXISTING: Final = "UNWIND $rows AS row MATCH (n:LABEL:Aeon {id: row}) RETURN n.id AS id"
NODES: Final = "UNWIND $rows AS row MATCH (n:LABEL:Aeon {id: row}) RETURN n.id AS id, properties(n) AS properties"
EDGES: Final = (
    "UNWIND $rows AS row MATCH (n:LABEL:Aeon {id: row})-[edge]->(other:Aeon) "
    "RETURN n.id AS source, type(edge) AS type, labels(other) AS labels, other.id AS target, "
    "properties(edge) AS properties"
)
COUNT: Final = "MATCH (n:Aeon) RETURN count(n) AS nodes"

NEO4J_CONSTRAINT: Final = "CREATE CONSTRAINT IF NOT EXISTS FOR (n:LABEL) REQUIRE n.id IS UNIQUE"
NEO4J_INDEXES: Final = (
    "SHOW INDEXES YIELD name, labelsOrTypes, properties, owningConstraint "
    "WHERE labelsOrTypes = [$label] AND properties = ['id'] AND owningConstraint IS NULL RETURN name"
)
NEO4J_DROP_INDEX: Final = "DROP INDEX INDEX_NAME IF EXISTS"
FALKORDB_INDEX: Final = "CREATE INDEX FOR (n:LABEL) ON (n.id)"
"""Not a constraint: FalkorDB has one writer at a time, and crashes on a unique string with a blank at its end."""


def with_names(query: str, **names: str) -> str:
    """Inserts labels and types, which cannot be parameters.

    Raises ProjectionError for an invalid name.
    """
    for placeholder, name in names.items():
        if not _NAME.match(name):
            raise ProjectionError(f"{name[:80]!r} is not a valid name of a label or an edge.")
        query = query.replace(placeholder, f"`{name}`")
    return query
