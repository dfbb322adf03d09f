"""All SQL queries of schedules.

`due_micros` is the next instant of an enabled schedule, in microseconds since 1970. `since` is an ISO 8601 instant in
UTC, so that instants sort as texts.
"""

from typing import Final

from aeon.platform.catalog.queries import page_of_own

_SCHEDULE: Final = """
SELECT id, owner_id, name, process_id AS process, inputs, cron, at, time_zone, enabled, catch_up, priority, since,
       started_at, run, problem, shared, version, created_at, updated_at
FROM schedules
"""

SCHEDULE: Final = f"{_SCHEDULE} WHERE id = :id AND owner_id = :user"

SCHEDULE_NAMED: Final = "SELECT id FROM schedules WHERE owner_id = :user AND name = :name"

OWN_SCHEDULES: Final = f"{_SCHEDULE} WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"

VISIBLE_SCHEDULES: Final = page_of_own(_SCHEDULE)

CREATE_SCHEDULE: Final = """
INSERT INTO schedules (id, owner_id, name, process_id, inputs, cron, at, time_zone, enabled, catch_up, priority, since,
                       due_micros, shared, version, created_at, updated_at)
SELECT :id, :owner_id, :name, p.id, :inputs, :cron, :at, :time_zone, :enabled, :catch_up, :priority, :since,
       :due_micros, :shared, :version, :created_at, :updated_at
FROM processes p
WHERE p.id = :process AND (p.owner_id = :owner_id OR p.shared = 1) AND p.version = :process_version
"""

CHANGE_SCHEDULE: Final = """
UPDATE schedules
SET name = :name, inputs = :inputs, cron = :cron, at = :at, time_zone = :time_zone, enabled = :enabled,
    catch_up = :catch_up, priority = :priority, version = :version, updated_at = :updated_at,
    since = coalesce(:since, since),
    due_micros = CASE WHEN CAST(:since AS text) IS NULL THEN due_micros ELSE :due_micros END
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""
"""Keeps the timing of the schedule if `since` is NULL."""

DELETE_SCHEDULE: Final = "DELETE FROM schedules WHERE id = :id AND owner_id = :user"

USERS_OF_SCHEDULE: Final = """
SELECT '' AS kind, id, name, owner_id, 0 AS visible FROM schedules WHERE id = :id AND 1 = 0
"""
"""Nothing depends on a schedule."""

DUE: Final = f"""{_SCHEDULE}
WHERE due_micros <= :now AND (SELECT p.paused FROM processes p WHERE p.id = process_id) = 0
ORDER BY due_micros, id LIMIT :limit
"""  # noqa: S608  # constants alone
"""While a Process is paused, its schedules start nothing; then those instants are late."""

SETTLE: Final = """
UPDATE schedules SET since = :until, due_micros = :due WHERE id = :id AND version = :version AND since < :until
"""
"""Compare and set: only one of several concurrent callers changes the row."""

MARK_FIRED: Final = """
UPDATE schedules
SET since = :until, due_micros = :due, problem = :problem,
    started_at = CASE WHEN CAST(:problem AS text) IS NULL THEN :until ELSE started_at END,
    run = CASE WHEN CAST(:problem AS text) IS NULL THEN :run ELSE run END
WHERE id = :id AND version = :version AND since < :until
"""
"""Compare and set, as SETTLE does; keeps the last start if this one was refused."""

AHEAD: Final = f"{_SCHEDULE} WHERE enabled = 1 AND since > :ahead ORDER BY since LIMIT :limit"

SET_BACK: Final = """
UPDATE schedules SET since = :now, due_micros = :due WHERE id = :id AND version = :version AND since = :since
"""
