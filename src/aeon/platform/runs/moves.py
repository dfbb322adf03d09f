"""Moves runs to the current version of their Process: checks, ends the old run, accepts the one that continues it."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import NAMESPACE_OID, uuid5

from aeon.platform.errors import RuleError
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import InheritedWork, PlannedRun, RunAdmission
from aeon.platform.runs.machine.apply import apply_event
from aeon.platform.runs.machine.events import HistoryEvent, RunMoved, RunStarted
from aeon.platform.runs.machine.state import RunState
from aeon.platform.runs.model import Run, RunSignal
from aeon.platform.runs.moving import move_problems, seeds_in, waiting_problems
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.seeds import kept_call_keys, seed_events
from aeon.platform.store import DuplicateError, GuardError


class RunMoves:
    """Moves the runs of users to other versions (platform 41). Thread-safe. All methods raise StoreError."""

    def __init__(
        self, admission: RunAdmission, repository: SqlRunRepository, processes: ProcessRepository, ledger: Ledger
    ) -> None:
        self._admission = admission
        self._repository = repository
        self._processes = processes
        self._ledger = ledger

    def problems(self, before: PlannedRun, state: RunState) -> list[str]:
        """Return why an open run cannot be moved to the current version of its Process, empty if it can.

        Raises NotFoundError for a Process that its user does not see any more.
        """
        if before.run.parent_id is not None:
            return [f"the run {before.run.root_id} has started it, and is moved instead"]
        process = self._processes.get(before.run.owner_id, before.run.process_id)
        if process.digest == before.plan.digest:
            return ["it is a run of the current version already"]
        return [*self._problems_in(before, state, process), *waiting_problems(before.plan, state)]

    def after_signals(self, before: PlannedRun, state: RunState) -> RunState:
        """Return the state of a run once its executor has taken the signals that wait for it, as a pause does."""
        if state.phase == "new":
            state = apply_event(before.plan, state, RunStarted(inputs=before.run.inputs))
        for signal in self._repository.list_signals([before.run.id]):
            state = apply_event(before.plan, state, signal.event)
        return state

    def plan(self, before: PlannedRun, state: RunState, process: Process) -> PlannedRun:
        """Return the run that continues another one as its Process is now. Raises RuleError with every reason."""
        if problems := self._problems_in(before, state, process):
            raise move_refusal(before.run, problems)
        return self._admission.plan_retry(before, process)

    def request(self, before: PlannedRun, state: RunState, user: str, *, stays_paused: bool = False) -> None:
        """Ask the executor of a paused run to end it, because another one continues it, paused if it `stays_paused`."""
        next_run = _id_of_next(before.run.id)
        event = RunMoved(by=user, to=next_run, paused_at=state.switched_at, stays_paused=stays_paused)
        id_ = f"{before.run.id}:run_moved:{state.switched_at}"
        signal = RunSignal(id=id_, run_id=before.run.id, at=self._ledger.now(), event=event)
        with suppress(DuplicateError, GuardError):  # it was asked before, or has ended in the meantime
            self._repository.add_signal(signal)

    def finish(self, before: PlannedRun, state: RunState, request: MutationRequest) -> tuple[Run, list[str]]:
        """Accept the run that continues one which has ended for it, and return it; again, the same one.

        If what the old run did at last does not fit the current version, the new one is of the old version; the second
        result is why.
        """
        id_, deadline = state.moved_to or "", before.run.deadline
        process = self._processes.get(before.run.owner_id, before.run.process_id)
        if problems := self._problems_in(before, state, process):
            planned = self._admission.plan_retry(before, None, id_, deadline)
            seeds = seed_events(planned.plan, state)
        else:
            planned = self._admission.plan_retry(before, process, id_, deadline)
            seeds = self.seeds(before, state, planned)
        events = [each.event for each in self._repository.entries(before.run.id)]
        work = InheritedWork(before.run.id, seeds, kept_call_keys(before.plan, events))
        paused = any(isinstance(event, RunMoved) and event.stays_paused for event in events)
        accepted = self._admission.accept_retry(planned, work, request, paused=paused)
        return self._repository.get(before.run.owner_id, accepted.id).run, problems

    def seeds(self, before: PlannedRun, state: RunState, planned: PlannedRun) -> Sequence[HistoryEvent]:
        """Return the events with which the run begins that continues another one in another version."""
        return seeds_in(planned.plan, before.plan, state, planned.run.inputs)

    def _problems_in(self, before: PlannedRun, state: RunState, process: Process) -> list[str]:
        try:
            planned = self._admission.plan_retry(before, process)
        except RuleError as error:
            return [error.message[:1].lower() + error.message[1:].rstrip(".")]
        return move_problems(planned.plan, before.plan, state)


def move_refusal(run: Run, problems: Sequence[str]) -> RuleError:
    """Return the error for a run that cannot go on in the current version, with every reason."""
    return RuleError(
        f"The run {run.id} cannot go on in the current version of {run.process_name!r}: {'; '.join(problems)}.",
        rule="move",
        next_step="Let the new version keep what the run has done, or let the run end in its own version.",
    )


def _id_of_next(run: str) -> str:
    """Return the id of the run that continues a moved one: always the same."""
    return str(uuid5(NAMESPACE_OID, f"{run} moved"))
