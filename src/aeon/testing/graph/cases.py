"""The tables of the suite: values, parameters, the subset of Cypher, and queries that several tests ask."""

import math
from typing import Any

from aeon.base.json import Json, JsonObject
from aeon.platform.graph import (
    Row,
    Schema,
)

VALUES: list[Json] = [
    True,
    False,
    0,
    -1,
    2**63 - 1,
    -(2**63),
    0.1,
    -0.0,
    1.0,
    1e16,
    1e-7,
    -1.5e300,
    "",
    "text",
    "'",
    '"',
    "\\",
    '\\"',
    "`",
    "a\nb\r\tc",
    "\\n \\u0041",
    "\x01\x7f\u2028\u2029\ufeff",
    "é 🐉 \ud7ff\ue000\uffff\U0010ffff",
    "$name {x} // /* -- ;",
    "x" * 100_000,
    [],
    [1, 2, 3],
    ["a", "", "ü"],
    [True, False],
    [0.5, 2.0],
]
"""Values that a property can have."""

PARAMETERS: list[Json] = [
    None,
    {},
    {"a": {"b": [{"c": [1, None, "x"]}]}},
    {"a b": 1, "ü": 2, "'": 3, '"': 4, "\\": 5, "$x": 6},
    [[], [[1]], [None]],
    [1, "a", True, 0.5],
]
"""Values that only a parameter can have."""

SECRET = "correct-horse-battery"  # noqa: S105  # a word that must turn up in no error

BAD_PARAMETERS: list[tuple[Any, str]] = [
    (f"{SECRET}\x00", "$bad"),
    (f"{SECRET}\ud800", "$bad"),
    (2**63, "$bad"),
    (-(2**63) - 1, "$bad"),
    (math.nan, "$bad"),
    (math.inf, "$bad"),
    ([1, {"deep": [-math.inf]}], "$bad[1].deep[0]"),
    ({"key": f"{SECRET}\x00"}, "$bad.key"),
    ({"a\x00": SECRET}, "$bad"),
    ({1: SECRET}, "$bad"),
    (b"bytes", "$bad"),
    ({SECRET}, "$bad"),
    (object(), "$bad"),
]
"""What no store may be sent, and where the error must say that it is."""

SUBSET: list[tuple[str, str, list[Json]]] = [
    ("match", "MATCH (n:P {name: 'ann'}) RETURN n.age AS v", [31]),
    (
        "where and or not in",
        "MATCH (n:P) WHERE n.age IN [31, 5] AND NOT n.name = 'cid' OR false RETURN n.name AS v",
        ["ann"],
    ),
    ("optional match", "MATCH (n:P {name: 'cid'}) OPTIONAL MATCH (n)-[:KNOWS]->(m) RETURN m.name AS v", [None]),
    (
        "bounded path",
        "MATCH (n:P {name: 'ann'})-[:KNOWS*0..2]->(m) RETURN m.name AS v ORDER BY v",
        ["ann", "bob", "cid"],
    ),
    ("pattern predicate", "MATCH (n:P) WHERE (n)-[:KNOWS]->() RETURN n.name AS v ORDER BY v", ["ann", "bob"]),
    ("no pattern predicate", "MATCH (n:P) WHERE NOT (n)-[:KNOWS]->() RETURN n.name AS v", ["cid"]),
    ("edge property", "MATCH (:P {name: 'ann'})-[k:KNOWS]->() RETURN k.since AS v", [2001]),
    ("order skip limit", "MATCH (n:P) RETURN n.name AS v ORDER BY n.age DESC SKIP 1 LIMIT 1", ["ann"]),
    ("unwind", "UNWIND $rows AS row RETURN row.x * 2 AS v", [2, 4]),
    (
        "case",
        "MATCH (n:P) RETURN CASE WHEN n.age > 30 THEN 'old' ELSE 'young' END AS v ORDER BY v",
        ["old", "old", "young"],
    ),
    (
        "with collect",
        "MATCH (n:P) WITH n ORDER BY n.name WITH collect(n.name) AS names RETURN names AS v",
        [["ann", "bob", "cid"]],
    ),
    ("count distinct", "MATCH (:P)-[:KNOWS]->(m) RETURN count(DISTINCT m) AS v", [2]),
    ("list comprehension", "RETURN [x IN $list WHERE x > 1 | x + 1] AS v", [[3, 4]]),
    ("coalesce", "MATCH (n:P {name: 'cid'}) RETURN coalesce(n.nothing, 'else') AS v", ["else"]),
    (
        "starts with",
        "MATCH (n:P) WHERE n.name STARTS WITH 'a' OR n.name CONTAINS 'i' RETURN n.name AS v ORDER BY v",
        ["ann", "cid"],
    ),
    ("size and head", "RETURN size($list) + head($list) AS v", [4]),
    ("is null", "MATCH (n:P) WHERE n.email IS NULL RETURN count(n) AS v", [3]),
    ("set map", "MATCH (n:P {name: 'ann'}) SET n += $map RETURN n.age + n.size AS v", [100]),
    ("set null", "MATCH (n:P {name: 'ann'}) SET n.age = null RETURN n.age AS v", [None]),
    ("remove by null map", "MATCH (n:P {name: 'ann'}) SET n += {age: null} RETURN n AS v", [{"name": "ann"}]),
    (
        "create edge",
        "MATCH (a:P {name: 'cid'}), (b:P {name: 'ann'}) CREATE (a)-[k:KNOWS {since: 3}]->(b) RETURN k AS v",
        [{"since": 3}],
    ),
    (
        "merge there",
        "MERGE (n:P {name: 'ann'}) ON CREATE SET n.new = true ON MATCH SET n.seen = true RETURN n.seen AS v",
        [True],
    ),
    (
        "merge new",
        "MERGE (n:P {name: 'dan'}) ON CREATE SET n.new = true ON MATCH SET n.seen = true RETURN n.new AS v",
        [True],
    ),
    (
        "merge edge",
        "MATCH (a:P {name: 'ann'}), (b:P {name: 'bob'}) MERGE (a)-[k:KNOWS]->(b) RETURN k.since AS v",
        [2001],
    ),
    (
        "delete edge",
        "MATCH (:P {name: 'ann'})-[k:KNOWS]->() DELETE k WITH 1 AS one MATCH ()-[r:KNOWS]->() RETURN count(r) AS v",
        [1],
    ),
    ("detach delete", "MATCH (n:P {name: 'bob'}) DETACH DELETE n WITH 1 AS one MATCH (m:P) RETURN count(m) AS v", [2]),
    ("foreach", "FOREACH (x IN $list | CREATE (:Made {x: x})) WITH 1 AS one MATCH (m:Made) RETURN sum(m.x) AS v", [6]),
    ("two labels", "CREATE (n:A:B {x: 1}) WITH n MATCH (m:B) RETURN m.x AS v", [1]),
    ("union", "RETURN 1 AS v UNION RETURN 2 AS v", [1, 2]),
]
"""The subset of Cypher by name: a query on the small graph of `_PEOPLE`, and its column `v`."""


PEOPLE = (
    "CREATE (a:P {name: 'ann', age: 31}), (b:P {name: 'bob', age: 32}), (c:P {name: 'cid', age: 20}), "
    "(a)-[:KNOWS {since: 2001}]->(b), (b)-[:KNOWS {since: 2002}]->(c)"
)
SUBSET_PARAMS: JsonObject = {"rows": [{"x": 1}, {"x": 2}], "list": [1, 2, 3], "map": {"age": 40, "size": 60}}
NAMES = "MATCH (n:P) RETURN n.name AS v ORDER BY v"
ALL: list[Row] = [{"v": "ann"}, {"v": "bob"}, {"v": "cid"}]
COUNT = "MATCH (n) OPTIONAL MATCH (n)-[e]->() RETURN count(DISTINCT n) AS nodes, count(e) AS edges"
UNIQUE = Schema(unique=(("P", "name"), ("A", "active_for")), indexed=(("P", "age"),))

GUARDED = (
    "MATCH (n:P {name: $name}) "
    "WITH n, 1/(CASE WHEN n.version = $version THEN 1 ELSE 0 END) AS guard "
    "SET n.version = n.version + 1 CREATE (e:Event {of: n.name})-[:OF]->(n) RETURN n.version AS v, guard"
)
COUNT_UP = (
    "MATCH (n:P {name: 'ann'}) WITH n, 1/(CASE WHEN n.version = $seen THEN 1 ELSE 0 END) AS guard "
    "SET n.version = n.version + guard RETURN n.version AS v"
)
MANY = "UNWIND range(0, 2000) AS x UNWIND range(0, 2000) AS y UNWIND range(0, 200) AS z WITH x, y, z"
THREADS = 8
STEPS = 10
ODD_TEXTS = ['" RETURN 1 //', "'}) DETACH DELETE n //", '"}) MATCH (n) DETACH DELETE n //', "\\", '\\" x=1 ']

LATE: list[str] = [
    "CREATE (:Late {first: 1, second: 2})",
    "CREATE (n:Late) SET n.first = 1, n.second = 2",
    "CREATE (n:Late) SET n += {first: 1, second: 2}",
    "MERGE (n:Late {first: 1}) ON CREATE SET n.second = 2",
    "FOREACH (one IN [1] | CREATE (:Late {first: one, second: 2}))",
    "CREATE (a)-[:LATE {first: 1, second: 2}]->(a)",
    "CREATE (:Late {`first`: 1,\n  second : 2})",
]
"""Ways to write two properties that no query mentioned before."""
