"""Runs in the record: accepted, taken, kept entry by entry."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from aeon.base.json import Json, JsonObject, canonical, parse_strict
from aeon.platform.errors import ConflictError, NotFoundError
from aeon.platform.processes.running.commands import StartProcess
from aeon.platform.processes.running.events import CancelRequested, Failure, RunCompleted, StepCompleted, StepFailed
from aeon.platform.processes.running.plan import Plan
from aeon.platform.processes.running.state import ENDED, Phase, State
from aeon.platform.processes.runs import queries
from aeon.platform.processes.runs.accepting import Accepting, Found
from aeon.platform.processes.runs.claims import Results, checked_in, checked_out, reference
from aeon.platform.processes.runs.entries import entry_row
from aeon.platform.processes.runs.lease import Confirm, held_for_ever
from aeon.platform.processes.runs.model import Done, Entry, Run, RunSummary, Signal, Work
from aeon.platform.store import DuplicateError, GuardError, Row, Store, Unit, guard, writes_one
from aeon.platform.workers.dead import DeadJob, died, may_be_dead

_PAGE = 1000


class RunBook:
    """What is written down of runs. Threads may share one. All raise StoreError."""

    def __init__(self, store: Store, results: Results, accepting: Accepting) -> None:
        self._store = store
        self._results = results
        self._accepting = accepting

    def work(self, run: str, executor: str, confirm: Confirm = held_for_ever) -> Work | None:
        """What it takes to carry a run out, which from then on is the executor's; None when it has ended.

        `confirm` says whether the engine leaves it to this executor. Raises what that raises, and ConflictError when
        the run was given to another one since then.
        """
        if (fresh := self._accepting.fresh(run, executor)) is not None:
            confirm()
            return Work(fresh.run, fresh.plan, [])
        before = self._run(run).executor
        confirm()
        rows = self._store.update(_takes(run, executor, before))
        if not rows:
            if self._run(run).ended_at is None:
                raise _anothers(run)
            return None
        found = self._found(rows[0])
        return Work(found.run, found.plan, list(self.entries(run)) if found.run.events else [])

    def keep(self, run: str, executor: str, entries: Sequence[Entry], state: State) -> None:
        """Add entries to a run's, all or none; those that are there already are left out.

        Raises ConflictError when the run has become another executor's.
        """
        if not entries:
            return
        try:
            self._store.update(self._keeps(run, executor, entries, state))
        except GuardError:
            self.keep(run, executor, self._not_kept(run, executor, entries), state)

    def accept_called(self, parent: Run, command: StartProcess) -> str:
        """The id of the run that a step of another run starts, accepted; the same one whenever it is asked.

        Raises NotFoundError or RuleError where the owner may not run that Process any more (platform 4).
        """
        try:
            return self._run(command.job).id
        except NotFoundError:
            return self._accepting.called(parent, command).id

    def cancel_called(self, caller: Run, run: str) -> None:
        """Have a run that another one called stopped, as whoever has that one; nothing, if it has ended."""
        event = CancelRequested(by=caller.owner_id)
        with suppress(DuplicateError, GuardError):
            self.want(Signal(id=f"{run}:cancel", run_id=run, at=self._accepting.now(), event=event))

    def outcome(self, run: str, command: StartProcess) -> Done | None:
        """What a run that a step started came to, as an event of that step; None while it has not ended."""
        ended = self._run(run)
        if ended.phase not in ENDED:
            return None
        about: JsonObject = {"run": run}
        last = list(self.entries(run, after=ended.events - 1))[-1].event
        if isinstance(last, RunCompleted):
            event = StepCompleted(step=command.step, attempt=command.attempt, output=last.output, tokens=ended.tokens)
            return Done(event=event, about=about)
        error = _failure_of(ended)
        failed = StepFailed(step=command.step, attempt=command.attempt, error=error, tokens=ended.tokens)
        return Done(event=failed, about=about)

    def phase(self, run: str) -> Phase:
        """Where a run stands."""
        return self._run(run).phase

    def is_held(self, run: str, executor: str) -> bool:
        """Whether a run is that executor's to carry out."""
        rows = self._store.read(queries.PROGRESS, {"run": run})
        return bool(rows) and rows[0]["executor"] == executor

    def signals(self, runs: Sequence[str]) -> list[Signal]:
        """All that was wanted of these runs since they began, oldest first."""
        rows = self._store.read(queries.WANTED, {"runs": list[Json](runs)})
        return [Signal.parsed(parse_strict(checked_out(self._results, row["text"]))) for row in rows]

    def want(self, signal: Signal) -> None:
        """Write down what is wanted of a run. Raises DuplicateError where its id is there, GuardError once it ended."""
        text = checked_in(self._results, canonical(signal.as_dict()))
        told: JsonObject = {"id": signal.id, "run": signal.run_id, "at": signal.at}
        self._store.update(writes_one(queries.WANT, {**told, "text": text, "reference": reference(text)}))

    def entries(self, run: str, after: int = 0) -> Iterator[Entry]:
        """A run's entries with numbers above `after`, in their order."""
        while True:
            rows = self._store.read(queries.ENTRIES, {"run": run, "after": after, "limit": _PAGE})
            for row in rows:
                entry = Entry.parsed(parse_strict(checked_out(self._results, row["text"])))
                after = entry.n
                yield entry
            if len(rows) < _PAGE:
                return

    def one(self, user: str, run: str) -> Found:
        """A run of the user's. Raises NotFoundError."""
        rows = self._store.read(queries.ONE, {"run": run, "user": user})
        if not rows:
            self._accepting.require_user(user)
            raise NotFoundError(f"You have no run {run!r}.", next_step="See `aeon runs list`.")
        return self._found(rows[0])

    def of_owner(self, user: str, limit: int, *, called: bool = False) -> list[RunSummary]:
        """The user's runs, newest first; with `called` also those that others of their runs called."""
        params: JsonObject = {"user": user, "limit": limit, "called": called}
        return [RunSummary.from_row(row) for row in self._store.read(queries.OF_OWNER, params)]

    def family(self, root: str) -> list[RunSummary]:
        """A run and all that it called, directly and indirectly, as they were accepted."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.CALLED_BY_RUN, {"root": root})]

    def open(self, limit: int = 1000) -> list[RunSummary]:
        """Runs of all users that have not ended."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.OPEN, {"limit": limit})]

    def left(self, executors: Collection[str], root: str | None = None, limit: int = 1000) -> list[RunSummary]:
        """Open runs of all users that none of these executors carries out; of one family, if its root is named."""
        given: JsonObject = {"executors": list[Json](executors), "root": root, "limit": limit}
        rows = self._store.read(queries.LEFT if root is None else queries.LEFT_OF_ROOT, given)
        return [RunSummary.from_row(row) for row in rows]

    def held_by(self, executor: str) -> dict[str, str]:
        """The runs that an executor carries out, each with its Process's name."""
        return {row["id"]: row["name"] for row in self._store.read(queries.HELD, {"executor": executor})}

    def standings(self, runs: Sequence[str]) -> list[RunSummary]:
        """These runs as they stand now; those that are not there any more are left out."""
        return [RunSummary.from_row(row) for row in self._store.read(queries.STANDINGS, {"runs": list[Json](runs)})]

    def give(self, run: str, executor: str, to: str) -> bool:
        """Make a run another executor's, empty for nobody's; False when it was not `executor`'s, or has ended."""
        params: JsonObject = {"run": run, "executor": executor, "to": to}
        return self._store.update(lambda unit: unit.write(queries.GIVE, params)) == 1

    def open_of(self, user: str, limit: int = 1000) -> list[str]:
        """The ids of the user's runs that have not ended, oldest first."""
        rows = self._store.read(queries.OPEN_OF_OWNER, {"user": user, "limit": limit})
        return [row["id"] for row in rows]

    def dead_of(self, user: str, limit: int = 1000) -> list[DeadJob]:
        """The user's jobs that failed for good, newest first (platform 10)."""
        rows = self._store.read(queries.DEAD_OF_OWNER, {"user": user, "limit": limit})
        return [DeadJob.from_row(row) for row in rows]

    def dead(self, user: str, job: str) -> DeadJob:
        """A job of the user's that failed for good. Raises NotFoundError."""
        rows = self._store.read(queries.DEAD, {"user": user, "job": job})
        if not rows:
            self._accepting.require_user(user)
            raise NotFoundError(f"You have no dead job {job!r}.", next_step="See `aeon jobs dead`.")
        return DeadJob.from_row(rows[0])

    def note_retried(self, root: str, by: str) -> None:
        """Say of what failed in a run, and in all that it called, that it was tried again in another one."""
        self._store.update(lambda unit: unit.write(queries.NOTE_RETRIED, {"root": root, "by": by}))

    def unmeasured(self, limit: int) -> list[str]:
        """Ended runs of all users that no metric knows of yet."""
        return [row["id"] for row in self._store.read(queries.UNMEASURED, {"limit": limit})]

    def found(self, run: str) -> Found:
        """A run of whomever, with its plan. Raises LostResultError, NotFoundError."""
        rows = self._store.read(queries.PLAN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return self._found(rows[0])

    def _keeps(self, run: str, executor: str, entries: Sequence[Entry], state: State) -> Callable[[Unit], None]:
        """Raises GuardError unless the run is the executor's and ends before these entries."""
        now: JsonObject = {
            "run": run,
            "executor": executor,
            "before": entries[0].n - 1,
            **_progress(entries[-1], state),
        }
        rows = [entry_row(self._results, run, entry) for entry in entries]
        dead = self._died(run, entries, state.phase)

        def work(unit: Unit) -> None:
            guard(holds=unit.write(queries.KEEP, now) == 1)
            unit.write_each(queries.ADD_ENTRY, rows)
            unit.write_each(queries.ADD_DEAD_JOB, dead)

        return work

    def _died(self, run: str, entries: Sequence[Entry], phase: Phase) -> list[JsonObject]:
        if not may_be_dead(entries):
            return []
        return died(self.found(run).plan, entries, phase)

    def _run(self, run: str) -> RunSummary:
        rows = self._store.read(queries.RUN, {"run": run})
        if not rows:
            raise NotFoundError(f"There is no run {run!r}.")
        return RunSummary.from_row(rows[0])

    def _not_kept(self, run: str, executor: str, entries: Sequence[Entry]) -> list[Entry]:
        """Those that an attempt whose answer was lost has not written. Raises ConflictError."""
        (row,) = self._store.read(queries.PROGRESS, {"run": run})
        left = [entry for entry in entries if entry.n > row["events"]]
        if row["executor"] != executor or (left and left[0].n != row["events"] + 1):
            raise _anothers(run)
        return left

    def _found(self, row: Row) -> Found:
        run = Run.from_row({**row, "inputs": checked_out(self._results, row["inputs"])})
        said: JsonObject = parse_strict(row["definition"])
        plan: JsonObject = parse_strict(checked_out(self._results, row["plan"]))
        return Found(run, Plan.parsed(plan | {"definition": {"name": run.process_name, **said}}))


def micros(instant: str) -> int:
    """An instant in microseconds since 1970."""
    return round(datetime.fromisoformat(instant).timestamp() * 1_000_000)


def _takes(run: str, executor: str, before: str) -> Callable[[Unit], list[Row]]:
    """Gives the run, with its plan, unless it has ended, or is another's than it was before."""

    def work(unit: Unit) -> list[Row]:
        is_open = unit.write(queries.TAKE, {"run": run, "executor": executor, "before": before}) == 1
        return unit.read(queries.PLAN, {"run": run}) if is_open else []

    return work


def _anothers(run: str) -> ConflictError:
    return ConflictError(f"The run {run} is carried out by another executor now.")


def _progress(last: Entry, state: State) -> JsonObject:
    is_over = state.phase in ENDED
    return {
        "phase": state.phase,
        "events": last.n,
        "tokens": state.tokens,
        "failure": None if state.error is None else canonical(state.error.as_dict()),
        "ended_at": last.at if is_over else None,
        "ended_micros": micros(last.at) if is_over else None,
        "is_unmeasured": is_over,
    }


def _failure_of(ended: RunSummary) -> Failure:
    if ended.phase == "cancelled" or ended.failure is None:
        return Failure(code="cancelled", message=f"the run {ended.id} was cancelled")
    told = ended.failure
    return Failure(code=str(told["code"]), message=str(told["message"]), next_step=str(told["nextStep"]))
