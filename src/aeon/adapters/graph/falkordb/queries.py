"""Every query that the adapter asks of its own accord. Names that cannot be parameters are quoted by `schemas`."""

NOTHING = "RETURN 1"
NAME = "CREATE (n) SET n += $names DELETE n"
PROPERTY_KEYS = "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey"

INDEXES = "CALL db.indexes() YIELD label, properties, status, entitytype RETURN label, properties, status, entitytype"
CONSTRAINTS = (
    "CALL db.constraints() YIELD type, label, properties, entitytype, status "
    "RETURN type, label, properties, entitytype, status"
)
INDEX = "CREATE INDEX FOR (n:{label}) ON (n.{property})"

COUNT = "MATCH (n) RETURN count(n) AS nodes"
LAST_NODE = "MATCH (n) RETURN max(id(n)) AS last"
NODES = (
    "MATCH (n) WHERE id(n) >= $start AND id(n) < $end "
    "RETURN id(n) AS id, labels(n) AS labels, n AS properties ORDER BY id"
)
EDGES = (
    "MATCH (n)-[e]->(m) WHERE id(n) >= $start AND id(n) < $end "
    "RETURN id(n) AS source, type(e) AS type, id(m) AS target, e AS properties ORDER BY source, id(e)"
)

CREATE_NODES = (
    "UNWIND $rows AS row CREATE (n{labels}) SET n = row.properties {vectors}RETURN row.node AS node, id(n) AS id"
)
# The engine seeks by id only for constants, so all nodes are gathered in one scan and then taken by their place.
CREATE_EDGES = (
    "MATCH (n) WITH n ORDER BY id(n) WITH collect(n) AS ends "
    "UNWIND $rows AS row WITH ends[row.source] AS source, ends[row.target] AS target, row "
    "CREATE (source)-[e:{type}]->(target) SET e = row.properties {vectors}RETURN count(e) AS made"
)
AS_VECTOR = "SET {entity}.{property} = vecf32(row.properties.{property}) "
