"""All SQL queries of alerts.

`due_micros` is when an enabled alert is evaluated next, in microseconds since 1970. While `is_starting` is 1, a run is
to be started, and nothing is evaluated.
"""

from typing import Final

from aeon.platform.catalog.queries import page_of_own

_ALERT: Final = """
SELECT id, owner_id, name, process_id AS process, inputs, metric, scope, aggregation, entity, window_seconds,
       comparison, threshold, hold_seconds, interval_seconds, repeat_hours, enabled, trusted_digest, state,
       state_since, last_value, evaluated_at, starts, is_starting, started_at, run, problem, shared, version,
       created_at, updated_at
FROM alerts
"""

ALERT: Final = f"{_ALERT} WHERE id = :id AND owner_id = :user"

ALERT_NAMED: Final = "SELECT id FROM alerts WHERE owner_id = :user AND name = :name"

OWN_ALERTS: Final = f"{_ALERT} WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"

VISIBLE_ALERTS: Final = page_of_own(_ALERT)

NUMBER_OF_ALERTS: Final = "SELECT count(*) AS number FROM alerts WHERE owner_id = :user"

USERS_OF_ALERT: Final = """
SELECT '' AS kind, id, name, owner_id, 0 AS visible FROM alerts WHERE id = :id AND 1 = 0
"""
"""Nothing depends on an alert."""

CREATE_ALERT: Final = """
INSERT INTO alerts (id, owner_id, name, process_id, inputs, metric, scope, aggregation, entity, window_seconds,
                    comparison, threshold, hold_seconds, interval_seconds, repeat_hours, enabled, trusted_digest,
                    state, state_since, last_value, evaluated_at, starts, is_starting, started_at, run, problem,
                    due_micros, shared, version, created_at, updated_at)
SELECT :id, :owner_id, :name, p.id, :inputs, :metric, :scope, :aggregation, :entity, :window_seconds,
       :comparison, :threshold, :hold_seconds, :interval_seconds, :repeat_hours, :enabled, :trusted_digest,
       :state, :state_since, :last_value, :evaluated_at, :starts, :is_starting, :started_at, :run, :problem,
       :due_micros, :shared, :version, :created_at, :updated_at
FROM processes p
WHERE p.id = :process AND (p.owner_id = :owner_id OR p.shared = 1) AND p.version = :process_version
"""

CHANGE_ALERT: Final = """
UPDATE alerts
SET name = :name, inputs = :inputs, window_seconds = :window_seconds, comparison = :comparison,
    threshold = :threshold, hold_seconds = :hold_seconds, interval_seconds = :interval_seconds,
    repeat_hours = :repeat_hours, enabled = :enabled, trusted_digest = :trusted_digest, state = :state,
    state_since = :state_since, started_at = :started_at, is_starting = :is_starting, problem = :problem,
    due_micros = :due_micros, version = :version, updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before AND starts = :starts
"""
"""Refused if a crossing happened since the alert was read."""

DELETE_ALERT: Final = "DELETE FROM alerts WHERE id = :id AND owner_id = :user"

_OF_ADMITTED: Final = """
NOT EXISTS (SELECT 1 FROM accounts AS a WHERE a.user_id = alerts.owner_id AND a.enabled = 0)
"""
"""Of a user whom the server lets in."""

DUE: Final = f"""{_ALERT}
WHERE due_micros <= :now AND is_starting = 0 AND {_OF_ADMITTED} ORDER BY due_micros, id LIMIT :limit
"""  # constants alone

AHEAD: Final = f"{_ALERT} WHERE due_micros > :ahead AND is_starting = 0 ORDER BY due_micros LIMIT :limit"
"""Alerts whose next evaluation is later than any interval allows: the clock was set back."""

STARTING: Final = f"{_ALERT} WHERE is_starting = 1 AND {_OF_ADMITTED} ORDER BY id LIMIT :limit"

EVALUATED: Final = """
UPDATE alerts
SET state = :state, state_since = :state_since, last_value = :last_value, evaluated_at = :at, problem = :problem,
    starts = :starts, is_starting = :is_starting, started_at = :started_at, due_micros = :due
WHERE id = :id AND version = :version AND is_starting = 0 AND coalesce(evaluated_at, '') = :evaluated_before
"""
"""Compare and set: only one of several concurrent callers changes the row."""

STARTED: Final = """
UPDATE alerts SET is_starting = 0, started_at = :at, run = coalesce(:run, run), problem = :problem
WHERE id = :id AND starts = :starts AND is_starting = 1
"""

OPEN_RUNS: Final = """
SELECT count(*) AS number, min(accepted_at) AS oldest FROM runs
WHERE owner_id = :user AND ended_at IS NULL AND parent_id IS NULL
  AND (CAST(:process AS text) IS NULL OR process_id = :process)
"""
"""The open runs of a user that no other run called, of one Process or of all."""
