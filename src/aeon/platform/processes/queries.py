"""Everything that stored Processes ask the graph. Each mutation is put before `aeon.platform.queries.RECORDED`.

A change of what a Process says replaces all of its steps. Definitions are known by their content, and stay.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Process", "id"), ("Process", "nameKey"), ("Definition", "digest")),
    indexed=(("Process", "sharedKey"),),
)

_AS_CHECKED: Final = """
UNWIND $tools AS seen
OPTIONAL MATCH (t:Tool {id: seen.id})
WHERE t.version = seen.version
WITH x, count(t) AS tools
UNWIND $processes AS seen
OPTIONAL MATCH (c:Process {id: seen.id})
WHERE c.version = seen.version
WITH x, tools, count(c) AS processes
WHERE tools = size($tools) - 1 AND processes = size($processes) - 1
MERGE (d:Definition {digest: $digest})
ON CREATE SET d.text = $text, d.createdAt = $at
"""
"""Goes on with `x` while all that the check looked at is as it was. The last of each list is nothing: a list that is
empty would give no row."""

_STEPS: Final = """
WITH p
UNWIND $steps AS step
OPTIONAL MATCH (t:Tool {id: step.tool})
OPTIONAL MATCH (c:Process {id: step.process})
CREATE (p)-[:HAS_STEP {order: step.order}]->(s:ProcessStep)
SET s += step.properties
FOREACH (one IN CASE WHEN t IS NULL THEN [] ELSE [t] END |
    CREATE (s)-[:CALLS_TOOL {timeout: step.timeout, interactionMode: step.interactionMode}]->(one))
FOREACH (one IN CASE WHEN c IS NULL THEN [] ELSE [c] END |
    CREATE (s)-[:CALLS_PROCESS {timeout: step.timeout}]->(one))
WITH p, s, step ORDER BY step.order
WITH p, collect(s) AS made
FOREACH (each IN $dependencies |
    FOREACH (one IN [made[each.step]] |
        FOREACH (needed IN [made[each.needs]] | CREATE (one)-[:DEPENDS_ON {order: each.order}]->(needed))))
WITH p
"""
"""The steps of `p`. What is not called is the empty text: where it is NULL, FalkorDB looks through every node."""

# Processes

PROCESS_NAMED: Final = "MATCH (x:Process {nameKey: $nameKey}) RETURN x.id AS id"

CREATE_PROCESS: Final = (
    """
MATCH (x:User {id: $user})
"""
    + _AS_CHECKED
    + """
CREATE (p:Process)-[:OWNED_BY {created_at: $at}]->(x)
CREATE (p)-[:DEFINED_BY {at: $at, version: 1}]->(d)
SET p += $properties
"""
    + _STEPS
)

CHANGE_PROCESS: Final = """
MATCH (p:Process {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE p.version = $version
SET p += $properties
WITH p
"""

CHANGE_DEFINITION: Final = (
    """
MATCH (x:Process {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE x.version = $version
"""
    + _AS_CHECKED
    + """
WITH x, d
OPTIONAL MATCH (x)-[:HAS_STEP]->(old:ProcessStep)
WITH x AS p, d, collect(old) AS before
FOREACH (one IN before | DETACH DELETE one)
CREATE (p)-[:DEFINED_BY {at: $at, version: $version + 1}]->(d)
SET p += $properties
"""
    + _STEPS
)

DELETE_PROCESS: Final = """
MATCH (p:Process {id: $id})-[:OWNED_BY]->(:User {id: $user})
OPTIONAL MATCH (caller:Process)-[:HAS_STEP]->(:ProcessStep)-[:CALLS_PROCESS]->(p)
WHERE caller.id <> $id
WITH p, count(caller) AS callers
OPTIONAL MATCH (talk:Conversation)-[:DEFAULT_PROCESS]->(p)
WITH p, callers, count(talk) AS talks
OPTIONAL MATCH (due:Schedule)-[:STARTS]->(p)
WITH p, callers, talks, count(due) AS schedules
WHERE callers + talks + schedules = 0
OPTIONAL MATCH (p)-[:HAS_STEP]->(s:ProcessStep)
WITH p, collect(s) AS steps
FOREACH (one IN steps | DETACH DELETE one)
DETACH DELETE p
WITH 1 AS deleted
"""

PROCESS: Final = """
MATCH (p:Process {id: $id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR p.shared
WITH p, o
MATCH (d:Definition {digest: p.digest})
RETURN p AS entity, o.id AS ownerId, d.text AS definition
"""

OWN_PROCESSES: Final = """
MATCH (p:Process) WHERE p.nameKey > $after AND p.nameKey < $end AND p.nameKey + '' > $after AND p.nameKey + '' < $end
WITH p ORDER BY p.nameKey LIMIT $limit
MATCH (d:Definition {digest: p.digest})
RETURN p AS entity, $user AS ownerId, d.text AS definition ORDER BY p.nameKey
"""

SHARED_PROCESSES: Final = """
MATCH (p:Process) WHERE p.sharedKey > $after AND p.sharedKey + '' > $after
WITH p ORDER BY p.sharedKey LIMIT $limit
MATCH (p)-[:OWNED_BY]->(o:User)
MATCH (d:Definition {digest: p.digest})
RETURN p AS entity, o.id AS ownerId, d.text AS definition ORDER BY p.sharedKey
"""

USERS_OF_PROCESS: Final = """
MATCH (x)-[e:CALLS_PROCESS|DEFAULT_PROCESS|STARTS]->(:Process {id: $id})
OPTIONAL MATCH (p:Process)-[:HAS_STEP]->(x)
WITH DISTINCT type(e) AS how, CASE WHEN p IS NULL THEN x ELSE p END AS u
WHERE u.id <> $id
MATCH (u)-[:OWNED_BY]->(o:User)
RETURN CASE how WHEN "DEFAULT_PROCESS" THEN "conversation" WHEN "STARTS" THEN "schedule" ELSE "process" END AS kind,
       u.id AS id, CASE how WHEN "DEFAULT_PROCESS" THEN u.title ELSE u.name END AS name, o.id AS ownerId,
       (o.id = $user OR (how = "CALLS_PROCESS" AND u.shared)) AS visible
ORDER BY kind, name, visible DESC, id LIMIT $limit
"""

# What they say, and ever said

DEFINITION: Final = "MATCH (d:Definition {digest: $digest}) RETURN d.text AS text"

VERSIONS: Final = """
MATCH (p:Process {id: $id})-[e:DEFINED_BY]->(d:Definition)
RETURN d.digest AS digest, e.version AS version, e.at AS at ORDER BY e.version
"""

# What steps call, as the user who saves them sees it (platform 2, 3)

TOOLS_CALLED: Final = """
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WITH t
MATCH (t)-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR t.shared
MATCH (t)-[:USES_SERVICE]->(s:Service)-[:OWNED_BY]->(so:User)
OPTIONAL MATCH (t)-[:USES_SECRET]->(k:Secret)
OPTIONAL MATCH (b:Binding {id: $bindings + t.id})-[:USES_SECRET]->(own:Secret)
RETURN t.id AS id, t.name AS name, t.version AS version, t.inputSchema AS inputSchema,
       t.outputSchema AS outputSchema, o.id AS ownerId, s.type AS serviceType,
       (t.enabled AND s.enabled) AS enabled, (so.id = o.id OR s.shared) AS isReachable,
       (k IS NOT NULL OR s.requiresSecret) AS needsSecret,
       (o.id = $user OR own IS NOT NULL) AS hasSecret
"""

PROCESSES_CALLED: Final = """
UNWIND $ids AS id
MATCH (p:Process {id: id})
WITH p
MATCH (p)-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR p.shared
WITH p, o
OPTIONAL MATCH (p)-[:HAS_STEP]->(s:ProcessStep)-[:CALLS_PROCESS]->(c:Process)
WITH p, o, c, count(s) AS calls, count(s.condition) AS conditional
RETURN p.id AS id, p.name AS name, p.version AS version, p.digest AS digest, p.enabled AS enabled,
       p.initialContext AS initialContext, o.id AS ownerId, c.id AS callee, calls = conditional AS isConditional
ORDER BY id, callee
"""
