"""What Temporal is told by name: kinds of work, and the queues on which it is offered. None may ever change."""

from typing import Final

from aeon.platform.workers.model import TAKES_OVER_ITSELF

RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
LOAD: Final = "aeon.load"
KEEP: Final = "aeon.keep"
ACCEPT: Final = "aeon.accept"
OUTCOME: Final = "aeon.outcome"
CANCEL: Final = "aeon.cancel"
FOLLOW: Final = "aeon.follow"
WANTED: Final = "aeon.wanted"

EXECUTOR: Final = TAKES_OVER_ITSELF
"""Who carries runs out, whichever process does: Temporal itself sees to it that it is one at a time."""


def queue_of(worker: str) -> str:
    """The queue on which jobs for that type of worker are offered."""
    return f"aeon-{worker}"


RUNS: Final = queue_of("process")
"""The queue on which runs are offered."""
