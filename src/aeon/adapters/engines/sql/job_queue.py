"""The queues of jobs in the engine's database: put in by the runs' processes, taken out by workers."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple
from uuid import uuid4

from aeon.adapters.engines.sql import queries
from aeon.adapters.engines.sql.database import RunDatabase
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.runs.claim_check import ResultStore, check_in, check_out
from aeon.platform.runs.lease import LeaseLostError
from aeon.platform.runs.model import Job, JobResult, Priority
from aeon.platform.runs.ports import EngineUnavailableError
from aeon.platform.store import Row, StoreUnavailableError, UnitOfWork
from aeon.platform.workers.fairness import PRIORITIES, take_by_priority, take_evenly, turn_length


class QueueName(NamedTuple):
    """A queue: the jobs of a worker type with the same needs."""

    worker: str
    needs: tuple[str, ...] = ()


class TakenJob(NamedTuple):
    """A job that a worker took from its queue, as it is stored. `token` belongs to this take alone (platform 43)."""

    id: str
    worker: str
    token: str
    text: str

    @property
    def attempt(self) -> tuple[str, int]:
        """The step, and the number of the attempt at it."""
        _, step, number = self.id.rsplit(":", 2)
        return step, int(number)


class JobQueue:
    """All queues of one database, one for each worker type and needs. Thread-safe.

    Methods raise EngineUnavailableError, and HaltError once the database is closed. Each has the same effect when it
    is repeated.
    """

    def __init__(self, database: RunDatabase, results: ResultStore, now: Callable[[], float] = time.time) -> None:
        """Large jobs and results are stored in `results`, and here by reference. `now` is in seconds since 1970."""
        self._now = now
        self.database = database
        self._results = results

    def contains(self, job: str) -> bool:
        """Return whether a job is queued, running or ended, and was not deleted."""
        return bool(self.database.read(queries.HAS_JOB, {"id": job}))

    def exchange(self, new: Sequence[Job], unwanted: Sequence[str]) -> None:
        """Enqueue jobs, unless they exist, and then delete the unwanted ones, also where they run."""
        rows: dict[str, JsonObject] = {job.id: self._new_row(job) for job in new}

        def write(unit: UnitOfWork) -> None:
            if rows:
                known = {row["id"] for row in unit.read(queries.KNOWN_JOBS, {"ids": list[Json](rows)})}
                _enqueue(unit, [job for job in new if job.id not in known], rows)
            if unwanted:
                unit.write(queries.DELETE_JOBS, {"ids": list[Json](unwanted)})

        if new or unwanted:
            self.database.update(write)

    def ended(self, jobs: Sequence[str]) -> dict[str, str]:
        """Return the stored results of those of the jobs that have ended; see `result_of`."""
        rows = self.database.read(queries.ENDED_JOBS, {"ids": list[Json](jobs)}) if jobs else []
        return {row["id"]: row["result"] for row in rows}

    def result_of(self, text: str) -> JobResult:
        """Return the result that is stored as `text`. Raises LostResultError."""
        return JobResult.parsed(parse_strict(check_out(self._results, text)))

    def queued(self, types: Collection[str]) -> dict[QueueName, set[Priority]]:
        """Return the queues of the worker types that have jobs, with the priorities of these."""
        found: dict[QueueName, set[Priority]] = {}
        for row in self.database.read(queries.QUEUED, {"workers": list[Json](types)}):
            number: int = row["priority"]
            found.setdefault(QueueName(row["worker"], _needs_of(row)), set()).add(PRIORITIES[number])
        return found

    def oldest_queued(self, types: Collection[str]) -> dict[str, float]:
        """Return when the oldest queued job of each type that has one was queued, in seconds since 1970."""
        rows = self.database.read(queries.OLDEST_QUEUED, {"workers": list[Json](types)})
        return {row["worker"]: float(row["since"]) for row in rows if row["since"] is not None}

    def take(
        self, executor: str, limits: Mapping[str, Mapping[Priority, int]], queues: Collection[QueueName] = ()
    ) -> list[TakenJob]:
        """Take the next jobs, that many of each type by priority (`take_by_priority`), from these queues in turn.

        `queues` has those of each type, the one whose turn it is first; of a type without any, it is the queue of jobs
        that need nothing. If the answer is lost, the jobs are among the `held` ones of the executor.
        """
        token = str(uuid4())

        def take(unit: UnitOfWork) -> list[Row]:
            def take_some(queue: QueueName, priority: Priority, limit: int) -> list[Row]:
                params: JsonObject = {"executor": executor, "token": token, **_columns_of(queue), "limit": limit}
                rows = unit.read(queries.TAKE_JOBS, {**params, "priority": PRIORITIES.index(priority)})
                return sorted(rows, key=lambda row: (row["turn"], row["number"]))

            def take_in_turn(own: Sequence[QueueName], priority: Priority, limit: int) -> list[Row]:
                return take_evenly(own, limit, lambda queue, count: take_some(queue, priority, count))

            taken: list[Row] = []
            for worker, split in limits.items():
                own = [each for each in queues if each.worker == worker] or [QueueName(worker)]
                taken += take_by_priority(split, partial(take_in_turn, own))
            return taken

        rows = self.database.update(take)
        return [TakenJob(row["id"], row["worker"], token, row["job"]) for row in rows]

    def job_of(self, taken: TakenJob) -> Job:
        """Return a job that was taken. Raises LostResultError."""
        return Job.parsed(parse_strict(check_out(self._results, taken.text)))

    def begin(self, taken: TakenJob) -> int:
        """Record that a job begins; return how often it began before. Raises LeaseLostError if it was lost."""

        def begin(unit: UnitOfWork) -> list[Row]:
            unit.write(queries.BEGIN_JOB, _key(taken))
            return unit.read(queries.HELD_JOB, _key(taken))

        rows = self.database.update(begin)
        if not rows:
            raise LeaseLostError(f"The job {taken.id} is now executed by another executor.")
        return rows[0]["starts"] - 1

    def is_held(self, taken: TakenJob) -> bool:
        """Return whether the worker that took a job still has it. Raises StoreUnavailableError."""
        try:
            return bool(self.database.read(queries.HELD_JOB, _key(taken)))
        except EngineUnavailableError as away:
            raise StoreUnavailableError(away.message) from None

    def held(self, executor: str) -> dict[str, str]:
        """Return the tokens of all jobs that the executor has, by their ids."""
        return {row["id"]: row["token"] for row in self.database.read(queries.HELD_JOBS, {"executor": executor})}

    def end(self, taken: TakenJob, result: JobResult) -> None:
        """Store the result of a job, unless the worker lost it."""
        text = check_in(self._results, canonical_json(result.as_dict()))
        self.database.update(lambda unit: unit.write(queries.END_JOB, {**_key(taken), "result": text}))

    def executors(self) -> set[str]:
        """Return the executors that have jobs."""
        return {row["executor"] for row in self.database.read(queries.EXECUTORS)}

    def requeue(self, tokens: Mapping[str, str]) -> None:
        """Put jobs that were taken under these tokens back into their queues, in their old places."""
        rows: list[JsonObject] = [{"id": job, "token": token} for job, token in tokens.items()]
        self.database.update(lambda unit: unit.write_each(queries.REQUEUE_JOB, rows))

    def requeue_all_of(self, executors: Collection[str]) -> None:
        """Put all jobs of dead executors back into their queues."""
        params: JsonObject = {"executors": list[Json](executors)}
        self.database.update(lambda unit: unit.write(queries.REQUEUE_JOBS_OF, params))

    def _new_row(self, job: Job) -> JsonObject:
        text = check_in(self._results, canonical_json(job.as_dict()))
        return {
            "id": job.id,
            "run": job.run_id,
            **_columns_of(QueueName(job.worker, job.needs)),
            "job": text,
            "priority": PRIORITIES.index(job.priority),
            "queued_at": int(self._now()),
        }


def _enqueue(unit: UnitOfWork, new: Sequence[Job], rows: Mapping[str, JsonObject]) -> None:
    """Write the rows of new jobs, with the next turns of their users.

    Users are locked in one order, so that two processes never wait for each other. The jobs of one are written before
    the next one's turns, which begin at the present one.
    """
    jobs: dict[tuple[QueueName, Priority, str], list[Job]] = {}
    for job in new:
        jobs.setdefault((QueueName(job.worker, job.needs), job.priority, job.user), []).append(job)
    for (queue, priority, user), own in sorted(jobs.items()):
        lengths = [turn_length(job.weight) for job in own]
        asked: JsonObject = {**_columns_of(queue), "priority": PRIORITIES.index(priority), "owner": user}
        (row,) = unit.read(queries.ADVANCE_TURN, {**asked, "length": sum(lengths)})
        turns = accumulate(lengths, initial=row["next"] - sum(lengths))
        placed: list[JsonObject] = [{**rows[job.id], "turn": turn} for job, turn in zip(own, turns, strict=False)]
        unit.write_each(queries.ENQUEUE_JOB, placed)


def _columns_of(queue: QueueName) -> JsonObject:
    return {"worker": queue.worker, "needs": " ".join(queue.needs)}


def _needs_of(row: Row) -> tuple[str, ...]:
    needs: str = row["needs"]
    return tuple(needs.split())


def _key(taken: TakenJob) -> JsonObject:
    return {"id": taken.id, "token": taken.token}
