"""What one run follows: a definition as it was when the run began, what each step calls, and what the run may use."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Literal, Self

from pydantic import Field, model_validator

from aeon.platform.catalog.operations import Effect
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, VariableName
from aeon.platform.records import Record


class StepCall(Record):
    """What a step calls. `worker` is the type of the tool's service, and of the worker that takes the job.

    `asks` is the one user who may answer a manual step; without it anybody may whom the engine lets through.
    """

    kind: Literal["tool", "process"]
    id: str
    name: str
    owner: str = ""
    worker: str = ""
    effect: Effect = "once"
    asks: str | None = None


class RunPlan(Record):
    """A definition resolved for one run, and stored with it: later changes of anything it names never touch the run.

    `deadline` is the engine's clock's and nothing here looks at it. `call_stack` names the Processes that called each
    other down to this one, which stands last. The steps stand in stages: every sequential step is one, and so are
    parallel steps that stand together. A stage begins when all before it are over (platform 7), which is also when all
    that its steps depend on are: parallel steps depend on none beside them, or this is no plan.
    """

    run: str = Field(min_length=1)
    definition: ProcessDefinition
    digest: str
    calls: dict[VariableName, StepCall]
    depth_left: int = Field(ge=0)
    token_budget: int | None = Field(default=None, ge=0)
    deadline: float | None = None
    call_stack: list[str]

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        faults = list(_faults(self))
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def steps(self) -> list[ProcessStep]:
        """The definition's steps, in order."""
        return self.definition.steps

    def job_id(self, step: str, attempt: int) -> str:
        """The id of one attempt at a step: of its job, of its question, of the run of the Process that it calls."""
        return f"{self.run}:{step}:{attempt}"

    def is_manual(self, position: int) -> bool:
        """Whether a person carries the step out (platform 9)."""
        return self.steps[position].execution.interaction_mode == "manual"

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each step stands, by its id."""
        return {step.id: position for position, step in enumerate(self.steps)}

    @cached_property
    def producers(self) -> dict[str, int]:
        """Where the step stands that gives each variable."""
        return {step.output.variable: position for position, step in enumerate(self.steps)}

    @cached_property
    def stages(self) -> list[range]:
        """The positions of each stage's steps."""
        return _stages(self.steps)

    @cached_property
    def stage_of(self) -> list[int]:
        """The number of each step's stage."""
        return [number for number, stage in enumerate(self.stages) for _ in stage]

    @cached_property
    def reserved(self) -> int:
        """The sum of the steps' own token budgets."""
        return sum(step.output.token_budget or 0 for step in self.steps)

    @cached_property
    def sharing_steps(self) -> list[int]:
        """How many steps of each stage have no token budget of their own."""
        return [sum(self.steps[each].output.token_budget is None for each in stage) for stage in self.stages]

    def waits_for(self, position: int) -> list[int]:
        """The steps that a step waits for directly: those of the stage before, and what it depends on."""
        before = self.stage_of[position] - 1
        found = {self.positions[needed] for needed in self.steps[position].depends_on}
        return sorted(found.union(self.stages[before] if before >= 0 else ()))


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
    """The plan of a run of this definition, with no more depth and tokens than the definition itself allows.

    `callers` names the Processes that called it, the outermost first. Raises RuleError when steps and calls do not fit
    each other.
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


def _stages(steps: list[ProcessStep]) -> list[range]:
    """Sequential steps alone, neighbouring parallel ones together."""
    keys = [(-1 if step.execution.mode == "parallel" else position) for position, step in enumerate(steps)]
    runs = [[position for position, _ in run] for _, run in groupby(enumerate(keys), key=lambda pair: pair[1])]
    return [range(run[0], run[-1] + 1) for run in runs]


def _faults(plan: RunPlan) -> Iterator[str]:
    """What would break the rules by which a plan is run; whether it makes sense was checked when it was saved."""
    if plan.digest != plan.definition.digest:
        yield "the digest is another definition's"
    if len(plan.positions) < len(plan.steps) or len(plan.producers) < len(plan.steps):
        yield "two steps have the same id or output variable"
        return
    if plan.calls.keys() != plan.positions.keys():
        yield "there must be one call for each step and none besides"
        return
    for position, step in enumerate(plan.steps):
        call = plan.calls[step.id]
        if call.id != (step.tool if call.kind == "tool" else step.process):
            yield f"step {step.id!r} does not call the {call.kind} {call.id!r}"
        stage = plan.stages[plan.stage_of[position]]
        yield from (
            f"step {step.id!r} depends on {needed!r}, which does not end before it begins"
            for needed in step.depends_on
            if plan.positions.get(needed, len(plan.steps)) >= stage.start
        )
