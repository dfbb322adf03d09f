"""What Temporal is told by name: kinds of work, and the queues on which it is offered. None may ever change."""

from typing import Final

from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR

RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
LOAD: Final = "aeon.load"
SAVE_ENTRIES: Final = "aeon.keep"
ACCEPT: Final = "aeon.accept"
OUTCOME: Final = "aeon.outcome"
CANCEL: Final = "aeon.cancel"
WAIT_FOR_RUN: Final = "aeon.follow"
SIGNAL: Final = "aeon.wanted"

EXECUTOR: Final = SELF_RECOVERING_EXECUTOR
"""Who carries runs out, whichever process does: Temporal itself sees to it that it is one at a time."""


def queue_name(worker: str) -> str:
    """The queue on which jobs for that type of worker are offered."""
    return f"aeon-{worker}"


RUN_QUEUE: Final = queue_name("process")
"""The queue on which runs are offered."""
