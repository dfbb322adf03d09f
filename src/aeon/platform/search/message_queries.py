"""Queries of the search in conversations. Each reads the rows of one user.

CROSS JOIN makes SQLite read the tables in the written order.
"""

from typing import Final

from aeon.platform.store import DialectQuery

BEGIN: Final = """
INSERT INTO search_message_indexes (owner_id, form, last, waiting, behind)
SELECT :user, CAST(:form AS bigint), 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM conversations WHERE owner_id = :user)
ON CONFLICT (owner_id) DO NOTHING
"""
"""Begins the index of a user who has no conversation yet. The index of any other user is built when it is missing."""

STATE: Final = "SELECT form, last, waiting, behind FROM search_message_indexes WHERE owner_id = :user"

NEXT_NUMBER: Final = """
UPDATE search_message_indexes SET last = last + 1, waiting = waiting + 1, behind = behind - 1
WHERE owner_id = :user AND form = :form
RETURNING last
"""

NOTHING_WAITS: Final = "UPDATE search_message_indexes SET waiting = 0 WHERE owner_id = :user"

ADD_DOCUMENT: Final = """
INSERT INTO search_message_documents (owner_id, number, conversation_id, alternative_id)
VALUES (:user, :number, :conversation, :alternative)
"""

ADD_WORDS: Final = "INSERT INTO search_message_words (owner_id, number, words) VALUES (:user, :number, :words)"

WAITING: Final = "SELECT number, words FROM search_message_words WHERE owner_id = :user ORDER BY number"

REMOVE_ALL_WORDS: Final = "DELETE FROM search_message_words WHERE owner_id = :user"

ADD_TERMS: Final = DialectQuery(
    sqlite="""
INSERT INTO search_message_terms (owner_id, segment, term, postings)
SELECT :user, :segment, json_extract(r.value, '$[0]'), json_extract(r.value, '$[1]') FROM json_each(:rows) AS r
""",
    postgresql="""
INSERT INTO search_message_terms (owner_id, segment, term, postings)
SELECT :user, :segment, CAST(r.value AS json) ->> 0, CAST(r.value AS json) ->> 1 FROM json_each(:rows) AS r
""",
)
"""Each row is a JSON list of a term and its postings."""

TERMS_IN: Final = DialectQuery(
    sqlite="""
SELECT m.segment, m.term, m.postings
FROM json_each(:segments) AS s CROSS JOIN json_each(:terms) AS t CROSS JOIN search_message_terms AS m
WHERE m.owner_id = :user AND m.segment = CAST(s.value AS bigint) AND m.term = t.value
""",
    postgresql="""
SELECT m.segment, m.term, m.postings FROM search_message_terms AS m
WHERE m.owner_id = :user AND m.segment = ANY (ARRAY(SELECT CAST(value AS bigint) FROM json_each(:segments)))
  AND m.term = ANY (ARRAY(SELECT value FROM json_each(:terms)))
""",
)
"""PostgreSQL would join lists by going through all terms."""

PREFIXED_IN: Final = DialectQuery(
    sqlite="""
SELECT m.segment, m.term, m.postings
FROM json_each(:segments) AS s CROSS JOIN search_message_terms AS m
WHERE m.owner_id = :user AND m.segment = CAST(s.value AS bigint) AND m.term > :prefix AND m.term < :end
""",
    postgresql="""
SELECT m.segment, m.term, m.postings FROM search_message_terms AS m
WHERE m.owner_id = :user AND m.segment = ANY (ARRAY(SELECT CAST(value AS bigint) FROM json_each(:segments)))
  AND m.term > :prefix AND m.term < :end
""",
)

SET_POSTINGS: Final = """
UPDATE search_message_terms SET postings = :postings WHERE owner_id = :user AND segment = :segment AND term = :term
"""

REMOVE_TERM: Final = "DELETE FROM search_message_terms WHERE owner_id = :user AND segment = :segment AND term = :term"

NUMBER_OF: Final = """
SELECT number FROM search_message_documents
WHERE conversation_id = :conversation AND alternative_id = :alternative AND owner_id = :user
"""

NUMBERS_OF: Final = (
    "SELECT number FROM search_message_documents WHERE conversation_id = :conversation AND owner_id = :user"
)

REMOVE_DOCUMENT: Final = "DELETE FROM search_message_documents WHERE owner_id = :user AND number = :number"

REMOVE_WORDS: Final = "DELETE FROM search_message_words WHERE owner_id = :user AND number = :number"

TAKEN_OVER: Final = """
UPDATE search_message_indexes SET waiting = waiting - :waiting, behind = behind - :changes WHERE owner_id = :user
"""

_FOUND: Final = """
SELECT CAST(n.value AS bigint) AS number, d.conversation_id, d.alternative_id, c.title, t.speaker,
       coalesce(a.is_active, 1) AS is_active, coalesce(a.created_at, c.created_at) AS at
FROM json_each(:numbers) AS n
     LEFT JOIN search_message_documents AS d ON d.owner_id = :user AND d.number = CAST(n.value AS bigint)
     LEFT JOIN conversations AS c ON c.id = d.conversation_id
     LEFT JOIN alternatives AS a ON a.id = d.alternative_id
     LEFT JOIN conversation_turns AS t ON t.id = a.turn_id
WHERE (c.id IS NULL OR :status = '' OR c.status = :status)
  AND (c.id IS NULL OR :tag = '' OR {has_tag})
  AND (c.id IS NULL OR coalesce(a.created_at, c.created_at) >= :since)
  AND (c.id IS NULL OR coalesce(a.created_at, c.created_at) < :until)
"""

FOUND: Final = DialectQuery(
    sqlite=_FOUND.format(has_tag=":tag IN (SELECT value FROM json_each(c.tags))"),
    postgresql=_FOUND.format(has_tag="jsonb_exists(CAST(c.tags AS jsonb), :tag)"),
)
"""Documents that a filter lets through, and those that are missing, without a conversation.

An empty status or tag lets everything through.
"""

CONTENTS: Final = """
SELECT a.id, a.content FROM json_each(:ids) AS i CROSS JOIN alternatives AS a
WHERE a.id = i.value AND a.owner_id = :user
"""

VISIBLE: Final = """
WITH RECURSIVE path (id) AS (
    SELECT c.tip_id FROM json_each(:ids) AS i CROSS JOIN conversations AS c WHERE c.id = i.value AND c.owner_id = :user
    UNION ALL
    SELECT a.responds_to_id FROM path JOIN alternatives AS a ON a.id = path.id WHERE a.responds_to_id IS NOT NULL
)
SELECT id FROM path WHERE id IN (SELECT value FROM json_each(:alternatives))
"""
"""Which alternatives stand on the paths that end at the tips of their conversations (platform 22)."""

REMOVE_DOCUMENTS: Final = "DELETE FROM search_message_documents WHERE owner_id = :user"
REMOVE_TERMS: Final = "DELETE FROM search_message_terms WHERE owner_id = :user"

SET_STATE: Final = """
INSERT INTO search_message_indexes (owner_id, form, last, waiting, behind) VALUES (:user, :form, :last, :waiting, 0)
ON CONFLICT (owner_id) DO UPDATE
SET form = excluded.form, last = excluded.last, waiting = excluded.waiting, behind = 0
"""

EVERYTHING: Final = """
SELECT c.id AS conversation_id, '' AS alternative_id, c.title AS title, c.created_at AS at
FROM conversations AS c WHERE c.owner_id = :user AND c.title IS NOT NULL
UNION ALL
SELECT a.conversation_id, a.id, NULL, a.created_at
FROM conversations AS c CROSS JOIN alternatives AS a
WHERE c.owner_id = :user AND a.conversation_id = c.id AND a.content IS NOT NULL
ORDER BY at, conversation_id, alternative_id
"""
"""What is searched, oldest first: titles, and the places of messages and answers."""

HAS_CONVERSATION: Final = "SELECT 1 AS found FROM conversations WHERE owner_id = :user LIMIT 1"
