"""All queries of the engine's database, and its tables.

- `meta` names the database itself (`database`), the record whose runs it holds (`record`), and its `version`.
- `runs` gives each started run the token of the execution that owns it, empty for a released run. A new owner writes a
  new token, and every result is stored under the token of its execution (platform 43).
- `attempts` holds the result of each attempt at a step, with the digest of what it called. A stored attempt is never
  made again (platform 42), except if a run calls something else, which it does after its record was restored.
- `jobs` are the jobs that other processes execute. A job is queued while `executor` is empty, running while it is not,
  and ended once `result` is there. `token` belongs to one take of the job, and `begun` is the token of the last take
  that began it, so that `starts` counts each take at most once. Queued jobs are taken by priority (0 high, 1 normal,
  2 low), `turn` and number. A queue holds the jobs of one worker type with the same `needs`: what a worker must offer
  to execute them (`catalog.needs`), in alphabetical order and separated by spaces. `queued_at` is in seconds since
  1970.
- `turns` holds the next turn of each user in each queue and priority (`platform.workers.fairness`).
"""

from typing import Final

from aeon.platform.store import DialectQuery

SCHEMA: Final = "aeon_runs"
"""The schema on PostgreSQL, which is created if it is missing."""

VERSION: Final = "3"
"""The version of the tables."""

LOCK_TABLES: Final = DialectQuery("SELECT 1 AS one", "SELECT pg_advisory_xact_lock(hashtextextended('aeon runs', 0))")
"""Serializes the processes that create the tables; on SQLite the transaction does."""

HAS_TABLES: Final = DialectQuery(
    "SELECT 1 AS one FROM sqlite_schema WHERE name = 'meta'",
    "SELECT 1 AS one FROM pg_tables WHERE schemaname = 'aeon_runs' AND tablename = 'meta'",
)
"""Whether the tables exist. `to_regclass` would answer from a cache that a lock does not refresh."""

HAS_EARLIER_TABLES: Final = DialectQuery(
    "SELECT 1 AS one FROM sqlite_schema WHERE name = 'aeon_attempts'",
    "SELECT 1 AS one WHERE to_regclass('public.aeon_attempts') IS NOT NULL",
)
"""Whether a development version before decision 41 keeps runs here."""

HAS_SCHEMA: Final = DialectQuery("SELECT 1 AS one", "SELECT 1 AS one FROM pg_namespace WHERE nspname = 'aeon_runs'")
CREATE_SCHEMA: Final = "CREATE SCHEMA aeon_runs"

_TURNS: Final = (
    DialectQuery(
        "CREATE TABLE turns (worker TEXT NOT NULL, needs TEXT NOT NULL, priority INTEGER NOT NULL, "
        "owner TEXT NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (worker, needs, priority, owner)) "
        "STRICT, WITHOUT ROWID",
        "CREATE TABLE turns (worker TEXT NOT NULL, needs TEXT NOT NULL, priority BIGINT NOT NULL, "
        "owner TEXT NOT NULL, next BIGINT NOT NULL, PRIMARY KEY (worker, needs, priority, owner))",
    ),
    "CREATE INDEX turns_next ON turns (worker, needs, priority, next)",
    "CREATE INDEX jobs_queued ON jobs (worker, needs, priority, turn, number) WHERE executor = '' AND result IS NULL",
    "CREATE INDEX jobs_by_age ON jobs (worker, queued_at) WHERE executor = '' AND result IS NULL",
)

FROM_VERSION_1: Final = (
    DialectQuery(
        "ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 1",
    ),
    DialectQuery(
        "ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE jobs ADD COLUMN turn BIGINT NOT NULL DEFAULT 0",
    ),
    "ALTER TABLE jobs ADD COLUMN needs TEXT NOT NULL DEFAULT ''",
    DialectQuery(
        "ALTER TABLE jobs ADD COLUMN queued_at INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE jobs ADD COLUMN queued_at BIGINT NOT NULL DEFAULT 0",
    ),
    "DROP INDEX jobs_queued",
    *_TURNS,
    "UPDATE meta SET value = '2' WHERE key = 'version'",
)
"""Gives the tables of version 1 priorities and turns; queued jobs stay, and are taken first."""

FROM_VERSION_2: Final = (
    "ALTER TABLE attempts ADD COLUMN call TEXT NOT NULL DEFAULT ''",
    "UPDATE meta SET value = '3' WHERE key = 'version'",
)
"""Gives the attempts of version 2 the digests of what they called, which of earlier ones are unknown."""

CREATE_TABLES: Final = (
    DialectQuery(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ),
    DialectQuery(
        "CREATE TABLE runs (id TEXT PRIMARY KEY, token TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE runs (id TEXT PRIMARY KEY, token TEXT NOT NULL)",
    ),
    DialectQuery(
        "CREATE TABLE attempts (run TEXT NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, "
        "result TEXT NOT NULL, call TEXT NOT NULL DEFAULT '', PRIMARY KEY (run, step, attempt)) STRICT, WITHOUT ROWID",
        "CREATE TABLE attempts (run TEXT NOT NULL, step BIGINT NOT NULL, attempt BIGINT NOT NULL, "
        "result TEXT NOT NULL, call TEXT NOT NULL DEFAULT '', PRIMARY KEY (run, step, attempt))",
    ),
    DialectQuery(
        "CREATE TABLE jobs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run TEXT NOT NULL, "
        "worker TEXT NOT NULL, executor TEXT NOT NULL, token TEXT NOT NULL, begun TEXT NOT NULL, "
        "starts INTEGER NOT NULL, result TEXT, job TEXT NOT NULL, priority INTEGER NOT NULL DEFAULT 1, "
        "turn INTEGER NOT NULL DEFAULT 0, needs TEXT NOT NULL DEFAULT '', queued_at INTEGER NOT NULL DEFAULT 0) STRICT",
        "CREATE TABLE jobs (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id TEXT NOT NULL UNIQUE, "
        "run TEXT NOT NULL, worker TEXT NOT NULL, executor TEXT NOT NULL, token TEXT NOT NULL, begun TEXT NOT NULL, "
        "starts BIGINT NOT NULL, result TEXT, job TEXT NOT NULL, priority BIGINT NOT NULL DEFAULT 1, "
        "turn BIGINT NOT NULL DEFAULT 0, needs TEXT NOT NULL DEFAULT '', queued_at BIGINT NOT NULL DEFAULT 0)",
    ),
    *_TURNS,
    "CREATE INDEX jobs_running ON jobs (executor) WHERE executor <> ''",
    "CREATE INDEX jobs_of_run ON jobs (run)",
)

SET_META: Final = "INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING"
"""The first value is permanent."""

TRANSFER: Final = "UPDATE meta SET value = :to WHERE key = 'record' AND value = :record"

GET_META: Final = "SELECT value FROM meta WHERE key = :key"

START_RUN: Final = "INSERT INTO runs (id, token) VALUES (:run, :token) ON CONFLICT (id) DO NOTHING"
"""A run that was started before stays with its owner."""

ADOPT_RUN: Final = (
    "INSERT INTO runs (id, token) VALUES (:run, :token) ON CONFLICT (id) DO UPDATE SET token = excluded.token"
)
RELEASE_RUN: Final = "UPDATE runs SET token = '' WHERE id = :run AND token = :token"
IS_OWNER: Final = "SELECT 1 AS one FROM runs WHERE id = :run AND token = :token"

COMPLETED_ATTEMPTS: Final = "SELECT step, attempt, call FROM attempts WHERE run = :run"
RESULT_OF_ATTEMPT: Final = "SELECT result FROM attempts WHERE run = :run AND step = :step AND attempt = :attempt"
_INSERT_ATTEMPT: Final = (
    "INSERT INTO attempts (run, step, attempt, result, call) SELECT id, :step, :attempt, :result, :call FROM runs "
    "WHERE id = :run AND token = :token"
)
_REPLACE_OTHER_CALL: Final = (
    "ON CONFLICT (run, step, attempt) DO UPDATE SET result = excluded.result, call = excluded.call "
    "WHERE attempts.call <> excluded.call AND attempts.call <> ''"
)
SAVE_ATTEMPT: Final = DialectQuery(
    f"{_INSERT_ATTEMPT} {_REPLACE_OTHER_CALL}",
    f"{_INSERT_ATTEMPT} FOR SHARE {_REPLACE_OTHER_CALL}",
)
"""Writes nothing if another execution owns the run. On PostgreSQL the owner stays the same until the commit."""

FORGET_EXECUTIONS: Final = ("DELETE FROM jobs", "DELETE FROM runs")
"""Leaves the results of attempts alone."""

FORGET_RUNS: Final = (
    "DELETE FROM jobs WHERE run IN (SELECT value FROM json_each(:runs))",
    "DELETE FROM attempts WHERE run IN (SELECT value FROM json_each(:runs))",
    "DELETE FROM runs WHERE id IN (SELECT value FROM json_each(:runs))",
)

LARGE_RESULTS: Final = """
SELECT result AS text FROM attempts
WHERE run IN (SELECT value FROM json_each(:runs)) AND substr(result, 1, length(CAST(:prefix AS text))) = :prefix
UNION SELECT job FROM jobs
WHERE run IN (SELECT value FROM json_each(:runs)) AND substr(job, 1, length(CAST(:prefix AS text))) = :prefix
UNION SELECT result FROM jobs
WHERE run IN (SELECT value FROM json_each(:runs)) AND substr(result, 1, length(CAST(:prefix AS text))) = :prefix
EXCEPT SELECT result FROM attempts
WHERE run IN (SELECT value FROM json_each(:others)) AND substr(result, 1, length(CAST(:prefix AS text))) = :prefix
"""
"""The references to large texts that these runs have, and none of the others."""

ENQUEUE_JOB: Final = (
    "INSERT INTO jobs (id, run, worker, executor, token, begun, starts, job, priority, turn, needs, queued_at) "
    "VALUES (:id, :run, :worker, '', '', '', 0, :job, :priority, :turn, :needs, :queued_at) ON CONFLICT (id) DO NOTHING"
)
KNOWN_JOBS: Final = "SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))"

_PRESENT_TURN: Final = (
    "coalesce((SELECT turn FROM jobs WHERE worker = :worker AND needs = :needs AND priority = :priority "
    "AND executor = '' AND result IS NULL ORDER BY turn, number LIMIT 1), "
    "(SELECT next FROM turns WHERE worker = :worker AND needs = :needs AND priority = :priority "
    "ORDER BY next DESC LIMIT 1), 0)"
)
ADVANCE_TURN: Final = (
    f"INSERT INTO turns (worker, needs, priority, owner, next) "  # constants alone
    f"SELECT CAST(:worker AS text), CAST(:needs AS text), CAST(:priority AS bigint), CAST(:owner AS text), "
    f"{_PRESENT_TURN} + CAST(:length AS bigint) WHERE 1 = 1 "
    "ON CONFLICT (worker, needs, priority, owner) DO UPDATE SET next = CASE WHEN turns.next + :length > excluded.next "
    "THEN turns.next + :length ELSE excluded.next END RETURNING next"
)
"""Gives a user turns of this length together: after the user's last one, and not before the present one."""

HAS_JOB: Final = "SELECT 1 AS one FROM jobs WHERE id = :id"
DELETE_JOBS: Final = "DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))"
ENDED_JOBS: Final = "SELECT id, result FROM jobs WHERE id IN (SELECT value FROM json_each(:ids)) AND result IS NOT NULL"

QUEUED: Final = (
    "WITH RECURSIVE queue (worker, needs) AS (SELECT kind.value, (SELECT min(needs) FROM jobs "
    "WHERE jobs.worker = kind.value AND executor = '' AND result IS NULL) FROM json_each(:workers) AS kind "
    "UNION ALL SELECT queue.worker, (SELECT min(jobs.needs) FROM jobs WHERE jobs.worker = queue.worker "
    "AND jobs.needs > queue.needs AND executor = '' AND result IS NULL) FROM queue WHERE queue.needs IS NOT NULL) "
    "SELECT queue.worker, queue.needs, level.value AS priority FROM queue "
    "CROSS JOIN (SELECT 0 AS value UNION ALL SELECT 1 UNION ALL SELECT 2) AS level "
    "WHERE queue.needs IS NOT NULL AND EXISTS (SELECT 1 FROM jobs WHERE jobs.worker = queue.worker "
    "AND jobs.needs = queue.needs AND jobs.priority = level.value AND executor = '' AND result IS NULL)"
)
"""The queues with jobs, by type and priority: one look into the index for each queue, however many jobs it has."""

OLDEST_QUEUED: Final = (
    "SELECT kind.value AS worker, (SELECT min(queued_at) FROM jobs WHERE jobs.worker = kind.value AND executor = '' "
    "AND result IS NULL) AS since FROM json_each(:workers) AS kind"
)
TAKE_JOBS: Final = DialectQuery(
    "UPDATE jobs SET executor = :executor, token = :token WHERE number IN (SELECT number FROM jobs "
    "WHERE worker = :worker AND needs = :needs AND priority = :priority AND executor = '' AND result IS NULL "
    "ORDER BY turn, number LIMIT :limit) RETURNING number, turn, id, worker, job",
    "WITH next AS MATERIALIZED (SELECT number FROM jobs WHERE worker = :worker AND needs = :needs "
    "AND priority = :priority AND executor = '' AND result IS NULL ORDER BY turn, number LIMIT :limit "
    "FOR UPDATE SKIP LOCKED) "
    "UPDATE jobs SET executor = :executor, token = :token FROM next WHERE jobs.number = next.number "
    "RETURNING jobs.number, jobs.turn, jobs.id, jobs.worker, jobs.job",
)
BEGIN_JOB: Final = (
    "UPDATE jobs SET starts = starts + 1, begun = token WHERE id = :id AND token = :token AND begun <> token"
)
HELD_JOB: Final = "SELECT starts FROM jobs WHERE id = :id AND token = :token AND executor <> ''"
HELD_JOBS: Final = "SELECT id, token FROM jobs WHERE executor = :executor AND executor <> ''"
END_JOB: Final = "UPDATE jobs SET executor = '', result = :result WHERE id = :id AND token = :token AND executor <> ''"
EXECUTORS: Final = "SELECT DISTINCT executor FROM jobs WHERE executor <> ''"
REQUEUE_JOB: Final = "UPDATE jobs SET executor = '', token = '' WHERE id = :id AND token = :token AND executor <> ''"
REQUEUE_JOBS_OF: Final = (
    "UPDATE jobs SET executor = '', token = '' WHERE executor IN (SELECT value FROM json_each(:executors)) "
    "AND executor <> ''"
)
