"""Everything that is asked of the graph about limits.

Where a service stands is one node beside it, a text that only its writers understand, and a number that counts the
changes: whoever writes says which one he goes by, and is told how it stands if another was quicker.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(unique=(("Places", "id"),))

OF_TOOLS: Final = """
UNWIND $tools AS tool
MATCH (t:Tool {id: tool})-[:USES_SERVICE]->(s:Service)
OPTIONAL MATCH (p:Places {id: s.id})
RETURN t.id AS tool, s.id AS service, s.name AS name, s.limits AS limits, p.standing AS standing
"""

STANDING: Final = "MATCH (p:Places {id: $service}) RETURN p.turn AS turn, p.standing AS standing"

CHANGE: Final = """
MERGE (p:Places {id: $service})
ON CREATE SET p.turn = 0, p.standing = ''
WITH p, CASE WHEN p.turn = $turn THEN [1] ELSE [] END AS mine
FOREACH (one IN mine | SET p.turn = $turn + 1, p.standing = $standing)
RETURN size(mine) AS changed, p.turn AS turn, p.standing AS standing
"""
