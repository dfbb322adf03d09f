"""Checks a Process when it is saved, and reports every problem at once (platform 6, 7)."""

import re
from collections.abc import Iterator, Sequence

from aeon.base.binding import STEP_PREFIX
from aeon.platform.processes.checks.context import CheckContext, build_context
from aeon.platform.processes.checks.control import check_control, check_inputs_of_process
from aeon.platform.processes.checks.inputs import check_inputs, types_of_reference
from aeon.platform.processes.checks.json_types import describe_types
from aeon.platform.processes.checks.problems import DefinitionProblem, raise_problems
from aeon.platform.processes.checks.recursion import check_recursion
from aeon.platform.processes.checks.reminders import check_reminders
from aeon.platform.processes.checks.targets import ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.expressions.bindings import InputReference
from aeon.platform.processes.expressions.conditions import CompiledCondition, ConditionError
from aeon.platform.processes.expressions.templates import check_template
from aeon.platform.processes.model import ProcessDefinition, ProcessStep, variables_of
from aeon.platform.processes.text import join_names


def check_budgets(
    definition: ProcessDefinition, called: Sequence[ToolTarget | ProcessTarget | None]
) -> Iterator[DefinitionProblem]:
    """Check that the token budgets can be kept (platform 7).

    `called` is the target of each step, None if unknown.
    """
    whole = definition.token_budget
    if whole is None:
        return
    allotted = sum(step.output.token_budget or 0 for step in definition.all_steps)
    if allotted > whole:
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budgets_fit",
            f"the steps' token budgets add up to {allotted}, which is more than the Process's {whole}",
        )
        return
    sharing = [step.id for step, target in zip(definition.all_steps, called, strict=True) if _shares(step, target)]
    if whole - allotted < len(sharing):
        yield DefinitionProblem(
            "$.tokenBudget",
            "token_budget_to_share",
            f"the steps' token budgets leave {whole - allotted} of {whole} tokens to {len(sharing)} steps that have "
            f"none of their own and need tokens, {sharing[0]!r} the first of them",
        )


def _shares(step: ProcessStep, target: ToolTarget | ProcessTarget | None) -> bool:
    """Return whether the step has no token budget of its own and certainly needs tokens."""
    return step.output.token_budget is None and isinstance(target, ToolTarget) and target.service_type == "llm_provider"


__all__ = ["DefinitionProblem", "check_definition", "raise_problems"]


def check_definition(
    definition: ProcessDefinition, targets: TargetLookup, *, process_id: str | None = None
) -> list[DefinitionProblem]:
    """Return every problem of a definition, in a fixed order; empty if it can be saved.

    Rules: platform 6 and 7. `targets` looks up targets as the user who saves it sees them. `process_id` is that of
    the Process being changed, None for a new one. Rules about a single field were checked when the definition was
    parsed.
    """
    context = build_context(definition, targets, process_id)
    return [
        *_name_problems(context),
        *check_inputs_of_process(definition),
        *context.dependencies.problems(),
        *(problem for place in range(len(context.steps)) for problem in _step_problems(context, place)),
        *_template_problems(context),
        *check_budgets(definition, context.targets),
        *check_recursion(definition, targets, process_id),
        *check_reminders(definition, targets),
    ]


def _name_problems(context: CheckContext) -> Iterator[DefinitionProblem]:
    definition = context.definition
    inputs: set[str] = set()
    for number, name in enumerate(definition.initial_context):
        path = f"$.initialContext[{number}]"
        if name == STEP_PREFIX:
            yield DefinitionProblem(
                path,
                "input_not_step",
                f"{STEP_PREFIX!r} is the prefix of step variables and cannot name an input",
            )
        if name in inputs:
            yield DefinitionProblem(path, "input_unique", f"the input {name!r} is listed twice")
        inputs.add(name)
    inputs |= set(definition.inputs)
    ids: set[str] = set()
    variables: set[str] = set()
    for path, step in zip(context.paths, context.steps, strict=True):
        if step.id in ids:
            yield DefinitionProblem(f"{path}.id", "step_id_unique", f"another step has the id {step.id!r}")
        for variable, field in zip(variables_of(step), ("output.variable", "forEach.failures"), strict=False):
            if variable in variables:
                message = f"another step has the output {variable!r}"
                yield DefinitionProblem(f"{path}.{field}", "variable_unique", message)
            if variable in inputs:
                message = f"{variable!r} is already an input"
                yield DefinitionProblem(f"{path}.{field}", "variable_not_input", message)
            variables.add(variable)
        ids.add(step.id)


def _step_problems(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    yield from _target_problems(context, place)
    yield from _condition_problems(context, place)
    yield from check_inputs(context, place)
    yield from check_control(context, place)


def _target_problems(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    step, target = context.step(place), context.targets[place]
    named = [kind for kind, value in (("tool", step.tool), ("process", step.process)) if value is not None]
    if step.wait is not None:
        if named:
            message = f"step {step.id!r} waits and calls a {named[0]}; it does one of them"
            yield DefinitionProblem(context.paths[place], "one_target", message)
        return
    if len(named) != 1:
        which = "both a tool and a process" if named else "neither a tool nor a process"
        yield DefinitionProblem(
            context.paths[place], "one_target", f"step {step.id!r} calls {which}; it calls exactly one"
        )
        return
    kind = named[0]
    path = f"{context.paths[place]}.{kind}"
    if target is None:
        yield DefinitionProblem(
            path, "target_exists", f"there is no {kind} {step.tool or step.process!r}, or you cannot see it"
        )
        return
    if not target.enabled:
        yield DefinitionProblem(path, "target_enabled", f"the {kind} {target.name!r} is disabled")
    if isinstance(target, ToolTarget) and not target.has_access:
        message = f"you see the tool {target.name!r} but may not run it; it may need a Secret of your own"
        yield DefinitionProblem(path, "target_access", message)


def _condition_problems(context: CheckContext, place: int) -> Iterator[DefinitionProblem]:
    path = f"{context.paths[place]}.execution.condition"
    condition = context.condition(place)
    if isinstance(condition, ConditionError):
        yield DefinitionProblem(
            path, "condition_valid", f"{condition.message} It may read {join_names(sorted(context.names))}."
        )
    elif isinstance(condition, CompiledCondition):
        objections = {
            objection
            for cel_path in sorted(condition.paths)
            if (objection := context.reference_problem(cel_path, place, in_inputs=False))
        }
        yield from (DefinitionProblem(path, rule, why) for rule, why in sorted(objections))
        if objections:
            return
        if impossible := sorted(each for each in condition.paths if not types_of_reference(context, _whole(each))):
            yield from (_leads_nowhere(path, each) for each in impossible)
        elif why := _why_never_true(context, condition):
            yield DefinitionProblem(path, "condition_valid", why)


def _whole(path: Sequence[str]) -> InputReference:
    return InputReference((), tuple(path), is_whole=True)


def _leads_nowhere(path: str, read: Sequence[str]) -> DefinitionProblem:
    return DefinitionProblem(path, "reference_leads_somewhere", f"{'.'.join(read)}: no value ever has that")


def _why_never_true(context: CheckContext, condition: CompiledCondition) -> str | None:
    """Return why a condition that is one value cannot be true or false; None if it can, or if it is not one value."""
    source = condition.source.strip()
    if len(condition.paths) != 1 or not _ONE_VALUE.fullmatch(source):
        return None
    types = types_of_reference(context, _whole(source.split(".")))
    if "boolean" in types:
        return None
    return f"{source} is {describe_types(types)}, not true or false; compare it, as in `{source} == ...`"


_ONE_VALUE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
"""A condition that is the path of one value."""


def _template_problems(context: CheckContext) -> Iterator[DefinitionProblem]:
    template = context.definition.output_template
    if not template:
        return
    ended = [name for name, place in context.producers.items() if context.section_of[place] in ("main", "finally")]
    for message in check_template(template, context.inputs, ended):
        yield DefinitionProblem("$.outputTemplate", "template_valid", message)
