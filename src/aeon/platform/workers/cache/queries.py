"""Everything that is asked of the graph about kept results. Old ones go with old runs, by the queries of those."""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("CachedResult", "key"),),
    indexed=(("CachedResult", "toolId"), ("CachedResult", "reference"), ("CachedResult", "usedMicros")),
)

CACHED: Final = "MATCH (c:CachedResult {key: $key}) RETURN c.text AS text, c.usedMicros AS used"

CACHE: Final = """
MERGE (c:CachedResult {key: $key})
SET c += $cached
RETURN c.key AS key
"""

NOTE_USE: Final = """
MATCH (c:CachedResult {key: $key})
SET c.usedMicros = $now
RETURN c.key AS key
"""

TRIM: Final = """
MATCH (c:CachedResult {toolId: $tool})
WITH c ORDER BY c.usedMicros DESC SKIP $most
DELETE c
RETURN count(c) AS removed
"""

CLEAR: Final = """
MATCH (c:CachedResult {toolId: $tool})
DELETE c
RETURN count(c) AS removed
"""
