"""A plan that a person wrote, held against the registered tools before anything runs (core 17). Pure."""

import re

from aeon.base.binding import find_references
from aeon.base.errors import PlanError, RequestError
from aeon.base.json_schema import ValidationProblem
from aeon.base.suggestions import closest_name
from aeon.plan.models import Plan, PlanStep
from aeon.tools.registry import ToolRegistry
from aeon.validation.schema import certain_argument_problems

_SHOWN = 20


def check_supplied_plan(plan: Plan, registry: ToolRegistry, *, repair: bool, allow_fallback: bool) -> None:
    """Raises PlanError with every unknown tool and every argument that does not fit its tool, all at once.

    `repair` allows both, since the model may then correct them; `allow_fallback` allows unknown tools.
    """
    unknown = [] if repair or allow_fallback else _unknown_tools(plan, registry)
    unfit = [] if repair else _unfit_arguments(plan, registry)
    problems = [*unknown, *unfit]
    if not problems:
        return
    listed = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
    more = f"\n  ... and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    raise PlanError(
        f"The plan has {len(problems)} problem(s):\n{listed}{more}\n",
        next_step=_advice(has_unknown=bool(unknown), has_unfit=bool(unfit)),
        problems=[str(problem) for problem in problems],
    )


def has_unfit_arguments(step: PlanStep, registry: ToolRegistry) -> bool:
    """Whether a step's arguments cannot fit its tool, whatever the steps before it give."""
    return bool(_argument_problems(step, registry))


def _unknown_tools(plan: Plan, registry: ToolRegistry) -> list[ValidationProblem]:
    names = registry.list_all()
    return [
        ValidationProblem(f"$.steps[{index}].tool", _no_tool(step.tool, names))
        for index, step in enumerate(plan.steps)
        if step.tool is not None and registry.lookup(step.tool) is None
    ]


def _no_tool(name: str, known: list[str]) -> str:
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
    """What is wrong with a step's arguments for its tool, where references to earlier results leave no doubt."""
    registered = registry.lookup(step.tool) if step.tool is not None else None
    if registered is None or step.arguments is None:
        return []
    unknown = [reference.path for reference in find_references(step.arguments)]
    return certain_argument_problems(step.arguments, registered.input, unknown)


def _advice(*, has_unknown: bool, has_unfit: bool) -> str:
    ways = [
        "allow the fallback (--allow-fallback, allow_fallback=True)" if has_unknown else "",
        "let the model repair it (--repair, repair=True)" if has_unfit or has_unknown else "",
    ]
    return f"Correct the plan; or {', or '.join(way for way in ways if way)}. `aeon tools list` shows the tools."


MAX_REQUEST = 20_000
"""Characters of a request."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def normalize_request(request: str) -> str:
    """The request without the space around it. Raises RequestError for one that cannot be planned."""
    if not isinstance(request, str) or not request.strip():  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may hand us anything
        raise RequestError("The request is empty.")
    if len(request) > MAX_REQUEST:
        raise RequestError(
            f"The request has {len(request):,} characters; at most {MAX_REQUEST:,} are planned.",
            next_step="Shorten it, or put long text into a file that a tool reads.",
        )
    if _CONTROL.search(request):
        raise RequestError("The request contains control characters; it looks like a binary file.")
    return request.strip()
