"""What is checked when a Process is saved: the whole at once, every problem with its path (platform 6, 7)."""

from collections.abc import Iterator, Sequence

from aeon.base.binding import STEP_PREFIX
from aeon.platform.processes.checks.context import CheckContext, build_context
from aeon.platform.processes.checks.inputs import check_inputs
from aeon.platform.processes.checks.problems import DefinitionProblem, raise_problems
from aeon.platform.processes.checks.recursion import check_recursion
from aeon.platform.processes.checks.targets import ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.expressions.conditions import CompiledCondition, ConditionError
from aeon.platform.processes.expressions.templates import check_template
from aeon.platform.processes.model import ProcessDefinition, ProcessStep
from aeon.platform.processes.text import join_names


def check_budgets(
    definition: ProcessDefinition, called: Sequence[ToolTarget | ProcessTarget | None]
) -> Iterator[DefinitionProblem]:
    """Whether the budgets can be kept. `called` is what each step calls, None where that is not known (platform 7)."""
    whole = definition.token_budget
    if whole is None:
        return
    given = sum(step.output.token_budget or 0 for step in definition.steps)
    if given > whole:
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budgets_fit",
            f"the steps' token budgets add up to {given}, which is more than the Process's {whole}",
        )
        return
    sharing = [step.id for step, target in zip(definition.steps, called, strict=True) if _shares(step, target)]
    if whole - given < len(sharing):
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budget_to_share",
            f"the steps' token budgets leave {whole - given} of {whole} tokens to {len(sharing)} steps that have none "
            f"of their own and need tokens, {sharing[0]!r} the first of them",
        )


def _shares(step: ProcessStep, target: ToolTarget | ProcessTarget | None) -> bool:
    """Whether the step lives on what the others leave, and surely needs some of it."""
    return step.output.token_budget is None and isinstance(target, ToolTarget) and target.service_type == "llm_provider"


__all__ = ["DefinitionProblem", "check_definition", "raise_problems"]


def check_definition(
    definition: ProcessDefinition, targets: TargetLookup, *, process_id: str | None = None
) -> list[DefinitionProblem]:
    """Everything wrong with a definition, always in the same order; empty when it can be saved (platform 6, 7).

    `targets` sees with the eyes of the user who saves it. `process_id` is that of the Process being changed, None for a
    new one. What must be true of one field alone the definition itself has checked already.
    """
    whole = build_context(definition, targets, process_id)
    return [
        *_name_problems(definition),
        *whole.dependencies.problems(),
        *(problem for place in range(len(definition.steps)) for problem in _step_problems(whole, place)),
        *_template_problems(whole),
        *check_budgets(definition, whole.targets),
        *check_recursion(definition, targets, process_id),
    ]


def _name_problems(definition: ProcessDefinition) -> Iterator[DefinitionProblem]:
    inputs: set[str] = set()
    for number, name in enumerate(definition.initial_context):
        path = f"$.initialContext[{number}]"
        if name == STEP_PREFIX:
            yield DefinitionProblem(
                path, "input_not_step", f"{STEP_PREFIX!r} stands before the steps' variables and names no input"
            )
        if name in inputs:
            yield DefinitionProblem(path, "input_unique", f"the input {name!r} is there already")
        inputs.add(name)
    ids: set[str] = set()
    variables: set[str] = set()
    for place, step in enumerate(definition.steps):
        variable = step.output.variable
        if step.id in ids:
            yield DefinitionProblem(f"$.steps[{place}].id", "step_id_unique", f"another step is {step.id!r} already")
        if variable in variables:
            message = f"another step gives {variable!r} already"
            yield DefinitionProblem(f"$.steps[{place}].output.variable", "variable_unique", message)
        if variable in inputs:
            message = f"{variable!r} is an input already"
            yield DefinitionProblem(f"$.steps[{place}].output.variable", "variable_not_input", message)
        ids.add(step.id)
        variables.add(variable)


def _step_problems(whole: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    yield from _target_problems(whole, place)
    yield from _condition_problems(whole, place)
    yield from check_inputs(whole, place)


def _target_problems(whole: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    step, target = whole.step(place), whole.targets[place]
    if (step.tool is None) == (step.process is None):
        many = "neither a tool nor a process" if step.tool is None else "both a tool and a process"
        yield DefinitionProblem(
            f"$.steps[{place}]", "one_target", f"step {step.id!r} calls {many}; it calls exactly one"
        )
        return
    kind = "tool" if step.process is None else "process"
    path = f"$.steps[{place}].{kind}"
    if target is None:
        yield DefinitionProblem(
            path, "target_exists", f"there is no {kind} {step.tool or step.process!r}, or it is not yours to see"
        )
        return
    if not target.enabled:
        yield DefinitionProblem(path, "target_enabled", f"the {kind} {target.name!r} is disabled")
    if isinstance(target, ToolTarget) and not target.has_access:
        message = f"you see the tool {target.name!r} but may not run it; it may need a Secret of your own"
        yield DefinitionProblem(path, "target_access", message)


def _condition_problems(whole: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    path = f"$.steps[{place}].execution.condition"
    condition = whole.condition(place)
    if isinstance(condition, ConditionError):
        yield DefinitionProblem(
            path, "condition_valid", f"{condition.message} It may read {join_names(sorted(whole.names))}."
        )
    elif isinstance(condition, CompiledCondition):
        told = {objection for read in sorted(condition.paths) if (objection := whole.reference_problem(read, place))}
        yield from (DefinitionProblem(path, rule, why) for rule, why in sorted(told))


def _template_problems(whole: CheckContext) -> Iterator[DefinitionProblem]:
    template = whole.definition.output_template
    if not template:
        return
    for message in check_template(template, whole.inputs, whole.producers):
        yield DefinitionProblem("$.outputTemplate", "template_valid", message)
