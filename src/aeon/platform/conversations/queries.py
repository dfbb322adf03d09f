"""All SQL queries of conversations.

A path is walked along RESPONDS_TO, from an alternative to the root. `alternatives_active`, a unique index, allows one
active alternative for each turn, so a query that switches first deactivates and then activates. That none is active is
refused at the end of the transaction.
"""

from collections.abc import Callable
from typing import Final

from aeon.platform.store import DialectQuery

_CONVERSATION: Final = """
SELECT id, owner_id, title, title_by, status, pinned, tags, tip_id, default_process_id,
       default_process_since, forked_from_id, origin_turn_id, origin_alternative_id, context_budget, import_key,
       version, created_at, updated_at
FROM conversations
"""

CONVERSATION: Final = f"{_CONVERSATION} WHERE id = :id AND owner_id = :user"

NEWEST: Final = f"""{_CONVERSATION}
WHERE owner_id = :user AND status = :status AND (updated_at, id) < (:before, :before_id)
ORDER BY updated_at DESC, id DESC LIMIT :limit
"""

MATCHING: Final = f"""{_CONVERSATION}
WHERE id >= :prefix AND id < :end AND owner_id = :user ORDER BY id LIMIT :limit
"""

FORKS: Final = f"{_CONVERSATION} WHERE forked_from_id = :id AND owner_id = :user ORDER BY created_at, id LIMIT :limit"

CREATE: Final = """
INSERT INTO conversations (id, owner_id, title, title_by, status, pinned, tags,
                           default_process_id, default_process_since, forked_from_id, origin_turn_id,
                           origin_alternative_id, context_budget, import_key, version, created_at, updated_at)
VALUES (:id, :owner_id, :title, :title_by, :status, :pinned, :tags,
        :default_process_id, :default_process_since, :forked_from_id, :origin_turn_id,
        :origin_alternative_id, :context_budget, :import_key, :version, :created_at, :updated_at)
"""

CHANGE: Final = """
UPDATE conversations
SET title = :title, title_by = :title_by, status = :status, pinned = :pinned, tags = :tags,
    context_budget = :context_budget, version = :version, updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

IMPORTED: Final = """
SELECT id FROM conversations WHERE owner_id = :user AND import_key = :key
UNION ALL
SELECT id FROM conversations WHERE id = :id AND owner_id = :user
"""
"""The user's conversation that has an import key, or the id under which it was exported."""

UNTITLED: Final = """
SELECT id, owner_id FROM conversations
WHERE title IS NULL AND updated_at > :since AND status = 'active' AND import_key IS NULL
ORDER BY updated_at DESC, id LIMIT :limit
"""

NAME_UNTITLED: Final = """
UPDATE conversations SET title = :title, title_by = 'model', version = version + 1
WHERE id = :id AND owner_id = :user AND title IS NULL
"""

TIP: Final = """
SELECT a.id, a.responds_to_id FROM conversations AS c JOIN alternatives AS a ON a.id = c.tip_id
WHERE c.id = :conversation
"""

MOVE_TIP: Final = """
UPDATE conversations
SET tip_id = :tip, status = CASE WHEN :wakes = 1 THEN 'active' ELSE status END, version = version + 1, updated_at = :at
WHERE id = :conversation AND owner_id = :user
"""

SET_TIP: Final = "UPDATE conversations SET tip_id = :tip WHERE id = :conversation AND owner_id = :user"
"""Sets the tip of a new conversation, which begins without one."""

PREFER_PROCESS: Final = """
UPDATE conversations SET default_process_id = :process, default_process_since = :at
WHERE id = :conversation AND owner_id = :user AND (default_process_id IS NULL OR default_process_id <> :process)
"""

_COLUMNS: Final = """
SELECT a.id, a.turn_id, a.conversation_id, a.sequence, a.is_active, a.responds_to_id, a.state, a.content,
       a.process_id, a.process_digest, a.run_id, a.model, a.usage, a.marks, a.failure, a.imported, a.created_at,
       a.ended_at, a.forgotten_at, a.forgotten_by, a.path_hash, t.parent_id, t.via_alternative_id, t.sequence AS depth,
       t.speaker, t.turn_type,
       CASE WHEN p.is_active = 0 THEN 1 ELSE 0 END AS is_stale
"""

_ALTERNATIVE: Final = f"""{_COLUMNS}
FROM {{source}} JOIN conversation_turns AS t ON t.id = a.turn_id
     LEFT JOIN alternatives AS p ON p.id = a.responds_to_id
"""

_ALTERNATIVES: Final = _ALTERNATIVE.format(source="alternatives AS a")

ALTERNATIVE: Final = f"{_ALTERNATIVES} WHERE a.id = :id AND a.owner_id = :user"

ALTERNATIVES_BY_ID: Final = f"""{_ALTERNATIVE.format(source="json_each(:ids) AS i CROSS JOIN alternatives AS a")}
WHERE a.id = i.value AND a.owner_id = :user ORDER BY a.created_at, a.id
"""

ALTERNATIVES_MATCHING: Final = f"""{_ALTERNATIVES}
WHERE a.id >= :prefix AND a.id < :end AND a.owner_id = :user ORDER BY a.id LIMIT :limit
"""

OF_TURN: Final = f"{_ALTERNATIVES} WHERE a.turn_id = :turn AND a.owner_id = :user ORDER BY a.sequence DESC"

RESPONSES: Final = f"""{_ALTERNATIVE.format(source="json_each(:ids) AS i CROSS JOIN alternatives AS a")}
WHERE a.responds_to_id = i.value AND a.owner_id = :user ORDER BY a.sequence DESC
"""

GENERATING: Final = f"""{_ALTERNATIVES}
WHERE a.owner_id = :user AND a.state = 'generating' ORDER BY a.created_at, a.id LIMIT :limit
"""

TREE: Final = f"""{_ALTERNATIVES}
WHERE t.conversation_id = :conversation AND a.owner_id = :user
  AND (t.sequence, t.id) >= (:depth, :turn) AND (t.sequence, t.id, a.sequence) > (:depth, :turn, :n)
ORDER BY t.sequence, t.id, a.sequence LIMIT :limit
"""
"""From the turn of `:turn` on, so that a window reads no more of a large tree than it shows."""


def _near(columns: str, condition: str) -> DialectQuery:
    """A table of alternatives that is joined row by row, by an index.

    PostgreSQL keeps the plan that it made while the table was small, and would then read all of it for each step of a
    path: it took 18 ms in 5,000 turns. OFFSET 0 keeps the planner from joining it otherwise.
    """
    return DialectQuery(
        f"JOIN alternatives AS a ON a.{condition}",
        f"CROSS JOIN LATERAL (SELECT {columns} FROM alternatives WHERE {condition} OFFSET 0) AS a",
    )


def _in_both(text: Callable[[str], str], joined: DialectQuery) -> DialectQuery:
    return DialectQuery(text(joined.sqlite), text(joined.postgresql))


_PATH_STEP: Final = _near("responds_to_id", "id = path.id")

_PATH_ROWS: Final = DialectQuery(
    _ALTERNATIVE.format(source="path JOIN alternatives AS a ON a.id = path.id"),
    f"""
    {_COLUMNS}
    FROM path CROSS JOIN LATERAL (SELECT * FROM alternatives WHERE id = path.id OFFSET 0) AS a
         CROSS JOIN LATERAL (SELECT * FROM conversation_turns WHERE id = a.turn_id OFFSET 0) AS t
         LEFT JOIN LATERAL (SELECT is_active FROM alternatives WHERE id = a.responds_to_id OFFSET 0) AS p ON true
    """,
)


def _path(step: str, rows: str) -> str:
    return f"""
WITH RECURSIVE path (n, id) AS (
    SELECT 0, id FROM alternatives WHERE id = :id AND owner_id = :user
    UNION ALL
    SELECT n + 1, a.responds_to_id FROM path {step}
    WHERE a.responds_to_id IS NOT NULL AND n + 1 < :end
)
{rows}
WHERE path.n >= :skip
ORDER BY path.n DESC
"""


PATH: Final = DialectQuery(
    _path(_PATH_STEP.sqlite, _PATH_ROWS.sqlite), _path(_PATH_STEP.postgresql, _PATH_ROWS.postgresql)
)
"""Of the newest `:end` alternatives of the path that ends at `:id` all but the newest `:skip`, oldest first."""


def _ancestors(step: str) -> str:
    return f"""
WITH RECURSIVE path (id, turn_id, responds_to_id) AS (
    SELECT id, turn_id, responds_to_id FROM alternatives WHERE id = :id AND owner_id = :user
    UNION ALL
    SELECT a.id, a.turn_id, a.responds_to_id FROM path {step}
)
"""


_ANCESTORS: Final = _in_both(_ancestors, _near("id, turn_id, responds_to_id", "id = path.responds_to_id"))

_BESIDE: Final = _near("id, is_active", "turn_id = path.turn_id")

_DEACTIVATE: Final = """
UPDATE alternatives SET is_active = 0
WHERE id IN (SELECT a.id FROM path {beside} WHERE a.is_active = 1 AND a.id <> path.id)
"""

DEACTIVATE: Final = DialectQuery(
    _ANCESTORS.sqlite + _DEACTIVATE.format(beside=_BESIDE.sqlite),
    _ANCESTORS.postgresql + _DEACTIVATE.format(beside=_BESIDE.postgresql),
)
"""Deactivates what is active beside the path that ends at `:id`, up to the root (platform 12)."""

_ACTIVATE: Final = """
UPDATE alternatives SET is_active = 1 WHERE id IN (SELECT id FROM path) AND is_active = 0
"""

ACTIVATE: Final = _in_both(lambda ancestors: ancestors + _ACTIVATE, _ANCESTORS)

DEEPEST: Final = """
WITH RECURSIVE below (n, id) AS (
    SELECT 0, id FROM alternatives WHERE id = :id AND owner_id = :user
    UNION ALL
    SELECT n + 1, a.id FROM below JOIN alternatives AS a ON a.responds_to_id = below.id WHERE a.is_active = 1
)
SELECT id FROM below ORDER BY n DESC LIMIT 1
"""
"""The end of the active path below `:id`."""

COUNT_BELOW: Final = """
WITH RECURSIVE below (id) AS (
    SELECT id FROM alternatives WHERE responds_to_id = :id AND owner_id = :user
    UNION
    SELECT a.id FROM below JOIN alternatives AS a ON a.responds_to_id = below.id
)
SELECT count(*) AS number FROM (SELECT id FROM below LIMIT :limit) AS counted
"""

CHILD_TURN: Final = """
SELECT t.id, t.speaker FROM conversation_turns AS t WHERE t.via_alternative_id = :id
UNION
SELECT t.id, t.speaker FROM alternatives AS a JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE a.responds_to_id = :id
"""
"""The turn in which `:id` is answered: one at most."""

ROOT_TURN: Final = (
    "SELECT id, speaker FROM conversation_turns WHERE conversation_id = :conversation AND parent_id IS NULL"
)

ADD_TURN: Final = """
INSERT INTO conversation_turns (id, conversation_id, parent_id, via_alternative_id, sequence, speaker, turn_type,
                                created_at)
VALUES (:id, :conversation, :parent, :via, :sequence, :speaker, :turn_type, :at)
"""

NEXT_SEQUENCE: Final = "SELECT coalesce(max(sequence), 0) + 1 AS number FROM alternatives WHERE turn_id = :turn"

LEAVE_TURN: Final = "UPDATE alternatives SET is_active = 0 WHERE turn_id = :turn AND is_active = 1"

ADD_ALTERNATIVE: Final = """
INSERT INTO alternatives (id, turn_id, conversation_id, owner_id, sequence, is_active, responds_to_id, state, content,
                          content_hash, path_hash, process_id, process_digest, imported, model, created_at, ended_at)
VALUES (:id, :turn, :conversation, :user, :sequence, 1, :responds_to, :state, :content,
        :content_hash, :path_hash, :process, :digest, :imported, :model, :at, :ended_at)
"""

IMPORT_ALTERNATIVE: Final = """
INSERT INTO alternatives (id, turn_id, conversation_id, owner_id, sequence, is_active, responds_to_id, state, content,
                          content_hash, path_hash, model, usage, marks, failure, imported, created_at, ended_at,
                          forgotten_at)
VALUES (:id, :turn, :conversation, :user, :sequence, :is_active, :responds_to, :state, :content,
        :content_hash, :path_hash, :model, :usage, :marks, :failure, :imported, :at, :ended_at, :forgotten_at)
"""

AMONG: Final = """
SELECT id FROM alternatives
WHERE id IN (SELECT value FROM json_each(:ids)) AND conversation_id = :conversation
"""

COUNT_ERASED: Final = """
SELECT count(*) AS number, count(forgotten_at) AS erased FROM alternatives WHERE conversation_id = :conversation
"""

SET_RUN: Final = """
UPDATE alternatives SET run_id = :run WHERE id = :id AND owner_id = :user AND state = 'generating' AND run_id IS NULL
"""

END: Final = """
UPDATE alternatives
SET state = :state, content = :content, content_hash = :content_hash, path_hash = :path_hash, model = :model,
    usage = :usage, marks = :marks, failure = :failure, ended_at = :at
WHERE id = :id AND owner_id = :user AND state = 'generating'
"""

ATTACHMENTS: Final = """
SELECT f.alternative_id, f.n, f.name, f.media_type, f.size, f.digest, f.text_digest, f.is_erased
FROM attachments AS f JOIN alternatives AS a ON a.id = f.alternative_id
WHERE f.alternative_id IN (SELECT value FROM json_each(:ids)) AND a.owner_id = :user
ORDER BY f.alternative_id, f.n
"""

BLOB: Final = """
SELECT b.content FROM blobs AS b
WHERE b.digest = :digest AND EXISTS (
    SELECT 1 FROM attachments AS f JOIN alternatives AS a ON a.id = f.alternative_id
    WHERE f.digest = :digest AND a.owner_id = :user
    UNION ALL
    SELECT 1 FROM attachments AS f JOIN alternatives AS a ON a.id = f.alternative_id
    WHERE f.text_digest = :digest AND a.owner_id = :user
)
"""

ADD_BLOB: Final = "INSERT INTO blobs (digest, content) VALUES (:digest, :content) ON CONFLICT (digest) DO NOTHING"

ADD_ATTACHMENT: Final = """
INSERT INTO attachments (alternative_id, n, name, media_type, size, digest, text_digest, is_erased)
VALUES (:alternative, :n, :name, :media_type, :size, :digest, :text_digest, 0)
"""

ATTACHED_DIGESTS: Final = """
SELECT digest FROM attachments
WHERE alternative_id IN (SELECT value FROM json_each(:ids)) AND digest IS NOT NULL
UNION
SELECT text_digest FROM attachments
WHERE alternative_id IN (SELECT value FROM json_each(:ids)) AND text_digest IS NOT NULL
"""

ATTACHED_NUMBER: Final = """
SELECT count(*) AS number FROM attachments
WHERE alternative_id IN (SELECT value FROM json_each(:ids)) AND is_erased = 0
"""

ERASE_ATTACHMENTS: Final = """
UPDATE attachments SET is_erased = 1, name = NULL, digest = NULL, text_digest = NULL
WHERE alternative_id IN (SELECT value FROM json_each(:ids)) AND is_erased = 0
"""

REMOVE_UNUSED_BLOBS: Final = """
DELETE FROM blobs
WHERE digest IN (SELECT value FROM json_each(:digests))
    AND NOT EXISTS (SELECT 1 FROM attachments AS f WHERE f.digest = blobs.digest)
    AND NOT EXISTS (SELECT 1 FROM attachments AS f WHERE f.text_digest = blobs.digest)
"""

PIECES: Final = "SELECT text FROM pieces WHERE alternative_id = :id AND n > :after ORDER BY n"

REMOVE_MAKER: Final = "DELETE FROM pieces WHERE alternative_id = :id AND n = 0"

ADD_MAKER: Final = """
INSERT INTO pieces (alternative_id, n, text)
SELECT id, 0, :token FROM alternatives WHERE id = :id AND state = 'generating'
"""
"""The piece 0 is the token of the one who writes the pieces of an answer."""

ADD_PIECE: Final = """
INSERT INTO pieces (alternative_id, n, text)
SELECT alternative_id, :n, :text FROM pieces WHERE alternative_id = :id AND n = 0 AND text = :token
"""

REMOVE_PIECES: Final = "DELETE FROM pieces WHERE alternative_id = :id"

STILL_GENERATING: Final = """
SELECT id FROM alternatives WHERE id IN (SELECT value FROM json_each(:ids)) AND state = 'generating'
"""

REMOVE_LEFT_PIECES: Final = """
DELETE FROM pieces WHERE NOT EXISTS (
    SELECT 1 FROM alternatives AS a WHERE a.id = pieces.alternative_id AND a.state = 'generating'
)
"""
"""Removes what a maker wrote in the instant in which its answer was ended."""

OWNERS_GENERATING: Final = "SELECT DISTINCT owner_id FROM alternatives WHERE state = 'generating' ORDER BY owner_id"

KEEP_MANIFEST: Final = """
INSERT INTO manifests (alternative_id, digest, made_at, text)
SELECT id, CAST(:digest AS text), CAST(:at AS text), CAST(:text AS text) FROM alternatives
WHERE id = :id AND state = 'generating' AND forgotten_at IS NULL
ON CONFLICT (alternative_id) DO UPDATE SET digest = excluded.digest, made_at = excluded.made_at, text = excluded.text
"""
"""Replaces that of an earlier attempt. What an answer that has ended was made from stays."""

# Erasing (platform 28)

EVERY_ALTERNATIVE: Final = "SELECT id FROM alternatives WHERE conversation_id = :conversation AND owner_id = :user"

RESPONDING: Final = """
SELECT id FROM alternatives WHERE responds_to_id IN (SELECT value FROM json_each(:ids)) AND owner_id = :user
"""

FORK_ROOTS: Final = """
SELECT a.id FROM conversations AS c
     JOIN conversation_turns AS t ON t.conversation_id = c.id AND t.parent_id IS NULL
     JOIN alternatives AS a ON a.turn_id = t.id
WHERE c.origin_alternative_id IN (SELECT value FROM json_each(:ids)) AND c.owner_id = :user
  AND c.forked_from_id IN (SELECT conversation_id FROM alternatives WHERE id IN (SELECT value FROM json_each(:ids)))
"""
"""The first messages of the conversations that were forked from these alternatives."""

FORKS_OF: Final = """
SELECT count(*) AS number FROM conversations
WHERE origin_alternative_id IN (SELECT value FROM json_each(:ids)) AND owner_id = :user
  AND forked_from_id IN (SELECT conversation_id FROM alternatives WHERE id IN (SELECT value FROM json_each(:ids)))
"""

AFFECTED: Final = """
SELECT a.id, a.conversation_id, a.state, a.responds_to_id, a.run_id, a.content, a.forgotten_at, t.speaker
FROM alternatives AS a JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE a.id IN (SELECT value FROM json_each(:ids)) ORDER BY a.id
"""

ERASE: Final = """
UPDATE alternatives
SET content = NULL, content_hash = NULL, marks = NULL, imported = NULL, forgotten_at = :at, forgotten_by = :by,
    failure = CASE WHEN failure IS NULL THEN NULL ELSE 'erased' END
WHERE id = :id AND forgotten_at IS NULL
"""

ERASE_TITLE: Final = """
UPDATE conversations SET title = NULL, title_by = NULL, tags = :tags, version = version + 1
WHERE id = :id AND owner_id = :user
"""

ADD_ERASURE: Final = """
INSERT INTO erasures (id, owner_id, actor_id, created_at, ended_at, runs, reason)
VALUES (:id, :owner, :actor, :at, NULL, :runs, :reason)
"""

OPEN_ERASURES: Final = (
    "SELECT id, owner_id, actor_id, created_at, runs FROM erasures WHERE ended_at IS NULL "
    "ORDER BY created_at, id LIMIT :limit"
)

END_ERASURE: Final = "UPDATE erasures SET ended_at = :at WHERE id = :id AND ended_at IS NULL"

ERASE_MANIFEST: Final = "UPDATE manifests SET text = :text WHERE alternative_id = :id"
"""The text says `isErased`: the database refuses any other one."""

MANIFESTS: Final = """
SELECT m.alternative_id, m.digest, m.made_at, m.text
FROM manifests AS m JOIN alternatives AS a ON a.id = m.alternative_id
WHERE m.alternative_id IN (SELECT value FROM json_each(:ids)) AND a.owner_id = :user
"""

MANIFEST: Final = """
SELECT m.digest, m.made_at, m.text FROM manifests AS m JOIN alternatives AS a ON a.id = m.alternative_id
WHERE m.alternative_id = :id AND a.owner_id = :user
"""
