"""All SQL queries of introspection notes."""

from typing import Final

_NOTE: Final = """
SELECT i.id, i.carousel_position, i.version, i.created_by, i.process_id, i.run_id, i.created_at, i.archived_at,
       i.conversation_context, i.sources, c.episode_id, e.content
FROM introspections AS i JOIN introspection_contents AS c ON c.introspection_id = i.id
     JOIN episodes AS e ON e.id = c.episode_id
WHERE i.owner_id = :user
    AND c.n = (SELECT max(l.n) FROM introspection_contents AS l WHERE l.introspection_id = i.id)
"""

CAROUSEL: Final = f"{_NOTE} AND i.archived_at IS NULL ORDER BY i.carousel_position"

ALL_NOTES: Final = f"{_NOTE} ORDER BY i.created_at, i.id"

NOTE: Final = f"{_NOTE} AND i.id = :id"

STANDING: Final = """
SELECT id, version FROM introspections
WHERE owner_id = :user AND carousel_position = :position AND archived_at IS NULL
"""

NEXT_VERSION: Final = """
SELECT coalesce(max(version), 0) + 1 AS number FROM introspections
WHERE owner_id = :user AND carousel_position = :position
"""

MADE_BY_PROCESS: Final = """
SELECT count(*) AS number FROM introspections WHERE owner_id = :user AND created_by = 'process'
"""

ADD: Final = """
INSERT INTO introspections (id, owner_id, carousel_position, version, created_by, process_id, run_id, created_at,
                            conversation_context, sources)
VALUES (:id, :user, :position, :version, :by, :process, :run, :at, :context, :sources)
"""

ADD_EPISODE: Final = """
INSERT INTO episodes (id, owner_id, group_id, source, name, created_at, valid_at, attempts, content)
VALUES (:id, :user, :group, 'introspection', :name, :at, :at, 0, :content)
"""

ADD_CONTENT: Final = """
INSERT INTO introspection_contents (introspection_id, n, episode_id, created_at, created_by)
VALUES (:id, 1, :episode, :at, :by)
"""

ARCHIVE: Final = """
UPDATE introspections SET archived_at = :at WHERE id = :id AND owner_id = :user AND archived_at IS NULL
"""

ABOVE: Final = """
SELECT id, carousel_position FROM introspections
WHERE owner_id = :user AND carousel_position > :position AND archived_at IS NULL ORDER BY carousel_position
"""

MOVE_DOWN: Final = "UPDATE introspections SET carousel_position = carousel_position - 1 WHERE id = :id"

COUNTER: Final = "SELECT number, since_introspection FROM compressions WHERE conversation_id = :conversation"

RESET_COUNTER: Final = "UPDATE compressions SET since_introspection = 0 WHERE conversation_id = :conversation"

INTACT_SUMMARIES: Final = """
SELECT count(*) AS number FROM json_each(:ids) AS i CROSS JOIN summaries AS s
    JOIN summary_contents AS c ON c.summary_id = s.id AND c.n = 1 JOIN episodes AS e ON e.id = c.episode_id
WHERE s.id = i.value AND s.owner_id = :user AND e.forgotten_at IS NULL
"""

# Erasing (platform 28)

EVERY_SOURCE: Final = "SELECT id, sources, run_id, carousel_position FROM introspections WHERE owner_id = :user"

EPISODES_OF: Final = "SELECT episode_id FROM introspection_contents WHERE introspection_id = :id"

ERASE_EPISODE: Final = """
UPDATE episodes SET content = NULL, forgotten_at = :at WHERE id = :id AND forgotten_at IS NULL
"""

UNLINK_RUN: Final = "UPDATE introspections SET run_id = NULL WHERE id = :id"

INTROSPECTION_RUNS: Final = """
SELECT id, inputs, inputs_reference FROM runs
WHERE owner_id = :user AND accepted_at >= '' AND process_name = :process
"""
