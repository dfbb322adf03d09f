"""The questions that runs ask people: until when an answer counts, and why one is refused (platform 9). Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from aeon.base.json import JsonObject
from aeon.base.next_steps import NextStep
from aeon.platform.errors import ConflictError, PlatformError, RuleError
from aeon.platform.runs.admission import PlannedRun
from aeon.platform.runs.machine.events import (
    AnswerGiven,
    AttemptStarted,
    CancelRequested,
    HistoryEvent,
    StepStopped,
    StepTimedOut,
)
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.state import CLOSING_PHASES, ENDED_PHASES, RunPhase
from aeon.platform.runs.model import RunEntry, RunSignal, RunSummary

Closing: TypeAlias = Literal["answered", "timed_out", "stopping", "deadline"]
"""Why a question takes no answer."""


class PendingQuestion(NamedTuple):
    """The question of a manual step. `run` is the run that asks, maybe a child run."""

    run: str
    step: str
    job: str
    asks: str | None
    inputs: JsonObject


class AssignedQuestion(NamedTuple):
    """A question that a step asks a user by name, perhaps in a run of somebody else, who is its `owner`."""

    job: str
    run: str
    owner: str
    process: str
    step: str
    asked_at: str


def question_changes(run: str, entries: Sequence[RunEntry]) -> tuple[list[JsonObject], list[JsonObject]]:
    """Return the rows of the questions that entries ask users by name, and which earlier questions they close."""
    asked: dict[str, JsonObject] = {}
    closed: list[JsonObject] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, AttemptStarted) and event.asks is not None:
            row: JsonObject = {"id": event.job, "run_id": run, "step": event.step, "assignee": event.asks}
            asked[event.job] = row | {"asked_at": entry.at, "closed_at": None}
        elif isinstance(event, AnswerGiven | StepTimedOut | StepStopped):
            own = [each for each in asked.values() if each["step"] == event.step]
            for each in own:
                each["closed_at"] = each["closed_at"] or entry.at
            closed += [] if own else [{"run_id": run, "step": event.step, "at": entry.at}]
    return list(asked.values()), closed


def with_reminders(plan: RunPlan, asked: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the rows of questions with which Process reminds of each, and when next."""
    rows: list[JsonObject] = []
    for row in asked:
        rules = plan.steps[plan.positions[row["step"]]].question
        remind = None if rules is None else rules.remind
        due = None if remind is None else round((_seconds(row["asked_at"]) + remind.after) * 1_000_000)
        process, every = (None, None) if remind is None else (remind.process, remind.every)
        rows.append({**row, "remind_process": process, "remind_every": every, "remind_micros": due})
    return rows


class AskedQuestion(NamedTuple):
    """A question that a run has asked; `closed` says why it takes no answer, None if it does."""

    run: str
    step: str
    job: str
    timeout: int
    closed: Closing | None


def list_asked(
    planned: PlannedRun, entries: Sequence[RunEntry], phase: RunPhase, signals: Sequence[RunSignal], now: str
) -> list[AskedQuestion]:
    """Return the questions that a run has asked, in order.

    Some may be closed although no entry says so yet: nobody may be executing the run. `phase` is the one after the
    entries. `signals` are those of the run, and the cancel requests of the runs that called it.
    """
    run, plan = planned.run, planned.plan
    closed = _recorded_closings(entries)
    wanted = {signal.id: signal.event for signal in signals}
    return [
        AskedQuestion(
            run.id,
            event.step,
            event.job,
            timeout := plan.question_timeout(plan.positions[event.step], event.attempt),
            closed.get(event.job)
            or _closing_by_phase(phase)
            or _unrecorded_closing(run, wanted, event.job, _seconds(at) + timeout, _seconds(now)),
        )
        for event, at in _asked(plan, entries)
    ]


def signals_for(run: RunSummary, family: Sequence[RunSummary], signals: Sequence[RunSignal]) -> list[RunSignal]:
    """Return the signals of a run, and the cancel requests of the runs that called it."""
    callers = set(_callers(run, {each.id: each for each in family}))
    return [
        signal
        for signal in signals
        if signal.run_id == run.id or (signal.run_id in callers and isinstance(signal.event, CancelRequested))
    ]


def refusal_of(question: AskedQuestion) -> PlatformError:
    """Return the error for an answer to a closed question."""
    run, step = question.run, question.step
    goes_on = NextStep("runs.resume", run=run)
    if question.closed == "answered":
        return ConflictError(
            "There was an answer already: the first answer counts.", next_step=NextStep("runs.view", run=run)
        )
    if question.closed == "timed_out":
        return RuleError(
            f"The question {step!r} of the run {run} has timed out: nobody answered within {question.timeout} s.",
            rule="question_open",
            next_step=goes_on,
        )
    why = "It is being stopped" if question.closed == "stopping" else "Its deadline has passed"
    return RuleError(f"The run {run} takes no answer. {why}.", rule="run_open", next_step=goes_on)


def refusal_of_ended(run: RunSummary) -> RuleError:
    """Return the error for an answer to a run that has ended."""
    is_done = run.phase == "completed"
    return RuleError(
        f"The run {run.id} takes no answer. It has ended: it is {run.phase}.",
        rule="run_open",
        next_step=NextStep("runs.view", run=run.id) if is_done else NextStep("runs.ask_again", run=run.id),
    )


def open_jobs(questions: Collection[AskedQuestion]) -> set[str]:
    """Return the ids of the questions that take an answer."""
    return {each.job for each in questions if each.closed is None}


def _asked(plan: RunPlan, entries: Sequence[RunEntry]) -> Iterator[tuple[AttemptStarted, str]]:
    """Yield the event of each question, and its time."""
    for entry in entries:
        event = entry.event
        if isinstance(event, AttemptStarted) and plan.is_manual(plan.positions[event.step]):
            yield event, entry.at


def _recorded_closings(entries: Sequence[RunEntry]) -> dict[str, Closing]:
    """Return how questions ended according to the entries, by their ids."""
    asked: dict[str, str] = {}
    closed: dict[str, Closing] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, AttemptStarted):
            asked[event.step] = event.job
        elif isinstance(event, AnswerGiven | StepTimedOut) and event.step in asked:
            closed[asked[event.step]] = "answered" if isinstance(event, AnswerGiven) else "timed_out"
    return closed


def _closing_by_phase(phase: RunPhase) -> Closing | None:
    return "stopping" if phase in CLOSING_PHASES | ENDED_PHASES else None


def _unrecorded_closing(
    run: RunSummary, wanted: Mapping[str, HistoryEvent], job: str, expires: float, now: float
) -> Closing | None:
    """Return why a question is closed that is open according to the entries."""
    if job in wanted:
        return "answered" if isinstance(wanted[job], AnswerGiven) else "timed_out"
    if any(isinstance(event, CancelRequested) for event in wanted.values()):
        return "stopping"
    if run.deadline is not None and run.deadline <= now:
        return "deadline"
    return "timed_out" if expires <= now else None


def _callers(run: RunSummary, family: Mapping[str, RunSummary]) -> Iterator[str]:
    while run.parent_id is not None and run.parent_id in family:
        run = family[run.parent_id]
        yield run.id


def _seconds(instant: str) -> float:
    return datetime.fromisoformat(instant).timestamp()
