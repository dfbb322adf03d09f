"""`JobService`: the jobs of one user's runs, and the workers that execute them."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

from aeon.application.pages import MAX_PAGE, Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.application.run_reader import RunReader
from aeon.base.clock import SystemClock
from aeon.base.errors import InputError
from aeon.base.next_steps import NextStep
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import AuditAction, Ledger, MutationRequest
from aeon.platform.runs.dead_jobs import DeadJob
from aeon.platform.runs.service import Runs
from aeon.platform.store import Store
from aeon.platform.workers.availability import list_live_executors
from aeon.platform.workers.open_jobs import OpenJob, list_open_jobs
from aeon.platform.workers.registry import SELF_RECOVERING_EXECUTOR, WORKER_TYPES, Worker, WorkerRegistry

__all__ = ["HUMAN", "PROCESS", "QUEUES", "WORKER_TYPES", "DeadJob", "JobService", "OpenJob", "Worker"]

PROCESS: Final = "process"
"""The queue of runs that wait for a worker."""

HUMAN: Final = "human"
"""The queue of questions to people."""

QUEUES: Final = (*WORKER_TYPES, PROCESS, HUMAN)


class JobService:
    """What a user's open runs wait for, and who could do it. Every method raises StoreError."""

    def __init__(self, store: Store, ledger: Ledger, runs: Runs, user: str) -> None:
        self._ledger = ledger
        self._runs = runs
        self._user = user
        self._registry = WorkerRegistry(store, SystemClock())

    def list_open(
        self, queues: Collection[str] = (), *, after: str | None = None, limit: int = MAX_PAGE
    ) -> Page[OpenJob]:
        """A page of what the user's open runs wait for, in these queues; in all of them if none is named.

        The longest wait comes first. Raises InputError for an unknown queue, RuleError for an invalid cursor or limit.
        """
        require_known_queues(queues)
        position = None if after is None else decode_cursor(after, str, str)
        jobs = [
            job
            for job in list_open_jobs(self._runs, self._registry, self._user)
            if (not queues or job.type in queues) and (position is None or [job.since, job.id] > position)
        ]
        found = sorted(jobs, key=lambda job: (job.since, job.id))[: checked_limit(limit) + 1]
        last = found[min(limit, len(found)) - 1] if found else None
        return page_of(found, limit, "" if last is None else encode_cursor([last.since, last.id]))

    def find_retryable(self, job: str) -> DeadJob:
        """A dead job whose run can be retried. Raises NotFoundError, and RuleError if it was retried already."""
        dead = RunReader(self._runs, self._user).get_dead_job(job)
        if dead.retried_by is not None:
            raise RuleError(
                f"The job {job} was already retried.",
                rule="dead_job",
                next_step=NextStep("runs.view", run=dead.retried_by),
            )
        return dead

    def list_workers(self) -> Sequence[Worker]:
        """Every registered worker; those without a recent heartbeat are offline."""
        return self._registry.list_workers()

    def drain(self, process: str | None = None, *, host: str | None = None) -> list[str]:
        """Ask worker processes to drain: one, named by its id or one of its workers', or all of a machine.

        Returns the ids of those processes. A door decides who may do this. Raises InputError, and NotFoundError if no
        live process is meant.
        """
        if (process is None) == (host is None):
            raise InputError("Name one worker, or the machine of several.", next_step=NextStep("workers.find"))
        live = list_live_executors(self._registry)
        wanted = (process or "").partition("/")[0]
        found = [
            each.id
            for each in self._registry.list_executors()
            if each.id in live and (each.id == wanted if host is None else each.host_name == host)
        ]
        if not found:
            named = f"on the machine {host!r}" if host is not None else f"with the id {process!r}"
            raise NotFoundError(f"There is no live worker {named}.", next_step=NextStep("workers.find"))
        self._commit_drain(found)
        return found

    def _commit_drain(self, processes: list[str]) -> None:
        actions = [AuditAction("worker.drain", each, self._user, self._user, {}) for each in processes]
        mutation = MutationRequest(self._user).mutation("worker.drain", ",".join(processes))
        self._ledger.commit(partial(self._registry.drain, processes), mutation, actions, {})

    def has_live_executor(self) -> bool:
        """Whether any process is up that executes runs."""
        return bool(list_live_executors(self._registry))

    def is_executor_alive(self, executor: str) -> bool:
        """Whether the executor of a run can continue it."""
        return executor in (SELF_RECOVERING_EXECUTOR, *list_live_executors(self._registry))


def require_known_queues(queues: Collection[str]) -> None:
    """Raise InputError for an unknown queue."""
    if unknown := [queue for queue in queues if queue not in QUEUES]:
        raise InputError(
            f"There is no worker type {', '.join(unknown)}.", next_step=f"Name one of {', '.join(QUEUES)}."
        )
