"""All SQL queries of entities, facts and the queue of extraction. Each reads and writes the rows of one user."""

from typing import Final

SETTINGS: Final = "SELECT * FROM knowledge_settings WHERE owner_id = :user"

SET_SETTINGS: Final = """
INSERT INTO knowledge_settings (owner_id, extraction, compression, introspection, enrichment, updated_at)
VALUES (:user, :extraction, :compression, :introspection, :enrichment, :at)
ON CONFLICT (owner_id) DO UPDATE
SET extraction = excluded.extraction, compression = excluded.compression, introspection = excluded.introspection,
    enrichment = excluded.enrichment, updated_at = excluded.updated_at
"""

# The queue

OWNERS: Final = "SELECT id AS owner_id FROM users ORDER BY id"

OWNERS_WAITING: Final = """
SELECT DISTINCT owner_id FROM episodes WHERE extracted_at IS NULL AND forgotten_at IS NULL ORDER BY owner_id
"""

WAITING: Final = """
SELECT e.id, e.group_id, e.alternative_id, e.source, e.created_at, e.attempts,
       coalesce(e.content, a.content) AS content,
       (SELECT count(*) FROM attachments AS f
        WHERE f.alternative_id = e.alternative_id AND f.text_digest IS NOT NULL) AS texts
FROM episodes AS e LEFT JOIN alternatives AS a ON a.id = e.alternative_id
WHERE e.owner_id = :user AND e.extracted_at IS NULL AND e.forgotten_at IS NULL
ORDER BY e.created_at, e.id LIMIT :limit
"""

ATTACHED_TEXTS: Final = """
SELECT f.name, f.media_type, substr(b.content, 1, CAST(:most AS integer)) AS content
FROM attachments AS f JOIN alternatives AS a ON a.id = f.alternative_id JOIN blobs AS b ON b.digest = f.text_digest
WHERE f.alternative_id = :alternative AND a.owner_id = :user ORDER BY f.n
"""
"""The beginnings of the texts that are attached to an alternative, in base64."""

COUNT_WAITING: Final = """
SELECT count(*) AS number, min(created_at) AS oldest FROM episodes
WHERE owner_id = :user AND extracted_at IS NULL AND forgotten_at IS NULL
"""

COUNT_EPISODES: Final = "SELECT count(*) AS number FROM episodes WHERE owner_id = :user AND forgotten_at IS NULL"

COUNT_FAILED: Final = """
SELECT count(*) AS number FROM episodes WHERE owner_id = :user AND forgotten_at IS NULL AND failure IS NOT NULL
"""

MARK_DONE: Final = """
UPDATE episodes SET extracted_at = :at, extractor = :extractor, failure = :failure
WHERE id = :episode AND owner_id = :user AND extracted_at IS NULL AND forgotten_at IS NULL
"""

MARK_ALL_DONE: Final = """
UPDATE episodes SET extracted_at = :at, extractor = :extractor
WHERE owner_id = :user AND extracted_at IS NULL AND forgotten_at IS NULL
"""

TAKE_LEASE: Final = """
INSERT INTO knowledge_leases (owner_id, task, holder, held_until) VALUES (:user, :task, :holder, :until)
ON CONFLICT (owner_id, task) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
WHERE knowledge_leases.holder = excluded.holder OR knowledge_leases.held_until < :now
"""

RELEASE_LEASE: Final = "DELETE FROM knowledge_leases WHERE owner_id = :user AND task = :task AND holder = :holder"

WORD_CASES: Final = """
SELECT word, capital, small FROM word_cases WHERE owner_id = :user AND word IN (SELECT value FROM json_each(:words))
"""

ADD_WORD_CASES: Final = """
INSERT INTO word_cases (owner_id, word, capital, small) VALUES (:user, :word, :capital, :small)
ON CONFLICT (owner_id, word) DO UPDATE
SET capital = word_cases.capital + excluded.capital, small = word_cases.small + excluded.small
"""

HAS_WORD_CASES: Final = "SELECT 1 AS found FROM word_cases WHERE owner_id = :user LIMIT 1"

SAID_BY_USER: Final = """
SELECT a.content FROM episodes AS e JOIN alternatives AS a ON a.id = e.alternative_id
WHERE e.owner_id = :user AND e.source = 'message' AND e.extracted_at IS NOT NULL AND e.forgotten_at IS NULL
ORDER BY e.created_at DESC, e.id LIMIT :limit
"""

# Entities

_ENTITY: Final = """
SELECT e.id, e.owner_id, e.name, e.name_key, e.made_by, e.category, e.category_by, e.version, e.created_at,
       e.updated_at, e.enriched_at, e.enriched_by, e.forgotten_at, e.summary, e.facets, e.enrichment, m.kept_id
FROM entities AS e LEFT JOIN merges AS m ON m.absorbed_id = e.id AND m.undone_at IS NULL
"""

ENTITY: Final = f"{_ENTITY} WHERE e.id = :id AND e.owner_id = :user"

ALL_ENTITIES: Final = f"{_ENTITY} WHERE e.owner_id = :user AND e.forgotten_at IS NULL ORDER BY e.id"

ENTITIES_BY_KEY: Final = f"""{_ENTITY} JOIN json_each(:keys) AS i ON i.value = e.name_key
WHERE e.owner_id = :user ORDER BY e.name_key
"""

ENTITIES_BY_ID: Final = f"""{_ENTITY} JOIN json_each(:ids) AS i ON i.value = e.id
WHERE e.owner_id = :user ORDER BY e.id
"""

ENTITIES_MATCHING: Final = f"""{_ENTITY}
WHERE e.owner_id = :user AND e.name_key >= :prefix AND e.name_key < :end ORDER BY e.name_key LIMIT :limit
"""

ENTITIES_BY_ID_PREFIX: Final = f"""{_ENTITY}
WHERE e.owner_id = :user AND e.id >= :prefix AND e.id < :end ORDER BY e.id LIMIT :limit
"""

ABSORBED_BY: Final = f"{_ENTITY} WHERE e.owner_id = :user AND m.kept_id = :id ORDER BY e.created_at, e.id"

ADD_ENTITY: Final = """
INSERT INTO entities (id, owner_id, name, name_key, made_by, category, category_by, version, created_at, updated_at,
                      summary, facets)
VALUES (:id, :owner_id, :name, :name_key, :made_by, :category, :category_by, 1, :at, :at, :summary, :facets)
"""

ADD_FOUND_ENTITY: Final = """
INSERT INTO entities (id, owner_id, name, name_key, made_by, version, created_at, updated_at, facets)
VALUES (:id, :user, :name, :key, :made_by, 1, :at, :at, '{}')
ON CONFLICT DO NOTHING
"""
"""Adds an entity unless the user has one of that name."""

SET_FOUND_CATEGORY: Final = """
UPDATE entities SET category = :category, category_by = 'extraction'
WHERE owner_id = :user AND name_key = :key AND category IS NULL
"""
"""What a user says of a category stays."""

CHANGE_ENTITY: Final = """
UPDATE entities SET name = :name, name_key = :name_key, category = :category, category_by = :category_by,
                    summary = :summary, facets = :facets, made_by = :made_by, version = version + 1, updated_at = :at
WHERE id = :id AND owner_id = :user AND version = :before AND forgotten_at IS NULL
"""

FORMER_NAME: Final = f"""{_ENTITY}
WHERE e.owner_id = :user AND e.name_key = :key AND m.kept_id = :id AND m.decided_by = 'rule'
"""
"""The entity that keeps a former name of another one."""

RENAME_ENTITY: Final = """
UPDATE entities SET name = :name, name_key = :key, version = version + 1, updated_at = :at
WHERE id = :id AND owner_id = :user AND forgotten_at IS NULL
"""

FORGET_ENTITY: Final = """
UPDATE entities SET name = NULL, name_key = NULL, summary = NULL, enrichment = NULL, facets = '{}', category = NULL,
                    category_by = NULL, enriched_at = NULL, enriched_by = NULL, forgotten_at = :at,
                    version = version + 1, updated_at = :at
WHERE id = :id AND owner_id = :user AND forgotten_at IS NULL
"""

ADD_MENTION: Final = """
INSERT INTO mentions (episode_id, entity_id, extractor, confidence, created_at, name)
VALUES (:episode, :entity, :extractor, :confidence, :at, :name)
ON CONFLICT (episode_id, entity_id) DO NOTHING
"""

MENTIONS_OF: Final = """
SELECT m.entity_id, m.episode_id, m.name, m.extractor, m.confidence, p.source, p.alternative_id, p.group_id, p.valid_at
FROM mentions AS m JOIN episodes AS p ON p.id = m.episode_id
WHERE m.entity_id IN (SELECT value FROM json_each(:entities)) AND p.owner_id = :user
ORDER BY p.valid_at DESC, p.id LIMIT :limit
"""

REMOVE_MENTIONS_OF: Final = "DELETE FROM mentions WHERE entity_id = :id"

REMOVE_ACTIVE_OF: Final = "DELETE FROM active_entities WHERE entity_id = :id"

MOST_MENTIONED: Final = """
SELECT e.id, count(m.episode_id) AS number, max(m.created_at) AS newest
FROM entities AS e LEFT JOIN mentions AS m ON m.entity_id = e.id
WHERE e.owner_id = :user AND e.forgotten_at IS NULL
GROUP BY e.id ORDER BY number DESC, newest DESC, e.id LIMIT :limit
"""

NAME_KEYS: Final = (
    "SELECT id, name, name_key FROM entities WHERE owner_id = :user AND name_key IS NOT NULL ORDER BY name_key"
)

# Merges

ADD_MERGE: Final = """
INSERT INTO merges (id, owner_id, kept_id, absorbed_id, decided_by, created_at)
VALUES (:id, :user, :kept, :absorbed, :by, :at)
"""

UNDO_MERGE: Final = """
UPDATE merges SET undone_at = :at WHERE absorbed_id = :absorbed AND owner_id = :user AND undone_at IS NULL
"""

UNDO_MERGES_OF: Final = """
UPDATE merges SET undone_at = :at WHERE (kept_id = :id OR absorbed_id = :id) AND owner_id = :user AND undone_at IS NULL
"""
"""Nothing stands for a forgotten entity, nor it for anything."""

# Facts

_FACT: Final = """
SELECT f.id, f.subject_id, f.object_id, f.created_at, f.forgotten_at, f.text, f.predicate, f.text_key FROM facts AS f
"""

FACT: Final = f"{_FACT} WHERE f.id = :id AND f.owner_id = :user"

FACTS_MATCHING: Final = (
    f"{_FACT} WHERE f.id >= :prefix AND f.id < :end AND f.owner_id = :user ORDER BY f.id LIMIT :limit"
)

FACT_BY_KEY: Final = f"{_FACT} WHERE f.owner_id = :user AND f.text_key = :key"

FACTS_OF: Final = f"""{_FACT} JOIN assertions AS s ON s.fact_id = f.id AND s.kind = 'states'
WHERE s.episode_id = :episode AND f.owner_id = :user ORDER BY f.id
"""
"""What an episode states."""

FACTS_ABOUT: Final = f"""
{_FACT} JOIN json_each(:entities) AS i ON i.value = f.subject_id WHERE f.owner_id = :user AND f.forgotten_at IS NULL
UNION
{_FACT} JOIN json_each(:entities) AS i ON i.value = f.object_id WHERE f.owner_id = :user AND f.forgotten_at IS NULL
ORDER BY 4, 1
"""

ALL_FACTS: Final = f"{_FACT} WHERE f.owner_id = :user AND f.forgotten_at IS NULL ORDER BY f.created_at, f.id"

_IS_CONFIRMED: Final = """
EXISTS (SELECT 1 FROM assertions AS s WHERE s.fact_id = f.id AND s.kind = 'states' AND s.state = 'confirmed')
"""

CONFIRMED_ABOUT: Final = f"""
{_FACT} JOIN json_each(:entities) AS i ON i.value = f.subject_id
WHERE f.owner_id = :user AND f.forgotten_at IS NULL AND {_IS_CONFIRMED}
UNION
{_FACT} JOIN json_each(:entities) AS i ON i.value = f.object_id
WHERE f.owner_id = :user AND f.forgotten_at IS NULL AND {_IS_CONFIRMED}
ORDER BY 4, 1
"""

OWN_FACTS: Final = f"""{_FACT}
WHERE f.owner_id = :user AND f.subject_id IS NULL AND f.object_id IS NULL AND f.forgotten_at IS NULL
ORDER BY f.created_at, f.id LIMIT :limit
"""
"""The facts of a user that name nothing."""

CONFIRMED_OWN: Final = f"""{_FACT}
WHERE f.owner_id = :user AND f.subject_id IS NULL AND f.object_id IS NULL AND f.forgotten_at IS NULL
  AND {_IS_CONFIRMED}
ORDER BY f.created_at, f.id LIMIT :limit
"""

ADD_FACT: Final = """
INSERT INTO facts (id, owner_id, subject_id, object_id, created_at, text_key, predicate, text)
VALUES (:id, :user, :subject, :object, :at, :key, :predicate, :text)
ON CONFLICT DO NOTHING
"""

FORGET_FACT: Final = """
UPDATE facts SET text = NULL, text_key = NULL, predicate = NULL, forgotten_at = :at
WHERE id = :id AND owner_id = :user AND forgotten_at IS NULL
"""

NOTES_STATING: Final = """
SELECT s.episode_id FROM assertions AS s JOIN episodes AS p ON p.id = s.episode_id
WHERE s.fact_id IN (SELECT value FROM json_each(:facts)) AND p.owner_id = :user AND p.source = 'note'
ORDER BY s.episode_id
"""

STATING: Final = """
SELECT DISTINCT s.episode_id FROM assertions AS s JOIN episodes AS p ON p.id = s.episode_id
WHERE s.fact_id IN (SELECT value FROM json_each(:facts)) AND p.owner_id = :user
"""

ADD_ASSERTION: Final = """
INSERT INTO assertions (episode_id, fact_id, kind, state, extractor, confidence, created_at, said_at, true_from,
                        true_until, decided_at)
VALUES (:episode, :fact, :kind, :state, :extractor, :confidence, :at, :said_at, :true_from, :true_until, :decided_at)
ON CONFLICT (episode_id, fact_id, kind) DO NOTHING
"""

DECIDE: Final = "UPDATE assertions SET state = :state, decided_at = :at WHERE fact_id = :fact AND kind = 'states'"

DECISION: Final = """
SELECT state, decided_at FROM assertions WHERE fact_id = :fact AND kind = 'states' AND decided_at IS NOT NULL
ORDER BY decided_at DESC, episode_id LIMIT 1
"""

ASSERTIONS_OF: Final = """
SELECT s.fact_id, s.episode_id, s.kind, s.state, s.extractor, s.confidence, s.said_at, s.true_from, s.true_until,
       s.decided_at, p.source, p.alternative_id, p.group_id
FROM assertions AS s JOIN episodes AS p ON p.id = s.episode_id
WHERE s.fact_id IN (SELECT value FROM json_each(:facts)) AND p.owner_id = :user AND p.forgotten_at IS NULL
ORDER BY s.said_at, s.episode_id
"""

REJECTED_KEYS: Final = """
SELECT DISTINCT f.text_key FROM facts AS f JOIN assertions AS s ON s.fact_id = f.id
WHERE f.owner_id = :user AND f.text_key IN (SELECT value FROM json_each(:keys)) AND s.state = 'rejected'
"""

KEYS_STATED: Final = """
SELECT s.episode_id, f.text_key FROM assertions AS s JOIN facts AS f ON f.id = s.fact_id
WHERE s.episode_id IN (SELECT value FROM json_each(:episodes)) AND s.kind = 'states' AND f.owner_id = :user
"""
"""The keys of what episodes state; NULL stands for what was forgotten."""

COUNT_FACTS: Final = """
SELECT s.state, count(DISTINCT f.id) AS number FROM facts AS f JOIN assertions AS s ON s.fact_id = f.id
WHERE f.owner_id = :user AND f.forgotten_at IS NULL GROUP BY s.state ORDER BY s.state
"""

CANDIDATES: Final = """
SELECT DISTINCT f.id, f.created_at FROM facts AS f JOIN assertions AS s ON s.fact_id = f.id
WHERE f.owner_id = :user AND f.forgotten_at IS NULL AND s.state = 'candidate'
ORDER BY f.created_at DESC, f.id LIMIT :limit
"""

VISIBLE: Final = """
WITH RECURSIVE path (id) AS (
    SELECT c.tip_id FROM json_each(:conversations) AS i CROSS JOIN conversations AS c
    WHERE c.id = i.value AND c.owner_id = :user
    UNION ALL
    SELECT a.responds_to_id FROM path JOIN alternatives AS a ON a.id = path.id WHERE a.responds_to_id IS NOT NULL
)
SELECT id FROM path WHERE id IN (SELECT value FROM json_each(:alternatives))
"""
"""Which alternatives stand on the paths that end at the tips of their conversations (platform 22, 35)."""

# Descriptions (platform 17)

MENTIONED_IN: Final = """
SELECT DISTINCT m.entity_id FROM episodes AS p JOIN mentions AS m ON m.episode_id = p.id
WHERE p.group_id = :conversation AND p.owner_id = :user
"""

SAID_OF: Final = """
SELECT m.entity_id, m.episode_id, p.alternative_id, p.group_id, p.valid_at, coalesce(p.content, a.content) AS content
FROM mentions AS m JOIN episodes AS p ON p.id = m.episode_id LEFT JOIN alternatives AS a ON a.id = p.alternative_id
WHERE m.entity_id IN (SELECT value FROM json_each(:entities)) AND p.owner_id = :user AND p.forgotten_at IS NULL
  AND p.source IN ('message', 'note') AND m.extractor <> 'attachments'
ORDER BY p.valid_at DESC, p.id LIMIT :limit
"""
"""A user's texts that mention any of these entities, newest first.

Texts of a model or of attached files are not evidence.
"""

NAMED_WITH: Final = """
SELECT e.name, count(*) AS number FROM mentions AS m JOIN entities AS e ON e.id = m.entity_id
WHERE m.episode_id IN (SELECT value FROM json_each(:episodes)) AND e.owner_id = :user AND e.name IS NOT NULL
  AND e.id NOT IN (SELECT value FROM json_each(:entities)) AND m.extractor <> 'attachments'
GROUP BY e.id, e.name ORDER BY number DESC, e.name LIMIT :limit
"""

EPISODES_BY_ID: Final = """
SELECT p.id AS episode_id, p.alternative_id, p.group_id FROM json_each(:ids) AS i CROSS JOIN episodes AS p
WHERE p.id = i.value AND p.owner_id = :user AND p.forgotten_at IS NULL
"""

ENRICH_ENTITY: Final = """
UPDATE entities SET enrichment = :enrichment, enriched_at = :at, enriched_by = :process
WHERE id = :id AND owner_id = :user AND forgotten_at IS NULL
"""

# What is active in a conversation (platform 44)

ACTIVE_IN: Final = """
SELECT conversation_id, entity_id, state, include_summary, include_facets, include_relationships, added_at
FROM active_entities
WHERE conversation_id IN (SELECT value FROM json_each(:conversations)) AND owner_id = :user
ORDER BY added_at, entity_id
"""

MENTIONED_BY: Final = """
SELECT m.entity_id, p.alternative_id, p.valid_at
FROM json_each(:alternatives) AS i CROSS JOIN episodes AS p JOIN mentions AS m ON m.episode_id = p.id
WHERE p.alternative_id = i.value AND p.owner_id = :user AND p.forgotten_at IS NULL
"""

SET_ACTIVE: Final = """
INSERT INTO active_entities (conversation_id, entity_id, owner_id, state, include_summary, include_facets,
                             include_relationships, added_at)
VALUES (:conversation, :entity, :user, :state, :summary, :facets, :relationships, :at)
ON CONFLICT (conversation_id, entity_id) DO UPDATE
SET state = excluded.state, include_summary = excluded.include_summary, include_facets = excluded.include_facets,
    include_relationships = excluded.include_relationships
"""

REMOVE_ACTIVE: Final = """
DELETE FROM active_entities WHERE conversation_id = :conversation AND entity_id = :entity AND owner_id = :user
"""
