"""Names of workflows, activities, signals and queues on Temporal. None may ever change."""

import hashlib
from typing import Final

from temporalio.common import Priority

from aeon.platform.runs.model import Job
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR

RUN: Final = "aeon.run"
JOB: Final = "aeon.job"
LOAD: Final = "aeon.load"
SAVE_ENTRIES: Final = "aeon.keep"
ACCEPT: Final = "aeon.accept"
OUTCOME: Final = "aeon.outcome"
CLOSE_QUESTION: Final = "aeon.close_question"
CANCEL: Final = "aeon.cancel"
WAIT_FOR_RUN: Final = "aeon.follow"
SIGNAL: Final = "aeon.wanted"

QUESTIONS_ARE_CLOSED: Final = "aeon.questions-are-closed"
"""The patch since which a timeout of a question is stored before it counts."""

EXECUTOR: Final = SELF_RECOVERING_EXECUTOR
"""The executor of all runs on Temporal, which assigns each run to one process at a time."""


_PRIORITY_KEYS: Final = {"high": 2, "normal": 3, "low": 4}
_MAX_FAIRNESS_KEY: Final = 64


def task_priority(job: Job) -> Priority:
    """Return the priority of a task: strict between priorities, and fair between users where the server is."""
    user = job.user.encode()
    key = job.user if len(user) <= _MAX_FAIRNESS_KEY else hashlib.sha256(user).hexdigest()
    return Priority(priority_key=_PRIORITY_KEYS[job.priority], fairness_key=key, fairness_weight=float(job.weight))


def queue_name(worker: str) -> str:
    """Return the name of the queue for jobs of that worker type."""
    return f"aeon-{worker}"


RUN_QUEUE: Final = queue_name("process")
"""The queue for runs."""
