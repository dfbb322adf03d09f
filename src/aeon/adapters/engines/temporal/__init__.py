"""Temporal as the engine: runs are workflows, jobs activities, worker types queues."""

from importlib.util import find_spec

from aeon.base.errors import MissingExtraError

if find_spec("temporalio") is None:
    raise MissingExtraError(
        "Running processes on Temporal needs temporalio.", next_step="Install aeon-orchestrator[temporal]."
    )

from aeon.adapters.engines.temporal.connection import TemporalError
from aeon.adapters.engines.temporal.engine import TemporalEngine, TemporalWorker

__all__ = ["TemporalEngine", "TemporalError", "TemporalWorker"]
