"""What DBOS is told by name. None may ever change: rows of its database say them."""

from typing import Final

RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
BEGUN: Final = "aeon.begun"


def queue_name(worker: str) -> str:
    """The queue on which jobs for that type of worker are offered."""
    return f"aeon-jobs-{worker}"
