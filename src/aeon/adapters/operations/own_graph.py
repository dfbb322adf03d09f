"""The named queries about Aeon's own graph: all that a stored tool may ask it.

Each is bound to `$user`, so that it returns what is his and, of others, only what concerns it: who they are, and the
name of a thing of theirs where they share it (platform 2). Secrets have their metadata alone (platform 3). What else a
query names with `$` is the input's field of that name.
"""

import re
from typing import Final

SERVICES: Final = """
MATCH (s:Service)-[:OWNED_BY]->(:User {id: $user})
RETURN s.id AS id, s.name AS name, s.type AS type, s.protocol AS protocol, s.status AS status, s.enabled AS enabled,
       s.shared AS shared, s.createdAt AS createdAt, s.updatedAt AS updatedAt
ORDER BY s.name LIMIT $limit
"""

TOOLS: Final = """
MATCH (t:Tool)-[:OWNED_BY]->(:User {id: $user})
MATCH (t)-[:USES_SERVICE]->(s:Service)
RETURN t.id AS id, t.name AS name, t.description AS description, s.id AS serviceId, t.status AS status,
       t.enabled AS enabled, t.shared AS shared, t.createdAt AS createdAt, t.updatedAt AS updatedAt
ORDER BY t.name LIMIT $limit
"""

THINGS: Final = """
MATCH (x)-[:OWNED_BY]->(:User {id: $user})
WITH x, labels(x)[0] AS kind, toLower(x.name + ' ' + coalesce(x.description, '')) AS said, toLower($words) AS asked
WHERE kind IN ['Tool', 'Process'] AND any(word IN split(asked, ' ')
      WHERE (word = asked OR size(word) > 3) AND said CONTAINS word)
RETURN kind, x.id AS id, x.name AS name, x.description AS description
ORDER BY x.name, kind LIMIT $limit
"""

SECRETS_METADATA: Final = """
MATCH (k:Secret)-[:OWNED_BY]->(:User {id: $user})
RETURN k.id AS id, k.name AS name, k.type AS type, k.createdAt AS createdAt, k.updatedAt AS updatedAt
ORDER BY k.name LIMIT $limit
"""

USERS_OF_MINE: Final = """
MATCH (:User {id: $user})<-[:OWNED_BY]-(x)<-[:USES_SERVICE|USES_SECRET|FOR_TOOL]-(y)-[:OWNED_BY|BOUND_BY]->(o:User)
RETURN labels(x)[0] AS kind, x.id AS id, x.name AS name, labels(y)[0] AS byKind, o.id AS byUser,
       CASE WHEN o.id = $user OR y.shared THEN y.name ELSE NULL END AS byName
ORDER BY x.name, o.id, byName LIMIT $limit
"""

TRAIL: Final = """
MATCH (a:AuditEntry {userId: $user})
RETURN a.seq AS seq, a.at AS at, a.action AS action, a.subject AS subject, a.actorId AS actorId, a.ownerId AS ownerId
ORDER BY a.seq DESC LIMIT $limit
"""

NAMED: Final = {
    "services": SERVICES,
    "tools": TOOLS,
    "things": THINGS,
    "secrets": SECRETS_METADATA,
    "users_of_mine": USERS_OF_MINE,
    "trail": TRAIL,
}
"""By the name that an operation's query gives after its `@`. The trail's newest entries come first."""

_PARAMETER = re.compile(r"\$([a-z]+)")


def taken(query: str) -> frozenset[str]:
    """The fields of the input that a named query takes."""
    return frozenset(_PARAMETER.findall(query)) - {"user", "limit"}
