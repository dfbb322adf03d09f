"""All SQL queries of executors and workers."""

from typing import Final

REGISTER: Final = """
INSERT INTO executors (id, host, pid, birth, started_at, last_heartbeat, types, labels, aeon_version, operations,
                       language)
VALUES (:id, :host, :pid, :birth, :started_at, :last_heartbeat, :types, :labels, :aeon_version, :operations, :language)
ON CONFLICT (id) DO UPDATE
SET host = excluded.host, pid = excluded.pid, birth = excluded.birth, started_at = excluded.started_at,
    last_heartbeat = excluded.last_heartbeat, types = excluded.types, labels = excluded.labels,
    aeon_version = excluded.aeon_version, operations = excluded.operations, language = excluded.language
"""

REGISTER_WORKER: Final = """
INSERT INTO workers (id, executor_id, type, status, current_job_id, current_process_id, current_step_id,
                     current_tool_id, last_heartbeat, processed_count, error_count, created_at, updated_at)
VALUES (:id, :executor_id, :type, :status, :current_job_id, :current_process_id, :current_step_id,
        :current_tool_id, :last_heartbeat, :processed_count, :error_count, :created_at, :updated_at)
ON CONFLICT (id) DO UPDATE
SET status = excluded.status, current_job_id = excluded.current_job_id,
    current_process_id = excluded.current_process_id, current_step_id = excluded.current_step_id,
    current_tool_id = excluded.current_tool_id, last_heartbeat = excluded.last_heartbeat,
    processed_count = excluded.processed_count, error_count = excluded.error_count,
    created_at = excluded.created_at, updated_at = excluded.updated_at
"""

BEAT: Final = "UPDATE executors SET last_heartbeat = :at WHERE id = :id"

BEAT_WORKER: Final = """
UPDATE workers
SET status = :status, current_job_id = :current_job_id, current_process_id = :current_process_id,
    current_step_id = :current_step_id, current_tool_id = :current_tool_id, last_heartbeat = :last_heartbeat,
    processed_count = :processed_count, error_count = :error_count, updated_at = :updated_at
WHERE id = :id AND executor_id = :executor_id
"""

RETIRE: Final = "DELETE FROM executors WHERE id = :id"
"""Deletes its workers, too."""

RETIRE_SILENT: Final = "DELETE FROM executors WHERE id = :id AND last_heartbeat = :last_heartbeat"
"""Keeps a process that sent a heartbeat since."""

EXECUTORS: Final = """
SELECT id, host, pid, birth, started_at, last_heartbeat, types, draining_since, labels, aeon_version, operations,
       language
FROM executors ORDER BY started_at, id LIMIT :limit
"""

DRAIN: Final = "UPDATE executors SET draining_since = :at WHERE id = :id AND draining_since IS NULL"
"""The first request counts."""

IS_DRAINING: Final = "SELECT 1 FROM executors WHERE id = :id AND draining_since IS NOT NULL"

WORKERS: Final = """
SELECT id, executor_id, type, status, current_job_id, current_process_id, current_step_id, current_tool_id,
       last_heartbeat, processed_count, error_count, created_at, updated_at
FROM workers ORDER BY type, id LIMIT :limit
"""
