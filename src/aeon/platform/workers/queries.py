"""Everything that workers ask the graph."""

from typing import Final

from aeon.platform.graph import Schema

SCHEMA: Final = Schema(
    unique=(("Executor", "id"), ("Worker", "id")), indexed=(("Worker", "executorId"), ("Worker", "type"))
)

REGISTER: Final = """
MERGE (x:Executor {id: $executor.id})
SET x += $executor
WITH x
UNWIND $workers AS worker
MERGE (w:Worker {id: worker.id})
SET w += worker
MERGE (w)-[:RUNS_IN]->(x)
RETURN count(w) AS workers
"""

BEAT: Final = """
MATCH (x:Executor {id: $id})
SET x.lastHeartbeat = $at
WITH x
OPTIONAL MATCH (w:Worker {executorId: $id})
WITH x, collect(w) AS there
FOREACH (worker IN $workers | FOREACH (w IN [each IN there WHERE each.id = worker.id] | SET w += worker))
RETURN x.id AS id
"""

RETIRE: Final = """
MATCH (x:Executor {id: $id})
OPTIONAL MATCH (w:Worker {executorId: $id})
DETACH DELETE w, x
"""

EXECUTORS: Final = "MATCH (x:Executor) RETURN x ORDER BY x.startedAt LIMIT $limit"

WORKERS: Final = "MATCH (w:Worker) RETURN w ORDER BY w.type, w.id LIMIT $limit"
