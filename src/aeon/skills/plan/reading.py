"""Plan JSON from data: its form alone. Whether it can run is for plan_check."""

from typing import Any, cast

from pydantic import BaseModel, ValidationError

from aeon.base.errors import PlanError
from aeon.base.json import Json, json_problems
from aeon.base.json_schema import ValidationProblem
from aeon.skills.plan_json import PlanJson, PlanMetadata, RetryPolicyJson, ToolInvocation

_SHOWN = 20
"""Problems that a message lists; all of them are in the error's details."""

_WORDS = {
    "string_pattern_mismatch": "must have no spaces, braces or control characters",
    "missing": "is missing",
    "model_type": "must be a JSON object",
    "string_too_short": "must not be empty",
}


def parse_plan(data: Json) -> PlanJson:
    """Make a plan of decoded JSON. Raises PlanError with every problem of its form, each with its path (skills 7)."""
    problems = [ValidationProblem(*fault.split(": ", 1)) for fault in json_problems(data)]
    if not problems:
        try:
            return PlanJson.model_validate(data)
        except ValidationError as error:
            items = cast(list[dict[str, Any]], error.errors(include_url=False, include_input=False))
            problems = [_problem_of(item) for item in items]
    raise PlanError(_problem_list(problems), problems=[str(problem) for problem in problems])


def _problem_list(problems: list[ValidationProblem]) -> str:
    shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
    more = f"\n  ... and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return f"The plan has {len(problems)} problem(s):\n{shown}{more}\n"


def _problem_of(item: dict[str, Any]) -> ValidationProblem:
    location = cast(tuple[int | str, ...], item["loc"])
    path = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    if item["type"] == "extra_forbidden":
        return ValidationProblem(path, f"unknown field; known are {', '.join(_known_fields(location))}")
    return ValidationProblem(path, _WORDS.get(item["type"], str(item["msg"])))


def _known_fields(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = PlanJson
    if "retryPolicy" in location[:-1]:
        model = RetryPolicyJson
    elif location[0] == "metadata":
        model = PlanMetadata
    elif len(location) > 1:
        model = ToolInvocation
    return [field.alias or name for name, field in model.model_fields.items()]
