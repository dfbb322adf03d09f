"""All SQL queries of summaries."""

from typing import Final

from aeon.platform.store import DialectQuery

_COLUMNS: Final = """
s.id, s.conversation_id, s.level, s.token_count, s.first_alternative_id, s.last_alternative_id, s.path_digest,
s.process_id, s.run_id, s.created_at, s.deleted_at
"""

OF_CONVERSATIONS: Final = f"""
SELECT {_COLUMNS} FROM json_each(:ids) AS i CROSS JOIN summaries AS s
WHERE s.conversation_id = i.value AND s.owner_id = :user AND s.deleted_at IS NULL
ORDER BY s.created_at, s.id
"""

ALL_OF: Final = f"""
SELECT {_COLUMNS} FROM summaries AS s WHERE s.conversation_id = :conversation AND s.owner_id = :user
ORDER BY s.created_at, s.id
"""

SUMMARY: Final = f"SELECT {_COLUMNS} FROM summaries AS s WHERE s.id = :id AND s.owner_id = :user"

MATCHING: Final = f"""
SELECT {_COLUMNS} FROM summaries AS s
WHERE s.id >= :prefix AND s.id < :end AND s.owner_id = :user ORDER BY s.id LIMIT :limit
"""


def _lineage(step: str) -> str:
    return f"""
WITH RECURSIVE path (n, id, responds_to_id, path_hash) AS (
    SELECT 0, id, responds_to_id, path_hash FROM alternatives WHERE id = :id AND owner_id = :user
    UNION ALL
    SELECT path.n + 1, a.id, a.responds_to_id, a.path_hash FROM path {step}
)
SELECT id, coalesce(path_hash, id) AS digest FROM path ORDER BY n DESC
"""


LINEAGE: Final = DialectQuery(
    _lineage("JOIN alternatives AS a ON a.id = path.responds_to_id"),
    _lineage(
        "CROSS JOIN LATERAL (SELECT id, responds_to_id, path_hash FROM alternatives WHERE id = path.responds_to_id "
        "OFFSET 0) AS a"
    ),
)
"""The path that ends at `:id`, root first, with the digests of the paths up to each."""

CONTENTS: Final = """
SELECT c.summary_id, c.n, c.episode_id, c.created_at, c.created_by, e.content
FROM json_each(:ids) AS i CROSS JOIN summary_contents AS c JOIN episodes AS e ON e.id = c.episode_id
WHERE c.summary_id = i.value AND e.owner_id = :user
ORDER BY c.summary_id, c.n
"""

EPISODE_TEXTS: Final = """
SELECT e.id, e.content FROM json_each(:ids) AS i CROSS JOIN episodes AS e
WHERE e.id = i.value AND e.owner_id = :user
"""

SOURCES: Final = """
SELECT s.n, e.id, e.source, e.alternative_id, c.summary_id
FROM summary_sources AS s JOIN episodes AS e ON e.id = s.episode_id
    LEFT JOIN summary_contents AS c ON c.episode_id = e.id
WHERE s.summary_id = :id AND e.owner_id = :user ORDER BY s.n
"""

STANDING: Final = f"""
SELECT {_COLUMNS} FROM summaries AS s
WHERE s.last_alternative_id = :last AND s.first_alternative_id = :first AND s.level = :level AND s.owner_id = :user
    AND s.deleted_at IS NULL
"""

DELETED_BEFORE: Final = """
SELECT count(*) AS number FROM summaries
WHERE last_alternative_id = :last AND first_alternative_id = :first AND level = :level AND owner_id = :user
    AND deleted_at IS NOT NULL
"""

INTACT_ALTERNATIVES: Final = """
SELECT count(*) AS number FROM json_each(:ids) AS i CROSS JOIN alternatives AS a
WHERE a.id = i.value AND a.owner_id = :user AND (a.forgotten_at IS NULL OR a.forgotten_at <= :erased_until)
"""

INTACT_SUMMARIES: Final = """
SELECT count(*) AS number FROM json_each(:ids) AS i CROSS JOIN summaries AS s
WHERE s.id = i.value AND s.owner_id = :user AND s.deleted_at IS NULL
"""

ADD_TURN_EPISODE: Final = """
INSERT INTO episodes (id, owner_id, group_id, alternative_id, source, name, created_at, valid_at, attempts)
SELECT CAST(:id AS text), a.owner_id, a.conversation_id, a.id,
       CASE WHEN t.speaker = 'user' THEN 'message' ELSE 'answer' END, 'Turn:' || a.id, CAST(:at AS text),
       a.created_at, 0
FROM alternatives AS a JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE a.id = :alternative AND a.owner_id = :user
ON CONFLICT DO NOTHING
"""
"""Adds the episode of an alternative unless it is there."""

ADD_EPISODE: Final = """
INSERT INTO episodes (id, owner_id, group_id, source, name, created_at, valid_at, attempts, content)
VALUES (:id, :user, :group, 'summary', :name, :at, :at, 0, :content)
"""

ADD: Final = """
INSERT INTO summaries (id, owner_id, conversation_id, level, token_count, first_alternative_id, last_alternative_id,
                       last_turn_id, path_digest, process_id, run_id, created_at)
VALUES (:id, :user, :conversation, :level, :tokens, :first, :last, :last_turn, :path_digest, :process, :run, :at)
"""

ADD_SOURCE: Final = "INSERT INTO summary_sources (summary_id, n, episode_id) VALUES (:id, :n, :episode)"

ADD_CONTENT: Final = """
INSERT INTO summary_contents (summary_id, n, episode_id, created_at, created_by)
VALUES (:id, :n, :episode, :at, :by)
"""

COUNT_TOKENS: Final = "UPDATE summaries SET token_count = :tokens WHERE id = :id AND owner_id = :user"

DELETE: Final = """
UPDATE summaries SET deleted_at = :at WHERE id = :id AND owner_id = :user AND deleted_at IS NULL
"""

COUNT_COMPRESSION: Final = """
INSERT INTO compressions (conversation_id, number, since_introspection) VALUES (:conversation, 1, 1)
ON CONFLICT (conversation_id) DO UPDATE
SET number = compressions.number + 1, since_introspection = compressions.since_introspection + 1
"""

CHANGED: Final = """
SELECT c.id, c.owner_id, c.version FROM users CROSS JOIN conversations AS c
WHERE c.owner_id = users.id AND c.status = 'active' AND c.updated_at > :since AND c.tip_id IS NOT NULL
ORDER BY c.updated_at DESC, c.id LIMIT :limit
"""
"""The conversations of all users that changed after an instant, the last changed first."""

OPEN_RUNS: Final = """
SELECT id FROM runs
WHERE owner_id = :user AND ended_at IS NULL AND process_name IN (SELECT value FROM json_each(:names))
"""

# Erasing (platform 28)

SUMMARIES_OF_EPISODES: Final = """
SELECT DISTINCT s.summary_id FROM json_each(:ids) AS i CROSS JOIN summary_sources AS s WHERE s.episode_id = i.value
"""

ERASE_EPISODE: Final = """
UPDATE episodes SET content = NULL, forgotten_at = :at WHERE id = :id AND forgotten_at IS NULL
"""

ERASE: Final = "UPDATE summaries SET deleted_at = coalesce(deleted_at, :at), run_id = NULL WHERE id = :id"

ERASED: Final = f"SELECT {_COLUMNS} FROM json_each(:ids) AS i CROSS JOIN summaries AS s WHERE s.id = i.value"

CONTENT_EPISODES: Final = """
SELECT c.summary_id, c.episode_id FROM json_each(:ids) AS i CROSS JOIN summary_contents AS c
WHERE c.summary_id = i.value
"""
