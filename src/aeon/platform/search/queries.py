"""Queries of the search.

Rows of the index begin with a scope: '' for shared things, else the owner. The newest things are in separate views. A
query reads a bounded number of rows: for each scope and term, the newest 2,000 things.

CROSS JOIN makes SQLite read the tables in the written order.
"""

from typing import Final

FIND_BY_WORDS: Final = """
WITH scopes AS (
    SELECT :user AS scope UNION ALL SELECT ''
), matches AS (
    SELECT s.document, s.term
    FROM scopes CROSS JOIN json_each(:terms) AS t CROSS JOIN search_terms AS s
    WHERE s.scope = scopes.scope AND s.term = t.value AND s.document > coalesce((
        SELECT o.document FROM search_terms AS o WHERE o.scope = scopes.scope AND o.term = t.value
        ORDER BY o.document DESC LIMIT 1 OFFSET 2000
    ), 0)
    UNION
    SELECT own.document, :last FROM (
        SELECT document FROM search_terms WHERE scope = :user AND term > :last AND term < :end
        ORDER BY term, document LIMIT 2000
    ) AS own
    UNION
    SELECT shared.document, :last FROM (
        SELECT document FROM search_terms WHERE scope = '' AND term > :last AND term < :end
        ORDER BY term, document LIMIT 2000
    ) AS shared
    UNION
    SELECT document, term FROM search_newest_terms
    WHERE scope IN (:user, '') AND term IN (SELECT value FROM json_each(:terms))
    UNION
    SELECT document, :last FROM search_newest_terms
    WHERE scope IN (:user, '') AND term > :last AND term < :end
), weighed AS (
    SELECT document, 1000000 / count(*) OVER (PARTITION BY term) AS weight FROM matches
), best AS (
    SELECT d.id, sum(weighed.weight) AS rarity
    FROM weighed CROSS JOIN search_documents AS d
    WHERE d.id = weighed.document AND d.label IN (SELECT value FROM json_each(:labels))
    GROUP BY d.id ORDER BY rarity DESC, d.scope DESC, length(d.name_words), d.id DESC LIMIT :limit
)
SELECT d.label, d.subject, d.owner_id, d.name, d.body, d.name_words, d.body_words
FROM best CROSS JOIN search_documents AS d
WHERE d.id = best.id
"""
"""Things with one of the terms, or with a term that begins with `:last` and sorts before `:end`.

Beyond the limit, things with rarer terms come first, then the user's own before shared ones, then shorter names.
"""

FIND_BY_TRIGRAMS: Final = """
WITH scopes AS (
    SELECT :user AS scope UNION ALL SELECT ''
), matches AS (
    SELECT s.document, s.gram
    FROM scopes CROSS JOIN json_each(:grams) AS g CROSS JOIN search_grams AS s
    WHERE s.scope = scopes.scope AND s.gram = g.value AND s.document > coalesce((
        SELECT o.document FROM search_grams AS o WHERE o.scope = scopes.scope AND o.gram = g.value
        ORDER BY o.document DESC LIMIT 1 OFFSET 2000
    ), 0)
    UNION
    SELECT document, gram FROM search_newest_grams
    WHERE scope IN (:user, '') AND gram IN (SELECT value FROM json_each(:grams))
), best AS (
    SELECT d.id, count(*) AS alike
    FROM matches CROSS JOIN search_documents AS d
    WHERE d.id = matches.document AND d.label IN (SELECT value FROM json_each(:labels))
    GROUP BY d.id ORDER BY alike DESC, d.scope DESC, length(d.name_words), d.id DESC LIMIT :limit
)
SELECT d.label, d.subject, d.owner_id, d.name, d.body, d.name_words, d.body_words
FROM best CROSS JOIN search_documents AS d
WHERE d.id = best.id
"""
"""Things with the most of these trigrams in their names, then in the order above."""
