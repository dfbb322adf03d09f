"""The named queries on Aeon's own record, the only ones that stored tools may run.

Each is bound to `:user`: it returns the user's items and, of items of other users, only what concerns the user: the
owners, and the names of shared items (platform 2). Of secrets it returns only metadata (platform 3).
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.store import Params, Row, Store

SERVICES: Final = """
SELECT id, name, type, protocol, status, enabled, shared, created_at AS "createdAt", updated_at AS "updatedAt"
FROM services WHERE owner_id = :user ORDER BY name LIMIT :limit
"""

TOOLS: Final = """
SELECT id, name, description, service_id AS "serviceId", status, enabled, shared, created_at AS "createdAt",
       updated_at AS "updatedAt"
FROM tools WHERE owner_id = :user ORDER BY name LIMIT :limit
"""

THINGS: Final = """
SELECT 'Tool' AS kind, id, name, description FROM tools WHERE owner_id = :user
UNION ALL
SELECT 'Process', id, name, description FROM processes WHERE owner_id = :user
ORDER BY name, kind
"""

SECRETS_METADATA: Final = """
SELECT id, name, type, created_at AS "createdAt", updated_at AS "updatedAt"
FROM secrets WHERE owner_id = :user ORDER BY name LIMIT :limit
"""

USERS_OF_MINE: Final = """
SELECT 'Service' AS kind, s.id AS id, s.name AS name, 'Tool' AS "byKind", t.owner_id AS "byUser",
       CASE WHEN t.owner_id = :user OR t.shared = 1 THEN t.name END AS "byName"
FROM services s JOIN tools t ON t.service_id = s.id WHERE s.owner_id = :user
UNION ALL
SELECT 'Secret', k.id, k.name, 'Tool', t.owner_id, t.name
FROM secrets k JOIN tools t ON t.secret_id = k.id WHERE k.owner_id = :user
UNION ALL
SELECT 'Secret', k.id, k.name, 'Binding', b.user_id, NULL
FROM secrets k JOIN bindings b ON b.secret_id = k.id WHERE k.owner_id = :user
UNION ALL
SELECT 'Tool', t.id, t.name, 'Binding', b.user_id, NULL
FROM tools t JOIN bindings b ON b.tool_id = t.id WHERE t.owner_id = :user
ORDER BY 3, 5, 6 NULLS LAST LIMIT :limit
"""

AUDIT_ENTRIES: Final = """
SELECT seq, at, action, subject, actor_id AS "actorId", owner_id AS "ownerId"
FROM audit_entries WHERE user_id = :user ORDER BY seq DESC LIMIT :limit
"""
"""The newest entries come first."""

_FLAGS: Final = frozenset({"enabled", "shared"})
_MAX_SHORT_WORD: Final = 3
"""Words of up to this many letters count only if they are the whole search text."""


class NamedQuery(NamedTuple):
    """A query, and the string fields of the tool's input that it uses."""

    query: str
    parameters: tuple[str, ...] = ()


NAMED_QUERIES: Final = {
    "services": NamedQuery(SERVICES),
    "tools": NamedQuery(TOOLS),
    "things": NamedQuery(THINGS, ("words",)),
    "secrets": NamedQuery(SECRETS_METADATA),
    "users_of_mine": NamedQuery(USERS_OF_MINE),
    "trail": NamedQuery(AUDIT_ENTRIES),
}
"""The queries by name; an operation names one with a leading `@`."""


def run_named_query(
    store: Store, named: NamedQuery, user: str, parameters: Params, limit: int, timeout: float
) -> list[Row]:
    """Return at most `limit` rows of a named query. Raises StoreError."""
    rows = store.read(named.query, {"user": user, "limit": limit}, timeout=timeout)
    if "words" in parameters:
        rows = [row for row in rows if _mentions(row, parameters["words"].lower())][:limit]
    return [_published(row) for row in rows]


def _mentions(item: Row, text: str) -> bool:
    """Return whether an item's name or description contains one of the words of the search text."""
    searched = f"{item['name']} {item['description']}".lower()
    return any(word in searched for word in _words(text))


def _words(text: str) -> Iterable[str]:
    return (word for word in text.split(" ") if word == text or len(word) > _MAX_SHORT_WORD)


def _published(row: Row) -> JsonObject:
    return {name: bool(value) if name in _FLAGS else value for name, value in row.items()}
