"""Every query that the adapter asks of its own accord. Names that cannot be parameters are quoted by `schemas`."""

TURN_PAIR = ("AeonTurn", "id")
# Makes a node and takes it away again, so that nobody ever sees one; the lock on its unique id stays until the commit.
TURN = "MERGE (turn:AeonTurn {id: 0}) DELETE turn"

CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties"
INDEXES = "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, owningConstraint"
CONSTRAINT = "CREATE CONSTRAINT IF NOT EXISTS FOR (n:{label}) REQUIRE n.{property} IS UNIQUE"
INDEX = "CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.{property})"
DROP_INDEX = "DROP INDEX {name} IF EXISTS"
ONLINE = "CALL db.awaitIndexes($seconds)"
TWINS = (
    "MATCH (n:{label}) WHERE n.{property} IS NOT NULL "
    "WITH n.{property} AS value, count(*) AS many WHERE many > 1 RETURN count(*) AS twins"
)

COUNT = "MATCH (n) RETURN count(n) AS nodes"
LAST_NODE = "MATCH (n) RETURN max(id(n)) AS last"
# Numbers that the server calls deprecated and has no other of: its element ids are texts without an order.
# A number at a time is a seek by id; a range of them would be a scan of all nodes for every page.
NODES = (
    "UNWIND range($start, $end - 1) AS at MATCH (n) WHERE id(n) = at "
    "RETURN at AS id, labels(n) AS labels, n AS properties ORDER BY id"
)
EDGES = (
    "UNWIND range($start, $end - 1) AS at MATCH (n) WHERE id(n) = at MATCH (n)-[e]->(m) "
    "RETURN at AS source, type(e) AS type, id(m) AS target, e AS properties ORDER BY source, id(e)"
)

DELETE_ALL = "MATCH (n) DETACH DELETE n"
CREATE_NODES = (
    "UNWIND $rows AS row CREATE (n:$(row.labels)) SET n = row.properties RETURN row.node AS node, id(n) AS id"
)
# A type that is an expression would be a parameter, but 5.26.0 goes on with the first one that it met.
CREATE_EDGES = (
    "UNWIND $rows AS row MATCH (source) WHERE id(source) = row.source MATCH (target) WHERE id(target) = row.target "
    "CREATE (source)-[e:{type}]->(target) SET e = row.properties RETURN count(e) AS made"
)
