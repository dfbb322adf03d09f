"""What is known of those who carry work out: processes, and the workers in them."""

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from aeon.platform.records import Record

WorkerStatus: TypeAlias = Literal["idle", "busy", "offline"]

WORKER_TYPES = ("graph_query", "rest_api", "llm_call", "mcp_server")
"""Of workers that carry out jobs. `process` and `human` are queues without workers of their own: a run is carried out
by an executor, and a question by whoever answers it."""

SELF_RECOVERING_EXECUTOR = "temporal"
"""Who carries out the runs of an engine that hands a dead process's work on by itself."""

HEARTBEAT_INTERVAL = 30.0
HEARTBEAT_TIMEOUT = 90.0
"""Seconds (platform 10)."""


class Worker(Record):
    """Carries out one job at a time, of one type. `status` and all that follows it the system alone writes."""

    id: str
    type: str
    status: WorkerStatus = "idle"
    current_job_id: str | None = None
    last_heartbeat: str
    processed_count: int = Field(default=0, ge=0)
    error_count: int = Field(default=0, ge=0)
    created_at: str
    updated_at: str
    executor_id: str


class ExecutorProcess(Record):
    """A process that carries out runs or jobs. `birth` tells it from a later process with the same number.

    `types` are the queues that it serves for others, `process` among them when it takes over runs, too.
    """

    stored_as_text: ClassVar[frozenset[str]] = frozenset({"types"})

    id: str
    host: str
    pid: int
    birth: str
    started_at: str
    last_heartbeat: str
    types: list[str] = Field(default=[])
