"""All SQL queries that read what one user knows as a whole."""

from typing import Final

STAMP: Final = """
SELECT (SELECT count(*) FROM conversations WHERE owner_id = :user) AS conversations,
       (SELECT coalesce(sum(version), 0) FROM conversations WHERE owner_id = :user) AS versions,
       (SELECT count(*) FROM erasures WHERE owner_id = :user) AS erasures,
       (SELECT count(*) FROM episodes WHERE owner_id = :user) AS episodes,
       (SELECT count(extracted_at) FROM episodes WHERE owner_id = :user) AS extracted,
       (SELECT count(forgotten_at) FROM episodes WHERE owner_id = :user) AS forgotten,
       (SELECT coalesce(sum(version), 0) FROM entities WHERE owner_id = :user) AS entities,
       (SELECT count(category) FROM entities WHERE owner_id = :user) AS categories,
       (SELECT count(*) FROM merges WHERE owner_id = :user) AS merges,
       (SELECT count(undone_at) FROM merges WHERE owner_id = :user) AS unmerged,
       (SELECT count(*) FROM facts WHERE owner_id = :user) AS facts,
       (SELECT count(forgotten_at) FROM facts WHERE owner_id = :user) AS forgotten_facts,
       (SELECT count(*) FROM assertions AS s JOIN episodes AS e ON e.id = s.episode_id
        WHERE e.owner_id = :user) AS assertions,
       (SELECT coalesce(max(s.decided_at), '') FROM assertions AS s JOIN episodes AS e ON e.id = s.episode_id
        WHERE e.owner_id = :user) AS decided
"""
"""Changes with every change of what a user can see and of what is known of it."""

EPISODES: Final = """
SELECT e.id AS episode_id, e.group_id, e.alternative_id, e.source, e.name, e.created_at, e.valid_at,
       coalesce(e.content, a.content) AS content
FROM episodes AS e LEFT JOIN alternatives AS a ON a.id = e.alternative_id
WHERE e.owner_id = :user AND e.forgotten_at IS NULL AND e.source IN ('message', 'answer', 'note')
  AND coalesce(e.content, a.content) IS NOT NULL
ORDER BY e.valid_at, e.id
"""
"""Summaries and notes of a model repeat what these say."""

MENTIONS: Final = """
SELECT m.episode_id, m.entity_id FROM mentions AS m JOIN episodes AS e ON e.id = m.episode_id
WHERE e.owner_id = :user AND e.forgotten_at IS NULL ORDER BY m.episode_id, m.entity_id
"""

PATH_TO: Final = """
WITH RECURSIVE path (n, id, conversation_id) AS (
    SELECT 0, a.id, a.conversation_id FROM episodes AS e JOIN alternatives AS a ON a.id = e.alternative_id
    WHERE e.id = :episode AND e.owner_id = :user
    UNION ALL
    SELECT n + 1, a.responds_to_id, path.conversation_id FROM path JOIN alternatives AS a ON a.id = path.id
    WHERE a.responds_to_id IS NOT NULL
)
SELECT path.id AS alternative_id, path.conversation_id, e.id AS episode_id
FROM path LEFT JOIN episodes AS e ON e.alternative_id = path.id AND e.forgotten_at IS NULL
ORDER BY path.n
"""
"""The path to the message of an episode, the message itself first."""
