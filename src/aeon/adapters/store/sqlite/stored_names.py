"""Names in a record's file for the completion of a shell: read without a write, a lock or a migration."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

NameKind: TypeAlias = Literal[
    "alert",
    "conversation",
    "message",
    "newest message",
    "process",
    "run",
    "schedule",
    "secret",
    "service",
    "service template",
    "tool",
    "tool template",
    "webhook",
]


class StoredName(NamedTuple):
    """A name or id; `note` is the title of a conversation, or the beginning of a message."""

    name: str
    note: str = ""


_NOTE: Final = 80
"""The most characters of a note."""

_BEGINS: Final = "substr({0}, 1, length(:prefix)) = :prefix"
_VISIBLE: Final = f"(owner_id = :user OR shared = 1) AND {_BEGINS.format('name')} ORDER BY name LIMIT :limit"
_OWN: Final = f"owner_id = :user AND {_BEGINS.format('name')} ORDER BY name LIMIT :limit"

_CONVERSATIONS: Final = f"""
WITH newest AS (
    SELECT id, title FROM conversations WHERE owner_id = :user AND {_BEGINS.format("id")}
    ORDER BY updated_at DESC, id DESC LIMIT :limit
)
SELECT id, coalesce(title, (
    SELECT substr(a.content, 1, {_NOTE}) FROM conversation_turns AS t JOIN alternatives AS a ON a.turn_id = t.id
    WHERE t.conversation_id = newest.id AND t.parent_id IS NULL AND a.is_active = 1
)) FROM newest
"""  # noqa: S608

_NEWEST_MESSAGES: Final = f"""
WITH RECURSIVE path (id, turn_id, responds_to_id, depth) AS (
    SELECT a.id, a.turn_id, a.responds_to_id, 1 FROM (
        SELECT tip_id FROM conversations WHERE owner_id = :user ORDER BY updated_at DESC, id DESC LIMIT 10
    ) AS newest JOIN alternatives AS a ON a.id = newest.tip_id
    UNION ALL
    SELECT a.id, a.turn_id, a.responds_to_id, path.depth + 1
    FROM path JOIN alternatives AS a ON a.id = path.responds_to_id WHERE path.depth < :limit
)
SELECT a.id, substr(a.content, 1, {_NOTE}) FROM path JOIN alternatives AS a ON a.turn_id = path.turn_id
ORDER BY a.created_at DESC, path.depth, a.sequence DESC LIMIT :limit
"""  # noqa: S608
"""What is visible of the newest conversations, and what stands beside it: to be fast, not all that there is."""

_QUERIES: Final[dict[NameKind, str]] = {
    "alert": f"SELECT DISTINCT name FROM alerts WHERE {_OWN}",  # noqa: S608  # constants alone
    "conversation": _CONVERSATIONS,
    "message": f"""SELECT id, substr(content, 1, {_NOTE}) FROM alternatives
WHERE id >= :prefix AND id < :prefix || char(1114111) AND owner_id = :user ORDER BY created_at DESC, id LIMIT :limit""",  # noqa: S608
    "newest message": _NEWEST_MESSAGES,
    "process": f"SELECT DISTINCT name FROM processes WHERE {_VISIBLE}",  # noqa: S608  # constants alone, here and below
    "run": f"""SELECT id FROM runs WHERE owner_id = :user AND parent_id IS NULL AND {_BEGINS.format("id")}
ORDER BY accepted_at DESC LIMIT :limit""",  # noqa: S608
    "schedule": f"SELECT DISTINCT name FROM schedules WHERE {_OWN}",  # noqa: S608
    "secret": f"SELECT DISTINCT name FROM secrets WHERE {_OWN}",  # noqa: S608
    "service": f"SELECT DISTINCT name FROM services WHERE {_VISIBLE}",  # noqa: S608
    "service template": f"SELECT DISTINCT name FROM service_templates WHERE archived = 0 AND {_VISIBLE}",  # noqa: S608
    "tool": f"SELECT DISTINCT name FROM tools WHERE {_VISIBLE}",  # noqa: S608
    "tool template": f"SELECT DISTINCT name FROM tool_templates WHERE archived = 0 AND {_VISIBLE}",  # noqa: S608
    "webhook": f"SELECT DISTINCT name FROM webhooks WHERE {_OWN}",  # noqa: S608
}


def read_names(file: Path, kind: NameKind, user: str, prefix: str, limit: int) -> list[StoredName]:
    """The names of a kind that begin with `prefix`: the user's own and shared ones; of what has none, the newest ids.

    Empty if the file cannot be read or has other tables.
    """
    # Without a journal nobody else writes, and an immutable file is read without one being made.
    mode = "mode=ro" if Path(f"{file}-wal").exists() else "mode=ro&immutable=1"
    params = {"user": user, "prefix": prefix, "limit": limit}
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=0.1)) as record:
            return [StoredName(*(text or "" for text in row)) for row in record.execute(_QUERIES[kind], params)]
    except sqlite3.Error:
        return []
