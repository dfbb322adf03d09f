"""Everything that metrics ask the graph. Mutations of definitions end with `aeon.platform.queries.RECORDED`.

A value's instant stands in it as `at` and, as microseconds since 1970, as `micros`: ranges of texts are nothing to rely
on in FalkorDB, whose index of them folds case. Ids sort as the values followed each other. No query changes a value.
"""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(
        ("MetricDefinition", "id"),
        ("MetricDefinition", "nameKey"),
        ("Process", "id"),
        ("Process", "nameKey"),
        ("Conversation", "id"),
    ),
    indexed=tuple(("MetricValue", key) for key in ("id", "metricId", "entityId", "micros")),
)

# Definitions

CREATE_METRIC: Final = """
CREATE (d:MetricDefinition)
SET d += $properties
WITH d
"""

CHANGE_METRIC: Final = """
MATCH (d:MetricDefinition {id: $id})
WHERE d.version = $version
SET d += $properties
WITH d
"""

DELETE_METRIC: Final = """
MATCH (d:MetricDefinition {id: $id})
SET d.version = -1
WITH d
OPTIONAL MATCH (v:MetricValue {metricId: $id})
WITH d, collect(v) AS values
WHERE $cascade OR size(values) = 0
FOREACH (one IN values | DELETE one)
DELETE d
WITH 1 AS deleted
"""
"""The first SET keeps values out that come at the same moment: recording one writes to the definition, too."""

METRIC: Final = "MATCH (d:MetricDefinition {id: $id}) RETURN d AS metric"
METRIC_NAMED: Final = "MATCH (d:MetricDefinition {nameKey: $nameKey}) RETURN d AS metric"
METRICS: Final = "MATCH (d:MetricDefinition) WHERE d.nameKey > '' RETURN d AS metric ORDER BY d.nameKey"

# Values

RECORD: Final = """
UNWIND $subjects AS subject
MATCH (d:MetricDefinition {id: subject.metric})
OPTIONAL MATCH (s:Service {id: subject.entity})
OPTIONAL MATCH (t:Tool {id: subject.entity})
OPTIONAL MATCH (p:Process {id: subject.entity})
OPTIONAL MATCH (c:Conversation {id: subject.entity})
WITH d, CASE d.scope WHEN "service" THEN s.id WHEN "tool" THEN t.id WHEN "process" THEN p.id ELSE c.id END AS there
WHERE there IS NOT NULL
WITH collect(d) AS metrics
WITH metrics, 1/(CASE WHEN size(metrics) = $expected THEN 1 ELSE 0 END) AS whole
FOREACH (d IN metrics | SET d.lastRecordedAt = $at)
WITH whole
UNWIND $values AS value
CREATE (v:MetricValue)
SET v += value
RETURN count(v) AS recorded, whole
"""
"""Whole or not at all: every metric and every entity must be there."""

SUMS: Final = """
MATCH (v:MetricValue {metricId: $metric}) WHERE v.micros >= $since AND v.micros < $until
RETURN v.entityId AS entityId, v.userId AS userId, "" AS dimensions,
       count(v) AS count, sum(CASE WHEN $isNumeric THEN v.value ELSE 0 END) AS sum,
       min(v.value) AS min, max(v.value) AS max, max(v.id) AS lastId
"""

SUMS_BY_DIMENSIONS: Final = """
MATCH (v:MetricValue {metricId: $metric}) WHERE v.micros >= $since AND v.micros < $until
RETURN v.entityId AS entityId, v.userId AS userId, v.dimensions AS dimensions,
       count(v) AS count, sum(CASE WHEN $isNumeric THEN v.value ELSE 0 END) AS sum,
       min(v.value) AS min, max(v.value) AS max, max(v.id) AS lastId
"""

SUMS_OF_ENTITY: Final = """
MATCH (v:MetricValue {metricId: $metric, entityId: $entity}) WHERE v.micros >= $since AND v.micros < $until
RETURN v.entityId AS entityId, v.userId AS userId, "" AS dimensions,
       count(v) AS count, sum(CASE WHEN $isNumeric THEN v.value ELSE 0 END) AS sum,
       min(v.value) AS min, max(v.value) AS max, max(v.id) AS lastId
"""

SUMS_OF_ENTITY_BY_DIMENSIONS: Final = """
MATCH (v:MetricValue {metricId: $metric, entityId: $entity}) WHERE v.micros >= $since AND v.micros < $until
RETURN v.entityId AS entityId, v.userId AS userId, v.dimensions AS dimensions,
       count(v) AS count, sum(CASE WHEN $isNumeric THEN v.value ELSE 0 END) AS sum,
       min(v.value) AS min, max(v.value) AS max, max(v.id) AS lastId
"""

VALUES: Final = """
UNWIND $ids AS id
MATCH (v:MetricValue {id: id})
RETURN v.id AS id, v.value AS value
"""

PRUNE: Final = """
MATCH (v:MetricValue {metricId: $metric}) WHERE v.micros < $until
WITH v LIMIT $limit
WITH collect(v) AS old
FOREACH (one IN old | DELETE one)
RETURN size(old) AS pruned
"""

# What values are of, as far as a user may see it (platform 2)

SERVICES: Final = """
UNWIND $ids AS id
MATCH (x:Service {id: id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR x.shared
RETURN x.id AS id, x.name AS name, o.id AS ownerId
"""

TOOLS: Final = """
UNWIND $ids AS id
MATCH (x:Tool {id: id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR x.shared
RETURN x.id AS id, x.name AS name, o.id AS ownerId
"""

PROCESSES: Final = """
UNWIND $ids AS id
MATCH (x:Process {id: id})-[:OWNED_BY]->(o:User)
WHERE o.id = $user OR x.shared
RETURN x.id AS id, x.name AS name, o.id AS ownerId
"""

CONVERSATIONS: Final = """
UNWIND $ids AS id
MATCH (x:Conversation {id: id})-[:OWNED_BY]->(o:User {id: $user})
RETURN x.id AS id, x.title AS name, o.id AS ownerId
"""

PROCESS_NAMED: Final = "MATCH (x:Process {nameKey: $nameKey}) RETURN x.id AS id"
