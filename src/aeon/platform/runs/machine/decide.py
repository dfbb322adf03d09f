"""What is to be done next in a run: a pure function of its plan and its state (platform 6-10).

Whoever carries the commands out does so for each in turn: record `recorded(command)`, and if the state took that event,
act. What was recorded is never asked for again, so that a step which completed never runs twice. Between recording and
acting everything may be lost; `underway` then gives what was recorded again, under the same ids. An attempt that has a
delay may be recorded at once, and its job waits; or when the delay is over, and until then it is given every time.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypedDict

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.runs.machine.commands import (
    AskPerson,
    CancelStep,
    EndCancelledRun,
    FailRun,
    FinishRun,
    RefuseStep,
    RunCommand,
    SkipStep,
    StartJob,
    StartProcess,
)
from aeon.platform.runs.machine.events import AttemptFailure
from aeon.platform.runs.machine.failures import depth_failure, output_failure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import retry_delay
from aeon.platform.runs.machine.state import CLOSING_PHASES, RunState, positions_of
from aeon.platform.runs.machine.token_budgets import token_allowance

RunValues: TypeAlias = Mapping[str, Json]
"""The run's inputs by name, and under `step` the mapping of the steps' variables (platform 6)."""


class Semantics(NamedTuple):
    """Three pure functions. An AeonError that one raises fails the step, or for `render` the run, in its own words."""

    holds: Callable[[str, RunValues], bool]
    """Whether a condition is true."""
    bind: Callable[[JsonObject, RunValues], JsonObject]
    """A step's inputs with every reference replaced, types kept."""
    render: Callable[[str, RunValues], Json]
    """The output template's result."""


class StepVariables(Mapping[str, Json]):
    """The variables of all steps in the stages before the present one, looked up in the state as they are asked for.

    Those of the present stage are not among them: which of them are there already depends on who is faster.
    """

    def __init__(self, plan: RunPlan, state: RunState) -> None:
        self._plan = plan
        self._steps = state.steps
        begins = plan.stages[state.stage].start if state.stage < len(plan.stages) else len(plan.steps)
        self._settled = range(begins)

    def __getitem__(self, name: str) -> Json:
        position = self._plan.producers[name]
        if position not in self._settled:
            raise KeyError(name)
        return self._steps[position].value

    def __iter__(self) -> Iterator[str]:
        return (self._plan.steps[position].output.variable for position in self._settled)

    def __len__(self) -> int:
        return len(self._settled)


def visible_values(plan: RunPlan, state: RunState) -> RunValues:
    """What may be referred to now."""
    return {**state.inputs, "step": StepVariables(plan, state)}


class _Start(TypedDict):
    """What all attempts have in common."""

    step: str
    job: str
    attempt: int
    inputs: JsonObject
    timeout: int
    delay: float


class _Moment(NamedTuple):
    """All that a command follows from."""

    plan: RunPlan
    state: RunState
    semantics: Semantics
    values: RunValues


def decide(plan: RunPlan, state: RunState, semantics: Semantics) -> list[RunCommand]:
    """The commands that this state calls for, in the order of the steps, at most one for each.

    Costs as much as it gives: steps that wait, run or are over are not looked at. Raises nothing of its own.
    """
    if state.phase in CLOSING_PHASES:
        return _closing(plan, state)
    if state.phase != "running":
        return []
    moment = _Moment(plan, state, semantics, visible_values(plan, state))
    if state.stage == len(plan.stages):
        return [_end(moment)]
    return [_begin(moment, position) for position in positions_of(plan, state.stage, state.ready)]


def recorded_commands(plan: RunPlan, state: RunState, semantics: Semantics) -> list[RunCommand]:
    """What was recorded and is not over: after a restart it is done again, since it may never have been done.

    The ids are the same, so whoever knows them already has nothing to do. Nothing of this is to be recorded again.
    """
    if state.phase in CLOSING_PHASES:
        return [_cancel(plan, state, position) for position in positions_of(plan, state.stage, state.stopping)]
    moment = _Moment(plan, state, semantics, visible_values(plan, state))
    running = positions_of(plan, state.stage, state.running)
    return [_attempt(moment, position, state.steps[position].attempts) for position in running]


def _closing(plan: RunPlan, state: RunState) -> list[RunCommand]:
    """Stop what runs; when nothing does, end."""
    if state.running:
        untold = state.running & ~state.stopping
        return [_cancel(plan, state, position) for position in positions_of(plan, state.stage, untold)]
    if state.phase == "failing" and state.error is not None:
        return [FailRun(error=state.error)]
    return [EndCancelledRun()]


def _cancel(plan: RunPlan, state: RunState, position: int) -> RunCommand:
    step = plan.steps[position].id
    return CancelStep(step=step, job=plan.job_id(step, state.steps[position].attempts))


def _end(moment: _Moment) -> RunCommand:
    """The output is the template's, or without one the last step's value."""
    template = moment.plan.definition.output_template
    if not template:
        return FinishRun(output=moment.state.steps[len(moment.plan.steps) - 1].value)
    try:
        return FinishRun(output=moment.semantics.render(template, moment.values))
    except AeonError as error:
        return FailRun(error=output_failure(error))


def _begin(moment: _Moment, position: int) -> RunCommand:
    """Skip a step whose condition is false, else start it, or start it again.

    A required output that its own condition leaves out does not end the run: `required` is about a result that was
    asked for and did not come, and here the owner said himself when not to ask.
    """
    step = moment.plan.steps[position]
    condition = step.execution.condition
    attempts = moment.state.steps[position].attempts
    try:
        if condition is None or attempts or moment.semantics.holds(condition, moment.values):
            return _attempt(moment, position, attempts + 1)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))
    return SkipStep(step=step.id, reason=f"its condition is false: {condition}")


def _attempt(moment: _Moment, position: int, attempt: int) -> RunCommand:
    plan = moment.plan
    step = plan.steps[position]
    if plan.calls[step.id].kind == "process" and plan.depth_left == 0 and not plan.is_manual(position):
        return RefuseStep(step=step.id, error=depth_failure(plan, position))
    try:
        inputs = moment.semantics.bind(step.inputs, moment.values)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))
    return _started(moment, position, attempt, inputs)


def _started(moment: _Moment, position: int, attempt: int, inputs: JsonObject) -> RunCommand:
    plan = moment.plan
    step = plan.steps[position]
    call = plan.calls[step.id]
    start = _Start(
        step=step.id,
        job=plan.job_id(step.id, attempt),
        attempt=attempt,
        inputs=inputs,
        timeout=step.execution.timeout,
        delay=retry_delay(attempt),
    )
    if plan.is_manual(position):
        return AskPerson(**start, asks=call.asks)
    tokens = token_allowance(plan, moment.state, position)
    if call.kind == "tool":
        return StartJob(**start, tool=call.id, worker=call.worker, tokens=tokens)
    return StartProcess(
        **start, process=call.id, depth_left=plan.depth_left - 1, tokens=tokens, callers=plan.call_stack
    )
