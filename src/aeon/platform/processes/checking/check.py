"""What is checked when a Process is saved: the whole at once, every problem with its path (platform 6, 7)."""

from collections.abc import Iterator

from aeon.base.binding import STEP
from aeon.platform.processes.checking.budgets import budget_problems
from aeon.platform.processes.checking.inputs import input_problems
from aeon.platform.processes.checking.problems import Problem, refuse
from aeon.platform.processes.checking.recursion import recursion_problems
from aeon.platform.processes.checking.targets import Targets, ToolTarget
from aeon.platform.processes.checking.whole import Whole, whole_of
from aeon.platform.processes.conditions.condition import Condition, ConditionError
from aeon.platform.processes.definition import Definition
from aeon.platform.processes.templates import template_problems
from aeon.platform.processes.words import listed

__all__ = ["Problem", "check", "refuse"]


def check(definition: Definition, targets: Targets, *, process_id: str | None = None) -> list[Problem]:
    """Everything wrong with a definition, always in the same order; empty when it can be saved (platform 6, 7).

    `targets` sees with the eyes of the user who saves it. `process_id` is that of the Process being changed, None for a
    new one. What must be true of one field alone the definition itself has checked already.
    """
    whole = whole_of(definition, targets, process_id)
    return [
        *_name_problems(definition),
        *whole.dependencies.problems(),
        *(problem for place in range(len(definition.steps)) for problem in _step_problems(whole, place)),
        *_template_problems(whole),
        *budget_problems(definition, whole.called),
        *recursion_problems(definition, targets, process_id),
    ]


def _name_problems(definition: Definition) -> Iterator[Problem]:
    inputs: set[str] = set()
    for number, name in enumerate(definition.initial_context):
        path = f"$.initialContext[{number}]"
        if name == STEP:
            yield Problem(path, "input_not_step", f"{STEP!r} stands before the steps' variables and names no input")
        if name in inputs:
            yield Problem(path, "input_unique", f"the input {name!r} is there already")
        inputs.add(name)
    ids: set[str] = set()
    variables: set[str] = set()
    for place, step in enumerate(definition.steps):
        variable = step.output.variable
        if step.id in ids:
            yield Problem(f"$.steps[{place}].id", "step_id_unique", f"another step is {step.id!r} already")
        if variable in variables:
            message = f"another step gives {variable!r} already"
            yield Problem(f"$.steps[{place}].output.variable", "variable_unique", message)
        if variable in inputs:
            message = f"{variable!r} is an input already"
            yield Problem(f"$.steps[{place}].output.variable", "variable_not_input", message)
        ids.add(step.id)
        variables.add(variable)


def _step_problems(whole: Whole, place: int) -> Iterator[Problem]:
    yield from _target_problems(whole, place)
    yield from _condition_problems(whole, place)
    yield from input_problems(whole, place)


def _target_problems(whole: Whole, place: int) -> Iterator[Problem]:
    step, target = whole.step(place), whole.called[place]
    if (step.tool is None) == (step.process is None):
        many = "neither a tool nor a process" if step.tool is None else "both a tool and a process"
        yield Problem(f"$.steps[{place}]", "one_target", f"step {step.id!r} calls {many}; it calls exactly one")
        return
    kind = "tool" if step.process is None else "process"
    path = f"$.steps[{place}].{kind}"
    if target is None:
        yield Problem(
            path, "target_exists", f"there is no {kind} {step.tool or step.process!r}, or it is not yours to see"
        )
        return
    if not target.enabled:
        yield Problem(path, "target_enabled", f"the {kind} {target.name!r} is disabled")
    if isinstance(target, ToolTarget) and not target.has_access:
        message = f"you see the tool {target.name!r} but may not run it; it may need a Secret of your own"
        yield Problem(path, "target_access", message)


def _condition_problems(whole: Whole, place: int) -> Iterator[Problem]:
    path = f"$.steps[{place}].execution.condition"
    condition = whole.condition(place)
    if isinstance(condition, ConditionError):
        yield Problem(path, "condition_valid", f"{condition.message} It may read {listed(sorted(whole.names))}.")
    elif isinstance(condition, Condition):
        told = {objection for read in sorted(condition.paths) if (objection := whole.objection(read, place))}
        yield from (Problem(path, rule, why) for rule, why in sorted(told))


def _template_problems(whole: Whole) -> Iterator[Problem]:
    template = whole.definition.output_template
    if not template:
        return
    for message in template_problems(template, whole.inputs, whole.makers):
        yield Problem("$.outputTemplate", "template_valid", message)
