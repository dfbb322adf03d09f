"""All SQL queries of cached results. Old ones are deleted by the queries of `runs.retention`."""

from typing import Final

CACHED: Final = "SELECT text, used_micros FROM cached_results WHERE key = :key"

CACHE: Final = """
INSERT INTO cached_results (key, tool_id, text, reference, used_micros)
VALUES (:key, :tool_id, :text, :reference, :used_micros)
ON CONFLICT (key) DO UPDATE
SET tool_id = excluded.tool_id, text = excluded.text, reference = excluded.reference,
    used_micros = excluded.used_micros
"""

NOTE_USE: Final = "UPDATE cached_results SET used_micros = :now WHERE key = :key"

TRIM: Final = """
DELETE FROM cached_results WHERE key IN (
    SELECT key FROM cached_results WHERE tool_id = :tool ORDER BY used_micros DESC LIMIT :limit OFFSET :most)
"""

CLEAR: Final = "DELETE FROM cached_results WHERE tool_id = :tool"
