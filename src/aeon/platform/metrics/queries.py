"""Queries of the metrics.

A value's instant is stored as `at` and, in microseconds since 1970, as `micros`. Ids sort in the order of the values.
No query changes a value.
"""

from typing import Final

from aeon.platform.store import DialectQuery

# Definitions

CREATE_METRIC: Final = """
INSERT INTO metric_definitions (id, name, exposed_as, description, scope, aggregation, data_type, retention_days,
                                version, created_at, updated_at)
VALUES (:id, :name, :exposed_as, :description, :scope, :aggregation, :data_type, :retention_days,
        :version, :created_at, :updated_at)
"""

CHANGE_METRIC: Final = """
UPDATE metric_definitions
SET name = :name, exposed_as = :exposed_as, description = :description, aggregation = :aggregation,
    retention_days = :retention_days, version = :version, updated_at = :updated_at
WHERE id = :id AND version = :before
"""

_LOCK_METRIC: Final = "SELECT id FROM metric_definitions WHERE id = :id"

LOCK_METRIC: Final = DialectQuery(sqlite=_LOCK_METRIC, postgresql=f"{_LOCK_METRIC} FOR UPDATE")
"""Blocks new values of the metric until the unit of work ends. SQLite has only one writer at a time."""

DELETE_VALUES: Final = "DELETE FROM metric_values WHERE metric_id = :id"

DELETE_METRIC: Final = "DELETE FROM metric_definitions WHERE id = :id"
"""A foreign key refuses it while the metric has values."""

METRIC: Final = """
SELECT id, name, description, scope, aggregation, data_type, retention_days, version, created_at, updated_at
FROM metric_definitions WHERE id = :id
"""

METRICS: Final = """
SELECT id, name, description, scope, aggregation, data_type, retention_days, version, created_at, updated_at
FROM metric_definitions ORDER BY scope, name
"""

# Values

SCOPES: Final = "SELECT id, scope FROM metric_definitions WHERE id IN (SELECT value FROM json_each(:metrics))"

ENTITIES: Final = """
SELECT 'service' AS scope, id FROM services WHERE id IN (SELECT value FROM json_each(:entities))
UNION ALL
SELECT 'tool' AS scope, id FROM tools WHERE id IN (SELECT value FROM json_each(:entities))
UNION ALL
SELECT 'process' AS scope, id FROM processes WHERE id IN (SELECT value FROM json_each(:entities))
"""
"""Which of these entities exist, and their scopes. Conversations do not exist yet."""

ADD_VALUE: Final = """
INSERT INTO metric_values (id, metric_id, entity_id, at, micros, number, instant, dimensions, user_id)
VALUES (:id, :metric_id, :entity_id, :at, :micros, :number, :instant, :dimensions, :user_id)
"""
"""Adds a row of `MetricValueRepository.build_rows`. A foreign key refuses a value of a deleted metric."""

SUMS: Final = """
SELECT entity_id, user_id, NULL AS dimensions, COUNT(*) AS count, SUM(number) AS sum,
       MIN(number) AS min_number, MAX(number) AS max_number,
       MIN(instant) AS min_instant, MAX(instant) AS max_instant, MAX(id) AS last_id
FROM metric_values
WHERE metric_id = :metric AND micros >= :since_micros AND micros < :until
GROUP BY entity_id, user_id
"""

SUMS_BY_DIMENSIONS: Final = """
SELECT entity_id, user_id, dimensions, COUNT(*) AS count, SUM(number) AS sum,
       MIN(number) AS min_number, MAX(number) AS max_number,
       MIN(instant) AS min_instant, MAX(instant) AS max_instant, MAX(id) AS last_id
FROM metric_values
WHERE metric_id = :metric AND micros >= :since_micros AND micros < :until
GROUP BY entity_id, user_id, dimensions
"""

SUMS_OF_ENTITY: Final = """
SELECT entity_id, user_id, NULL AS dimensions, COUNT(*) AS count, SUM(number) AS sum,
       MIN(number) AS min_number, MAX(number) AS max_number,
       MIN(instant) AS min_instant, MAX(instant) AS max_instant, MAX(id) AS last_id
FROM metric_values
WHERE metric_id = :metric AND entity_id = :entity AND micros >= :since_micros AND micros < :until
GROUP BY entity_id, user_id
"""

SUMS_OF_ENTITY_BY_DIMENSIONS: Final = """
SELECT entity_id, user_id, dimensions, COUNT(*) AS count, SUM(number) AS sum,
       MIN(number) AS min_number, MAX(number) AS max_number,
       MIN(instant) AS min_instant, MAX(instant) AS max_instant, MAX(id) AS last_id
FROM metric_values
WHERE metric_id = :metric AND entity_id = :entity AND micros >= :since_micros AND micros < :until
GROUP BY entity_id, user_id, dimensions
"""

VALUES: Final = "SELECT id, number, instant FROM metric_values WHERE id IN (SELECT value FROM json_each(:ids))"

PRUNE: Final = """
DELETE FROM metric_values WHERE id IN (
    SELECT id FROM metric_values WHERE metric_id = :metric AND micros < :until LIMIT :limit)
"""

# The entities that values belong to, if a user may see them (platform 2)

SERVICES: Final = """
SELECT id, name, owner_id FROM services
WHERE id IN (SELECT value FROM json_each(:ids)) AND (owner_id = :user OR shared = 1)
"""

TOOLS: Final = """
SELECT id, name, owner_id FROM tools
WHERE id IN (SELECT value FROM json_each(:ids)) AND (owner_id = :user OR shared = 1)
"""

PROCESSES: Final = """
SELECT id, name, owner_id FROM processes
WHERE id IN (SELECT value FROM json_each(:ids)) AND (owner_id = :user OR shared = 1)
"""
