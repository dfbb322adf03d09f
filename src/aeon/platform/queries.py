"""What every room of the platform asks the graph: users, idempotency, the audit trail, and the end of each mutation."""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Graph", "key"), ("User", "id"), ("Request", "id"), ("AuditEntry", "id"), ("Event", "id")),
    indexed=(("AuditEntry", "userId"), ("Event", "at"), ("Request", "at")),
)

MARK: Final = "MERGE (g:Graph {key: 'graph'}) ON CREATE SET g.id = $new RETURN g.id AS id"

ENSURE_USER: Final = """
MERGE (u:User {id: $user})
ON CREATE SET u.auditSeq = 0, u.auditHash = $genesis, u.createdAt = $at
RETURN u
"""

HEADS: Final = """
UNWIND $users AS user
MATCH (u:User {id: user})
RETURN u.id AS id, u.auditSeq AS seq, u.auditHash AS hash
"""

EARLIER_REQUEST: Final = """
MATCH (r:Request {id: $id})
RETURN r.body AS body, r.answer AS answer, r.at AS at
"""

FORGET_REQUEST: Final = """
MATCH (r:Request {id: $id}) WHERE r.at <= $before
DELETE r
"""

AUDIT_PAGE: Final = """
MATCH (a:AuditEntry {userId: $user})
WHERE a.seq > $after
RETURN a ORDER BY a.seq LIMIT $limit
"""

RECORDED: Final = """
WITH count(*) AS made
WITH made, 1/(CASE WHEN made = 1 THEN 1 ELSE 0 END) AS once
FOREACH (event IN $events | CREATE (:Event {id: event.id, at: event.at, kind: event.kind, subject: event.subject}))
FOREACH (r IN $requests | CREATE (:Request {id: r.id, at: r.at, body: r.body, answer: r.answer}))
WITH once
UNWIND $entries AS entry
MATCH (w:User {id: entry.userId})
SET w.auditSeq = entry.seq, w.auditHash = entry.hash
CREATE (a:AuditEntry)
SET a += entry
RETURN count(a) AS recorded, once
"""
"""How every mutation ends. One row must have come from what stands before, else nothing happens: a thing that is not
there, not the caller's, or changed in the meantime gives none, and the guard aborts. Of two who write the same trail at
once, the unique ids of the entries let one through."""
