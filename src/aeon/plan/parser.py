"""Parser for plans, from text or data. Every problem is reported at once, with its path."""

from itertools import islice
from typing import Any, cast

from pydantic import ValidationError

from aeon.base.binding import find_references, split_reference
from aeon.base.errors import PlanError
from aeon.base.json import Json, JsonObject, json_problems, parse_strict
from aeon.base.json_schema import ValidationProblem
from aeon.plan.models import Plan, PlanStep

MAX_TEXT = 8_000_000
"""Characters of a plan file; a plan of 10,000 steps has about 2,000,000."""


def parse_plan(text: str, *, source: str = "the plan") -> Plan:
    """Reads a plan in JSON or YAML. Raises PlanError with every problem; `source` names the plan in the message."""
    if len(text) > MAX_TEXT:
        raise PlanError(f"{source} has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    try:
        value = parse_strict(text) if text.lstrip().startswith(("{", "[")) else _parse_yaml(text)
    except ValueError as error:
        raise PlanError(f"{source} is neither JSON nor YAML: {error}.") from None
    return build_plan(value, source=source)


def build_plan(value: Json, *, source: str = "the plan") -> Plan:
    """Builds a Plan from decoded data. Raises PlanError with every problem."""
    plan, problems = _checked(value)
    if plan is None or problems:
        listed = "\n".join(f"  {problem}" for problem in problems[:20])
        more = f"\n  ... and {len(problems) - 20} more" if len(problems) > 20 else ""  # noqa: PLR2004  # a screenful
        raise PlanError(
            f"{source} has {len(problems)} problem(s):\n{listed}{more}\n",
            problems=[str(problem) for problem in problems],
        )
    return plan


def plan_problems(value: Json) -> list[ValidationProblem]:
    """Everything that keeps `value` from being a plan that can start: structure, ids, statuses, references."""
    return _checked(value)[1]


def _checked(value: Json) -> tuple[Plan | None, list[ValidationProblem]]:
    not_json = json_problems(value)
    if not_json:
        return None, [ValidationProblem(*problem.split(": ", 1)) for problem in not_json]
    problems: list[ValidationProblem] = []
    plan = None
    try:
        plan = Plan.model_validate(value)
    except ValidationError as error:
        items = cast(list[dict[str, Any]], error.errors(include_url=False, include_input=False))
        problems = [_problem(item) for item in items if item["loc"] != ("steps",) or item["type"] != "value_error"]
    steps = _readable_steps(value)
    return plan, [*problems, *_duplicate_ids(steps), *_status_problems(steps), *_reference_problems(steps)]


def _readable_steps(value: Json) -> list[tuple[int, JsonObject]]:
    steps = cast(JsonObject, value).get("steps") if isinstance(value, dict) else None
    listed = cast(list[Json], steps) if isinstance(steps, list) else []
    return [(index, cast(JsonObject, step)) for index, step in enumerate(listed) if isinstance(step, dict)]


def _duplicate_ids(steps: list[tuple[int, JsonObject]]) -> list[ValidationProblem]:
    first: dict[Json, int] = {}
    return [
        ValidationProblem(
            f"$.steps[{index}].step_id", f"{step_id!r} is also the id of $.steps[{first[step_id]}]; ids are unique"
        )
        for index, step in steps
        if isinstance(step_id := step.get("step_id"), str) and first.setdefault(step_id, index) != index
    ]


def _status_problems(steps: list[tuple[int, JsonObject]]) -> list[ValidationProblem]:
    return [
        ValidationProblem(
            f"$.steps[{index}].status", f"is {step['status']!r}; a plan that has not run has only pending steps"
        )
        for index, step in steps
        if step.get("status", "pending") in ("running", "complete", "failed")
    ]


def _reference_problems(steps: list[tuple[int, JsonObject]]) -> list[ValidationProblem]:
    """References to an unknown step, to the step itself or to a later one (core 3)."""
    order: dict[str, int] = {}
    for index, step in steps:
        if isinstance(step_id := step.get("step_id"), str):
            order.setdefault(step_id, index)
    return [
        ValidationProblem(f"$.steps[{index}].arguments{path[1:]}", reason)
        for index, step in steps
        for path, expression in find_references(step.get("arguments"))
        if (reason := _reference_reason(expression, index, order))
    ]


def _reference_reason(expression: str, index: int, order: dict[str, int]) -> str | None:
    target = split_reference(expression, order)
    if target is None:
        return f"{{step.{expression}}} does not name a step of this plan; the steps are {', '.join(islice(order, 20))}"
    if order[target[0]] == index:
        return f"{{step.{expression}}} refers to its own step, whose result does not exist yet"
    if order[target[0]] > index:
        return (
            f"{{step.{expression}}} refers to a later step; steps run in order, so move {target[0]!r} before this one"
        )
    return None


def _problem(item: dict[str, Any]) -> ValidationProblem:
    location = cast(tuple[int | str, ...], item["loc"])
    path = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    message = "must not be empty" if item["type"] == "string_pattern_mismatch" else str(item["msg"])
    if item["type"] == "extra_forbidden":
        known = PlanStep.model_fields if len(location) > 1 else Plan.model_fields
        message = f"unknown field; known are {', '.join(known)}"
    return ValidationProblem(path, message)


def _parse_yaml(text: str) -> Json:
    from aeon.plan.yaml import load_yaml

    return load_yaml(text)
