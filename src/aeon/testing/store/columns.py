"""Properties of the columns of the record's tables: immutable, nullable, numeric."""

from typing import Final

from aeon.testing.store.rows import ROWS

IMMUTABLE: Final[dict[str, tuple[str, ...]]] = {
    "users": ("id", "created_at"),
    "audit_entries": tuple(ROWS["audit_entries"]),
    "requests": tuple(ROWS["requests"]),
    "events": tuple(ROWS["events"]),
    "services": (
        "id",
        "owner_id",
        "type",
        "protocol",
        "requires_secret",
        "service_template_id",
        "created_at",
    ),
    "secrets": ("id", "owner_id", "type", "created_at"),
    "tools": ("id", "owner_id", "service_id", "tool_template_id", "created_at"),
    "bindings": ("id", "user_id", "tool_id"),
    "trusts": ("id", "user_id", "tool_id"),
    "service_templates": (
        "id",
        "owner_id",
        "type",
        "protocol",
        "connection_schema",
        "requires_secret",
        "limits",
        "created_at",
    ),
    "tool_templates": ("id", "owner_id", "operation", "input_schema", "output_schema", "created_at"),
    "definitions": tuple(ROWS["definitions"]),
    "processes": ("id", "owner_id", "created_at"),
    "process_versions": tuple(ROWS["process_versions"]),
    "process_steps": tuple(ROWS["process_steps"]),
    "step_dependencies": tuple(ROWS["step_dependencies"]),
    "schedules": ("id", "owner_id", "process_id", "created_at"),
    "runs": (
        "id",
        "owner_id",
        "process_id",
        "digest",
        "plan",
        "inputs",
        "trigger",
        "pins",
        "parent_id",
        "root_id",
        "retry_of",
        "accepted_at",
        "deadline",
        # immutable after the run has ended
        "phase",
        "events",
        "ended_at",
        "failure",
    ),
    "run_entries": tuple(ROWS["run_entries"]),
    "signals": tuple(ROWS["signals"]),
    "workers": ("id", "executor_id", "type"),
    "metric_definitions": ("id", "scope", "data_type", "created_at"),
    "metric_values": tuple(ROWS["metric_values"]),
}
"""The columns of a row that cannot be changed."""

NEVER_DELETED: Final = ("users", "audit_entries", "definitions")

NULLABLE: Final[dict[str, tuple[str, ...]]] = {
    "services": ("last_health_check", "error_message", "service_template_id"),
    "tools": (
        "secret_id",
        "secret_scope",
        "effect",
        "last_health_check",
        "error_message",
        "health_since",
        "tool_template_id",
    ),
    "service_templates": ("description",),
    "tool_templates": ("description",),
    "token_uses": ("model",),
    "processes": ("token_budget",),
    "process_steps": ("tool_id", "called_process_id", "output_token_budget", "condition"),
    "schedules": ("cron", "at", "due_micros"),
    "runs": (
        "parent_id",
        "retry_of",
        "deadline",
        "ended_at",
        "ended_micros",
        "failure",
        "plan_reference",
        "inputs_reference",
    ),
    "run_entries": ("reference",),
    "signals": ("reference",),
    "dead_jobs": ("retried_by",),
    "workers": ("current_job_id", "current_process_id", "current_step_id", "current_tool_id"),
    "cached_results": ("reference",),
    "metric_definitions": ("retention_days",),
    "metric_values": ("number", "instant", "user_id"),
}
"""The columns that may be NULL. All others must have a value."""

NUMBERS: Final = ("deadline", "output_token_budget")
"""The numeric columns that are NULL in the rows."""
