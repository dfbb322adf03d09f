"""The operations of users on runs: start, view, answer, cancel and retry."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from aeon.base.json import Json
from aeon.base.next_steps import NextStep
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import InheritedWork, NewRun, PlannedRun, RunAdmission
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.loop_counts import LoopCount, count_items
from aeon.platform.runs.machine.apply import rejection_reason
from aeon.platform.runs.machine.commands import AskPerson
from aeon.platform.runs.machine.decide import recorded_commands
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    CancelRequested,
    RunPaused,
    RunUnpaused,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import ACTIVE_PHASES, ENDED_PHASES, RunState
from aeon.platform.runs.model import ALL_RUNS, NEWEST_RUN, Run, RunEntry, RunFilter, RunPosition, RunSignal, RunSummary
from aeon.platform.runs.moves import RunMoves
from aeon.platform.runs.notifier import InProcessNotifier
from aeon.platform.runs.ports import EntryNotifier
from aeon.platform.runs.questions import (
    AskedQuestion,
    AssignedQuestion,
    PendingQuestion,
    list_asked,
    open_jobs,
    refusal_of,
    refusal_of_ended,
    signals_for,
)
from aeon.platform.runs.replay import replay
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.seeds import kept_call_keys, seed_events
from aeon.platform.runs.semantics import SEMANTICS
from aeon.platform.store import DuplicateError, GuardError, Store

_DEFAULT_LIMIT = 50


class RunView(NamedTuple):
    """A run with its plan and its current state."""

    run: Run
    plan: RunPlan
    state: RunState

    @property
    def planned(self) -> PlannedRun:
        """The run and its plan."""
        return PlannedRun(self.run, self.plan)

    @property
    def is_busy(self) -> bool:
        """Whether a tool call is running, or about to start."""
        return any(
            step.status in ("running", "retrying", "stopping")
            and self.plan.call_of(self.plan.steps[position].id).kind == "tool"
            and not self.plan.is_manual(position)
            and not self.plan.is_loop(position)
            for position, step in enumerate(self.state.steps)
        )

    @property
    def waits_only_for_people(self) -> bool:
        """Whether all running steps wait for people's answers."""
        under_way = [position for position, step in enumerate(self.state.steps) if step.status == "running"]
        is_full = self.plan.concurrency is not None and len(under_way) >= self.plan.concurrency
        is_idle = self.state.phase in ACTIVE_PHASES and (not self.state.ready or is_full)
        return is_idle and bool(under_way) and all(self.plan.is_manual(position) for position in under_way)


class Runs:
    """The runs of all users, each visible to its owner only. Thread-safe."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        processes: ProcessRepository,
        results: ResultStore,
        new_id: Callable[[], str],
        notifier: EntryNotifier | None = None,
    ) -> None:
        """`notifier` tells followers of new entries; None makes one for this process."""
        self.notifier: EntryNotifier = InProcessNotifier() if notifier is None else notifier
        self._ledger = ledger
        self._processes = processes
        self._new_id = new_id
        self._admission = RunAdmission(store, ledger, processes, results, new_id)
        self.repository = SqlRunRepository(store, results, self._admission, self.notifier)
        self.moves = RunMoves(self._admission, self.repository, processes, ledger)

    def accept(self, process: Process, new: NewRun, request: MutationRequest) -> Run:
        """Accept a run durably: from then on it is not lost (platform 20).

        Raises RuleError for invalid inputs, and for a disabled Process.
        """
        return self._admission.accept(process, new, request)

    def accept_reminder(self, asking: Run, process: str, new: NewRun) -> Run:
        """Accept a run that reminds of a question; see `RunAdmission.accept_reminder`."""
        return self._admission.accept_reminder(asking, process, new)

    def list_runs(
        self,
        user: str,
        limit: int = _DEFAULT_LIMIT,
        wanted: RunFilter = ALL_RUNS,
        after: RunPosition = NEWEST_RUN,
    ) -> list[RunSummary]:
        """Return the user's runs after a position, newest first, without child runs."""
        return self.repository.list_by_owner(user, limit, wanted, after)

    def view(self, user: str, run: str) -> RunView:
        """Return a run and its current state. Raises NotFoundError."""
        planned = self.repository.get(user, run)
        return RunView(planned.run, planned.plan, replay(planned.plan, list(self.repository.entries(run))))

    def count_items(self, view: RunView) -> dict[str, LoopCount]:
        """Return how many items of each loop that a run has started are completed, by step."""
        return count_items(view.plan, view.state, partial(self.repository.count_completed, view.run.owner_id))

    def has_ended(self, user: str, run: str) -> bool:
        """Whether a run has ended. Raises NotFoundError."""
        return self.repository.get(user, run).run.phase in ENDED_PHASES

    def list_entries(self, user: str, run: str, after: int = 0) -> Iterator[RunEntry]:
        """Yield the entries of a run after the one with that number. Raises NotFoundError."""
        self.repository.get(user, run)
        return self.repository.entries(run, after)

    def list_questions(self, user: str, run: str) -> list[PendingQuestion]:
        """Return the open questions of a run, then those of its whole family."""
        return [
            question
            for view, asked in self._family_questions(user, run)
            for question in _pending(view, open_jobs(asked))
        ]

    def list_asked(self, view: RunView, entries: Sequence[RunEntry]) -> list[AskedQuestion]:
        """Return all questions that a run itself has asked, with why closed ones are closed."""
        family = self.repository.list_family(view.run.root_id)
        return self._asked(view, entries, family, self.repository.list_signals([each.id for each in family]))

    def answer(self, user: str, run: str, step: str, value: Json) -> PendingQuestion:
        """Answer a manual step; the answer is its result. Return the question (platform 9).

        A user whom the step names may answer, also in a run of another (platform 41). Raises NotFoundError if the run
        has asked no such question; RuleError if the question has timed out or the run
        has ended; ConflictError if another answer came first.
        """
        assigned = self.repository.find_assigned(user, run, step)
        owner, run = (user, run) if assigned is None else (assigned.owner, assigned.run)
        question = self._open_question(owner, run, step)
        event = AnswerGiven(step=step, by=user, answer=value)
        view = self.view(owner, question.run)
        if reason := rejection_reason(view.plan, view.state, event):
            raise RuleError(f"The answer is not valid: {reason}.", rule="answer", field="$.answer")
        try:
            self._send(RunSignal(id=question.job, run_id=question.run, at=self._ledger.now(), event=event))
        except ConflictError:  # another answer, or the end of the question or of its run, came first
            self._open_question(owner, run, step)
            raise
        return question

    def list_assigned(self, user: str) -> list[tuple[AssignedQuestion, PendingQuestion]]:
        """Return the open questions that steps ask a user by name, oldest first, also in runs of others.

        Of another user's run, nothing else is shown.
        """
        found: list[tuple[AssignedQuestion, PendingQuestion]] = []
        for assigned in self.repository.list_assigned(user):
            asking = self._asked_by(assigned.owner, [self.repository.get(assigned.owner, assigned.run).run], ())
            questions = [each for view, asked in asking for each in _pending(view, open_jobs(asked))]
            found += [(assigned, each) for each in questions if each.job == assigned.job]
        return found

    def cancel(self, user: str, run: str) -> None:
        """Cancel a run with everything that it called. Raises RuleError if it has ended."""
        target = self.repository.get(user, run).run
        if target.phase in ENDED_PHASES:
            raise RuleError(f"The run {run} has ended: it is {target.phase}.", rule="run_open")
        event = CancelRequested(by=user)
        try:
            self._send(RunSignal(id=f"{run}:cancel", run_id=run, at=self._ledger.now(), event=event))
        except ConflictError:
            return

    def pause(self, user: str, run: str) -> None:
        """Pause a run with everything that it called: what runs goes on, and nothing more starts (platform 41).

        Raises NotFoundError, and RuleError if it has ended.
        """
        self._send_to_family(user, run, RunPaused(by=user, at=self._ledger.now()))

    def unpause(self, user: str, run: str) -> None:
        """Let a paused run go on, with everything that it called. Raises as `pause` does."""
        self._send_to_family(user, run, RunUnpaused(by=user, at=self._ledger.now()))

    def _send_to_family(self, user: str, run: str, event: RunPaused | RunUnpaused) -> None:
        target = self.repository.get(user, run).run
        if target.phase in ENDED_PHASES:
            raise RuleError(f"The run {run} has ended: it is {target.phase}.", rule="run_open")
        called = {run}
        for each in self.repository.list_family(target.root_id):
            if each.id != run and each.parent_id not in called:
                continue
            called.add(each.id)
            if each.phase not in ENDED_PHASES:
                id_ = f"{each.id}:{event.event}:{self._new_id()}"
                with suppress(ConflictError):  # it has ended in the meantime
                    self._send(RunSignal(id=id_, run_id=each.id, at=event.at, event=event))

    def retry(self, run: str, request: MutationRequest, *, is_latest: bool = False) -> Run:
        """Accept a run that continues a failed or cancelled one, without its completed steps.

        It is a run of the same version, or with `is_latest` of the current one. Raises RuleError for a run that is open
        or has completed or was moved, and with every reason why it cannot go on in that version.
        """
        view = self.view(request.user, run)
        if view.state.phase not in ("failed", "cancelled"):
            raise RuleError(
                f"The run {run} is {view.state.phase}: only one that failed or was cancelled is retried.",
                rule="run_failed",
            )
        if view.state.moved_to is not None:
            raise RuleError(f"The run {run} goes on as the run {view.state.moved_to}.", rule="run_failed")
        process = self._process_to_retry(request.user, view.run)
        if is_latest:
            planned = self.moves.plan(view.planned, view.state, process)
            seeds = self.moves.seeds(view.planned, view.state, planned)
        else:
            planned = self._admission.plan_retry(view.planned)
            seeds = seed_events(planned.plan, view.state)
        keys = kept_call_keys(view.planned.plan, (each.event for each in self.repository.entries(run)))
        retry = self._admission.accept_retry(planned, InheritedWork(run, seeds, keys), request)
        self.repository.mark_retried(run, retry.id)
        return retry

    def _process_to_retry(self, user: str, run: RunSummary) -> Process:
        """Return the Process of a run; who may not see it any more may not run it again. Raises NotFoundError."""
        try:
            return self._processes.get(user, run.process_id)
        except NotFoundError:
            raise NotFoundError(
                f"The process {run.process_name!r} is deleted, or no longer shared with you: its run {run.id} cannot "
                "be retried.",
                next_step="Create it again, or ask its owner to share it again, and start a new run.",
            ) from None

    def _family_questions(self, user: str, run: str) -> list[tuple[RunView, list[AskedQuestion]]]:
        """Return what the open runs of a family have asked, beginning with the given run."""
        family = self.repository.list_family(self.repository.get(user, run).run.root_id)
        own_first = sorted(family, key=lambda each: each.id != run)
        return list(self._asked_by(user, [each for each in own_first if each.phase not in ENDED_PHASES], family))

    def _asked_by(
        self, user: str, runs: Sequence[RunSummary], family: Sequence[RunSummary]
    ) -> Iterator[tuple[RunView, list[AskedQuestion]]]:
        """Yield what some runs of a family have asked."""
        signals = self.repository.list_signals([each.id for each in (*family, *runs)])
        for each in runs:
            planned, entries = self.repository.get(user, each.id), list(self.repository.entries(each.id))
            view = RunView(planned.run, planned.plan, replay(planned.plan, entries))
            yield view, self._asked(view, entries, family, signals)

    def _asked(
        self,
        view: RunView,
        entries: Sequence[RunEntry],
        family: Sequence[RunSummary],
        signals: Sequence[RunSignal],
    ) -> list[AskedQuestion]:
        planned = PlannedRun(view.run, view.plan)
        own = signals_for(view.run, family, signals)
        return list_asked(planned, entries, view.state.phase, own, self._ledger.now())

    def _open_question(self, user: str, run: str, step: str) -> PendingQuestion:
        target = self.repository.get(user, run).run
        if target.phase in ENDED_PHASES:
            raise refusal_of_ended(target)
        found = self._family_questions(user, run)
        questions = [question for view, asked in found for question in _pending(view, open_jobs(asked))]
        for question in questions:
            if question.step == step:
                return question
        if closed := self._find_closed(user, run, step):
            raise refusal_of(closed)
        waiting = ", ".join(question.step for question in questions) or "none"
        raise NotFoundError(
            f"No step {step!r} of the run {run} waits for an answer; those that do: {waiting}.",
            next_step=NextStep("runs.explain", run=run),
        )

    def _find_closed(self, user: str, run: str, step: str) -> AskedQuestion | None:
        """Return a question of a family that takes no answer, the latest if there are several."""
        family = self.repository.list_family(self.repository.get(user, run).run.root_id)
        asked = [question for _, questions in self._asked_by(user, family, family) for question in questions]
        return next((question for question in reversed(asked) if question.step == step and question.closed), None)

    def _send(self, signal: RunSignal) -> None:
        try:
            self.repository.add_signal(signal)
        except DuplicateError:
            raise ConflictError("There was an answer already: the first answer counts.") from None
        except GuardError:
            raise ConflictError("The run has ended in the meantime.") from None


def _pending(view: RunView, jobs: Collection[str]) -> Iterator[PendingQuestion]:
    """Yield the questions of a run with these ids."""
    for command in recorded_commands(view.plan, view.state, SEMANTICS):
        if isinstance(command, AskPerson) and command.job in jobs:
            yield PendingQuestion(view.run.id, command.step, command.job, command.asks, command.inputs)
