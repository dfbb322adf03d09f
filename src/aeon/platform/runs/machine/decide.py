"""Decides the next commands of a run from its plan and its state. Pure (platform 6-10).

For each command in turn, the driver records `event_of_command(command)`, and executes the command if the state
accepts that event. A recorded command is never issued again, so that a completed step never runs twice. Everything
may be lost between recording and executing; `recorded_commands` then returns the recorded commands again, with the
same ids. An attempt with a delay may be recorded at once, and its job waits; or it is recorded after the delay, and
until then it is issued every time.
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
    """Three pure functions of expressions, which raise AeonError.

    An error of `render` fails the run, an error of the others the step.
    """

    holds: Callable[[str, RunValues], bool]
    """Return whether a condition is true."""
    bind: Callable[[JsonObject, RunValues], JsonObject]
    """Return a step's inputs with every reference replaced; types are kept."""
    render: Callable[[str, RunValues], Json]
    """Return the result of the output template."""


class StepVariables(Mapping[str, Json]):
    """The variables of all steps in earlier stages, looked up on demand.

    Those of the current stage are left out: which of them exist depends on which step is faster.
    """

    def __init__(self, plan: RunPlan, state: RunState) -> None:
        self._plan = plan
        self._steps = state.steps
        end = plan.stages[state.stage].start if state.stage < len(plan.stages) else len(plan.steps)
        self._settled = range(end)

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
    """Return the values that expressions may read now."""
    return {**state.inputs, "step": StepVariables(plan, state)}


class _Start(TypedDict):
    """The fields of all attempts."""

    step: str
    job: str
    attempt: int
    inputs: JsonObject
    timeout: int
    delay: float


class _DecisionInput(NamedTuple):
    """The inputs of a decision."""

    plan: RunPlan
    state: RunState
    semantics: Semantics
    values: RunValues


def decide(plan: RunPlan, state: RunState, semantics: Semantics) -> list[RunCommand]:
    """Return the commands of this state, in the order of the steps, at most one for each.

    The cost is proportional to the number of commands: steps that wait, run or are settled are not visited. Raises no
    errors of its own.
    """
    if state.phase in CLOSING_PHASES:
        return _closing_commands(plan, state)
    if state.phase != "running":
        return []
    moment = _DecisionInput(plan, state, semantics, visible_values(plan, state))
    if state.stage == len(plan.stages):
        return [_end_command(moment)]
    return [_start_or_skip(moment, position) for position in positions_of(plan, state.stage, state.ready)]


def recorded_commands(plan: RunPlan, state: RunState, semantics: Semantics) -> list[RunCommand]:
    """Return the recorded commands that are not finished; a restart executes them again.

    They may never have been executed. The ids are the same, so that a recipient that knows them can ignore them. They
    must not be recorded again.
    """
    if state.phase in CLOSING_PHASES:
        return [_cancel_command(plan, state, position) for position in positions_of(plan, state.stage, state.stopping)]
    moment = _DecisionInput(plan, state, semantics, visible_values(plan, state))
    running = positions_of(plan, state.stage, state.running)
    return [_attempt_command(moment, position, state.steps[position].attempts) for position in running]


def _closing_commands(plan: RunPlan, state: RunState) -> list[RunCommand]:
    """Stop running steps; if there are none, end the run."""
    if state.running:
        not_stopping = state.running & ~state.stopping
        return [_cancel_command(plan, state, position) for position in positions_of(plan, state.stage, not_stopping)]
    if state.phase == "failing" and state.error is not None:
        return [FailRun(error=state.error)]
    return [EndCancelledRun()]


def _cancel_command(plan: RunPlan, state: RunState, position: int) -> RunCommand:
    step = plan.steps[position].id
    return CancelStep(step=step, job=plan.job_id(step, state.steps[position].attempts))


def _end_command(moment: _DecisionInput) -> RunCommand:
    """End the run. The output is that of the template, or without one the last step's value."""
    template = moment.plan.definition.output_template
    if not template:
        return FinishRun(output=moment.state.steps[len(moment.plan.steps) - 1].value)
    try:
        return FinishRun(output=moment.semantics.render(template, moment.values))
    except AeonError as error:
        return FailRun(error=output_failure(error))


def _start_or_skip(moment: _DecisionInput, position: int) -> RunCommand:
    """Skip a step whose condition is false; otherwise start it, or start it again.

    A required output whose step is skipped by its own condition does not fail the run: `required` is about a result
    that was requested and did not come, and here the owner stated when not to request it.
    """
    step = moment.plan.steps[position]
    condition = step.execution.condition
    attempts = moment.state.steps[position].attempts
    try:
        if condition is None or attempts or moment.semantics.holds(condition, moment.values):
            return _attempt_command(moment, position, attempts + 1)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))
    return SkipStep(step=step.id, reason=f"its condition is false: {condition}")


def _attempt_command(moment: _DecisionInput, position: int, attempt: int) -> RunCommand:
    plan = moment.plan
    step = plan.steps[position]
    if plan.calls[step.id].kind == "process" and plan.depth_left == 0 and not plan.is_manual(position):
        return RefuseStep(step=step.id, error=depth_failure(plan, position))
    try:
        inputs = moment.semantics.bind(step.inputs, moment.values)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))
    return _start_command(moment, position, attempt, inputs)


def _start_command(moment: _DecisionInput, position: int, attempt: int, inputs: JsonObject) -> RunCommand:
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
