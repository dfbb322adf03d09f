"""Executors, workers, rate limiter states and cached results as graph nodes and edges."""

from typing import Final

from aeon.platform.graph import EdgeType, NodeType, published_columns

NODES: Final = (
    NodeType(
        "Executor",
        "executors",
        ("id",),
        properties=published_columns(
            "id",
            "host",
            "pid",
            "birth",
            "started_at",
            "last_heartbeat",
            "types",
            "draining_since",
            "labels",
            "aeon_version",
            "operations",
            "language",
        ),
        json=frozenset({"types", "labels", "operations"}),
        numbers=frozenset({"pid", "language"}),
        defaults={"draining_since": None, "labels": "[]", "aeon_version": "", "operations": "[]", "language": 1},
    ),
    NodeType(
        "Worker",
        "workers",
        ("id",),
        properties=published_columns(
            "id",
            "executor_id",
            "type",
            "status",
            "current_job_id",
            "current_process_id",
            "current_step_id",
            "current_tool_id",
            "last_heartbeat",
            "processed_count",
            "error_count",
            "created_at",
            "updated_at",
        ),
        numbers=frozenset({"processed_count", "error_count"}),
        defaults={
            "current_job_id": None,
            "current_process_id": None,
            "current_step_id": None,
            "current_tool_id": None,
        },
    ),
    NodeType(
        "Places",
        "service_places",
        ("service_id",),
        properties=published_columns("turn", "standing", id="service_id"),
        numbers=frozenset({"turn"}),
        part_of={"service_id": "Service"},
    ),
    NodeType(
        "LargeResult",
        "large_results",
        ("digest",),
        properties=published_columns("digest", "text", "put_at"),
        numbers=frozenset({"put_at"}),
    ),
    NodeType(
        "CachedResult",
        "cached_results",
        ("key",),
        properties=published_columns("key", "tool_id", "text", "reference", "used_micros"),
        numbers=frozenset({"used_micros"}),
        defaults={"reference": None},
    ),
)

EDGES: Final = (
    EdgeType("RUNS_IN", "Worker", "Executor", "workers", target_columns={"executor_id": "id"}),
    EdgeType(
        "PROCESSES",
        "Worker",
        "ProcessStep",
        "workers",
        target_columns={"current_process_id": "process_id", "current_step_id": "id"},
        where="EXISTS (SELECT 1 FROM process_steps AS p\n"
        "              WHERE p.process_id = e.current_process_id AND p.id = e.current_step_id)",
    ),
    EdgeType(
        "EXECUTES",
        "Worker",
        "Tool",
        "workers",
        target_columns={"current_tool_id": "id"},
        where="EXISTS (SELECT 1 FROM tools WHERE tools.id = e.current_tool_id)",
    ),
)
"""A job outlives its step and its tool, which others may change or delete; its worker then has no such edge."""
