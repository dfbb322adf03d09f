"""Runs in the record: accepted, taken, kept entry by entry."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.runs import queries
from aeon.platform.runs.admission import PlannedRun, RunAdmission
from aeon.platform.runs.claim_check import ResultStore, check_in, check_out, reference_of, run_entry_row
from aeon.platform.runs.dead_jobs import DeadJob, find_dead_jobs, may_contain_dead_jobs
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.machine.commands import StartProcess
from aeon.platform.runs.machine.events import (
    AttemptFailure,
    CancelRequested,
    RunCompleted,
    StepCompleted,
    StepFailed,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import ENDED_PHASES, RunPhase, RunState
from aeon.platform.runs.model import JobResult, Run, RunEntry, RunSignal, RunSnapshot, RunSummary
from aeon.platform.store import DuplicateError, GuardError, Row, Store, UnitOfWork, guard, write_one

_PAGE = 1000


class SqlRunRepository:
    """What is written down of runs. Threads may share one. All raise StoreError."""

    def __init__(self, store: Store, results: ResultStore, accepting: RunAdmission) -> None:
        self._store = store
        self._results = results
        self._accepting = accepting

    def claim(self, run: str, executor: str, confirm: ConfirmOwnership = always_owned) -> RunSnapshot | None:
        """What it takes to carry a run out, which from then on is the executor's; None when it has ended.

        `confirm` says whether the engine leaves it to this executor. Raises what that raises, and ConflictError when
        the run was given to another one since then.
        """
        if (fresh := self._accepting.take_fresh(run, executor)) is not None:
            confirm()
            return RunSnapshot(fresh.run, fresh.plan, [])
        before = self._run(run).executor
        confirm()
        rows = self._store.update(_takes(run, executor, before))
        if not rows:
            if self._run(run).ended_at is None:
                raise _anothers(run)
            return None
        found = self._found(rows[0])
        return RunSnapshot(found.run, found.plan, list(self.entries(run)) if found.run.events else [])

    def append(self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState) -> None:
        """Add entries to a run's, all or none; those that are there already are left out.

        Raises ConflictError when the run has become another executor's.
        """
        if not entries:
            return
        try:
            self._store.update(self._keeps(run, executor, entries, state))
        except GuardError:
            self.append(run, executor, self._not_kept(run, executor, entries), state)

    def accept_child(self, parent: Run, command: StartProcess) -> str:
        """The id of the run that a step of another run starts, accepted; the same one whenever it is asked.

        Raises NotFoundError or RuleError where the owner may not run that Process any more (platform 4).
        """
        try:
            return self._run(command.job).id
        except NotFoundError:
            return self._accepting.accept_child(parent, command).id

    def cancel_child(self, caller: Run, run: str) -> None:
        """Have a run that another one called stopped, as whoever has that one; nothing, if it has ended."""
        event = CancelRequested(by=caller.owner_id)
        with suppress(DuplicateError, GuardError):
            self.add_signal(RunSignal(id=f"{run}:cancel", run_id=run, at=self._accepting.now(), event=event))

    def find_child_result(self, run: str, command: StartProcess) -> JobResult | None:
        """What a run that a step started came to, as an event of that step; None while it has not ended."""
        ended = self._run(run)
        if ended.phase not in ENDED_PHASES:
            return None
        about: JsonObject = {"run": run}
        last = list(self.entries(run, after=ended.events - 1))[-1].event
        if isinstance(last, RunCompleted):
            event = StepCompleted(step=command.step, attempt=command.attempt, output=last.output, tokens=ended.tokens)
            return JobResult(event=event, about=about)
        error = _failure_of(ended)
        failed = StepFailed(step=command.step, attempt=command.attempt, error=error, tokens=ended.tokens)
        return JobResult(event=failed, about=about)

    def get_phase(self, run: str) -> RunPhase:
        """Where a run stands."""
        return self._run(run).phase

    def is_owned_by(self, run: str, executor: str) -> bool:
        """Whether a run is that executor's to carry out."""
        rows = self._store.read(queries.PROGRESS, {"run": run})
        return bool(rows) and rows[0]["executor"] == executor

    def list_signals(self, runs: Sequence[str]) -> list[RunSignal]:
        """All that was wanted of these runs since they began, oldest first."""
        rows = self._store.read(queries.WANTED, {"runs": list[Json](runs)})
        return [RunSignal.parsed(parse_strict(check_out(self._results, row["text"]))) for row in rows]

    def add_signal(self, signal: RunSignal) -> None:
        """Write down what is wanted of a run. Raises DuplicateError where its id is there, GuardError once it ended."""
        text = check_in(self._results, canonical_json(signal.as_dict()))
        told: JsonObject = {"id": signal.id, "run": signal.run_id, "at": signal.at}
        self._store.update(write_one(queries.WANT, {**told, "text": text, "reference": reference_of(text)}))

    def entries(self, run: str, after: int = 0) -> Iterator[RunEntry]:
        """A run's entries with numbers above `after`, in their order."""
        while True:
            rows = self._store.read(queries.ENTRIES, {"run": run, "after": after, "limit": _PAGE})
            for row in rows:
                entry = RunEntry.parsed(parse_strict(check_out(self._results, row["text"])))
                after = entry.n
                yield entry
            if len(rows) < _PAGE:
                return

    def get(self, user: str, run: str) -> PlannedRun:
        """A run of the user's. Raises NotFoundError."""
        rows = self._store.read(queries.ONE, {"run": run, "user": user})
        if not rows:
            self._accepting.require_user(user)
            raise NotFoundError(f"You have no run {run!r}.", next_step="See `aeon runs list`.")
        return self._found(rows[0])

    def list_by_owner(self, user: str, limit: int, *, called: bool = False) -> list[RunSummary]:
        """The user's runs, newest first; with `called` also those that others of their runs called."""
        params: JsonObject = {"user": user, "limit": limit, "called": called}
        return [RunSummary.from_row(row) for row in self._store.read(queries.OF_OWNER, params)]

    def list_family(self, root: str) -> list[RunSummary]:
        """A run and all that it called, directly and indirectly, as they were accepted."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.CALLED_BY_RUN, {"root": root})]

    def list_open(self, limit: int = 1000) -> list[RunSummary]:
        """Runs of all users that have not ended."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.OPEN, {"limit": limit})]

    def list_orphaned(self, executors: Collection[str], root: str | None = None, limit: int = 1000) -> list[RunSummary]:
        """Open runs of all users that none of these executors carries out; of one family, if its root is named."""
        given: JsonObject = {"executors": list[Json](executors), "root": root, "limit": limit}
        rows = self._store.read(queries.LEFT if root is None else queries.LEFT_OF_ROOT, given)
        return [RunSummary.from_row(row) for row in rows]

    def list_by_executor(self, executor: str) -> dict[str, str]:
        """The runs that an executor carries out, each with its Process's name."""
        return {row["id"]: row["name"] for row in self._store.read(queries.HELD, {"executor": executor})}

    def list_summaries(self, runs: Sequence[str]) -> list[RunSummary]:
        """These runs as they stand now; those that are not there any more are left out."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.STANDINGS, {"runs": list[Json](runs)})]

    def reassign(self, run: str, executor: str, to: str) -> bool:
        """Make a run another executor's, empty for nobody's; False when it was not `executor`'s, or has ended."""
        params: JsonObject = {"run": run, "executor": executor, "to": to}
        return self._store.update(lambda unit: unit.write(queries.GIVE, params)) == 1

    def list_open_ids(self, user: str, limit: int = 1000) -> list[str]:
        """The ids of the user's runs that have not ended, oldest first."""
        rows = self._store.read(queries.OPEN_OF_OWNER, {"user": user, "limit": limit})
        return [row["id"] for row in rows]

    def list_dead_jobs(self, user: str, limit: int = 1000) -> list[DeadJob]:
        """The user's jobs that failed for good, newest first (platform 10)."""
        rows = self._store.read(queries.DEAD_OF_OWNER, {"user": user, "limit": limit})
        return [DeadJob.from_row(row) for row in rows]

    def get_dead_job(self, user: str, job: str) -> DeadJob:
        """A job of the user's that failed for good. Raises NotFoundError."""
        rows = self._store.read(queries.DEAD, {"user": user, "job": job})
        if not rows:
            self._accepting.require_user(user)
            raise NotFoundError(f"You have no dead job {job!r}.", next_step="See `aeon jobs dead`.")
        return DeadJob.from_row(rows[0])

    def mark_retried(self, root: str, by: str) -> None:
        """Say of what failed in a run, and in all that it called, that it was tried again in another one."""
        self._store.update(lambda unit: unit.write(queries.NOTE_RETRIED, {"root": root, "by": by}))

    def list_unmeasured(self, limit: int) -> list[str]:
        """Ended runs of all users that no metric knows of yet."""
        return [row["id"] for row in self._store.read(queries.UNMEASURED, {"limit": limit})]

    def get_any(self, run: str) -> PlannedRun:
        """A run of whomever, with its plan. Raises LostResultError, NotFoundError."""
        rows = self._store.read(queries.PLAN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return self._found(rows[0])

    def _keeps(
        self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState
    ) -> Callable[[UnitOfWork], None]:
        """Raises GuardError unless the run is the executor's and ends before these entries."""
        now: JsonObject = {
            "run": run,
            "executor": executor,
            "before": entries[0].n - 1,
            **_progress(entries[-1], state),
        }
        rows = [run_entry_row(self._results, run, entry) for entry in entries]
        dead = self._died(run, entries, state.phase)

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.KEEP, now) == 1)
            unit.write_each(queries.ADD_ENTRY, rows)
            unit.write_each(queries.ADD_DEAD_JOB, dead)

        return work

    def _died(self, run: str, entries: Sequence[RunEntry], phase: RunPhase) -> list[JsonObject]:
        if not may_contain_dead_jobs(entries):
            return []
        return find_dead_jobs(self.get_any(run).plan, entries, phase)

    def _run(self, run: str) -> RunSummary:
        rows = self._store.read(queries.RUN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return RunSummary.from_row(rows[0])

    def _not_kept(self, run: str, executor: str, entries: Sequence[RunEntry]) -> list[RunEntry]:
        """Those that an attempt whose answer was lost has not written. Raises ConflictError."""
        (row,) = self._store.read(queries.PROGRESS, {"run": run})
        left = [entry for entry in entries if entry.n > row["events"]]
        if row["executor"] != executor or (left and left[0].n != row["events"] + 1):
            raise _anothers(run)
        return left

    def _found(self, row: Row) -> PlannedRun:
        run = Run.from_row({**row, "inputs": check_out(self._results, row["inputs"])})
        said: JsonObject = parse_strict(row["definition"])
        plan: JsonObject = parse_strict(check_out(self._results, row["plan"]))
        return PlannedRun(run, RunPlan.parsed(plan | {"definition": {"name": run.process_name, **said}}))


def instant_to_micros(instant: str) -> int:
    """An instant in microseconds since 1970."""
    return round(datetime.fromisoformat(instant).timestamp() * 1_000_000)


def _takes(run: str, executor: str, before: str) -> Callable[[UnitOfWork], list[Row]]:
    """Gives the run, with its plan, unless it has ended, or is another's than it was before."""

    def work(unit: UnitOfWork) -> list[Row]:
        is_open = unit.write(queries.TAKE, {"run": run, "executor": executor, "before": before}) == 1
        return unit.read(queries.PLAN, {"run": run}) if is_open else []

    return work


def _anothers(run: str) -> ConflictError:
    return ConflictError(f"The run {run} is carried out by another executor now.")


def _progress(last: RunEntry, state: RunState) -> JsonObject:
    is_over = state.phase in ENDED_PHASES
    return {
        "phase": state.phase,
        "events": last.n,
        "tokens": state.tokens,
        "failure": None if state.error is None else canonical_json(state.error.as_dict()),
        "ended_at": last.at if is_over else None,
        "ended_micros": instant_to_micros(last.at) if is_over else None,
        "is_unmeasured": is_over,
    }


def _failure_of(ended: RunSummary) -> AttemptFailure:
    if ended.phase == "cancelled" or ended.failure is None:
        return AttemptFailure(code="cancelled", message=f"the run {ended.id} was cancelled")
    told = ended.failure
    return AttemptFailure(code=str(told["code"]), message=str(told["message"]), next_step=str(told["nextStep"]))
