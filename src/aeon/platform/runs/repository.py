"""Stores runs and their entries in SQL."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import cast

from aeon.base.clock import instant_to_micros
from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.base.next_steps import NextStep
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.processes.language import LANGUAGE
from aeon.platform.processes.step_control import RESULT
from aeon.platform.runs import queries
from aeon.platform.runs.admission import InheritedWork, PlannedRun, RunAdmission
from aeon.platform.runs.claim_check import (
    LostResultError,
    ResultStore,
    check_in,
    check_out,
    reference_of,
    run_entry_row,
)
from aeon.platform.runs.dead_jobs import (
    NEWEST_DEAD_JOB,
    DeadJob,
    DeadJobPosition,
    find_dead_jobs,
    may_contain_dead_jobs,
)
from aeon.platform.runs.entry_log import log_entries
from aeon.platform.runs.lease import ConfirmOwnership, always_owned
from aeon.platform.runs.machine.commands import StartLoop, StartRun
from aeon.platform.runs.machine.events import (
    AttemptFailure,
    AttemptStarted,
    CancelRequested,
    HistoryEvent,
    RunCompleted,
    StepCompleted,
    StepFailed,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import ENDED_PHASES, RunPhase, RunState
from aeon.platform.runs.model import (
    ALL_RUNS,
    NEWEST_RUN,
    JobResult,
    Run,
    RunEntry,
    RunFilter,
    RunPosition,
    RunSignal,
    RunSnapshot,
    RunSummary,
)
from aeon.platform.runs.notifier import InProcessNotifier
from aeon.platform.runs.ports import EntryNotifier
from aeon.platform.runs.questions import AssignedQuestion, question_changes, with_reminders
from aeon.platform.runs.replay import replay
from aeon.platform.runs.seeds import kept_call_keys, seed_events
from aeon.platform.store import DuplicateError, GuardError, Row, Store, UnitOfWork, guard, write_one

_PAGE_SIZE = 1000


class SqlRunRepository:
    """The stored runs of all users. Thread-safe. All methods raise StoreError."""

    def __init__(
        self, store: Store, results: ResultStore, admission: RunAdmission, notifier: EntryNotifier | None = None
    ) -> None:
        """`notifier` tells followers in this process of new entries; None tells nobody."""
        self._notifier = InProcessNotifier() if notifier is None else notifier
        self._store = store
        self._results = results
        self._admission = admission

    def claim(self, run: str, executor: str, confirm: ConfirmOwnership = always_owned) -> RunSnapshot | None:
        """Assign a run to `executor` and load it; None if it has ended.

        `confirm` checks that the engine still assigns the run to this executor. Raises what `confirm` raises, and
        ConflictError if the run was assigned to another executor in the meantime.
        """
        if (fresh := self._admission.take_fresh(run, executor)) is not None:
            confirm()
            return RunSnapshot(fresh.run, fresh.plan, [], is_new=True)
        before = self._run(run).executor
        confirm()
        rows = self._store.update(_claim_run(run, executor, before))
        if not rows:
            if self._run(run).ended_at is None:
                raise _lease_conflict(run)
            return None
        planned = self._planned_run(rows[0])
        return RunSnapshot(planned.run, planned.plan, list(self.entries(run)) if planned.run.events else [])

    def append(self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState) -> None:
        """Append entries to a run, all or none; skip those that are already stored.

        Raises ConflictError if another executor owns the run now.
        """
        if not entries:
            return
        try:
            self._store.update(self._append_entries(run, executor, entries, state))
        except GuardError:
            self.append(run, executor, self._missing_entries(run, executor, entries), state)
        else:
            log_entries(run, entries)
            self._notifier.notify(run)

    def accept_child(self, parent: Run, command: StartRun) -> str:
        """Accept the run that a step starts, and return its id; calling it again returns the same run.

        Raises NotFoundError or RuleError if the owner may no longer run that Process (platform 4).
        """
        try:
            return self._run(command.job).id
        except NotFoundError:
            inherit = partial(self._inherited_work, parent, command)
            if isinstance(command, StartLoop):
                items = self._items_of(command)
                return self._admission.accept_loop(self.get_any(parent.id), command, items, inherit).id
            return self._admission.accept_child(parent, command, inherit).id

    def _items_of(self, command: StartLoop) -> list[Json]:
        """Return the items of a loop; of one that undoes another, what that has completed, the last one first."""
        if command.undoes is None:
            return cast("list[Json]", command.inputs["items"])
        try:
            undone = self.get_any(command.undoes)
        except NotFoundError:  # it was never accepted
            return []
        state = replay(undone.plan, list(self.entries(command.undoes)))
        items = cast("list[Json]", undone.run.inputs["items"])
        completed = [
            {"item": item, RESULT: step.value}
            for item, step in zip(items, state.steps, strict=True)
            if step.status == "completed"
        ]
        return list[Json](reversed(completed))

    def _inherited_work(self, parent: Run, command: StartRun, run: Run, plan: RunPlan) -> InheritedWork | None:
        """Return what a called run need not repeat: what it did when the run was tried that its caller retries.

        It counts only if it was called with the same inputs.
        """
        if parent.retry_of is None:
            return None
        earlier = self._last_child(parent.retry_of, command.step)
        if earlier is None or (earlier.run.inputs, earlier.plan.digest) != (run.inputs, plan.digest):
            return None
        entries = list(self.entries(earlier.run.id))
        keys = kept_call_keys(earlier.plan, (each.event for each in entries))
        return InheritedWork(earlier.run.id, seed_events(plan, replay(earlier.plan, entries)), keys)

    def _last_child(self, parent: str, step: str) -> PlannedRun | None:
        """Return the last run that a step of another run has started."""
        try:
            attempts = [
                entry.event.job
                for entry in self.entries(parent)
                if isinstance(entry.event, AttemptStarted) and entry.event.step == step
            ]
            return self.get_any(attempts[-1]) if attempts else None
        except (NotFoundError, LostResultError):  # it was removed in the meantime
            return None

    def cancel_child(self, caller: Run, run: str) -> None:
        """Cancel a child run on behalf of its parent's owner; does nothing once it has ended."""
        event = CancelRequested(by=caller.owner_id)
        with suppress(DuplicateError, GuardError):
            self.add_signal(RunSignal(id=f"{run}:cancel", run_id=run, at=self._admission.now(), event=event))

    def find_child_result(self, run: str, command: StartRun) -> JobResult | None:
        """Return the result of a child run as an event of the calling step; None until it has ended."""
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
        """Return the phase of a run."""
        return self._run(run).phase

    def get_language(self, run: str) -> int:
        """Return the version of the language of Processes that the executor of a run must know."""
        return self._run(run).language

    def is_owned_by(self, run: str, executor: str) -> bool:
        """Return whether that executor owns the run."""
        rows = self._store.read(queries.PROGRESS, {"run": run})
        return bool(rows) and rows[0]["executor"] == executor

    def list_signals(self, runs: Sequence[str]) -> list[RunSignal]:
        """Return all signals of these runs, oldest first."""
        rows = self._store.read(queries.WANTED, {"runs": list[Json](runs)})
        return [RunSignal.parsed(parse_strict(check_out(self._results, row["text"]))) for row in rows]

    def add_signal(self, signal: RunSignal) -> None:
        """Store a signal. Raises DuplicateError if its id exists, GuardError if the run has ended."""
        text = check_in(self._results, canonical_json(signal.as_dict()))
        columns: JsonObject = {"id": signal.id, "run": signal.run_id, "at": signal.at}
        self._store.update(write_one(queries.WANT, {**columns, "text": text, "reference": reference_of(text)}))

    def close_question(self, timeout: RunSignal) -> HistoryEvent:
        """Store that a question has timed out, unless it was answered; return the event that counts.

        `timeout` has the question's id, as its answer has: the first of both is stored. Calling it again returns the
        same event.
        """
        try:
            self.add_signal(timeout)
        except DuplicateError:
            signals = self.list_signals([timeout.run_id])
            return next(signal.event for signal in signals if signal.id == timeout.id)
        except GuardError:  # the run has ended, so that the event changes nothing
            pass
        return timeout.event

    def entries(self, run: str, after: int = 0) -> Iterator[RunEntry]:
        """Yield the entries of a run with numbers above `after`, in order."""
        while True:
            rows = self._store.read(queries.ENTRIES, {"run": run, "after": after, "limit": _PAGE_SIZE})
            for row in rows:
                entry = RunEntry.parsed(parse_strict(check_out(self._results, row["text"])))
                after = entry.n
                yield entry
            if len(rows) < _PAGE_SIZE:
                return

    def get(self, user: str, run: str) -> PlannedRun:
        """Return a run of the user. Raises NotFoundError."""
        rows = self._store.read(queries.ONE, {"run": run, "user": user})
        if not rows:
            self._admission.require_user(user)
            raise NotFoundError(f"You have no run {run!r}.", next_step=NextStep("runs.list"))
        return self._planned_run(rows[0])

    def list_by_owner(
        self,
        user: str,
        limit: int,
        wanted: RunFilter = ALL_RUNS,
        after: RunPosition = NEWEST_RUN,
        *,
        called: bool = False,
    ) -> list[RunSummary]:
        """Return the user's runs after a position, newest first; with `called`, also the child runs."""
        params: JsonObject = {
            "user": user,
            "limit": limit,
            "called": called,
            "until": after.accepted_at,
            "after_id": after.id,
            **wanted.as_params(),
        }
        return [RunSummary.from_row(row) for row in self._store.read(queries.OF_OWNER, params)]

    def list_family(self, root: str) -> list[RunSummary]:
        """Return a root run and all its descendants, in the order in which they were accepted."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.CALLED_BY_RUN, {"root": root})]

    def list_open(self, limit: int = 1000) -> list[RunSummary]:
        """Return open runs of all users."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.OPEN, {"limit": limit})]

    def list_orphaned(
        self, executors: Collection[str], root: str | None = None, limit: int = 1000, language: int = LANGUAGE
    ) -> list[RunSummary]:
        """Return open runs that none of these executors owns, of all users or of one root run, by priority and age.

        Those that need a newer version than `language` of the language of Processes are left out.
        """
        params: JsonObject = {"executors": list[Json](executors), "root": root, "limit": limit, "language": language}
        rows = self._store.read(queries.LEFT if root is None else queries.LEFT_OF_ROOT, params)
        return [RunSummary.from_row(row) for row in rows]

    def count_open(self) -> list[tuple[str, int, str]]:
        """Return each phase of open runs of all users with their number and when the oldest was accepted."""
        rows = self._store.read(queries.OPEN_BY_PHASE)
        return sorted((row["phase"], row["number"], row["oldest"]) for row in rows)

    def oldest_orphan(self, executors: Collection[str]) -> str | None:
        """Return when the oldest open run was accepted that none of these executors owns; None without one."""
        rows = self._store.read(queries.OLDEST_LEFT, {"executors": list[Json](executors)})
        return rows[0]["oldest"] if rows else None

    def list_roots_of(self, executor: str, root: str | None = None) -> list[RunSummary]:
        """Return all open runs of an executor that no other run called, or the one with that id."""
        params: JsonObject = {"executor": executor, "root": root}
        return [RunSummary.from_row(row) for row in self._store.read(queries.KEPT, params)]

    def list_by_executor(self, executor: str) -> dict[str, str]:
        """Return the open runs of an executor: Process names by run id."""
        return {row["id"]: row["name"] for row in self._store.read(queries.HELD, {"executor": executor})}

    def list_summaries(self, runs: Sequence[str]) -> list[RunSummary]:
        """Return the current summaries of these runs; runs that do not exist are left out."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.STANDINGS, {"runs": list[Json](runs)})]

    def count_entries(self, runs: Sequence[str]) -> dict[str, int]:
        """Return how many entries each of these runs has; runs that do not exist are left out."""
        rows = self._store.read(queries.NUMBERS, {"runs": list[Json](runs)})
        return {row["id"]: row["events"] for row in rows}

    def count_completed(self, user: str, run: str) -> tuple[int, int] | None:
        """Return how many steps of the user's loop are completed, and of how many; None if it is not there."""
        try:
            found = self.get(user, run)
        except NotFoundError:
            return None
        has_ended = found.run.phase in ENDED_PHASES
        last = found.run.events + (0 if has_ended else 1)
        rows = self._store.read(queries.COMPLETED_STEPS, {"run": run, "last": last})
        return rows[0]["number"], len(found.plan.steps)

    def reassign(self, run: str, executor: str, to: str) -> bool:
        """Assign a run to another executor, empty for none.

        Returns False if `executor` does not own the run, or if the run has ended.
        """
        params: JsonObject = {"run": run, "executor": executor, "to": to}
        return self._store.update(lambda unit: unit.write(queries.GIVE, params)) == 1

    def list_open_ids(self, user: str, limit: int = 1000) -> list[str]:
        """Return the ids of the user's open runs, oldest first."""
        rows = self._store.read(queries.OPEN_OF_OWNER, {"user": user, "limit": limit})
        return [row["id"] for row in rows]

    def list_assigned(self, user: str, limit: int = 1000) -> list[AssignedQuestion]:
        """Return the open questions that a user is asked by name, in any run, oldest first."""
        rows = self._store.read(queries.ASSIGNED, {"user": user, "limit": limit})
        return [AssignedQuestion(**row) for row in rows]

    def find_assigned(self, user: str, run: str, step: str) -> AssignedQuestion | None:
        """Return the open question that a step of a run, or of what it called, asks a user by name."""
        rows = self._store.read(queries.ASSIGNED_IN_FAMILY, {"user": user, "run": run, "step": step})
        return AssignedQuestion(**rows[0]) if rows else None

    def list_dead_jobs(self, user: str, limit: int = 1000, after: DeadJobPosition = NEWEST_DEAD_JOB) -> list[DeadJob]:
        """Return the user's dead jobs after a position, newest first (platform 10)."""
        params: JsonObject = {"user": user, "limit": limit, "until": after.at, "after_id": after.id}
        rows = self._store.read(queries.DEAD_OF_OWNER, params)
        return [DeadJob.from_row(row) for row in rows]

    def get_dead_job(self, user: str, job: str) -> DeadJob:
        """Return a dead job of the user. Raises NotFoundError."""
        rows = self._store.read(queries.DEAD, {"user": user, "job": job})
        if not rows:
            self._admission.require_user(user)
            raise NotFoundError(f"You have no dead job {job!r}.", next_step=NextStep("jobs.list_dead"))
        return DeadJob.from_row(rows[0])

    def mark_retried(self, root: str, by: str) -> None:
        """Record that the dead jobs of a run and its descendants were retried by another run."""
        self._store.update(lambda unit: unit.write(queries.NOTE_RETRIED, {"root": root, "by": by}))

    def list_unmeasured(self, limit: int) -> list[str]:
        """Return the ids of ended runs whose metrics are not recorded yet, of all users."""
        return [row["id"] for row in self._store.read(queries.UNMEASURED, {"limit": limit})]

    def get_any(self, run: str) -> PlannedRun:
        """Return a run of any user, with its plan. Raises LostResultError, NotFoundError."""
        rows = self._store.read(queries.PLAN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return self._planned_run(rows[0])

    def _append_entries(
        self, run: str, executor: str, entries: Sequence[RunEntry], state: RunState
    ) -> Callable[[UnitOfWork], None]:
        """Raises GuardError unless the executor owns the run and these entries continue it."""
        now: JsonObject = {
            "run": run,
            "executor": executor,
            "before": entries[0].n - 1,
            **_progress(entries[-1], state),
        }
        rows = [run_entry_row(self._results, run, entry) for entry in entries]
        dead = self._dead_jobs(run, entries, state.phase)
        asked, closed = question_changes(run, entries)
        if asked:
            asked = with_reminders(self.get_any(run).plan, asked)

        def work(unit: UnitOfWork) -> None:
            guard(holds=unit.write(queries.KEEP, now) == 1)
            unit.write_each(queries.ADD_ENTRY, rows)
            unit.write_each(queries.ADD_DEAD_JOB, dead)
            unit.write_each(queries.CLOSE_QUESTION, closed)
            unit.write_each(queries.ADD_QUESTION, asked)

        return work

    def _dead_jobs(self, run: str, entries: Sequence[RunEntry], phase: RunPhase) -> list[JsonObject]:
        if not may_contain_dead_jobs(entries):
            return []
        return find_dead_jobs(self.get_any(run).plan, entries, phase)

    def _run(self, run: str) -> RunSummary:
        rows = self._store.read(queries.RUN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return RunSummary.from_row(rows[0])

    def _missing_entries(self, run: str, executor: str, entries: Sequence[RunEntry]) -> list[RunEntry]:
        """Return the entries that are not stored yet.

        An earlier append may have stored entries although its answer was lost. Raises ConflictError.
        """
        (row,) = self._store.read(queries.PROGRESS, {"run": run})
        missing = [entry for entry in entries if entry.n > row["events"]]
        if row["executor"] != executor or (missing and missing[0].n != row["events"] + 1):
            raise _lease_conflict(run)
        return missing

    def _planned_run(self, row: Row) -> PlannedRun:
        run = Run.from_row({**row, "inputs": check_out(self._results, row["inputs"])})
        definition: JsonObject = parse_strict(row["definition"])
        plan: JsonObject = parse_strict(check_out(self._results, row["plan"]))
        return PlannedRun(run, RunPlan.parsed(plan | {"definition": {"name": run.process_name, **definition}}))


def _claim_run(run: str, executor: str, before: str) -> Callable[[UnitOfWork], list[Row]]:
    """Assign and load the run; no rows if it has ended or its executor has changed."""

    def work(unit: UnitOfWork) -> list[Row]:
        is_open = unit.write(queries.TAKE, {"run": run, "executor": executor, "before": before}) == 1
        return unit.read(queries.PLAN, {"run": run}) if is_open else []

    return work


def _lease_conflict(run: str) -> ConflictError:
    return ConflictError(f"The run {run} is now executed by another executor.")


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
    failure = ended.failure
    return AttemptFailure(
        code=str(failure["code"]), message=str(failure["message"]), next_step=str(failure["nextStep"])
    )
