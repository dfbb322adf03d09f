"""Rows that the record's tables refuse, whoever writes them."""

from typing import Final, NamedTuple

from aeon.base.json import JsonObject


class Refused(NamedTuple):
    """A row that a table refuses: its usual row with these columns changed."""

    table: str
    changes: JsonObject

    def __str__(self) -> str:
        return f"{self.table}({', '.join(f'{name}={value!r}' for name, value in self.changes.items())})"


_LONG = "x" * 201
_NAMES: Final[list[JsonObject]] = [{"name": ""}, {"name": _LONG}]
_BOOLEANS_OF_A_SERVICE: Final[list[JsonObject]] = [
    {"requires_secret": 2},
    {"enabled": 2, "status": "down"},
    {"shared": 2},
]
_TYPES_OF_A_SERVICE: Final[list[JsonObject]] = [
    {"type": "other"},
    {"type": "rest_api", "protocol": "bolt"},
    {"type": "llm_provider", "protocol": "stdio"},
    {"type": "neo4j_graph", "protocol": "https"},
    {"type": "mcp_server", "protocol": "bolt"},
]
_HEALTH: Final[list[JsonObject]] = [{"status": "other"}, {"enabled": 0, "status": "healthy"}]

_BROKEN: Final[dict[str, list[JsonObject]]] = {
    "users": [{"id": ""}, {"id": _LONG}, {"audit_seq": -1}],
    "audit_entries": [{"seq": 0}],
    "services": [
        *_NAMES,
        *_TYPES_OF_A_SERVICE,
        *_BOOLEANS_OF_A_SERVICE,
        *_HEALTH,
        {"schema_version": 0},
        {"version": 0},
    ],
    "secrets": [*_NAMES, {"type": "other"}, {"shared": -1}, {"version": 0}],
    "tools": [
        *_NAMES,
        *_HEALTH,
        {"effect": "other"},
        {"enabled": 2, "status": "down"},
        {"health_failures": -1},
        {"shared": 2},
        {"version": 0},
    ],
    "service_templates": [
        *_NAMES,
        *_TYPES_OF_A_SERVICE,
        {"requires_secret": 2},
        {"shared": 2},
        {"archived": 2},
        {"version": 0},
    ],
    "tool_templates": [*_NAMES, {"shared": 2}, {"archived": 2}, {"version": 0}],
    "token_uses": [{"prompt_tokens": -1}, {"completion_tokens": -1}],
    "processes": [
        *_NAMES,
        {"token_budget": 0},
        {"max_recursion_depth": 0},
        {"max_recursion_depth": 11},
        {"enabled": 2},
        {"shared": 2},
        {"version": 0},
    ],
    "process_steps": [
        {"position": -1},
        {"output_token_budget": 0},
        {"output_required": 2},
        {"mode": "other"},
        {"timeout": 0},
        {"timeout": 301},
        {"interaction_mode": "other"},
        {"tool_id": None},
        {"called_process_id": "process"},
    ],
    "step_dependencies": [{"step": 0, "needs": 0}, {"step": 0, "needs": 1}],
    "schedules": [
        *_NAMES,
        {"enabled": 2},
        {"catch_up": "other"},
        {"shared": 2},
        {"version": 0},
        {"cron": None},
        {"at": "2026-01-01"},
    ],
    "runs": [
        {"trigger": "other"},
        {"events": -1},
        {"tokens": -1},
        {"is_unmeasured": 2},
        {"is_unsent": 2},
        {"ended_at": None},
        {"ended_micros": None},
    ],
    "run_entries": [{"n": 0}],
    "dead_jobs": [{"attempts": -1}],
    "workers": [{"status": "other"}, {"status": "idle"}, {"processed_count": -1}, {"error_count": -1}],
    "metric_definitions": [
        {"name": ""},
        {"name": "x" * 101},
        {"scope": "other"},
        {"aggregation": "other"},
        {"data_type": "other"},
        {"retention_days": 0},
        {"version": 0},
    ],
    "metric_values": [{"instant": "2026-01-01"}, {"number": None}],
}

CHECKS: Final = [Refused(table, changes) for table, several in _BROKEN.items() for changes in several]
"""Rows that break a check."""

DANGLING: Final = [
    Refused("audit_entries", {"user_id": "nobody"}),
    Refused("services", {"owner_id": "nobody"}),
    Refused("secrets", {"owner_id": "nobody"}),
    Refused("tools", {"owner_id": "nobody", "secret_id": None}),
    Refused("tools", {"service_id": "nothing"}),
    Refused("tools", {"secret_id": "nothing"}),
    Refused("tools", {"owner_id": "bob"}),  # with a secret of ann's
    Refused("bindings", {"user_id": "nobody"}),
    Refused("bindings", {"tool_id": "nothing"}),
    Refused("bindings", {"user_id": "bob"}),  # with a secret of ann's
    Refused("bindings", {"user_id": "bob", "secret_id": "nothing"}),
    Refused("trusts", {"user_id": "nobody"}),
    Refused("trusts", {"tool_id": "nothing"}),
    Refused("service_templates", {"owner_id": "nobody"}),
    Refused("tool_templates", {"owner_id": "nobody"}),
    Refused("token_uses", {"user_id": "nobody"}),
    Refused("processes", {"owner_id": "nobody"}),
    Refused("processes", {"digest": "nothing"}),
    Refused("process_versions", {"process_id": "nothing"}),
    Refused("process_versions", {"digest": "nothing", "version": 2}),
    Refused("process_steps", {"process_id": "nothing"}),
    Refused("process_steps", {"tool_id": "nothing", "position": 2}),
    Refused("process_steps", {"tool_id": None, "called_process_id": "nothing", "position": 2}),
    Refused("step_dependencies", {"process_id": "nothing"}),
    Refused("step_dependencies", {"step": 9}),
    Refused("step_dependencies", {"needs": -9}),
    Refused("schedules", {"owner_id": "nobody"}),
    Refused("schedules", {"process_id": "nothing"}),
    Refused("runs", {"owner_id": "nobody"}),
    Refused("runs", {"digest": "nothing"}),
    Refused("run_entries", {"run_id": "nothing"}),
    Refused("signals", {"run_id": "nothing"}),
    Refused("dead_jobs", {"run_id": "nothing"}),
    Refused("dead_jobs", {"owner_id": "nobody"}),
    Refused("workers", {"executor_id": "nothing"}),
    Refused("service_places", {"service_id": "nothing"}),
    Refused("metric_values", {"metric_id": "nothing"}),
]
"""Rows that refer to what is not there, or to what the same owner has not."""

TAKEN: Final = [
    Refused("users", {}),
    Refused("audit_entries", {"hash": "other"}),
    Refused("requests", {"body": "other"}),
    Refused("services", {"name": "other"}),
    Refused("services", {"id": "other"}),
    Refused("secrets", {"name": "other"}),
    Refused("secrets", {"id": "other"}),
    Refused("tools", {"name": "other"}),
    Refused("tools", {"id": "other"}),
    Refused("bindings", {"user_id": "bob"}),
    Refused("bindings", {"id": "other"}),
    Refused("trusts", {"user_id": "bob"}),
    Refused("trusts", {"id": "other"}),
    Refused("service_templates", {"name": "other"}),
    Refused("service_templates", {"id": "other"}),
    Refused("tool_templates", {"name": "other"}),
    Refused("tool_templates", {"id": "other"}),
    Refused("token_uses", {}),
    Refused("definitions", {"text": "other"}),
    Refused("processes", {"name": "other"}),
    Refused("processes", {"id": "other"}),
    Refused("process_versions", {}),
    Refused("process_steps", {"id": "other"}),
    Refused("process_steps", {"position": 2}),
    Refused("step_dependencies", {"rank": 1}),
    Refused("schedules", {"name": "other"}),
    Refused("schedules", {"id": "other"}),
    Refused("runs", {}),
    Refused("run_entries", {"text": "other"}),
    Refused("signals", {}),
    Refused("dead_jobs", {}),
    Refused("executors", {}),
    Refused("workers", {}),
    Refused("service_places", {"turn": 1}),
    Refused("cached_results", {}),
    Refused("metric_definitions", {"name": "other", "exposed_as": "other"}),
    Refused("metric_definitions", {"id": "other", "name": "other"}),
    Refused("metric_definitions", {"id": "other", "exposed_as": "other"}),
    Refused("metric_values", {}),
]
"""Rows whose key, or name, another row has."""

IN_USE: Final = (
    "services",
    "secrets",
    "tools",
    "processes",
    "runs",
    "metric_definitions",
)
"""Tables whose row cannot be deleted while others refer to it."""

PARTS: Final[dict[str, list[str]]] = {
    "services": ["service_places"],
    "tools": ["bindings", "trusts"],
    "processes": ["process_versions", "process_steps", "step_dependencies"],
    "executors": ["workers"],
}
"""What is deleted with a row of a table."""

DELETED_BEFORE: Final[dict[str, list[str]]] = {
    "services": ["schedules", "processes", "tools"],
    "tools": ["schedules", "processes"],
    "processes": ["schedules"],
}
"""The tables that refer to it and keep it from being deleted, in an order in which they can be emptied."""

NEW: Final[JsonObject] = {"id": "new", "name": "new", "seq": 2, "version": 2, "n": 2, "position": 2}
"""The columns of keys and names, with values that no row has."""
