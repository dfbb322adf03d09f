"""Everything that runs ask the graph.

Times that are compared stand as microseconds since 1970, and an entry's number as a number: the ranges of an index over
texts are not exact (decision 24). `isOpen` is there while a run has not ended.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Run", "id"), ("RunEntry", "key"), ("Signal", "id")),
    indexed=(("Run", "isOpen"), ("Run", "endedMicros"), ("Run", "rootId"), ("RunEntry", "runId"), ("Signal", "runId")),
)

ACCEPT: Final = """
MATCH (u:User {id: $user})
MATCH (d:Definition {digest: $digest})
MATCH (p:Process {id: $process})
CREATE (r:Run)-[:STARTED_BY {created_at: $at}]->(u)
CREATE (r)-[:FOLLOWS]->(d)
CREATE (r)-[:RUN_OF]->(p)
SET r += $run
FOREACH (e IN $seeds | CREATE (:RunEntry {key: e.key, runId: e.runId, n: e.n, text: e.text, reference: e.reference}))
WITH r
"""

ACCEPT_CALLED: Final = ACCEPT + "RETURN r.id AS id"

TAKE: Final = """
MATCH (r:Run {id: $run})-[:FOLLOWS]->(d:Definition)
WHERE r.isOpen = 1
SET r.executor = $executor
RETURN r AS run, r.plan AS plan, d.text AS definition
"""

KEEP: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.executor = $executor AND r.events = $before THEN 1 ELSE 0 END) AS held
SET r += $now
WITH r, held
UNWIND $entries AS entry
CREATE (e:RunEntry)
SET e += entry
RETURN count(e) AS kept, held
"""

KEEP_LAST: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.executor = $executor AND r.events = $before THEN 1 ELSE 0 END) AS held
SET r += $now
REMOVE r.isOpen
WITH r, held
UNWIND $entries AS entry
CREATE (e:RunEntry)
SET e += entry
RETURN count(e) AS kept, held
"""

RUN: Final = "MATCH (r:Run {id: $run}) RETURN r AS run"

PROGRESS: Final = "MATCH (r:Run {id: $run}) RETURN r.executor AS executor, r.events AS events, r.phase AS phase"

ONE: Final = """
MATCH (r:Run {id: $run})-[:FOLLOWS]->(d:Definition)
WHERE r.ownerId = $user
RETURN r AS run, r.plan AS plan, d.text AS definition
"""

ENTRIES: Final = """
MATCH (e:RunEntry {runId: $run})
WHERE e.n > $after
RETURN e.text AS text ORDER BY e.n LIMIT $limit
"""

OF_OWNER: Final = """
MATCH (r:Run)-[:STARTED_BY]->(:User {id: $user})
RETURN r AS run ORDER BY r.acceptedAt DESC, r.id LIMIT $limit
"""

CALLED_BY_RUN: Final = """
MATCH (r:Run {rootId: $root})
RETURN r AS run ORDER BY r.acceptedAt
"""

OPEN: Final = """
MATCH (r:Run {isOpen: 1})
RETURN r AS run ORDER BY r.acceptedAt LIMIT $limit
"""

HELD: Final = """
MATCH (r:Run {isOpen: 1})
WHERE r.executor = $executor
RETURN r.id AS id, r.processName AS name
"""

STANDINGS: Final = """
UNWIND $runs AS run
MATCH (r:Run {id: run})
RETURN r AS run
"""

RELEASE: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.executor = $executor AND r.isOpen = 1 THEN 1 ELSE 0 END) AS held
SET r.executor = ''
RETURN r.id AS id, held
"""

WANT: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.isOpen = 1 THEN 1 ELSE 0 END) AS open
CREATE (s:Signal)
SET s += $signal
RETURN s.id AS id, open
"""

WANTED: Final = """
UNWIND $runs AS run
MATCH (s:Signal {runId: run})
RETURN s.text AS text ORDER BY s.at
"""

CALLED_TOOLS: Final = """
UNWIND $tools AS tool
MATCH (t:Tool {id: tool})-[:OWNED_BY]->(u:User)
RETURN t.id AS id, t.name AS name, t.operation AS operation, t.effect AS effect, u.id AS owner
"""

CALLED_PROCESSES: Final = """
UNWIND $processes AS process
MATCH (p:Process {id: process})-[:OWNED_BY]->(u:User)
MATCH (d:Definition {digest: p.digest})
RETURN p.id AS id, p.name AS name, p.digest AS digest, u.id AS owner, d.text AS text
"""

ENDED_BEFORE: Final = """
MATCH (r:Run)
WHERE r.endedMicros < $before
RETURN r.id AS id LIMIT $limit
"""

REFERENCES: Final = """
MATCH (e:RunEntry {runId: $run})
WHERE e.reference <> ''
RETURN DISTINCT e.reference AS reference
"""

PURGE: Final = """
MATCH (r:Run {id: $run})
OPTIONAL MATCH (s:Signal {runId: $run})
DETACH DELETE s, r
"""

PURGE_ENTRIES: Final = """
MATCH (e:RunEntry {runId: $run})
WITH e LIMIT $limit
DELETE e
RETURN count(e) AS removed
"""
