"""Checks of a run's input: a user's plan against the registered tools, and the request (core 17). Pure."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from aeon.base.binding import find_references
from aeon.base.errors import PlanError, RequestError
from aeon.base.json_schema import ValidationProblem
from aeon.base.next_steps import NextStep
from aeon.base.suggestions import closest_name
from aeon.kernel.state import OnMissingTool
from aeon.plan.models import Plan, PlanStep
from aeon.tools.registry import ToolRegistry
from aeon.validation.schema import certain_argument_problems

_MAX_LISTED = 20

LoadNames: TypeAlias = Callable[[], Sequence[str]]


def no_names() -> Sequence[str]:
    """No names beside those of the registry."""
    return ()


def check_supplied_plan(
    plan: Plan, registry: ToolRegistry, *, repair: bool, allow_fallback: bool, other_names: LoadNames = no_names
) -> None:
    """Raises PlanError with every unknown tool and every argument that does not fit its tool, all at once.

    `repair` allows both, because the model may then correct them; `allow_fallback` allows unknown tools. `other_names`
    returns the names of tools that are registered only where a plan names them; they are suggested too.
    """
    unknown = [] if repair or allow_fallback else _unknown_tools(plan, registry, other_names)
    unfit = [] if repair else _unfit_arguments(plan, registry)
    problems = [*unknown, *unfit]
    if not problems:
        return
    listed = "\n".join(f"  {problem}" for problem in problems[:_MAX_LISTED])
    more = f"\n  ... and {len(problems) - _MAX_LISTED} more" if len(problems) > _MAX_LISTED else ""
    raise PlanError(
        f"The plan has {len(problems)} problem(s):\n{listed}{more}\n",
        next_step=_advice(has_unknown=bool(unknown), has_unfit=bool(unfit)),
        problems=[str(problem) for problem in problems],
    )


def has_unfit_arguments(step: PlanStep, registry: ToolRegistry) -> bool:
    """Whether a step's arguments cannot fit its tool, for any results of the earlier steps."""
    return bool(_argument_problems(step, registry))


def _unknown_tools(plan: Plan, registry: ToolRegistry, other_names: LoadNames) -> list[ValidationProblem]:
    unknown = [
        (index, step.tool)
        for index, step in enumerate(plan.steps)
        if step.tool is not None and registry.lookup(step.tool) is None
    ]
    names = list(dict.fromkeys([*registry.list_all(), *other_names()])) if unknown else []
    return [ValidationProblem(f"$.steps[{index}].tool", _unknown_tool_message(name, names)) for index, name in unknown]


def _unknown_tool_message(name: str, known: list[str]) -> str:
    folded = {each.casefold(): each for each in known}
    near = closest_name(name.casefold(), folded)
    meant = f"did you mean {folded[near]!r}?" if near else f"registered are: {', '.join(known) or 'none'}"
    return f"there is no tool {name!r}; {meant}"


def _unfit_arguments(plan: Plan, registry: ToolRegistry) -> list[ValidationProblem]:
    return [
        ValidationProblem(f"$.steps[{index}]{problem.path[1:]}", f"{problem.message} (tool {step.tool!r})")
        for index, step in enumerate(plan.steps)
        for problem in _argument_problems(step, registry)
    ]


def _argument_problems(step: PlanStep, registry: ToolRegistry) -> list[ValidationProblem]:
    """The problems of a step's arguments that do not depend on references to earlier results."""
    registered = registry.lookup(step.tool) if step.tool is not None else None
    if registered is None or step.arguments is None:
        return []
    unknown = [reference.path for reference in find_references(step.arguments)]
    return certain_argument_problems(step.arguments, registered.input, unknown)


def _advice(*, has_unknown: bool, has_unfit: bool) -> NextStep:
    ways = [
        "allow the fallback (--allow-fallback, allow_fallback=True)" if has_unknown else "",
        "let the model repair it (--repair, repair=True)" if has_unfit or has_unknown else "",
    ]
    return NextStep("plans.correct", ways=", or ".join(way for way in ways if way))


def checked_ttl(ttl: int) -> int:
    """The number of cycles of a run. Raises RequestError if it is below 1."""
    if ttl < 1:
        raise RequestError(f"ttl is {ttl}; a run needs at least one cycle.", next_step="Set ttl to 1 or more.")
    return ttl


def checked_on_missing_tool(value: OnMissingTool) -> OnMissingTool:
    """The treatment of a step without a tool. Raises RequestError for another value."""
    if value not in ("fallback", "fail"):
        raise RequestError(f"on_missing_tool is {value!r}.", next_step='Set it to "fallback" or "fail".')
    return value
