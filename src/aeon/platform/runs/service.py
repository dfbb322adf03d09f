"""What people do with runs: start, look at, answer, cancel, retry them, and ask why one does not go on."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.errors import ConflictError, NotFoundError, RuleError
from aeon.platform.ledger import Ledger, MutationRequest
from aeon.platform.processes.model import Process
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.runs.admission import NewRun, PlannedRun, RunAdmission
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.driver import replay
from aeon.platform.runs.machine.apply import apply_event, rejection_reason
from aeon.platform.runs.machine.commands import AskPerson
from aeon.platform.runs.machine.decide import recorded_commands
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    HistoryEvent,
    RunStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import ENDED_PHASES, RunState, StepState, initial_state
from aeon.platform.runs.model import Run, RunEntry, RunSignal, RunSummary
from aeon.platform.runs.repository import SqlRunRepository
from aeon.platform.runs.semantics import SEMANTICS
from aeon.platform.store import DuplicateError, GuardError, Store

_ANSWERED = "the run before"


def seed_events(plan: RunPlan, before: RunState) -> list[HistoryEvent]:
    """The events with which a run of this plan gets to where another one of the same definition failed.

    What was completed or left out is so again; what failed and could be done without, too, up to the first step that
    is to be tried again. Tokens that were used before are not counted twice.
    """
    state = initial_state(plan)
    found: list[HistoryEvent] = []
    for event in (RunStarted(inputs=before.inputs), *_of_steps(plan, before)):
        after = apply_event(plan, state, event)
        if after is not state:
            found.append(event)
            state = after
    return found


def _of_steps(plan: RunPlan, before: RunState) -> Iterator[HistoryEvent]:
    for position, step in enumerate(plan.steps):
        yield from _of_step(plan, position, step.id, before.steps[position])


def _of_step(plan: RunPlan, position: int, step: str, was: StepState) -> Iterator[HistoryEvent]:
    is_optional = not plan.steps[position].output.required
    if was.status == "skipped":
        yield StepSkipped(step=step, reason=was.reason)
    elif was.status == "completed" or (was.status == "failed" and is_optional):
        yield AttemptStarted(step=step, job=plan.job_id(step, 1), attempt=1)
        if was.status == "failed" and was.error is not None:
            yield StepFailed(step=step, attempt=1, error=was.error.model_copy(update={"transient": False}))
        elif plan.is_manual(position):
            yield AnswerGiven(step=step, by=plan.calls[step].asks or _ANSWERED, answer=was.value)
        else:
            yield StepCompleted(step=step, attempt=1, output=was.value)


_SHOWN = 50


class PendingQuestion(NamedTuple):
    """What a manual step waits to be told. `run` is the run that asks, which may be one that the named run called."""

    run: str
    step: str
    job: str
    asks: str | None
    inputs: JsonObject


class RunView(NamedTuple):
    """A run as its entries left it."""

    run: Run
    plan: RunPlan
    state: RunState

    @property
    def is_busy(self) -> bool:
        """Whether a call of a tool is under way in it, or about to be."""
        return any(
            step.status in ("running", "retrying", "stopping")
            and self.plan.calls[self.plan.steps[position].id].kind == "tool"
            and not self.plan.is_manual(position)
            for position, step in enumerate(self.state.steps)
        )

    @property
    def waits_only_for_people(self) -> bool:
        """Whether all that is under way is to be answered by people."""
        under_way = [position for position, step in enumerate(self.state.steps) if step.status == "running"]
        is_idle = self.state.phase == "running" and not self.state.ready
        return is_idle and bool(under_way) and all(self.plan.is_manual(position) for position in under_way)


class Runs:
    """The runs of all users, each for its owner alone. Threads may share it."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        processes: ProcessRepository,
        results: ResultStore,
        new_id: Callable[[], str],
    ) -> None:
        self._ledger = ledger
        self._processes = processes
        self._accepting = RunAdmission(store, ledger, processes, results, new_id)
        self.repository = SqlRunRepository(store, results, self._accepting)

    def accept(self, process: Process, new: NewRun, request: MutationRequest) -> Run:
        """Write down that a run is to be carried out: from then on it is not lost (platform 20).

        Raises RuleError for inputs that do not fit, and for a Process that is disabled.
        """
        return self._accepting.accept(process, new, request)

    def list_runs(self, user: str, limit: int = _SHOWN) -> list[RunSummary]:
        """The user's runs, newest first, without those that they called."""
        return self.repository.list_by_owner(user, limit)

    def view(self, user: str, run: str) -> RunView:
        """A run and where it stands. Raises NotFoundError."""
        found = self.repository.get(user, run)
        return RunView(found.run, found.plan, replay(found.plan, list(self.repository.entries(run))))

    def has_ended(self, user: str, run: str) -> bool:
        """Whether a run has ended. Raises NotFoundError."""
        return self.repository.get(user, run).run.phase in ENDED_PHASES

    def list_entries(self, user: str, run: str, after: int = 0) -> Iterator[RunEntry]:
        """What happened in a run after the entry of that number. Raises NotFoundError."""
        self.repository.get(user, run)
        return self.repository.entries(run, after)

    def list_questions(self, user: str, run: str) -> list[PendingQuestion]:
        """What a run waits to be told now, its own questions first, and then all that were called with it."""
        found = self.repository.get(user, run).run
        family = [each.id for each in self.repository.list_family(found.root_id) if each.phase not in ENDED_PHASES]
        family.sort(key=lambda each: each != run)
        answered = {signal.id for signal in self.repository.list_signals(family)}
        found = [question for each in family for question in self._questions(user, each)]
        return [question for question in found if question.job not in answered]

    def answer(self, user: str, run: str, step: str, value: Json) -> PendingQuestion:
        """Give a manual step its answer, which is its result; what was asked (platform 9).

        Raises NotFoundError where nothing of that run asks that, or does so no more; ConflictError where another
        answer came first.
        """
        question = self._asked(user, run, step)
        event = AnswerGiven(step=step, by=user, answer=value)
        seen = self.view(user, question.run)
        if said := rejection_reason(seen.plan, seen.state, event):
            raise RuleError(f"That is no answer that can be taken: {said}.", rule="answer", field="$.answer")
        self._want(RunSignal(id=question.job, run_id=question.run, at=self._ledger.now(), event=event))
        return question

    def cancel(self, user: str, run: str) -> None:
        """Have a run stopped, with everything that it called. A run that has ended stays as it is: RuleError."""
        found = self.repository.get(user, run).run
        if found.phase in ENDED_PHASES:
            raise RuleError(f"The run {run} has ended: it is {found.phase}.", rule="run_open")
        event = CancelRequested(by=user)
        try:
            self._want(RunSignal(id=f"{run}:cancel", run_id=run, at=self._ledger.now(), event=event))
        except ConflictError:
            return

    def retry(self, run: str, request: MutationRequest) -> Run:
        """Accept a run that goes on where another one failed or was cancelled: what it completed is not done again.

        Raises RuleError for a run that is not over, or has its result.
        """
        seen = self.view(request.user, run)
        if seen.state.phase not in ("failed", "cancelled"):
            raise RuleError(
                f"The run {run} is {seen.state.phase}: only one that failed or was cancelled is retried.",
                rule="run_failed",
            )
        self._processes.get(request.user, seen.run.process_id)
        again = self._accepting.accept_retry(
            PlannedRun(seen.run, seen.plan), lambda plan: seed_events(plan, seen.state), request
        )
        self.repository.mark_retried(run, again.id)
        return again

    def _questions(self, user: str, run: str) -> Iterator[PendingQuestion]:
        seen = self.view(user, run)
        for command in recorded_commands(seen.plan, seen.state, SEMANTICS):
            if isinstance(command, AskPerson):
                yield PendingQuestion(run, command.step, command.job, command.asks, command.inputs)

    def _asked(self, user: str, run: str, step: str) -> PendingQuestion:
        questions = self.list_questions(user, run)
        for question in questions:
            if question.step == step:
                return question
        there = ", ".join(question.step for question in questions) or "none"
        raise NotFoundError(
            f"No step {step!r} of the run {run} waits for an answer; those that do: {there}.",
            next_step=f"See `aeon runs why {run}`.",
        )

    def _want(self, signal: RunSignal) -> None:
        try:
            self.repository.add_signal(signal)
        except DuplicateError:
            raise ConflictError("That was said before: the first answer counts.") from None
        except GuardError:
            raise ConflictError("The run has ended in the meantime.") from None
