"""A standard row of every table of the record, and queries that write rows directly."""

from typing import Final

from aeon.base.json import Json, JsonObject
from aeon.platform.store import Store

AT: Final = "2026-01-01T00:00:00.000000Z"

TIMES: Final[JsonObject] = {"created_at": AT, "updated_at": AT}

ROWS: Final[dict[str, JsonObject]] = {
    "users": {"id": "ann", "audit_seq": 0, "audit_hash": "", "created_at": AT},
    "audit_entries": {
        "user_id": "ann",
        "seq": 1,
        "at": AT,
        "action": "create",
        "subject": "service",
        "actor_id": "ann",
        "owner_id": "ann",
        "details": "{}",
        "previous": "",
        "hash": "hash",
    },
    "requests": {"id": "request", "at": AT, "body": "{}", "answer": "{}"},
    "events": {"micros": 0, "label": "User", "subject": "ann"},
    "services": {
        "id": "service",
        "owner_id": "ann",
        "name": "service",
        "type": "rest_api",
        "protocol": "https",
        "connection_schema": "{}",
        "schema_version": 1,
        "requires_secret": 1,
        "limits": "{}",
        "enabled": 1,
        "status": "healthy",
        "last_health_check": None,
        "error_message": None,
        "shared": 0,
        "service_template_id": None,
        "version": 1,
        **TIMES,
    },
    "secrets": {
        "id": "secret",
        "owner_id": "ann",
        "name": "secret",
        "type": "api_key",
        "shared": 0,
        "vault_version": 1,
        "version": 1,
        **TIMES,
    },
    "tools": {
        "id": "tool",
        "owner_id": "ann",
        "name": "tool",
        "description": "",
        "service_id": "service",
        "connection_params": "{}",
        "secret_id": "secret",
        "secret_scope": "user",
        "operation": "{}",
        "input_schema": "{}",
        "output_schema": "{}",
        "effect": "read",
        "enabled": 1,
        "status": "healthy",
        "last_health_check": None,
        "error_message": None,
        "health_failures": 0,
        "health_since": None,
        "shared": 0,
        "tool_template_id": None,
        "version": 1,
        **TIMES,
    },
    "bindings": {"id": "binding", "user_id": "ann", "tool_id": "tool", "secret_id": "secret", "digest": "digest"},
    "trusts": {"id": "trust", "user_id": "ann", "tool_id": "tool", "digest": "digest"},
    "service_templates": {
        "id": "template",
        "owner_id": "ann",
        "name": "template",
        "description": None,
        "type": "rest_api",
        "protocol": "https",
        "connection_schema": "{}",
        "requires_secret": 0,
        "limits": "{}",
        "shared": 0,
        "archived": 0,
        "version": 1,
        **TIMES,
    },
    "tool_templates": {
        "id": "template",
        "owner_id": "ann",
        "name": "template",
        "description": None,
        "operation": "{}",
        "input_schema": "{}",
        "output_schema": "{}",
        "shared": 0,
        "archived": 0,
        "version": 1,
        **TIMES,
    },
    "token_uses": {
        "id": "use",
        "user_id": "ann",
        "tool_id": "tool",
        "at": AT,
        "prompt_tokens": 1,
        "completion_tokens": 1,
        "model": None,
    },
    "definitions": {"digest": "digest", "text": "{}", "created_at": AT},
    "processes": {
        "id": "process",
        "owner_id": "ann",
        "name": "process",
        "description": "",
        "initial_context": "{}",
        "output_template": "{}",
        "token_budget": None,
        "max_recursion_depth": 1,
        "enabled": 1,
        "digest": "digest",
        "shared": 0,
        "version": 1,
        **TIMES,
    },
    "process_versions": {"process_id": "process", "version": 1, "digest": "digest", "at": AT},
    "process_steps": {
        "process_id": "process",
        "position": 1,
        "id": "step",
        "tool_id": "tool",
        "called_process_id": None,
        "inputs": "{}",
        "output_variable": "out",
        "output_token_budget": None,
        "output_required": 1,
        "mode": "sequential",
        "condition": None,
        "timeout": 60,
        "interaction_mode": "auto",
    },
    "step_dependencies": {"process_id": "process", "step": 1, "needs": 0, "rank": 0},
    "schedules": {
        "id": "schedule",
        "owner_id": "ann",
        "name": "schedule",
        "process_id": "process",
        "inputs": "{}",
        "cron": "* * * * *",
        "at": None,
        "time_zone": "UTC",
        "enabled": 1,
        "catch_up": "skip",
        "since": AT,
        "due_micros": None,
        "shared": 0,
        "version": 1,
        **TIMES,
    },
    "runs": {
        "id": "run",
        "owner_id": "ann",
        "process_id": "process",
        "process_name": "process",
        "digest": "digest",
        "plan": "{}",
        "inputs": "{}",
        "trigger": "user",
        "pins": "{}",
        "parent_id": None,
        "root_id": "run",
        "retry_of": None,
        "accepted_at": AT,
        "deadline": None,
        "executor": "executor",
        "phase": "completed",
        "events": 1,
        "ended_at": AT,
        "ended_micros": 0,
        "tokens": 0,
        "failure": None,
        "is_unmeasured": 0,
        "is_unsent": 0,
        "plan_reference": None,
        "inputs_reference": None,
    },
    "run_entries": {"run_id": "run", "n": 1, "text": "{}", "reference": None},
    "signals": {"id": "signal", "run_id": "run", "at": AT, "text": "{}", "reference": None},
    "dead_jobs": {
        "id": "job",
        "run_id": "run",
        "root_id": "run",
        "owner_id": "ann",
        "step": "step",
        "tool": "tool",
        "at": AT,
        "code": "timeout",
        "message": "",
        "attempts": 1,
        "retried_by": None,
    },
    "executors": {
        "id": "executor",
        "host": "host",
        "pid": 1,
        "birth": "",
        "started_at": AT,
        "last_heartbeat": AT,
        "types": "[]",
    },
    "workers": {
        "id": "worker",
        "executor_id": "executor",
        "type": "rest_api",
        "status": "busy",
        "current_job_id": "job",
        "current_process_id": "process",
        "current_step_id": "step",
        "current_tool_id": "tool",
        "last_heartbeat": AT,
        "processed_count": 0,
        "error_count": 0,
        **TIMES,
    },
    "service_places": {"service_id": "service", "turn": 0, "standing": "{}"},
    "cached_results": {"key": "key", "tool_id": "tool", "text": "{}", "reference": None, "used_micros": 0},
    "metric_definitions": {
        "id": "metric",
        "name": "metric",
        "exposed_as": "metric",
        "description": "",
        "scope": "tool",
        "aggregation": "sum",
        "data_type": "float",
        "retention_days": None,
        "version": 1,
        "created_at": AT,
        "updated_at": AT,
    },
    "metric_values": {
        "id": "value",
        "metric_id": "metric",
        "entity_id": "tool",
        "at": AT,
        "micros": 0,
        "number": 1.5,
        "instant": None,
        "dimensions": "{}",
        "user_id": None,
    },
}
"""The standard rows, in the order in which they can be inserted, with `FIRST` before them. The run has ended."""

FIRST: Final[list[tuple[str, JsonObject]]] = [
    ("users", {"id": "bob"}),
    ("process_steps", {"position": 0, "id": "first"}),
]
"""Additional rows that others refer to: a second user, and a step before the step."""


def row_of(table: str, **changes: Json) -> JsonObject:
    """The table's standard row with some columns changed."""
    return {**ROWS[table], **changes}


def insertion(table: str, row: JsonObject) -> str:
    """A query that inserts a row with these columns."""
    names = ", ".join(row)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in row)})"  # noqa: S608  # of our own tables


def insert(store: Store, table: str, **changes: Json) -> None:
    """Inserts the table's standard row with some columns changed."""
    row = row_of(table, **changes)
    store.update(lambda unit: unit.write(insertion(table, row), row))


def fill(store: Store) -> None:
    """Inserts a row into every table."""
    for table in ROWS:
        for first, changes in FIRST:
            if first == table:
                insert(store, table, **changes)
        insert(store, table)
