"""Decides the next commands of a run from its plan and its state. Pure (platform 6-10).

For each command in turn, the driver records `event_of_command(command)`, and executes the command if the state
accepts that event. A recorded command is never issued again, so that a completed step never runs twice. Everything
may be lost between recording and executing; `recorded_commands` then returns the recorded commands again, with the
same ids. An attempt with a delay may be recorded at once, and its job waits; or it is recorded after the delay, and
until then it is issued every time.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeAlias, TypedDict, cast

from aeon.base.errors import AeonError
from aeon.base.json import Json, JsonObject
from aeon.platform.processes.model import ProcessStep, variables_of
from aeon.platform.processes.step_control import FAILURE, MAX_ITEMS, RESULT, ForEach
from aeon.platform.processes.wait_times import WaitTime
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
    StartLoop,
    StartProcess,
    StartUnwinding,
    StartWait,
)
from aeon.platform.runs.machine.events import AttemptFailure
from aeon.platform.runs.machine.failures import depth_failure, failure_after_unwinding, output_failure
from aeon.platform.runs.machine.plan import RunPlan
from aeon.platform.runs.machine.retry_policy import delay_of
from aeon.platform.runs.machine.state import CLOSING_PHASES, STARTING_PHASES, RunState, positions_of
from aeon.platform.runs.machine.token_budgets import token_allowance
from aeon.platform.runs.machine.unwinding import first_unwinding_stage

RunValues: TypeAlias = Mapping[str, Json]
"""The run's inputs by name, and under `step` the mapping of the steps' variables (platform 6)."""


class Semantics(NamedTuple):
    """Pure functions of expressions, which raise AeonError.

    An error of `render` fails the run, an error of the others the step.
    """

    holds: Callable[[str, RunValues], bool]
    """Return whether a condition is true."""
    bind: Callable[[JsonObject, RunValues], JsonObject]
    """Return a step's inputs with every reference replaced; types are kept."""
    render: Callable[[str, RunValues], Json]
    """Return the result of the output template."""
    list_items: Callable[[ForEach, RunValues], list[Json]]
    """Return the items of a loop."""
    select: Callable[[ProcessStep, RunValues], JsonObject]
    """Return only the values that an item of the step's loop may read."""
    wait_time: Callable[[int | str, RunValues], WaitTime]
    """Return how long a step waits."""


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
        step = self._steps[position]
        return step.value if self._plan.steps[position].output.variable == name else step.failures

    def __iter__(self) -> Iterator[str]:
        return (name for position in self._settled for name in variables_of(self._plan.steps[position]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def visible_values(plan: RunPlan, state: RunState) -> RunValues:
    """Return the values that expressions may read now.

    After the main steps they may read the run's failure, null if there is none. A loop has the values that it was
    started with.
    """
    if plan.loop is not None:
        return cast(JsonObject, state.inputs.get("values", {}))
    values: dict[str, Json] = {**state.inputs, "step": StepVariables(plan, state)}
    return values | {FAILURE: _failure_values(state)} if state.stage >= plan.main_end else values


def _failure_values(state: RunState) -> Json:
    error = state.error
    if error is None:
        return {"code": "cancelled", "message": "The run was cancelled.", "step": None} if state.cancelled_by else None
    return {"code": error.code, "message": error.message, "step": error.step}


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
    if state.phase not in STARTING_PHASES:
        return []
    moment = _DecisionInput(plan, state, semantics, visible_values(plan, state))
    if state.stage == len(plan.stages):
        return [_end_command(moment)]
    ready = positions_of(plan, state.stage, state.ready)
    return [_start_or_skip(moment, position) for position in islice(ready, _free_places(plan, state))]


def _free_places(plan: RunPlan, state: RunState) -> int | None:
    """Return how many more steps a run may start now; None for any number."""
    return None if plan.concurrency is None else max(0, plan.concurrency - state.running.bit_count())


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
    if first_unwinding_stage(plan, state) is not None:
        return [StartUnwinding()]
    return [_failed_or_cancelled(plan, state)]


def _failed_or_cancelled(plan: RunPlan, state: RunState) -> RunCommand:
    """End a run that did not complete. A cancel request does not hide a failure whose handling it cut short."""
    if state.error is not None and (state.phase != "cancelling" or state.has_unwound):
        return FailRun(error=failure_after_unwinding(plan, state, state.error))
    return EndCancelledRun()


def _cancel_command(plan: RunPlan, state: RunState, position: int) -> RunCommand:
    step = plan.steps[position].id
    return CancelStep(step=step, job=plan.job_id(step, state.steps[position].attempts))


def _end_command(moment: _DecisionInput) -> RunCommand:
    """End the run. The output is that of the template, or without one the last step's value."""
    plan, state = moment.plan, moment.state
    if plan.loop is not None:
        return FinishRun(output=_loop_output(state))
    if state.phase == "unwinding" or state.error is not None:
        return _failed_or_cancelled(plan, state)
    template = plan.definition.output_template
    if not template:
        return FinishRun(output=state.steps[len(plan.main_steps) - 1].value)
    try:
        return FinishRun(output=moment.semantics.render(template, moment.values))
    except AeonError as error:
        return FailRun(error=output_failure(error))


def _loop_output(state: RunState) -> JsonObject:
    """Return the results of a loop in the order of its items, and what failed."""
    items = cast("list[Json]", state.inputs["items"])
    results: list[Json] = []
    failures: list[Json] = []
    for index, (item, step) in enumerate(zip(items, state.steps, strict=True)):
        results.append(step.value)
        if step.status == "failed" and step.error is not None:
            failures.append({"index": index, "item": item, "code": step.error.code, "message": step.error.message})
    return {"results": results, "failures": failures}


def _start_or_skip(moment: _DecisionInput, position: int) -> RunCommand:
    """Skip a step whose condition is false; otherwise start it, or start it again.

    A required output whose step is skipped by its own condition does not fail the run: `required` is about a result
    that was requested and did not come, and here the owner stated when not to request it.
    """
    step = moment.plan.steps[position]
    condition = step.execution.condition
    attempts = moment.state.steps[position].attempts
    if (undone := moment.plan.undone.get(step.id)) is not None and not _is_to_undo(moment, undone):
        return SkipStep(step=step.id, reason=f"{undone!r} was not completed: there is nothing to undo")
    try:
        if condition is None or attempts or moment.semantics.holds(condition, moment.values):
            return _attempt_command(moment, position, attempts + 1)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))
    return SkipStep(step=step.id, reason=f"its condition is false: {condition}")


def _is_to_undo(moment: _DecisionInput, step: str) -> bool:
    """Return whether a step was completed, or its loop has begun: items of it may be completed."""
    position = moment.plan.positions[step]
    undone = moment.state.steps[position]
    return undone.attempts > 0 if moment.plan.is_loop(position) else undone.status == "completed"


def _attempt_command(moment: _DecisionInput, position: int, attempt: int) -> RunCommand:
    plan = moment.plan
    step = plan.steps[position]
    if plan.call_of(step.id).kind == "process" and plan.depth_left == 0 and not plan.is_manual(position):
        return RefuseStep(step=step.id, error=depth_failure(plan, position))
    try:
        if plan.is_loop(position):
            return _loop_command(moment, position, attempt)
        return _start_command(moment, position, attempt)
    except AeonError as error:
        return RefuseStep(step=step.id, error=AttemptFailure.from_error(error))


def _loop_command(moment: _DecisionInput, position: int, attempt: int) -> RunCommand:
    """Start a loop. A compensation repeats its call for what the loop that it undoes has completed."""
    plan, semantics = moment.plan, moment.semantics
    step = plan.steps[position]
    loop = cast(ForEach, step.for_each)
    items = semantics.list_items(loop, moment.values)
    if len(items) > MAX_ITEMS:
        message = f"its list has {len(items):,} items, and at most {MAX_ITEMS:,} are allowed"
        return RefuseStep(step=step.id, error=AttemptFailure(code="items", message=message, may_have_happened=False))
    undone = plan.undone.get(step.id)
    return StartLoop(
        **_start(plan, position, attempt, {"items": items, "values": semantics.select(step, moment.values)}),
        depth_left=plan.depth_left,
        tokens=token_allowance(plan, moment.state, position),
        is_closing=moment.state.phase == "unwinding",
        undoes=None if undone is None else _last_job(moment, undone),
    )


def _last_job(moment: _DecisionInput, step: str) -> str:
    return moment.plan.job_id(step, moment.state.steps[moment.plan.positions[step]].attempts)


def _values_of(moment: _DecisionInput, position: int) -> RunValues:
    """Return the values that the inputs of a step may read: in a loop also the item, in a compensation the result."""
    plan, state = moment.plan, moment.state
    if plan.loop is not None:
        name = cast(ForEach, plan.looping_step.for_each).as_
        item = cast("list[Json]", state.inputs["items"])[position]
        if not plan.is_undoing:
            return {**moment.values, name: item}
        completed = cast(JsonObject, item)
        return {**moment.values, name: completed["item"], RESULT: completed[RESULT]}
    undone = plan.undone.get(plan.steps[position].id)
    if undone is None:
        return moment.values
    return {**moment.values, RESULT: state.steps[plan.positions[undone]].value}


def _start(plan: RunPlan, position: int, attempt: int, inputs: JsonObject) -> _Start:
    step = plan.steps[position].id
    return _Start(
        step=step,
        job=plan.job_id(step, attempt),
        attempt=attempt,
        inputs=inputs,
        timeout=plan.timeout_of(position),
        delay=delay_of(plan, position, attempt),
    )


def _start_command(moment: _DecisionInput, position: int, attempt: int) -> RunCommand:
    plan = moment.plan
    step = plan.steps[position]
    call = plan.call_of(step.id)
    values = _values_of(moment, position)
    start = _start(plan, position, attempt, moment.semantics.bind(step.inputs, values))
    if plan.is_manual(position):
        return _question(moment, position, start, values)
    if step.wait is not None:
        return StartWait(**start, **moment.semantics.wait_time(step.wait, values)._asdict())
    tokens = token_allowance(plan, moment.state, position)
    if call.kind == "tool":
        return StartJob(**start, tool=call.id, worker=call.worker, tokens=tokens)
    return StartProcess(
        **start,
        process=call.id,
        depth_left=plan.depth_left - 1,
        tokens=tokens,
        callers=plan.call_stack,
        is_closing=moment.state.phase == "unwinding",
    )


def _question(moment: _DecisionInput, position: int, start: _Start, values: RunValues) -> RunCommand:
    """Ask the person whose turn it is: the assignee, and after each timeout the next one (platform 41)."""
    plan = moment.plan
    step = plan.steps[position]
    rules, attempt = step.question, start["attempt"]
    owner = plan.call_of(step.id).asks
    if rules is None or (rules.assignee is None and attempt == 1):
        return AskPerson(**start, asks=owner)
    if attempt == 1:
        return AskPerson(**start, asks=_user_named(moment, rules.assignee or "", values), is_assigned=True)
    turn = rules.escalate[attempt - 2]
    asks = _user_named(moment, turn.assignee, values)
    start["timeout"] = turn.timeout
    return AskPerson(**start, asks=asks, is_assigned=True)


def _user_named(moment: _DecisionInput, name: str, values: RunValues) -> str:
    return str(moment.semantics.bind({"assignee": name}, values)["assignee"])
