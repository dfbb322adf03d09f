"""The plan of one run: its definition, the targets of its steps, and its limits."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from aeon.platform.catalog.needs import PLAIN_OPERATIONS, needs_of
from aeon.platform.catalog.operations import Effect
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, VariableName, variables_of
from aeon.platform.processes.sections import Section, SectionName, split_sections, undone_steps
from aeon.platform.processes.step_control import MAX_ITEMS, RetryPolicy
from aeon.platform.records import Record
from aeon.platform.runs.machine.loops import LoopPositions, LoopSteps

DEFAULT_RETRY = RetryPolicy()
"""The policy of a step without one of its own (platform 10)."""


class StepCall(Record):
    """The target of a step. `worker` is the type of the service, and of the worker.

    `asks` is the one user who may answer a manual step; without it, any user may whom the engine permits. A step that
    waits has no target.
    """

    kind: Literal["tool", "process", "wait"]
    id: str
    name: str
    owner: str = ""
    worker: str = ""
    effect: Effect = "once"
    asks: str | None = None
    runs_on: list[str] = Field(default=[], exclude_if=lambda value: not value)
    operation: str = Field(default="", exclude_if=lambda value: value in ("", *PLAIN_OPERATIONS))

    @property
    def needs(self) -> tuple[str, ...]:
        """What a call needs of the worker that executes it (`catalog.needs`)."""
        return needs_of(self.runs_on, self.operation)


class LoopPlan(Record):
    """Makes a plan that of one step's loop: it executes that step once for each of `count` items (platform 41)."""

    step: VariableName
    count: int = Field(ge=0, le=MAX_ITEMS)


class RunPlan(Record):
    """A definition resolved for one run: later changes of its targets never affect the run.

    It is stored with the run. `deadline` is for the engine's clock; nothing here reads it. `call_stack` names the
    Processes that called each other down to this one, which is last. The steps form stages: every sequential step is
    a stage, and so are adjacent parallel steps. A stage starts when all earlier ones are settled (platform 7), and
    with them all dependencies of its steps: a parallel step cannot depend on one in its own stage.
    """

    run: str = Field(min_length=1)
    definition: ProcessDefinition
    digest: str
    calls: dict[VariableName, StepCall]
    depth_left: int = Field(ge=0)
    token_budget: int | None = Field(default=None, ge=0)
    deadline: float | None = None
    call_stack: list[str]
    loop: LoopPlan | None = Field(default=None, exclude_if=lambda value: value is None)
    call_keys: dict[str, str] = Field(default={}, exclude_if=lambda value: not value)
    """The keys, by step, of calls that an earlier run made, and which this run makes again (`call_key`)."""

    @model_validator(mode="after")
    def _check_invariants(self) -> Self:
        faults = list(_faults(self))
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @cached_property
    def steps(self) -> Sequence[ProcessStep]:
        """All steps, in order: the main ones first, then those of the other sections; of a loop, one for each item."""
        return self.definition.all_steps if self.loop is None else LoopSteps(self.looping_step, self.loop.count)

    @property
    def main_steps(self) -> Sequence[ProcessStep]:
        """The steps of the main section."""
        return self.definition.steps if self.loop is None else self.steps

    def job_id(self, step: str, attempt: int) -> str:
        """Return the id of an attempt: of its job, its question, or the run that it starts."""
        return f"{self.run}:{step}:{attempt}"

    def call_key(self, step: str) -> str:
        """Return by what a service recognizes the call of a step, whichever attempt makes it (platform 10)."""
        return self.call_keys.get(step) or f"{self.run}:{step}"

    def call_of(self, step: str) -> StepCall:
        """Return the target of a step, by the step's id."""
        return self.calls[step if self.loop is None else self.loop.step]

    def is_manual(self, position: int) -> bool:
        """Return whether a person answers the step (platform 9)."""
        return self.steps[position].execution.interaction_mode == "manual" and not self.is_loop(position)

    def is_loop(self, position: int) -> bool:
        """Return whether the step repeats its call for each item of a list, in a run of its own."""
        return self.steps[position].for_each is not None

    def starts_run(self, step: str) -> bool:
        """Return whether an attempt at a step is a run of its own: of another Process, or of a loop."""
        position = self.positions[step]
        return self.is_loop(position) or (self.call_of(step).kind == "process" and not self.is_manual(position))

    def retry_policy(self, position: int) -> RetryPolicy:
        """Return how often a failed attempt at the step is repeated."""
        return self.steps[position].retry or DEFAULT_RETRY

    def timeout_of(self, position: int) -> int:
        """Return the timeout of an attempt at the step, in seconds; a loop has as long as its items need."""
        return MAX_LOOP_SECONDS if self.is_loop(position) else self.steps[position].execution.timeout

    def question_timeout(self, position: int, attempt: int) -> int:
        """Return the timeout of an attempt at a manual step, in seconds: later ones ask other people (platform 41)."""
        rules = self.steps[position].question
        return self.timeout_of(position) if attempt == 1 or rules is None else rules.escalate[attempt - 2].timeout

    @property
    def concurrency(self) -> int | None:
        """The number of items that a loop works on at once; None for other plans."""
        loop = None if self.loop is None else self.looping_step.for_each
        return None if loop is None else loop.concurrency

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each step, by its id."""
        if self.loop is not None:
            return LoopPositions(self.loop.step, self.loop.count)
        return {step.id: position for position, step in enumerate(self.steps)}

    @cached_property
    def producers(self) -> Mapping[str, int]:
        """The position of the step that produces each variable; that of a loop also gives its failures."""
        if self.loop is not None:
            return {}
        return {variable: position for position, step in enumerate(self.steps) for variable in variables_of(step)}

    @cached_property
    def sections(self) -> Mapping[SectionName, Section]:
        """The sections of the steps; a loop only has the main one."""
        if self.loop is not None:
            return {"main": Section("main", range(self.loop.count), range(len(self.stages)))}
        return {section.name: section for section in split_sections(self.definition)[0]}

    @cached_property
    def stages(self) -> list[range]:
        """The positions of each stage's steps."""
        if self.loop is not None:
            return [range(self.loop.count)] if self.loop.count else []
        return split_sections(self.definition)[1]

    @cached_property
    def main_end(self) -> int:
        """The number of the first stage after the main section."""
        return self.sections["main"].stages.stop

    @cached_property
    def final_start(self) -> int:
        """The number of the first stage that a completed run executes after the main section."""
        return self.sections["finally"].stages.start if "finally" in self.sections else self.main_end

    @cached_property
    def undone(self) -> Mapping[str, str]:
        """The id of the step that each compensation undoes, by the compensation's id."""
        return {} if self.loop is not None else undone_steps(self.definition)

    @cached_property
    def stage_of(self) -> list[int]:
        """The number of each step's stage."""
        return [number for number, stage in enumerate(self.stages) for _ in stage]

    @cached_property
    def reserved(self) -> int:
        """The sum of the steps' own token budgets."""
        return sum(step.output.token_budget or 0 for step in self.definition.all_steps) if self.loop is None else 0

    @cached_property
    def sharing_steps(self) -> list[int]:
        """The number of steps without a token budget of their own in each stage."""
        if self.loop is not None:
            return [len(stage) for stage in self.stages]
        return [sum(self.steps[each].output.token_budget is None for each in stage) for stage in self.stages]

    @cached_property
    def is_undoing(self) -> bool:
        """Whether a loop undoes what another loop has completed."""
        return self.loop is not None and self.loop.step in undone_steps(self.definition)

    @cached_property
    def looping_step(self) -> ProcessStep:
        """The step that a loop repeats."""
        name = "" if self.loop is None else self.loop.step
        return next(step for step in self.definition.all_steps if step.id == name)

    def waits_for(self, position: int) -> list[int]:
        """Return the steps that a step waits for: the stage before it, and its dependencies."""
        before = self.stage_of[position] - 1
        needed_positions = {self.positions[needed] for needed in self.steps[position].depends_on}
        return sorted(needed_positions.union(self.stages[before] if before >= 0 else ()))


MAX_LOOP_SECONDS = 366 * 24 * 3600
"""The timeout of a loop as a whole: a year."""


def plan_run(
    run: str,
    definition: ProcessDefinition,
    calls: Mapping[str, StepCall],
    *,
    depth_left: int | None = None,
    token_budget: int | None = None,
    deadline: float | None = None,
    callers: tuple[str, ...] = (),
) -> RunPlan:
    """Return the plan of a run, limited to the depth and the tokens that the definition allows.

    `callers` names the Processes that called it, the outermost first. Raises RuleError if steps and calls do not
    match.
    """
    budgets = [budget for budget in (token_budget, definition.token_budget) if budget is not None]
    deepest = definition.max_recursion_depth
    return RunPlan.parsed(
        {
            "run": run,
            "definition": definition,
            "digest": definition.digest,
            "calls": dict(calls),
            "depth_left": deepest if depth_left is None else min(depth_left, deepest),
            "token_budget": min(budgets, default=None),
            "deadline": deadline,
            "call_stack": [*callers, definition.name],
        }
    )


def _count_variables(step: ProcessStep) -> int:
    return len(variables_of(step))


def _faults(plan: RunPlan) -> Iterator[str]:
    """Yield violations of a plan's invariants. Saving checked the rules of a definition."""
    if plan.digest != plan.definition.digest:
        yield "the digest does not match the definition"
    if plan.loop is not None:
        if all(step.id != plan.loop.step for step in plan.definition.all_steps):
            yield f"there is no step {plan.loop.step!r} to repeat"
        return
    if len(plan.positions) < len(plan.steps) or len(plan.producers) < sum(map(_count_variables, plan.steps)):
        yield "two steps have the same id or output variable"
        return
    if plan.calls.keys() != plan.positions.keys():
        yield "there must be exactly one call for each step"
        return
    for position, step in enumerate(plan.steps):
        call = plan.calls[step.id]
        if call.id != (step.tool or step.process or ""):
            yield f"step {step.id!r} does not call the {call.kind} {call.id!r}"
        stage = plan.stages[plan.stage_of[position]]
        yield from (
            f"step {step.id!r} depends on {needed!r}, which does not end before it starts"
            for needed in step.depends_on
            if plan.positions.get(needed, len(plan.steps)) >= stage.start
        )
