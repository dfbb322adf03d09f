"""All SQL queries of runs.

A run is open while `ended_at` is NULL. From its end on, `is_unmeasured` is 1 until its metrics are recorded, and
`is_unsent` is 1 until its spans are exported, if they are to be. A `reference` is the digest of a large text that is
stored elsewhere (`claim_check`).
"""

from typing import Final

from aeon.platform.store import DialectQuery

_COLUMNS: Final = """
r.id, r.owner_id, r.process_id, r.process_name, r.digest, r.trigger, r.pins, r.parent_id, r.root_id,
r.retry_of, r.accepted_at, r.deadline, r.executor, r.phase, r.events, r.ended_at, r.tokens, r.failure, r.tags,
r.priority, r.weight, r.language
"""

_SUMMARY: Final = f"SELECT {_COLUMNS} FROM runs r"  # noqa: S608  # constants alone

_FOUND: Final = f"""
SELECT {_COLUMNS}, r.inputs, r.plan, d.text AS definition FROM runs r JOIN definitions d ON d.digest = r.digest
"""  # noqa: S608  # constants alone

# Writing runs

ACCEPT: Final = """
INSERT INTO runs (id, owner_id, process_id, process_name, digest, plan, inputs, trigger, pins, parent_id, root_id,
                  retry_of, accepted_at, deadline, executor, phase, events, tokens, plan_reference, inputs_reference,
                  tags, priority, weight, language)
SELECT :id, :owner_id, p.id, :process_name, :digest, :plan, :inputs, :trigger, :pins, :parent_id, :root_id,
       :retry_of, :accepted_at, :deadline, :executor, :phase, :events, :tokens, :plan_reference, :inputs_reference,
       :tags, :priority, :weight, :language
FROM processes p WHERE p.id = :process_id
"""

WEIGHT: Final = "SELECT weight FROM accounts WHERE user_id = :user"

TAKE: Final = """
UPDATE runs SET executor = :executor WHERE id = :run AND ended_at IS NULL AND executor = :before
"""

KEEP: Final = """
UPDATE runs
SET phase = :phase, events = :events, tokens = :tokens, failure = :failure, ended_at = :ended_at,
    ended_micros = :ended_micros, is_unmeasured = :is_unmeasured
WHERE id = :run AND executor = :executor AND events = :before
"""

ADD_ENTRY: Final = """
INSERT INTO run_entries (run_id, n, text, reference) VALUES (:run_id, :n, :text, :reference)
"""

ADD_DEAD_JOB: Final = """
INSERT INTO dead_jobs (id, run_id, root_id, owner_id, step, tool, at, code, message, attempts)
SELECT :id, r.id, r.root_id, r.owner_id, :step, :tool, :at, :code, :message, :attempts FROM runs r WHERE r.id = :run_id
"""

ADD_QUESTION: Final = """
INSERT INTO questions (id, run_id, owner_id, step, assignee, asked_at, closed_at, remind_process, remind_every,
                       remind_micros)
SELECT :id, r.id, r.owner_id, :step, :assignee, :asked_at, :closed_at, :remind_process, :remind_every, :remind_micros
FROM runs r WHERE r.id = :run_id
"""

DUE_REMINDERS: Final = """
SELECT q.id, q.run_id, q.owner_id, q.step, q.assignee, q.remind_process, q.remind_every, q.remind_micros
FROM questions q CROSS JOIN runs AS r
WHERE q.closed_at IS NULL AND q.remind_micros <= :now AND r.id = q.run_id AND r.ended_at IS NULL
ORDER BY q.remind_micros, q.id LIMIT :limit
"""

SETTLE_REMINDER: Final = """
UPDATE questions SET remind_micros = :next WHERE id = :id AND remind_micros = :before
"""
"""Compare and set: only one of several concurrent callers changes the row."""

CLOSE_QUESTION: Final = (
    "UPDATE questions SET closed_at = :at WHERE run_id = :run_id AND step = :step AND closed_at IS NULL"
)

_ASSIGNED: Final = """
SELECT q.id AS job, q.run_id AS run, q.owner_id AS owner, r.process_name AS process, q.step, q.asked_at
FROM questions q JOIN runs r ON r.id = q.run_id
WHERE q.assignee = :user AND q.closed_at IS NULL AND r.ended_at IS NULL
"""

ASSIGNED: Final = f"{_ASSIGNED} ORDER BY q.asked_at, q.id LIMIT :limit"
ASSIGNED_IN_FAMILY: Final = f"{_ASSIGNED} AND q.step = :step AND (q.run_id = :run OR r.root_id = :run)"
"""The open questions of a step of a run, or of what it called."""

GIVE: Final = "UPDATE runs SET executor = :to WHERE id = :run AND executor = :executor AND ended_at IS NULL"

_WANT: Final = """
INSERT INTO signals (id, run_id, at, text, reference)
SELECT :id, r.id, :at, :text, :reference FROM runs r WHERE r.id = :run AND r.ended_at IS NULL
"""

WANT: Final = DialectQuery(sqlite=_WANT, postgresql=f"{_WANT} FOR SHARE")
"""Keeps the run open until the unit of work ends; SQLite has a single writer anyway."""

_IS_PAUSED: Final = "SELECT paused FROM processes WHERE id = :process"

IS_PAUSED: Final = DialectQuery(sqlite=_IS_PAUSED, postgresql=f"{_IS_PAUSED} FOR SHARE")
"""Keeps the Process as it is until the unit of work ends; SQLite has a single writer anyway."""

OPEN_WITH_PROCESS: Final = """
SELECT id, parent_id, process_id FROM runs
WHERE ended_micros IS NULL
  AND root_id IN (SELECT root_id FROM runs WHERE process_id = :process AND ended_micros IS NULL)
ORDER BY accepted_at, parent_id IS NOT NULL, id
"""
"""All open runs of the families in which a run of that Process is open, callers first."""

# Reading runs

RUN: Final = f"{_SUMMARY} WHERE r.id = :run"

PROGRESS: Final = "SELECT executor, events FROM runs WHERE id = :run"

PLAN: Final = f"{_FOUND} WHERE r.id = :run"

ONE: Final = f"{_FOUND} WHERE r.id = :run AND r.owner_id = :user"

STANDINGS: Final = f"{_SUMMARY} WHERE r.id IN (SELECT value FROM json_each(:runs))"  # noqa: S608  # constants alone

NUMBERS: Final = "SELECT id, events FROM runs WHERE id IN (SELECT value FROM json_each(:runs))"

ENTRIES: Final = "SELECT text FROM run_entries WHERE run_id = :run AND n > :after ORDER BY n LIMIT :limit"

_COMPLETED: Final = """
SELECT count(*) AS number FROM run_entries
WHERE run_id = :run AND n > 1 AND n < :last
  AND (reference IS NOT NULL OR {event} IN ('step_completed', 'answer_given'))
"""

COMPLETED_STEPS: Final = DialectQuery(
    sqlite=_COMPLETED.format(event="json_extract(text, '$.event.event')"),
    postgresql=_COMPLETED.format(event="(CAST(text AS json) -> 'event' ->> 'event')"),
)
"""The number of completed steps between a run's first entry and its last one.

An entry that is stored by reference there is a large result.
"""

WANTED: Final = "SELECT text FROM signals WHERE run_id IN (SELECT value FROM json_each(:runs)) ORDER BY at, id"

OF_OWNER: Final = f"""{_SUMMARY}
WHERE r.owner_id = :user AND (:called = 1 OR r.parent_id IS NULL) AND r.accepted_at >= :since
  AND r.accepted_at <= :until AND (r.accepted_at < :until OR r.id > :after_id)
  AND (CAST(:phase AS text) IS NULL OR r.phase = :phase)
  AND (CAST(:process AS text) IS NULL OR r.process_name = :process OR r.process_id = :process)
  AND substr(r.id, 1, length(CAST(:prefix AS text))) = :prefix
  AND (CAST(:before AS text) IS NULL OR r.accepted_at < :before)
  AND (CAST(:code AS text) IS NULL OR r.failure LIKE :code ESCAPE '\\')
  AND (CAST(:tag AS text) IS NULL OR r.tags LIKE :tag ESCAPE '\\')
  AND (CAST(:text AS text) IS NULL OR lower(r.inputs) LIKE :text ESCAPE '\\'
       OR lower(coalesce(r.failure, '')) LIKE :text ESCAPE '\\' OR lower(r.tags) LIKE :text ESCAPE '\\')
  AND (:unretried = 0 OR (SELECT again.id FROM runs again WHERE again.retry_of = r.id LIMIT 1) IS NULL)
ORDER BY r.accepted_at DESC, r.id LIMIT :limit
"""  # noqa: S608  # constants alone
"""Runs after the one that was accepted at `until` and has the id `after_id`; NULL does not filter.

Large inputs are stored elsewhere, and are not searched. PostgreSQL would answer NOT EXISTS with a table of all retries.
"""

RETRY_OF: Final = """
SELECT id, phase FROM runs WHERE retry_of = :run AND id <> :by AND parent_id IS NULL
ORDER BY accepted_at DESC, id LIMIT 1
"""
"""The run that continues another one, besides that which is about to."""

CALLED_BY_RUN: Final = f"{_SUMMARY} WHERE r.root_id = :root ORDER BY r.accepted_at, r.id"

OPEN: Final = f"{_SUMMARY} WHERE r.ended_at IS NULL ORDER BY r.accepted_at, r.id LIMIT :limit"

OPEN_BY_PHASE: Final = """
SELECT phase, count(*) AS number, min(accepted_at) AS oldest FROM runs WHERE ended_at IS NULL GROUP BY phase
"""

OLDEST_LEFT: Final = """
SELECT min(accepted_at) AS oldest FROM runs
WHERE ended_at IS NULL AND executor NOT IN (SELECT value FROM json_each(:executors))
"""

OPEN_IDS: Final = "SELECT id FROM runs WHERE ended_at IS NULL"

OPEN_COUNT: Final = "SELECT count(*) AS number FROM runs WHERE ended_at IS NULL"

_BY_PRIORITY: Final = "CASE r.priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END"

LEFT: Final = f"""{_SUMMARY}
WHERE r.ended_at IS NULL AND r.executor NOT IN (SELECT value FROM json_each(:executors)) AND r.language <= :language
ORDER BY {_BY_PRIORITY}, r.accepted_at, r.id LIMIT :limit
"""  # noqa: S608  # constants alone

KEPT: Final = f"""{_SUMMARY}
WHERE r.executor = :executor AND r.ended_at IS NULL AND r.parent_id IS NULL
  AND (CAST(:root AS text) IS NULL OR r.id = :root)
ORDER BY r.accepted_at, r.id
"""

LEFT_OF_ROOT: Final = f"""{_SUMMARY}
WHERE r.root_id = :root AND r.ended_at IS NULL AND r.executor NOT IN (SELECT value FROM json_each(:executors))
  AND r.language <= :language
ORDER BY {_BY_PRIORITY}, r.accepted_at, r.id
"""  # noqa: S608  # constants alone

HELD: Final = "SELECT id, process_name AS name FROM runs WHERE executor = :executor AND ended_at IS NULL"

OPEN_OF_OWNER: Final = """
SELECT id FROM runs WHERE owner_id = :user AND ended_at IS NULL ORDER BY accepted_at, id LIMIT :limit
"""

# Dead jobs

_DEAD: Final = """
SELECT id, run_id, root_id, owner_id, step, tool, at, code, message, attempts, retried_by FROM dead_jobs
"""

DEAD_OF_OWNER: Final = f"""{_DEAD}
WHERE owner_id = :user AND at <= :until AND (at < :until OR id > :after_id) ORDER BY at DESC, id LIMIT :limit
"""
"""Dead jobs after the one that failed at `until` and has the id `after_id`."""

DEAD: Final = f"{_DEAD} WHERE id = :job AND owner_id = :user"

NOTE_RETRIED: Final = "UPDATE dead_jobs SET retried_by = :by WHERE root_id = :root"

# Targets of runs

CALLED_TOOLS: Final = """
SELECT id, name, operation, effect, owner_id, connection_params, runs_on FROM tools
WHERE id IN (SELECT value FROM json_each(:tools))
"""

CALLED_PROCESSES: Final = """
SELECT p.id, p.name, p.digest, p.owner_id, d.text FROM processes p JOIN definitions d ON d.digest = p.digest
WHERE p.id IN (SELECT value FROM json_each(:processes))
"""

SERVICES_OF_TOOLS: Final = "SELECT id, service_id FROM tools WHERE id IN (SELECT value FROM json_each(:tools))"

HEALTH_OF_TOOLS: Final = """
SELECT id, health_since AS since, error_message AS error FROM tools WHERE id IN (SELECT value FROM json_each(:tools))
"""

# Metrics and spans of ended runs

UNMEASURED: Final = "SELECT id FROM runs WHERE is_unmeasured = 1 ORDER BY id LIMIT :limit"

MEASURE: Final = """
UPDATE runs
SET is_unmeasured = 0,
    is_unsent = CASE WHEN EXISTS (SELECT 1 FROM span_progress WHERE run_id = :run) THEN 1 ELSE :is_unsent END
WHERE id = :run AND is_unmeasured = 1
"""
"""A run of which spans were exported while it was open is marked in any case."""

UNSENT: Final = "SELECT id FROM runs WHERE is_unsent = 1 ORDER BY ended_micros, id LIMIT :limit"

SENT_ENTRIES: Final = "SELECT entries FROM span_progress WHERE run_id = :run"
"""Attempts that ended within this number of entries of a run were exported while it was open."""

OPEN_UNSENT: Final = """
SELECT r.id, coalesce(s.entries, 0) AS sent FROM runs r LEFT JOIN span_progress s ON s.run_id = r.id
WHERE r.executor = :executor AND r.ended_at IS NULL AND r.events > coalesce(s.entries, 0) AND r.id > :after
ORDER BY r.id LIMIT :limit
"""
"""The open runs of an executor that have entries from which no spans were exported yet."""

NOTE_SENT_ENTRIES: Final = """
INSERT INTO span_progress (run_id, entries) SELECT id, :entries FROM runs WHERE id = :run
ON CONFLICT (run_id) DO UPDATE SET entries = excluded.entries WHERE excluded.entries > span_progress.entries
"""

FORGET_SENT_ENTRIES: Final = "DELETE FROM span_progress WHERE run_id IN (SELECT value FROM json_each(:runs))"

SENT: Final = "UPDATE runs SET is_unsent = 0 WHERE id IN (SELECT value FROM json_each(:runs))"

GIVE_UP_UNSENT: Final = """
UPDATE runs SET is_unsent = 0
WHERE is_unsent = 1
  AND id NOT IN (SELECT id FROM runs WHERE is_unsent = 1 ORDER BY ended_micros DESC, id DESC LIMIT :limit)
"""
"""Drops all but the latest `limit` runs from the export."""

# Retention

ENDED_BEFORE: Final = """
SELECT r.id FROM runs r LEFT JOIN runs root ON root.id = r.root_id
LEFT JOIN processes p ON p.id = root.process_id AND p.owner_id = root.owner_id
WHERE r.ended_micros < :before AND (root.id IS NULL OR (root.ended_micros < :before AND p.retention_days IS NULL))
LIMIT :limit
"""
"""Without the families of a Process that says itself how long its owner's runs of it are kept."""

RETENTIONS: Final = "SELECT id, owner_id, retention_days FROM processes WHERE retention_days IS NOT NULL ORDER BY id"

ENDED_OF_PROCESS: Final = """
SELECT r.id FROM runs root CROSS JOIN runs AS r
WHERE root.process_id = :process AND root.owner_id = :owner AND root.parent_id IS NULL AND root.ended_micros < :before
  AND r.root_id = root.id AND r.ended_micros < :before
ORDER BY r.parent_id IS NULL, r.id LIMIT :limit
"""
"""The ended runs of families, each root after what it called."""

OLDEST_OPEN: Final = "SELECT accepted_at AS at FROM runs WHERE ended_at IS NULL ORDER BY accepted_at LIMIT 1"

REFERRED: Final = """
SELECT reference AS digest FROM run_entries WHERE reference IN (SELECT value FROM json_each(:digests))
UNION SELECT reference FROM signals WHERE reference IN (SELECT value FROM json_each(:digests))
UNION SELECT plan_reference FROM runs WHERE plan_reference IN (SELECT value FROM json_each(:digests))
UNION SELECT inputs_reference FROM runs WHERE inputs_reference IN (SELECT value FROM json_each(:digests))
UNION SELECT reference FROM cached_results WHERE reference IN (SELECT value FROM json_each(:digests))
"""
"""Returns which of these large results are still referred to."""

PURGE_ENTRIES: Final = """
DELETE FROM run_entries
WHERE run_id = :run AND n IN (SELECT n FROM run_entries WHERE run_id = :run ORDER BY n LIMIT :limit)
"""

PURGE_SIGNALS: Final = "DELETE FROM signals WHERE run_id = :run"

PURGE_DEAD_JOBS: Final = "DELETE FROM dead_jobs WHERE run_id = :run"

PURGE_RUN: Final = "DELETE FROM runs WHERE id = :run"

PURGE_CACHED: Final = """
DELETE FROM cached_results
WHERE key IN (SELECT key FROM cached_results WHERE used_micros < :before ORDER BY used_micros LIMIT :limit)
"""
"""Deletes results of pure tools that were not used since then."""

# Erasing (platform 28)

FAMILY: Final = """
WITH RECURSIVE family (id) AS (
    SELECT id FROM runs WHERE id = :run
    UNION
    SELECT r.id FROM family CROSS JOIN runs AS r WHERE r.root_id = family.id OR r.retry_of = family.id
)
SELECT r.id, r.accepted_at, r.ended_at, r.plan FROM family CROSS JOIN runs AS r WHERE r.id = family.id ORDER BY r.id
"""
"""A run, all that it called, and all that retried it."""

OWN_REFERENCES: Final = """
WITH own (digest) AS (
    SELECT reference FROM run_entries WHERE run_id IN (SELECT value FROM json_each(:runs))
    UNION SELECT reference FROM signals WHERE run_id IN (SELECT value FROM json_each(:runs))
    UNION SELECT plan_reference FROM runs WHERE id IN (SELECT value FROM json_each(:runs))
    UNION SELECT inputs_reference FROM runs WHERE id IN (SELECT value FROM json_each(:runs))
    UNION SELECT reference FROM cached_results WHERE tool_id IN (SELECT value FROM json_each(:tools))
)
SELECT digest FROM own WHERE digest IS NOT NULL
EXCEPT SELECT reference FROM run_entries
    WHERE reference IN (SELECT digest FROM own) AND run_id NOT IN (SELECT value FROM json_each(:runs))
EXCEPT SELECT reference FROM signals
    WHERE reference IN (SELECT digest FROM own) AND run_id NOT IN (SELECT value FROM json_each(:runs))
EXCEPT SELECT plan_reference FROM runs
    WHERE plan_reference IN (SELECT digest FROM own) AND id NOT IN (SELECT value FROM json_each(:runs))
EXCEPT SELECT inputs_reference FROM runs
    WHERE inputs_reference IN (SELECT digest FROM own) AND id NOT IN (SELECT value FROM json_each(:runs))
EXCEPT SELECT reference FROM cached_results
    WHERE reference IN (SELECT digest FROM own) AND tool_id NOT IN (SELECT value FROM json_each(:tools))
"""
"""The large results that nothing but these runs, and the cached results of these tools, refers to."""

ERASE_CACHED: Final = "DELETE FROM cached_results WHERE tool_id IN (SELECT value FROM json_each(:tools))"

ERASE_REQUESTS: Final = DialectQuery(
    sqlite="DELETE FROM requests WHERE at >= :accepted_at AND instr(answer, :run) > 0",
    postgresql="DELETE FROM requests WHERE at >= :accepted_at AND strpos(answer, :run) > 0",
)
"""Deletes the stored answers to the request that started a run, and to its repetitions: they have its inputs."""

ERASE_ENTRIES: Final = "DELETE FROM run_entries WHERE run_id = :run"

RESULT: Final = "SELECT text FROM large_results WHERE digest = :digest"

KEEP_RESULT: Final = "UPDATE large_results SET put_at = :at WHERE digest = :digest"

PUT_RESULT: Final = """
INSERT INTO large_results (digest, text, put_at) VALUES (:digest, :text, :at)
ON CONFLICT (digest) DO UPDATE SET put_at = excluded.put_at
"""

UNUSED_RESULTS: Final = """
SELECT digest FROM large_results WHERE put_at < :before AND digest > :after ORDER BY digest LIMIT :limit
"""

REMOVE_RESULT: Final = "DELETE FROM large_results WHERE digest = :digest AND put_at < :before"
