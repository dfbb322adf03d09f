"""Queries of the search in knowledge. Each reads or writes the rows of one user.

CROSS JOIN makes SQLite read the tables in the written order; LATERAL with OFFSET 0 makes PostgreSQL join row by row, by
an index, also with a plan that it made while the tables were small.
"""

from typing import Final

from aeon.platform.store import DialectQuery


def _with_own_notes(text: str) -> DialectQuery:
    """Return a query in which `{by_index}` makes SQLite read a user's notes by the index of those.

    It would take the unique index of `alternative_id`, which has the notes of all users under NULL.
    """
    return DialectQuery(text.format(by_index="INDEXED BY episodes_own"), text.format(by_index=""))


STAMP: Final = _with_own_notes("""
SELECT count(*) AS conversations, CAST(coalesce(sum(version), 0) AS bigint) AS versions,
       (SELECT count(*) FROM erasures WHERE owner_id = :user) AS erasures,
       (SELECT count(*) FROM episodes {by_index} WHERE owner_id = :user AND alternative_id IS NULL) AS notes,
       (SELECT count(content) FROM episodes {by_index} WHERE owner_id = :user AND alternative_id IS NULL) AS kept_notes
FROM conversations WHERE owner_id = :user
""")
"""Changes with every change of what the user can see, but for answers that end, which have no tip to move."""

TIPS: Final = "SELECT id, version, tip_id FROM conversations WHERE owner_id = :user"

_ROWS: Final = """
       path.n, path.conversation_id, path.id, path.state, path.at, t.speaker,
       CASE WHEN path.is_erased = 1 OR path.state IN ('generating', 'failed') THEN 0 ELSE 1 END AS has_content
"""

_COLUMNS: Final = """
a.id, a.conversation_id, a.responds_to_id, a.turn_id, a.state, a.created_at,
CASE WHEN a.content IS NULL THEN 1 ELSE 0 END
"""

_NAMES: Final = "n, id, conversation_id, responds_to_id, turn_id, state, at, is_erased"

PATHS: Final = DialectQuery(
    sqlite=f"""
WITH RECURSIVE path ({_NAMES}) AS (
    SELECT 0, {_COLUMNS}
    FROM json_each(:ids) AS i CROSS JOIN alternatives AS a WHERE a.id = i.value AND a.owner_id = :user
    UNION ALL
    SELECT path.n + 1, {_COLUMNS} FROM path JOIN alternatives AS a ON a.id = path.responds_to_id
)
SELECT {_ROWS} FROM path JOIN conversation_turns AS t ON t.id = path.turn_id
ORDER BY path.conversation_id, path.n DESC
""",
    postgresql=f"""
WITH RECURSIVE path ({_NAMES}) AS (
    SELECT 0, {_COLUMNS}
    FROM json_each(:ids) AS i
         CROSS JOIN LATERAL (SELECT * FROM alternatives WHERE id = i.value AND owner_id = :user OFFSET 0) AS a
    UNION ALL
    SELECT path.n + 1, {_COLUMNS}
    FROM path CROSS JOIN LATERAL (SELECT * FROM alternatives WHERE id = path.responds_to_id OFFSET 0) AS a
)
SELECT {_ROWS}
FROM path CROSS JOIN LATERAL (SELECT speaker FROM conversation_turns WHERE id = path.turn_id OFFSET 0) AS t
ORDER BY path.conversation_id, path.n DESC
""",
)
"""The paths that end at these alternatives, of which no two are of one conversation: from the first message on."""

TEXTS: Final = """
SELECT a.id, a.content, e.id AS episode_id
FROM json_each(:ids) AS i CROSS JOIN alternatives AS a LEFT JOIN episodes AS e ON e.alternative_id = a.id
WHERE a.id = i.value AND a.owner_id = :user AND a.content IS NOT NULL
"""

_NOTES: Final = """
SELECT e.id, e.source, e.group_id, e.valid_at AS at, e.content,
       s.conversation_id AS covered_conversation_id, s.last_alternative_id AS covers
FROM {source}
     LEFT JOIN summary_contents AS c ON c.episode_id = e.id
     LEFT JOIN summaries AS s ON s.id = c.summary_id
     LEFT JOIN introspection_contents AS p ON p.episode_id = e.id
     LEFT JOIN introspections AS i ON i.id = p.introspection_id
WHERE {condition} AND e.owner_id = :user AND e.alternative_id IS NULL AND e.content IS NOT NULL
  AND (e.source <> 'summary' OR s.id IS NOT NULL AND s.deleted_at IS NULL) AND i.archived_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM summary_contents AS n WHERE n.summary_id = c.summary_id AND n.n > c.n)
  AND NOT EXISTS (SELECT 1 FROM introspection_contents AS n WHERE n.introspection_id = p.introspection_id AND n.n > p.n)
"""

NOTES: Final = _with_own_notes(_NOTES.format(source="episodes AS e {by_index}", condition="e.owner_id = :user"))
"""The user's notes, and the summaries that are not deleted: of each, the newest content."""

NOTES_AMONG: Final = _NOTES.format(source="json_each(:ids) AS j CROSS JOIN episodes AS e", condition="e.id = j.value")

VECTORS: Final = DialectQuery(
    sqlite="""
SELECT j.value AS id, v.subject, v.vector FROM json_each(:ids) AS j CROSS JOIN vectors AS v
WHERE v.label = 'Episode' AND v.subject >= j.value AND v.subject < j.value || '$'
  AND v.owner_id = :user AND v.model = :model
ORDER BY v.subject
""",
    postgresql="""
SELECT j.value AS id, v.subject, v.vector FROM json_each(:ids) AS j CROSS JOIN LATERAL (
    SELECT * FROM vectors WHERE label = 'Episode' AND subject >= j.value AND subject < j.value || '$' OFFSET 0
) AS v
WHERE v.owner_id = :user AND v.model = :model
ORDER BY v.subject
""",
)
"""The vectors of these messages and notes. `#`, which begins the number of a part, is the sign before `$`."""

_WAITING: Final = """
SELECT w.id, coalesce(a.content, e.content) AS content FROM (
    SELECT a.id, a.created_at AS at FROM conversations AS c CROSS JOIN alternatives AS a
         LEFT JOIN vectors AS v ON v.label = 'Episode' AND v.subject = a.id
    WHERE c.owner_id = :user AND a.conversation_id = c.id AND a.content IS NOT NULL
      AND (v.model IS NULL OR v.model <> :model)
    UNION ALL
    SELECT e.id, e.created_at FROM episodes AS e {by_index}
         LEFT JOIN vectors AS v ON v.label = 'Episode' AND v.subject = e.id
    WHERE e.owner_id = :user AND e.alternative_id IS NULL AND e.content IS NOT NULL
      AND (v.model IS NULL OR v.model <> :model)
    ORDER BY at DESC, id LIMIT :limit
) AS w LEFT JOIN alternatives AS a ON a.id = w.id LEFT JOIN episodes AS e ON e.id = w.id
ORDER BY w.at DESC, w.id
"""

WAITING: Final = _with_own_notes(_WAITING)
"""The newest texts that have no vector of a model."""

EMBEDDABLE: Final = _with_own_notes("""
SELECT (SELECT count(a.content) FROM conversations AS c CROSS JOIN alternatives AS a
        WHERE c.owner_id = :user AND a.conversation_id = c.id)
     + (SELECT count(content) FROM episodes {by_index} WHERE owner_id = :user AND alternative_id IS NULL) AS number
""")

EMBEDDED: Final = """
SELECT count(*) AS number FROM vectors
WHERE owner_id = :user AND model = :model AND label = 'Episode' AND replace(subject, '#', '') = subject
"""
"""How many texts have vectors of a model. The subject of a text's first vector is its id alone."""

ADD_VECTOR: Final = """
INSERT INTO vectors (label, subject, owner_id, model, vector) VALUES ('Episode', :subject, :user, :model, :vector)
"""

_LOCKED: Final = "SELECT id FROM {table} WHERE id = :id AND owner_id = :user AND content IS NOT NULL"

LOCKED_MESSAGE: Final = DialectQuery(
    sqlite=_LOCKED.format(table="alternatives"), postgresql=f"{_LOCKED.format(table='alternatives')} FOR SHARE"
)
"""A message or an answer that has a text, which nobody erases before the transaction ends."""

LOCKED_NOTE: Final = DialectQuery(
    sqlite=_LOCKED.format(table="episodes"), postgresql=f"{_LOCKED.format(table='episodes')} FOR SHARE"
)
