"""Everything that runs ask the graph.

Times that are compared stand as microseconds since 1970, and an entry's number as a number: the ranges of an index over
texts are not exact (decision 24). `isOpen` is there while a run has not ended, `isUnmeasured` from then until what it
came to is among the values of metrics, and `isUnsent` from then until its spans are sent, where they are to be.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Run", "id"), ("RunEntry", "key"), ("Signal", "id"), ("DeadJob", "id")),
    indexed=(
        ("Run", "isOpen"),
        ("Run", "endedMicros"),
        ("Run", "rootId"),
        ("Run", "isUnmeasured"),
        ("Run", "isUnsent"),
        ("Run", "planReference"),
        ("Run", "inputsReference"),
        ("RunEntry", "runId"),
        ("RunEntry", "reference"),
        ("Signal", "runId"),
        ("Signal", "reference"),
        ("DeadJob", "ownerId"),
        ("DeadJob", "runId"),
        ("DeadJob", "rootId"),
    ),
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

_HELD: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.executor = $executor AND r.events = $before THEN 1 ELSE 0 END) AS held
SET r += $now
"""

_PUT_DOWN: Final = """
WITH r, held
FOREACH (job IN $dead | CREATE (:DeadJob {
    id: job.id, runId: job.runId, rootId: r.rootId, ownerId: r.ownerId, step: job.step, tool: job.tool, at: job.at,
    code: job.code, message: job.message, attempts: job.attempts}))
WITH held
UNWIND $entries AS entry
CREATE (e:RunEntry)
SET e += entry
RETURN count(e) AS kept, held
"""

KEEP: Final = _HELD + _PUT_DOWN

KEEP_LAST: Final = _HELD + "REMOVE r.isOpen" + _PUT_DOWN

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
MATCH (u:User {id: $user})
WITH u
MATCH (u)<-[:STARTED_BY]-(r:Run)
WHERE $called OR r.parentId IS NULL
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

OPEN_OF_OWNER: Final = """
MATCH (r:Run {isOpen: 1})
WHERE r.ownerId = $user
RETURN r.id AS id ORDER BY r.acceptedAt LIMIT $limit
"""

DEAD_OF_OWNER: Final = """
MATCH (d:DeadJob {ownerId: $user})
RETURN d AS job ORDER BY d.at DESC, d.id LIMIT $limit
"""

DEAD: Final = """
MATCH (d:DeadJob {id: $job})
WHERE d.ownerId = $user
RETURN d AS job
"""

NOTE_RETRIED: Final = """
MATCH (d:DeadJob {rootId: $root})
SET d.retriedBy = $by
RETURN count(d) AS jobs
"""

PLAN: Final = """
MATCH (r:Run {id: $run})-[:FOLLOWS]->(d:Definition)
RETURN r AS run, r.plan AS plan, d.text AS definition
"""

GIVE: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.executor = $executor AND r.isOpen = 1 THEN 1 ELSE 0 END) AS held
SET r.executor = $to
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
WITH p, u
MATCH (d:Definition {digest: p.digest})
RETURN p.id AS id, p.name AS name, p.digest AS digest, u.id AS owner, d.text AS text
"""

# What ended runs came to

UNMEASURED: Final = """
MATCH (r:Run {isUnmeasured: 1})
RETURN r.id AS id LIMIT $limit
"""

SERVICES_OF_TOOLS: Final = """
UNWIND $tools AS tool
MATCH (t:Tool {id: tool})-[:USES_SERVICE]->(s:Service)
RETURN t.id AS tool, s.id AS service
"""

HEALTH_OF_TOOLS: Final = """
UNWIND $tools AS tool
MATCH (t:Tool {id: tool})
RETURN t.id AS tool, t.healthSince AS since, t.errorMessage AS said
"""

MEASURE: Final = """
MATCH (r:Run {id: $run})
WITH r, 1/(CASE WHEN r.isUnmeasured = 1 THEN 1 ELSE 0 END) AS first
REMOVE r.isUnmeasured
SET r += $now
WITH first
UNWIND $subjects AS subject
MATCH (d:MetricDefinition {id: subject.metric})
OPTIONAL MATCH (s:Service {id: subject.entity})
OPTIONAL MATCH (t:Tool {id: subject.entity})
OPTIONAL MATCH (p:Process {id: subject.entity})
WITH first, d, subject, CASE d.scope WHEN "service" THEN s.id WHEN "tool" THEN t.id ELSE p.id END AS there
WHERE there IS NOT NULL
SET d.lastRecordedAt = $at
WITH first, subject
UNWIND subject.values AS value
CREATE (v:MetricValue)
SET v += value
RETURN count(v) AS recorded, max(first) AS first
"""
"""What was deleted meanwhile is left out. Recording a value writes to its definition, too: see `DELETE_METRIC`."""

UNSENT: Final = """
MATCH (r:Run {isUnsent: 1})
RETURN r.id AS id ORDER BY r.endedMicros LIMIT $limit
"""

SENT: Final = """
UNWIND $runs AS run
MATCH (r:Run {id: run})
REMOVE r.isUnsent
RETURN count(r) AS sent
"""

GIVE_UP_UNSENT: Final = """
MATCH (r:Run {isUnsent: 1})
WITH r ORDER BY r.endedMicros DESC SKIP $limit
REMOVE r.isUnsent
RETURN count(r) AS runs
"""
"""All but so many, the latest."""

# What is too old

ENDED_BEFORE: Final = """
MATCH (r:Run)
WHERE r.endedMicros < $before
OPTIONAL MATCH (root:Run {id: r.rootId})
WITH r, root
WHERE root IS NULL OR root.endedMicros < $before
RETURN r.id AS id LIMIT $limit
"""

OLDEST_OPEN: Final = "MATCH (r:Run {isOpen: 1}) RETURN r.acceptedAt AS at ORDER BY at LIMIT 1"

REFERRED: Final = """
UNWIND $digests AS digest
OPTIONAL MATCH (e:RunEntry {reference: digest})
WITH digest, count(e) AS entries
OPTIONAL MATCH (s:Signal {reference: digest})
WITH digest, entries, count(s) AS signals
OPTIONAL MATCH (r:Run {planReference: digest})
WITH digest, entries, signals, count(r) AS plans
OPTIONAL MATCH (r:Run {inputsReference: digest})
WITH digest, entries, signals, plans, count(r) AS inputs
OPTIONAL MATCH (c:CachedResult {reference: digest})
WITH digest, entries, signals, plans, inputs, count(c) AS cached
WHERE entries + signals + plans + inputs + cached > 0
RETURN digest
"""
"""Which of these large results something in the graph refers to."""

PURGE: Final = """
MATCH (r:Run {id: $run})
OPTIONAL MATCH (s:Signal {runId: $run})
WITH r, collect(s) AS signals
OPTIONAL MATCH (d:DeadJob {runId: $run})
WITH r, signals, collect(d) AS jobs
FOREACH (one IN signals | DELETE one)
FOREACH (one IN jobs | DELETE one)
DETACH DELETE r
WITH 1 AS purged
RETURN purged
"""

PURGE_CACHED: Final = """
MATCH (c:CachedResult)
WHERE c.usedMicros < $before
WITH c LIMIT $limit
DELETE c
RETURN count(c) AS removed
"""
"""Results of pure tools that nobody used since then."""

PURGE_ENTRIES: Final = """
MATCH (e:RunEntry {runId: $run})
WITH e LIMIT $limit
DELETE e
RETURN count(e) AS removed
"""
