"""Names of workflows, activities, signals and queues on Temporal. None may ever change."""

import hashlib
from collections.abc import Sequence
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


def queue_name(worker: str, needs: Sequence[str] = ()) -> str:
    """Return the name of the queue for jobs of that worker type with these needs."""
    named = " ".join(needs)
    if len(named) > _MAX_NEEDS_IN_NAME:
        named = hashlib.sha256(named.encode()).hexdigest()
    return f"aeon-{worker} {named}".rstrip()


_MAX_NEEDS_IN_NAME: Final = 500
"""Characters; a name may have 1,000."""

RUN_QUEUE: Final = queue_name("process")
"""The queue for runs in version 1 of the language of Processes."""


def run_queue(language: int) -> str:
    """Return the name of the queue for runs in that version of the language, which older workers cannot read."""
    return RUN_QUEUE if language <= 1 else queue_name("process", [str(language)])
