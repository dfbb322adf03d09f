"""Everything that schedules ask the graph. Mutations by people end with `aeon.platform.queries.RECORDED`.

`dueMicros` is the next moment of an enabled schedule, in microseconds since 1970; `nameKey + ""` keeps a comparison of
texts away from the index, since FalkorDB's folds case.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Schedule", "id"), ("Schedule", "nameKey")),
    indexed=(("Schedule", "ownerId"), ("Schedule", "dueMicros"), ("Schedule", "since")),
)

CREATE_SCHEDULE: Final = """
MATCH (u:User {id: $user}), (p:Process {id: $process})-[:OWNED_BY]->(o:User)
WHERE (o.id = $user OR p.shared) AND p.version = $processVersion
CREATE (s:Schedule)-[:OWNED_BY {created_at: $at}]->(u)
CREATE (s)-[:STARTS]->(p)
SET s += $properties
WITH s
"""

CHANGE_SCHEDULE: Final = """
MATCH (s:Schedule {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE s.version = $version
SET s += $properties
WITH s
"""

DELETE_SCHEDULE: Final = """
MATCH (s:Schedule {id: $id})-[:OWNED_BY]->(:User {id: $user})
DETACH DELETE s
WITH 1 AS deleted
"""

SCHEDULE: Final = """
MATCH (s:Schedule {id: $id})-[:OWNED_BY]->(o:User {id: $user})
MATCH (s)-[:STARTS]->(p:Process)
RETURN s AS entity, o.id AS ownerId, p.id AS process
"""

SCHEDULE_NAMED: Final = "MATCH (s:Schedule {nameKey: $nameKey}) RETURN s.id AS id"

OWN_SCHEDULES: Final = """
MATCH (s:Schedule {ownerId: $user})
WHERE s.nameKey + "" > $after
WITH s ORDER BY s.nameKey LIMIT $limit
MATCH (s)-[:STARTS]->(p:Process)
RETURN s AS entity, $user AS ownerId, p.id AS process ORDER BY s.nameKey
"""

USERS_OF_SCHEDULE: Final = """
MATCH (s:Schedule {id: $id})<-[:USES_SCHEDULE]-(x)
RETURN "" AS kind, x.id AS id, x.name AS name, "" AS ownerId, false AS visible LIMIT $limit
"""
"""Nothing uses a schedule."""

DUE: Final = """
MATCH (s:Schedule) WHERE s.dueMicros <= $now
WITH s ORDER BY s.dueMicros, s.id LIMIT $limit
MATCH (s)-[:OWNED_BY]->(o:User)
MATCH (s)-[:STARTS]->(p:Process)
RETURN s AS entity, o.id AS ownerId, p.id AS process ORDER BY s.dueMicros, s.id
"""

SETTLE: Final = """
MATCH (s:Schedule {id: $id})
WHERE s.version = $version AND s.since + "" < $until
SET s.since = $until, s.dueMicros = $due
RETURN s.id AS id
"""
"""Compare and set: of all who settle the same moment one gets a row."""

AHEAD: Final = """
MATCH (s:Schedule) WHERE s.since > $ahead AND s.enabled
WITH s ORDER BY s.id LIMIT $limit
MATCH (s)-[:OWNED_BY]->(o:User)
MATCH (s)-[:STARTS]->(p:Process)
RETURN s AS entity, o.id AS ownerId, p.id AS process ORDER BY s.id
"""

SET_BACK: Final = """
MATCH (s:Schedule {id: $id})
WHERE s.version = $version AND s.since + "" = $since
SET s.since = $now, s.dueMicros = $due
"""
