"""Everything that the catalog asks the graph. Each mutation is put before `aeon.platform.queries.RECORDED`.

An entity is returned as `entity`, with what its edges say beside it. `nameKey` (owner and name) is unique for each
kind; `sharedKey` (name and id) stands only on what is shared, so that both lists are ranges of an index. The
index gives too much: `+ ''` keeps a comparison away from it (`aeon.platform.records.ordered`).
"""

from typing import Final

from aeon.platform.graph import Schema

LABELS: Final = {
    "service": "Service",
    "secret": "Secret",
    "tool": "Tool",
    "serviceTemplate": "ServiceTemplate",
    "toolTemplate": "ToolTemplate",
}

SCHEMA: Final = Schema(
    unique=(*((label, key) for label in LABELS.values() for key in ("id", "nameKey")), ("Binding", "id")),
    indexed=(
        *((label, "sharedKey") for label in LABELS.values()),
        ("Service", "serviceTemplateId"),
        ("Tool", "toolTemplateId"),
        ("TokenUse", "userId"),
    ),
)

# By name

SERVICE_NAMED: Final = "MATCH (x:Service {nameKey: $nameKey}) RETURN x.id AS id"
SECRET_NAMED: Final = "MATCH (x:Secret {nameKey: $nameKey}) RETURN x.id AS id"
TOOL_NAMED: Final = "MATCH (x:Tool {nameKey: $nameKey}) RETURN x.id AS id"
SERVICE_TEMPLATE_NAMED: Final = "MATCH (x:ServiceTemplate {nameKey: $nameKey}) RETURN x.id AS id"
TOOL_TEMPLATE_NAMED: Final = "MATCH (x:ToolTemplate {nameKey: $nameKey}) RETURN x.id AS id"

# Services

CREATE_SERVICE: Final = """
MATCH (u:User {id: $user})
CREATE (s:Service)-[:OWNED_BY {created_at: $at}]->(u)
SET s += $properties
WITH s
"""

CHANGE_SERVICE: Final = """
MATCH (s:Service {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE s.version = $version
SET s += $properties
WITH s
"""

DELETE_SERVICE: Final = """
MATCH (s:Service {id: $id})-[o:OWNED_BY]->(:User {id: $user})
OPTIONAL MATCH (t:Tool)-[:USES_SERVICE]->(s)
WITH s, o, count(t) AS users
WHERE users = 0
DELETE o, s
WITH users
"""

SERVICE: Final = """
MATCH (s:Service {id: $id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR s.shared
RETURN s AS entity, o.id AS ownerId
"""

OWN_SERVICES: Final = """
MATCH (s:Service) WHERE s.nameKey > $after AND s.nameKey < $end AND s.nameKey + '' > $after AND s.nameKey + '' < $end
RETURN s AS entity, $user AS ownerId ORDER BY s.nameKey LIMIT $limit
"""

SHARED_SERVICES: Final = """
MATCH (s:Service) WHERE s.sharedKey > $after AND s.sharedKey + '' > $after
WITH s ORDER BY s.sharedKey LIMIT $limit
MATCH (s)-[:OWNED_BY]->(o:User)
RETURN s AS entity, o.id AS ownerId ORDER BY s.sharedKey
"""

# Secrets: only ever their owner's (platform 3)

CREATE_SECRET: Final = """
MATCH (u:User {id: $user})
CREATE (k:Secret)-[:OWNED_BY {created_at: $at}]->(u)
SET k += $properties
WITH k
"""

CHANGE_SECRET: Final = """
MATCH (k:Secret {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE k.version = $version
SET k += $properties
WITH k
"""

DELETE_SECRET: Final = """
MATCH (k:Secret {id: $id})-[o:OWNED_BY]->(:User {id: $user})
OPTIONAL MATCH (t)-[:USES_SECRET]->(k)
WITH k, o, count(t) AS users
WHERE users = 0
DELETE o, k
WITH users
"""

SECRET: Final = """
MATCH (k:Secret {id: $id})-[:OWNED_BY]->(o:User {id: $user})
RETURN k AS entity, o.id AS ownerId
"""

OWN_SECRETS: Final = """
MATCH (k:Secret) WHERE k.nameKey > $after AND k.nameKey < $end AND k.nameKey + '' > $after AND k.nameKey + '' < $end
RETURN k AS entity, $user AS ownerId ORDER BY k.nameKey LIMIT $limit
"""

# Tools

CREATE_TOOL: Final = """
MATCH (u:User {id: $user}), (s:Service {id: $service})-[:OWNED_BY]->(so:User)
OPTIONAL MATCH (k:Secret {id: $secret})-[:OWNED_BY]->(ko:User)
WITH u, s, so, k, ko
WHERE (so.id = $user OR s.shared) AND s.version = $serviceVersion AND ($secret = "" OR ko.id = $user)
CREATE (t:Tool)-[:OWNED_BY {created_at: $at}]->(u)
CREATE (t)-[:USES_SERVICE {connectionParams: $connectionParams}]->(s)
SET t += $properties
FOREACH (one IN CASE WHEN k IS NULL THEN [] ELSE [k] END | CREATE (t)-[:USES_SECRET {scope: $scope}]->(one))
WITH t
"""

CHANGE_TOOL: Final = """
MATCH (t:Tool {id: $id})-[:OWNED_BY]->(:User {id: $user})
MATCH (t)-[c:USES_SERVICE]->(s:Service)
WHERE t.version = $version AND s.version = $serviceVersion
SET t += $properties
SET c.connectionParams = $connectionParams
WITH t
"""

CHANGE_TOOL_SECRET: Final = """
MATCH (t:Tool {id: $id})-[:OWNED_BY]->(:User {id: $user})
MATCH (t)-[c:USES_SERVICE]->(s:Service)
MATCH (k:Secret {id: $secret})-[:OWNED_BY]->(:User {id: $user})
WHERE t.version = $version AND s.version = $serviceVersion
OPTIONAL MATCH (t)-[old:USES_SECRET]->(:Secret)
WITH t, c, k, collect(old) AS before
FOREACH (one IN before | DELETE one)
CREATE (t)-[:USES_SECRET {scope: $scope}]->(k)
SET t += $properties
SET c.connectionParams = $connectionParams
WITH t
"""

DELETE_TOOL: Final = """
MATCH (t:Tool {id: $id})-[:OWNED_BY]->(:User {id: $user})
OPTIONAL MATCH (p:ProcessStep)-[:CALLS_TOOL]->(t)
OPTIONAL MATCH (b:Binding)-[:FOR_TOOL]->(t)
WITH t, count(p) AS users, collect(b) AS bindings
WHERE users = 0
FOREACH (one IN bindings | DETACH DELETE one)
DETACH DELETE t
WITH users
"""

TOOL: Final = """
MATCH (t:Tool {id: $id})-[:OWNED_BY]->(o:User)
MATCH (t)-[c:USES_SERVICE]->(s:Service)
WHERE o.id = $user OR t.shared
OPTIONAL MATCH (t)-[h:USES_SECRET]->(k:Secret)
RETURN t AS entity, o.id AS ownerId, s.id AS serviceId, c.connectionParams AS connectionParams,
       CASE WHEN o.id = $user THEN k.id ELSE NULL END AS secretId,
       CASE WHEN o.id = $user THEN h.scope ELSE NULL END AS secretScope,
       k IS NOT NULL AS needsSecret, s.status AS serviceStatus
"""

OWN_TOOLS: Final = """
MATCH (t:Tool) WHERE t.nameKey > $after AND t.nameKey < $end AND t.nameKey + '' > $after AND t.nameKey + '' < $end
WITH t ORDER BY t.nameKey LIMIT $limit
MATCH (t)-[c:USES_SERVICE]->(s:Service)
OPTIONAL MATCH (t)-[h:USES_SECRET]->(k:Secret)
RETURN t AS entity, $user AS ownerId, s.id AS serviceId, c.connectionParams AS connectionParams,
       k.id AS secretId, h.scope AS secretScope,
       k IS NOT NULL AS needsSecret, s.status AS serviceStatus ORDER BY t.nameKey
"""

SHARED_TOOLS: Final = """
MATCH (t:Tool) WHERE t.sharedKey > $after AND t.sharedKey + '' > $after
WITH t ORDER BY t.sharedKey LIMIT $limit
MATCH (t)-[:OWNED_BY]->(o:User)
MATCH (t)-[c:USES_SERVICE]->(s:Service)
OPTIONAL MATCH (t)-[h:USES_SECRET]->(k:Secret)
RETURN t AS entity, o.id AS ownerId, s.id AS serviceId, c.connectionParams AS connectionParams,
       CASE WHEN o.id = $user THEN k.id ELSE NULL END AS secretId,
       CASE WHEN o.id = $user THEN h.scope ELSE NULL END AS secretScope,
       k IS NOT NULL AS needsSecret, s.status AS serviceStatus ORDER BY t.sharedKey
"""

# A user's own secret for another's shared tool (platform 3)

BIND_SECRET: Final = """
MATCH (u:User {id: $user})
MATCH (t:Tool {id: $tool})-[:OWNED_BY]->(o:User)
MATCH (k:Secret {id: $secret})-[:OWNED_BY]->(u)
WHERE o.id <> $user AND t.shared
MERGE (b:Binding {id: $id})
WITH u, t, k, b
OPTIONAL MATCH (b)-[old:USES_SECRET]->(:Secret)
WITH u, t, k, b, collect(old) AS before
FOREACH (one IN before | DELETE one)
MERGE (b)-[:FOR_TOOL]->(t)
MERGE (b)-[:BOUND_BY]->(u)
CREATE (b)-[:USES_SECRET]->(k)
WITH b
"""

UNBIND_SECRET: Final = """
MATCH (b:Binding {id: $id})-[:BOUND_BY]->(:User {id: $user})
DETACH DELETE b
WITH 1 AS unbound
"""

BOUND_SECRET: Final = """
MATCH (b:Binding {id: $id})-[:USES_SECRET]->(k:Secret)-[:OWNED_BY]->(o:User {id: $user})
RETURN k AS entity, o.id AS ownerId
"""

USE_TOOL: Final = """
MATCH (t:Tool {id: $id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR t.shared
WITH t
"""

# Tokens that calls used up, each user's own

NOTE_TOKENS: Final = """
CREATE (u:TokenUse)
SET u += $use
RETURN u.id AS id
"""

TOKENS_OF: Final = """
MATCH (u:TokenUse {userId: $user})
WHERE u.toolId = $tool
RETURN count(u) AS calls, sum(u.promptTokens) AS prompt, sum(u.completionTokens) AS completion
"""

# Health, which the system alone writes (platform 5)

HEALTH_STATE: Final = """
MATCH (t:Tool {id: $tool})
RETURN t.healthFailures AS failures, t.healthSince AS since, t.status AS status
"""

NOTE_HEALTH: Final = """
MATCH (t:Tool {id: $tool})-[:USES_SERVICE]->(s:Service)
SET t += $health
WITH s
MATCH (x:Tool)-[:USES_SERVICE]->(s)
WHERE x.enabled
WITH s, collect(x.status) AS states
WITH s, CASE WHEN NOT s.enabled THEN "down" WHEN "healthy" IN states THEN "healthy"
             WHEN "degraded" IN states THEN "degraded" ELSE "down" END AS state
SET s.status = state, s.lastHealthCheck = $at,
    s.errorMessage = CASE WHEN NOT s.enabled THEN s.errorMessage WHEN state = "healthy" THEN NULL
                          ELSE "No tool on it is healthy." END
RETURN state
"""
"""A service is as healthy as the healthiest of the tools on it: where it is, each of them says for itself."""

# Templates

CREATE_SERVICE_TEMPLATE: Final = """
MATCH (u:User {id: $user})
CREATE (x:ServiceTemplate)-[:OWNED_BY {created_at: $at}]->(u)
SET x += $properties
WITH x
"""

CREATE_TOOL_TEMPLATE: Final = """
MATCH (u:User {id: $user})
CREATE (x:ToolTemplate)-[:OWNED_BY {created_at: $at}]->(u)
SET x += $properties
WITH x
"""

CHANGE_SERVICE_TEMPLATE: Final = """
MATCH (x:ServiceTemplate {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE x.version = $version
SET x += $properties
WITH x
"""

CHANGE_TOOL_TEMPLATE: Final = """
MATCH (x:ToolTemplate {id: $id})-[:OWNED_BY]->(:User {id: $user})
WHERE x.version = $version
SET x += $properties
WITH x
"""

DELETE_SERVICE_TEMPLATE: Final = """
MATCH (x:ServiceTemplate {id: $id})-[o:OWNED_BY]->(:User {id: $user})
DELETE o, x
WITH 1 AS deleted
"""

DELETE_TOOL_TEMPLATE: Final = """
MATCH (x:ToolTemplate {id: $id})-[o:OWNED_BY]->(:User {id: $user})
DELETE o, x
WITH 1 AS deleted
"""

SERVICE_TEMPLATE: Final = """
MATCH (x:ServiceTemplate {id: $id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR x.shared
RETURN x AS entity, o.id AS ownerId
"""

TOOL_TEMPLATE: Final = """
MATCH (x:ToolTemplate {id: $id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR x.shared
RETURN x AS entity, o.id AS ownerId
"""

OWN_SERVICE_TEMPLATES: Final = """
MATCH (x:ServiceTemplate) WHERE x.nameKey > $after AND x.nameKey < $end
  AND x.nameKey + '' > $after AND x.nameKey + '' < $end
  AND (NOT x.archived OR $archived)
RETURN x AS entity, $user AS ownerId ORDER BY x.nameKey LIMIT $limit
"""

OWN_TOOL_TEMPLATES: Final = """
MATCH (x:ToolTemplate) WHERE x.nameKey > $after AND x.nameKey < $end
  AND x.nameKey + '' > $after AND x.nameKey + '' < $end
  AND (NOT x.archived OR $archived)
RETURN x AS entity, $user AS ownerId ORDER BY x.nameKey LIMIT $limit
"""

SHARED_SERVICE_TEMPLATES: Final = """
MATCH (x:ServiceTemplate) WHERE x.sharedKey > $after AND x.sharedKey + '' > $after AND (NOT x.archived OR $archived)
WITH x ORDER BY x.sharedKey LIMIT $limit
MATCH (x)-[:OWNED_BY]->(o:User)
RETURN x AS entity, o.id AS ownerId ORDER BY x.sharedKey
"""

SHARED_TOOL_TEMPLATES: Final = """
MATCH (x:ToolTemplate) WHERE x.sharedKey > $after AND x.sharedKey + '' > $after AND (NOT x.archived OR $archived)
WITH x ORDER BY x.sharedKey LIMIT $limit
MATCH (x)-[:OWNED_BY]->(o:User)
RETURN x AS entity, o.id AS ownerId ORDER BY x.sharedKey
"""

# Who uses what

USERS_OF_SERVICE: Final = """
MATCH (t:Tool)-[:USES_SERVICE]->(:Service {id: $id})
MATCH (t)-[:OWNED_BY]->(o:User)
RETURN "tool" AS kind, t.id AS id, t.name AS name, o.id AS ownerId, (o.id = $user OR t.shared) AS visible
ORDER BY t.name, visible DESC, t.id LIMIT $limit
"""

USERS_OF_SECRET: Final = """
MATCH (x)-[:USES_SECRET]->(:Secret {id: $id})
OPTIONAL MATCH (x)-[:FOR_TOOL]->(bound:Tool)
WITH CASE WHEN bound IS NULL THEN x ELSE bound END AS t
MATCH (t)-[:OWNED_BY]->(o:User)
RETURN "tool" AS kind, t.id AS id, t.name AS name, o.id AS ownerId, (o.id = $user OR t.shared) AS visible
ORDER BY t.name, visible DESC, t.id LIMIT $limit
"""

USERS_OF_TOOL: Final = """
MATCH (x)-[:FOR_TOOL|CALLS_TOOL]->(:Tool {id: $id})
OPTIONAL MATCH (p:Process)-[:HAS_STEP]->(x)
WITH DISTINCT p IS NULL AS isBinding, CASE WHEN p IS NULL THEN x ELSE p END AS u
MATCH (u)-[:BOUND_BY|OWNED_BY]->(o:User)
RETURN CASE WHEN isBinding THEN "binding" ELSE "process" END AS kind, u.id AS id,
       CASE WHEN isBinding THEN "a secret of " + o.id ELSE u.name END AS name, o.id AS ownerId,
       (o.id = $user OR (NOT isBinding AND u.shared)) AS visible
ORDER BY kind, name, visible DESC, id LIMIT $limit
"""

MADE_FROM_SERVICE_TEMPLATE: Final = """
MATCH (s:Service {serviceTemplateId: $id})-[:OWNED_BY]->(o:User)
RETURN "service" AS kind, s.id AS id, s.name AS name, o.id AS ownerId, (o.id = $user OR s.shared) AS visible
ORDER BY s.name, visible DESC, s.id LIMIT $limit
"""

MADE_FROM_TOOL_TEMPLATE: Final = """
MATCH (t:Tool {toolTemplateId: $id})-[:OWNED_BY]->(o:User)
RETURN "tool" AS kind, t.id AS id, t.name AS name, o.id AS ownerId, (o.id = $user OR t.shared) AS visible
ORDER BY t.name, visible DESC, t.id LIMIT $limit
"""
