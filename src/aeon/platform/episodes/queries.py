"""All SQL queries that write and erase episodes."""

from typing import Final

ADD_OF_TURN: Final = """
INSERT INTO episodes (id, owner_id, group_id, alternative_id, source, name, created_at, valid_at, attempts)
VALUES (:id, :user, :conversation, :alternative, :source, :name, :at, :at, 0)
ON CONFLICT (id) DO NOTHING
"""

ADD_OWN: Final = """
INSERT INTO episodes (id, owner_id, group_id, source, name, created_at, valid_at, attempts, content)
VALUES (:id, :user, :group, :source, :name, :at, :at, 0, :content)
"""

WITHOUT_EPISODE: Final = """
SELECT a.id, a.conversation_id, a.created_at, t.speaker
FROM alternatives AS a JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE a.owner_id = :user AND a.content IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM episodes AS e WHERE e.alternative_id = a.id)
ORDER BY a.created_at, a.id LIMIT :limit
"""
"""Messages and answers from before the record had episodes."""

FORGET: Final = """
UPDATE episodes SET forgotten_at = :at, content = NULL, failure = NULL
WHERE id IN (SELECT value FROM json_each(:episodes)) AND forgotten_at IS NULL
"""

REMOVE_MENTIONS: Final = "DELETE FROM mentions WHERE episode_id IN (SELECT value FROM json_each(:episodes))"

FACTS_OF: Final = "SELECT DISTINCT fact_id FROM assertions WHERE episode_id IN (SELECT value FROM json_each(:episodes))"

REMOVE_ASSERTIONS: Final = "DELETE FROM assertions WHERE episode_id IN (SELECT value FROM json_each(:episodes))"

FORGET_UNSTATED_FACTS: Final = """
UPDATE facts SET text = NULL, text_key = NULL, predicate = NULL, forgotten_at = :at
WHERE id IN (SELECT value FROM json_each(:facts)) AND forgotten_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM assertions AS s WHERE s.fact_id = facts.id AND s.kind = 'states')
"""
"""A fact that no episode states any more. One that contradicts it did not say its text."""

ENTITIES_OF: Final = """
SELECT DISTINCT entity_id FROM mentions WHERE episode_id IN (SELECT value FROM json_each(:episodes))
"""

FORGET_DESCRIPTIONS: Final = """
UPDATE entities SET enrichment = NULL, enriched_at = NULL, enriched_by = NULL
WHERE owner_id = :user AND enriched_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM json_each(:episodes) AS i WHERE entities.enrichment LIKE '%' || i.value || '%')
"""
"""What a model made of several episodes goes with any of them, and is made again from the rest."""

FORGET_UNMENTIONED: Final = """
UPDATE entities SET name = NULL, name_key = NULL, summary = NULL, enrichment = NULL, facets = '{}', category = NULL,
                    category_by = NULL, enriched_at = NULL, enriched_by = NULL, forgotten_at = :at,
                    version = version + 1, updated_at = :at
WHERE id IN (SELECT value FROM json_each(:entities)) AND forgotten_at IS NULL AND made_by <> 'user'
  AND NOT EXISTS (SELECT 1 FROM mentions AS m WHERE m.entity_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts AS f WHERE f.forgotten_at IS NULL
                  AND (f.subject_id = entities.id OR f.object_id = entities.id))
"""
"""An entity that the user did not make, and that no episode mentions any more."""

REMOVE_ACTIVE: Final = """
DELETE FROM active_entities WHERE entity_id IN (SELECT id FROM entities WHERE forgotten_at IS NOT NULL
                                                AND id IN (SELECT value FROM json_each(:entities)))
"""

UNDO_MERGES: Final = """
UPDATE merges SET undone_at = :at
WHERE undone_at IS NULL AND id IN (
    SELECT m.id FROM json_each(:entities) AS i CROSS JOIN entities AS e JOIN merges AS m ON m.kept_id = e.id
    WHERE e.id = i.value AND e.forgotten_at IS NOT NULL
    UNION
    SELECT m.id FROM json_each(:entities) AS i CROSS JOIN entities AS e JOIN merges AS m ON m.absorbed_id = e.id
    WHERE e.id = i.value AND e.forgotten_at IS NOT NULL
)
"""
"""Nothing stands for a forgotten entity, nor it for anything: what was merged with it stands for itself again."""

REMOVE_WORD_CASES: Final = "DELETE FROM word_cases WHERE owner_id = :user"
"""They are counted again from what is left."""

REMOVE_VECTORS: Final = """
DELETE FROM vectors WHERE label = 'Episode' AND subject >= :id AND subject < :id || '$' AND owner_id = :user
"""
"""Removes the vectors of a text: their subjects are its id, and the id, `#` and a number."""

RUNS_SINCE: Final = """
SELECT id, inputs, inputs_reference FROM runs
WHERE owner_id = :user AND accepted_at >= :since AND process_name IN (SELECT value FROM json_each(:processes))
"""

OLDEST: Final = """
SELECT min(a.created_at) AS at FROM json_each(:ids) AS i CROSS JOIN alternatives AS a WHERE a.id = i.value
"""
