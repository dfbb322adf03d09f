"""All SQL queries of rate limits.

The limiter state of a service is one row: a text that only its writers read, and `turn`, which counts the changes.
Each writer names the turn that its change is based on; the change happens only if that is still the latest one.
"""

from typing import Final

OF_TOOLS: Final = """
SELECT t.id AS tool, s.id AS service, s.name AS name, s.limits AS limits, p.standing AS standing
FROM tools AS t
JOIN services AS s ON s.id = t.service_id
LEFT JOIN service_places AS p ON p.service_id = s.id
WHERE t.id IN (SELECT value FROM json_each(:tools))
"""

STANDING: Final = "SELECT turn, standing FROM service_places WHERE service_id = :service"

BEGIN: Final = """
INSERT INTO service_places (service_id, turn, standing) VALUES (:service, 1, :standing)
ON CONFLICT (service_id) DO NOTHING
"""
"""Inserts the first state."""

CHANGE: Final = """
UPDATE service_places SET turn = turn + 1, standing = :standing WHERE service_id = :service AND turn = :turn
"""
