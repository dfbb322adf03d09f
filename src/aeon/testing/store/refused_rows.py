"""Rows that the record's tables refuse from any writer."""

from typing import Final

from aeon.base.json import JsonObject
from aeon.platform.store import DialectQuery, Query
from aeon.testing.store.refused_knowledge import BROKEN_KNOWLEDGE, DANGLING_KNOWLEDGE, DUPLICATE_KNOWLEDGE
from aeon.testing.store.refused_row import LONG_NAME, WRONG_NAMES, RefusedRow

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

_ANOTHER: Final[JsonObject] = {"sequence": 2, "is_active": 0}
"""Makes a row another alternative of its turn."""

_BROKEN: Final[dict[str, list[JsonObject]]] = {
    "users": [{"id": ""}, {"id": LONG_NAME}, {"audit_seq": -1}],
    "audit_entries": [{"seq": 0}],
    "services": [
        *WRONG_NAMES,
        *_TYPES_OF_A_SERVICE,
        *_BOOLEANS_OF_A_SERVICE,
        *_HEALTH,
        {"schema_version": 0},
        {"version": 0},
    ],
    "secrets": [*WRONG_NAMES, {"type": "other"}, {"shared": -1}, {"version": 0}],
    "tools": [
        *WRONG_NAMES,
        *_HEALTH,
        {"effect": "other"},
        {"enabled": 2, "status": "down"},
        {"health_failures": -1},
        {"shared": 2},
        {"version": 0},
    ],
    "service_templates": [
        *WRONG_NAMES,
        *_TYPES_OF_A_SERVICE,
        {"requires_secret": 2},
        {"shared": 2},
        {"archived": 2},
        {"version": 0},
    ],
    "tool_templates": [*WRONG_NAMES, {"shared": 2}, {"archived": 2}, {"version": 0}],
    "token_uses": [{"prompt_tokens": -1}, {"completion_tokens": -1}],
    "processes": [
        *WRONG_NAMES,
        {"token_budget": 0},
        {"max_recursion_depth": 0},
        {"max_recursion_depth": 11},
        {"enabled": 2},
        {"paused": 2},
        {"retention_days": 0},
        {"shared": 2},
        {"version": 0},
    ],
    "process_steps": [
        {"position": -1},
        {"output_token_budget": 0},
        {"output_required": 2},
        {"mode": "other"},
        {"timeout": 0},
        {"timeout": 2_592_001},
        {"interaction_mode": "other"},
        {"section": "other"},
        {"called_process_id": "process"},
    ],
    "step_dependencies": [{"step": 0, "needs": 0}, {"step": 0, "needs": 1}],
    "conversations": [
        {"title": ""},
        {"title": LONG_NAME},
        {"title_by": "other"},
        {"title_by": None},
        {"status": "deleted"},
        {"pinned": 2},
        {"default_process_since": "2026-01-01"},
        {"origin_turn_id": "turn"},
        {"origin_alternative_id": "alternative"},
        {"context_budget": 0},
        {"version": 0},
        {"tip_id": "alternative"},
    ],
    "conversation_turns": [
        {"sequence": 0},
        {"sequence": 1},
        {"speaker": "other"},
        {"turn_type": "other"},
        {"turn_type": "summary"},
        {"speaker": "user", "turn_type": "tool_result"},
        {"speaker": "system", "turn_type": "tool_result"},
        {"via_alternative_id": None},
        {"parent_id": None},
    ],
    "alternatives": [
        {"is_active": 2},
        {"sequence": 0},
        {"state": "other"},
        {"state": "generating"},
        {"content": None},
        {"state": "failed", "content": None},
        {"ended_at": None},
        {"process_digest": "digest"},
        {"forgotten_by": "ann"},
        {"responds_to_id": None},
        {"responds_to_id": "alternative"},
        {"turn_id": "root"},
    ],
    "blobs": [{"digest": "short"}],
    "large_results": [{"digest": "short"}],
    "attachments": [
        {"n": 0},
        {"name": ""},
        {"name": "x" * 256},
        {"size": 0},
        {"is_erased": 2, "text_digest": None},
        {"name": None},
        {"digest": None},
        {"is_erased": 1, "name": None, "digest": None},
    ],
    **BROKEN_KNOWLEDGE,
    "webhooks": [
        *WRONG_NAMES,
        {"scheme": "other"},
        {"secret_generated": 2},
        {"enabled": 2},
        {"priority": "other"},
        {"shared": 2},
        {"version": 0},
        {"refusal": "said"},
        {"refused_at": "2026-01-01"},
    ],
    "alerts": [
        *WRONG_NAMES,
        {"scope": "other"},
        {"aggregation": "other"},
        {"comparison": "="},
        {"window_seconds": 0},
        {"hold_seconds": -1},
        {"interval_seconds": 0},
        {"repeat_hours": 0},
        {"enabled": 2},
        {"state": "other"},
        {"starts": -1},
        {"is_starting": 2},
        {"shared": 2},
        {"version": 0},
    ],
    "schedules": [
        *WRONG_NAMES,
        {"enabled": 2},
        {"catch_up": "other"},
        {"priority": "other"},
        {"shared": 2},
        {"version": 0},
        {"cron": None},
        {"at": "2026-01-01"},
    ],
    "runs": [
        {"trigger": "other"},
        {"priority": "other"},
        {"events": -1},
        {"tokens": -1},
        {"is_unmeasured": 2},
        {"is_unsent": 2},
        {"ended_at": None},
        {"ended_micros": None},
    ],
    "run_entries": [{"n": 0}],
    "span_progress": [{"entries": -1}],
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

CHECKS: Final = [RefusedRow(table, changes) for table, several in _BROKEN.items() for changes in several]
"""Rows that violate a check."""

DANGLING: Final = [
    RefusedRow("audit_entries", {"user_id": "nobody"}),
    RefusedRow("services", {"owner_id": "nobody"}),
    RefusedRow("secrets", {"owner_id": "nobody"}),
    RefusedRow("tools", {"owner_id": "nobody", "secret_id": None}),
    RefusedRow("tools", {"service_id": "nothing"}),
    RefusedRow("tools", {"secret_id": "nothing"}),
    RefusedRow("tools", {"owner_id": "bob"}),  # with a secret of ann's
    RefusedRow("bindings", {"user_id": "nobody"}),
    RefusedRow("bindings", {"tool_id": "nothing"}),
    RefusedRow("bindings", {"user_id": "bob"}),  # with a secret of ann's
    RefusedRow("bindings", {"user_id": "bob", "secret_id": "nothing"}),
    RefusedRow("trusts", {"user_id": "nobody"}),
    RefusedRow("trusts", {"tool_id": "nothing"}),
    RefusedRow("service_templates", {"owner_id": "nobody"}),
    RefusedRow("tool_templates", {"owner_id": "nobody"}),
    RefusedRow("token_uses", {"user_id": "nobody"}),
    RefusedRow("processes", {"owner_id": "nobody"}),
    RefusedRow("processes", {"digest": "nothing"}),
    RefusedRow("process_versions", {"process_id": "nothing"}),
    RefusedRow("process_versions", {"digest": "nothing", "version": 2}),
    RefusedRow("process_steps", {"process_id": "nothing"}),
    RefusedRow("process_steps", {"tool_id": "nothing", "position": 2}),
    RefusedRow("process_steps", {"tool_id": None, "called_process_id": "nothing", "position": 2}),
    RefusedRow("step_dependencies", {"process_id": "nothing"}),
    RefusedRow("step_dependencies", {"step": 9}),
    RefusedRow("step_dependencies", {"needs": -9}),
    RefusedRow("schedules", {"owner_id": "nobody"}),
    RefusedRow("schedules", {"process_id": "nothing"}),
    RefusedRow("webhooks", {"owner_id": "nobody"}),
    RefusedRow("webhooks", {"process_id": "nothing"}),
    RefusedRow("webhooks", {"secret_id": "nothing"}),
    RefusedRow("alerts", {"owner_id": "nobody"}),
    RefusedRow("alerts", {"process_id": "nothing"}),
    RefusedRow("runs", {"owner_id": "nobody"}),
    RefusedRow("runs", {"digest": "nothing"}),
    RefusedRow("run_entries", {"run_id": "nothing"}),
    RefusedRow("span_progress", {"run_id": "nothing"}),
    RefusedRow("signals", {"run_id": "nothing"}),
    RefusedRow("questions", {"run_id": "nothing"}),
    RefusedRow("questions", {"owner_id": "nobody"}),
    RefusedRow("dead_jobs", {"run_id": "nothing"}),
    RefusedRow("dead_jobs", {"owner_id": "nobody"}),
    RefusedRow("erasures", {"owner_id": "nobody"}),
    RefusedRow("erasures", {"actor_id": "nobody"}),
    RefusedRow("conversations", {"owner_id": "nobody"}),
    RefusedRow(
        "conversations", {"default_process_id": "nothing", "default_process_since": "2026-01-01", "import_key": None}
    ),
    RefusedRow(
        "conversations",
        {
            "forked_from_id": "nothing",
            "origin_turn_id": "turn",
            "origin_alternative_id": "question",
            "import_key": None,
        },
    ),
    RefusedRow("conversation_turns", {"conversation_id": "nothing", "via_alternative_id": "other"}),
    RefusedRow("conversation_turns", {"parent_id": "nothing", "via_alternative_id": "other"}),
    RefusedRow("alternatives", {"owner_id": "bob", **_ANOTHER}),
    RefusedRow("alternatives", {"conversation_id": "nothing", **_ANOTHER}),
    RefusedRow("alternatives", {"turn_id": "nothing", "responds_to_id": None}),
    RefusedRow("alternatives", {"process_id": "nothing", "process_digest": "digest", **_ANOTHER}),
    RefusedRow("alternatives", {"forgotten_by": "nobody", "forgotten_at": "2026-01-01", "content": None, **_ANOTHER}),
    RefusedRow("manifests", {"alternative_id": "nothing"}),
    RefusedRow("attachments", {"alternative_id": "nothing"}),
    RefusedRow("attachments", {"digest": "nothing", "n": 2}),
    RefusedRow("attachments", {"text_digest": "nothing", "n": 2}),
    *DANGLING_KNOWLEDGE,
    RefusedRow("workers", {"executor_id": "nothing"}),
    RefusedRow("service_places", {"service_id": "nothing"}),
    RefusedRow("metric_values", {"metric_id": "nothing"}),
]
"""Rows that refer to a missing row, or to a row of a different owner."""

DUPLICATES: Final = [
    RefusedRow("users", {}),
    RefusedRow("audit_entries", {"hash": "other"}),
    RefusedRow("requests", {"body": "other"}),
    RefusedRow("services", {"name": "other"}),
    RefusedRow("services", {"id": "other"}),
    RefusedRow("secrets", {"name": "other"}),
    RefusedRow("secrets", {"id": "other"}),
    RefusedRow("tools", {"name": "other"}),
    RefusedRow("tools", {"id": "other"}),
    RefusedRow("bindings", {"user_id": "bob"}),
    RefusedRow("bindings", {"id": "other"}),
    RefusedRow("trusts", {"user_id": "bob"}),
    RefusedRow("trusts", {"id": "other"}),
    RefusedRow("service_templates", {"name": "other"}),
    RefusedRow("service_templates", {"id": "other"}),
    RefusedRow("tool_templates", {"name": "other"}),
    RefusedRow("tool_templates", {"id": "other"}),
    RefusedRow("token_uses", {}),
    RefusedRow("definitions", {"text": "other"}),
    RefusedRow("processes", {"name": "other"}),
    RefusedRow("processes", {"id": "other"}),
    RefusedRow("process_versions", {}),
    RefusedRow("process_steps", {"id": "other"}),
    RefusedRow("process_steps", {"position": 2}),
    RefusedRow("step_dependencies", {"rank": 1}),
    RefusedRow("schedules", {"name": "other"}),
    RefusedRow("schedules", {"id": "other"}),
    RefusedRow("webhooks", {"name": "other"}),
    RefusedRow("webhooks", {"id": "other"}),
    RefusedRow("alerts", {"name": "other"}),
    RefusedRow("alerts", {"id": "other"}),
    RefusedRow("runs", {}),
    RefusedRow("run_entries", {"text": "other"}),
    RefusedRow("span_progress", {"entries": 2}),
    RefusedRow("signals", {}),
    RefusedRow("questions", {}),
    RefusedRow("dead_jobs", {}),
    RefusedRow("conversations", {}),
    RefusedRow("conversations", {"id": "other"}),  # imported twice (platform 27)
    RefusedRow("conversation_turns", {"via_alternative_id": "other"}),
    RefusedRow("conversation_turns", {"id": "other"}),  # a second turn for one alternative (platform 23)
    RefusedRow(  # a second root
        "conversation_turns", {"id": "other", "parent_id": None, "via_alternative_id": None, "sequence": 1}
    ),
    RefusedRow("alternatives", {"is_active": 0, "sequence": 2}),
    RefusedRow("alternatives", {"id": "other", "sequence": 2}),  # a second active one (platform 12)
    RefusedRow("alternatives", {"id": "other", "is_active": 0}),
    RefusedRow("manifests", {"digest": "other"}),
    RefusedRow("blobs", {"content": "other"}),
    RefusedRow("attachments", {"name": "other"}),
    RefusedRow("erasures", {}),
    *DUPLICATE_KNOWLEDGE,
    RefusedRow("executors", {}),
    RefusedRow("workers", {}),
    RefusedRow("service_places", {"turn": 1}),
    RefusedRow("cached_results", {}),
    RefusedRow("large_results", {}),
    RefusedRow("metric_definitions", {"name": "other", "exposed_as": "other"}),
    RefusedRow("metric_definitions", {"id": "other", "name": "other"}),
    RefusedRow("metric_definitions", {"id": "other", "exposed_as": "other"}),
    RefusedRow("metric_values", {}),
]
"""Rows whose key or name is taken."""

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
"""The tables whose rows are deleted together with a row of a table."""

DELETED_BEFORE: Final[dict[str, list[str]]] = {
    "services": ["schedules", "webhooks", "alerts", "processes", "tools"],
    "secrets": ["webhooks"],
    "tools": ["schedules", "webhooks", "alerts", "processes"],
    "processes": ["schedules", "webhooks", "alerts"],
}
"""The tables that refer to a table and prevent deletion, in the order in which they can be emptied."""

NEW_KEYS: Final[JsonObject] = {"id": "new", "name": "new", "seq": 2, "version": 2, "n": 2, "position": 2}
"""The columns of keys and names, with unused values."""

_NEW_TURN: Final = """
INSERT INTO conversation_turns (id, conversation_id, parent_id, via_alternative_id, sequence, speaker, turn_type,
                                created_at)
VALUES ('new', 'conversation', 'turn', 'alternative', 3, 'user', 'message', '2026-01-01')
"""

NOTHING_ACTIVE: Final = (
    ("UPDATE alternatives SET is_active = 0 WHERE id = 'alternative'",),
    ("UPDATE alternatives SET is_active = 0",),
    (_NEW_TURN,),
)
"""Statements after which a turn shows no alternative (platform 12), refused when they are committed."""

IDENTITY_CHANGES: Final[tuple[Query, ...]] = (
    "UPDATE meta SET value = 'other' WHERE key = 'record'",
    "UPDATE meta SET key = 'other' WHERE key = 'record'",
    "DELETE FROM meta WHERE key = 'record'",
    "DELETE FROM meta",
    DialectQuery(
        "REPLACE INTO meta (key, value) VALUES ('record', 'other')",
        "INSERT INTO meta (key, value) VALUES ('record', 'other') "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
)
"""Changes of what identifies the record."""
