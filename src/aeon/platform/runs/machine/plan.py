"""The plan of one run: its definition, the targets of its steps, and its limits."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Literal, Self

from pydantic import Field, model_validator

from aeon.platform.catalog.operations import Effect
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, VariableName
from aeon.platform.records import Record


class StepCall(Record):
    """The target of a step. `worker` is the type of the service, and of the worker.

    `asks` is the one user who may answer a manual step; without it, any user may whom the engine permits.
    """

    kind: Literal["tool", "process"]
    id: str
    name: str
    owner: str = ""
    worker: str = ""
    effect: Effect = "once"
    asks: str | None = None


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

    @model_validator(mode="after")
    def _check_invariants(self) -> Self:
        faults = list(_faults(self))
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def steps(self) -> list[ProcessStep]:
        """The definition's steps, in order."""
        return self.definition.steps

    def job_id(self, step: str, attempt: int) -> str:
        """Return the id of an attempt: of its job, its question, or its run of another Process."""
        return f"{self.run}:{step}:{attempt}"

    def is_manual(self, position: int) -> bool:
        """Return whether a person answers the step (platform 9)."""
        return self.steps[position].execution.interaction_mode == "manual"

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each step, by its id."""
        return {step.id: position for position, step in enumerate(self.steps)}

    @cached_property
    def producers(self) -> dict[str, int]:
        """The position of the step that produces each variable."""
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
        """The number of steps without a token budget of their own in each stage."""
        return [sum(self.steps[each].output.token_budget is None for each in stage) for stage in self.stages]

    def waits_for(self, position: int) -> list[int]:
        """Return the steps that a step waits for: the stage before it, and its dependencies."""
        before = self.stage_of[position] - 1
        needed_positions = {self.positions[needed] for needed in self.steps[position].depends_on}
        return sorted(needed_positions.union(self.stages[before] if before >= 0 else ()))


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


def _stages(steps: list[ProcessStep]) -> list[range]:
    """Return the stages: sequential steps alone, adjacent parallel ones together."""
    keys = [(-1 if step.execution.mode == "parallel" else position) for position, step in enumerate(steps)]
    groups = [[position for position, _ in run] for _, run in groupby(enumerate(keys), key=lambda pair: pair[1])]
    return [range(run[0], run[-1] + 1) for run in groups]


def _faults(plan: RunPlan) -> Iterator[str]:
    """Yield violations of a plan's invariants. Saving checked the rules of a definition."""
    if plan.digest != plan.definition.digest:
        yield "the digest does not match the definition"
    if len(plan.positions) < len(plan.steps) or len(plan.producers) < len(plan.steps):
        yield "two steps have the same id or output variable"
        return
    if plan.calls.keys() != plan.positions.keys():
        yield "there must be exactly one call for each step"
        return
    for position, step in enumerate(plan.steps):
        call = plan.calls[step.id]
        if call.id != (step.tool if call.kind == "tool" else step.process):
            yield f"step {step.id!r} does not call the {call.kind} {call.id!r}"
        stage = plan.stages[plan.stage_of[position]]
        yield from (
            f"step {step.id!r} depends on {needed!r}, which does not end before it starts"
            for needed in step.depends_on
            if plan.positions.get(needed, len(plan.steps)) >= stage.start
        )
