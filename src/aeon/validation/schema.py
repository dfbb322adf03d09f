"""`Validator`: checks plans, model outputs, tool calls and steps, every error at once (FR-024 to FR-027)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Dict, Optional, cast  # noqa: UP035  # the published signature

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from aeon.base.json import Json, JsonObject
from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema
from aeon.plan.models import PlanStep
from aeon.plan.parser import plan_problems
from aeon.tools.registry import ToolRegistry

__all__ = [
    "ValidationError",
    "ValidationResult",
    "Validator",
    "argument_problems",
    "call_problems",
    "certain_argument_problems",
]


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """Whether a step can run with a tool, with the reason if not. Also supports `["valid"]`, as in the contract."""

    valid: bool
    error: str | None = None

    def __getitem__(self, field: str) -> bool | str | None:
        """Returns the field "valid" or "error". Raises KeyError for another name."""
        if field not in ("valid", "error"):
            raise KeyError(field)
        return self.valid if field == "valid" else self.error


class Validator:
    """Checks structure before use. Failures raise pydantic's ValidationError with all errors."""

    def validate_plan(self, plan_dict: Dict[str, Any]) -> bool:  # noqa: UP006  # the published signature
        """Returns True for a plan that can start. Raises ValidationError with every problem (FR-010, FR-026)."""
        return _accept("Plan", plan_dict, plan_problems(plan_dict))

    def validate_llm_output(
        self,
        output: Dict[str, Any],  # noqa: UP006  # the published signature
        expected_schema: Optional[Dict[str, Any]] = None,  # noqa: UP006, UP045
    ) -> bool:
        """Returns True for an object that fits `expected_schema`, if any. Raises ValidationError (FR-024)."""
        check = compile_schema({"type": "object"} if expected_schema is None else expected_schema)
        return _accept("LLM output", output, check.problems(output))

    def validate_tool_call(self, tool_call: Dict[str, Any], tool_schema: Dict[str, Any]) -> bool:  # noqa: UP006
        """Returns True for a `{"tool", "arguments"}` that fits `tool_schema`. Raises ValidationError (FR-025)."""
        return _accept("Tool call", tool_call, call_problems(tool_call, compile_schema(tool_schema)))

    def validate_step_tool(self, step: PlanStep, tool_registry: ToolRegistry) -> ValidationResult:
        """Checks that the step names a registered tool or the agent "llm". Adds the reason to `step.errors` if not.

        A step with neither is a missing-tool step (core 2): invalid, with its reason.
        """
        if step.tool is None and step.agent is not None:
            return ValidationResult(valid=True)
        if step.tool is None:
            reason = f"Step {step.step_id!r} names neither a tool nor an agent"
        elif tool_registry.lookup(step.tool) is not None:
            return ValidationResult(valid=True)
        else:
            known = ", ".join(tool_registry.list_all()) or "none"
            reason = f"Tool {step.tool!r} not found in registry; registered are: {known}"
        if reason not in step.errors:
            step.errors.append(reason)
        return ValidationResult(valid=False, error=reason)


def call_problems(call: Json, check: CompiledSchema) -> list[ValidationProblem]:
    """The problems of a `{"tool", "arguments"}` object for a tool with the input schema `check`."""
    if not isinstance(call, dict):
        return [ValidationProblem("$", "a tool call is an object with tool and arguments")]
    fields = cast(JsonObject, call)
    problems = [
        ValidationProblem(f"$.{key}", "unknown field; a tool call has tool and arguments")
        for key in fields
        if key not in _CALL
    ]
    if not isinstance(fields.get("tool"), str):
        problems.append(ValidationProblem("$.tool", "must name the tool"))
    if not isinstance(fields.get("arguments"), dict):
        return [*problems, ValidationProblem("$.arguments", "must be an object")]
    return [*problems, *argument_problems(fields["arguments"], check)]


def argument_problems(arguments: JsonObject, check: CompiledSchema) -> list[ValidationProblem]:
    """The problems of a tool's arguments. If the schema has alternatives, those against the closest one."""
    if check.is_valid(arguments):
        return []
    return _in_arguments(_closest(arguments, check).problems(arguments) or check.problems(arguments))


def certain_argument_problems(
    arguments: JsonObject, check: CompiledSchema, unknown: Collection[str]
) -> list[ValidationProblem]:
    """Those of `argument_problems` that remain for every value at the paths `unknown` (`$.text`) of the arguments."""
    if check.is_valid(arguments) or not check.certain_problems(arguments, unknown):
        return []
    closest = _closest(arguments, check).certain_problems(arguments, unknown)
    return _in_arguments(closest or check.certain_problems(arguments, unknown))


def _closest(arguments: JsonObject, check: CompiledSchema) -> CompiledSchema:
    """The alternative of a tool's schema that is closest to the arguments; the schema itself without alternatives."""
    branches = check.schema.get("anyOf") or check.schema.get("oneOf")
    if not isinstance(branches, list) or check.schema.keys() & {"$defs", "properties"}:
        return check
    return min(
        (compile_schema(cast(JsonObject, branch)) for branch in cast(list[Json], branches) if isinstance(branch, dict)),
        key=lambda branch: (
            -len(branch.schema.get("properties", {}).keys() & arguments),
            len(branch.problems(arguments)),
        ),
        default=check,
    )


def _in_arguments(problems: list[ValidationProblem]) -> list[ValidationProblem]:
    return [ValidationProblem(f"$.arguments{problem.path[1:]}", problem.message) for problem in problems]


_CALL = {"tool", "arguments"}


def _accept(title: str, value: Json, problems: list[ValidationProblem]) -> bool:
    if not problems:
        return True
    raise ValidationError.from_exception_data(
        title,
        [
            InitErrorDetails(
                type=PydanticCustomError("aeon", "{problem}", {"problem": problem.message}),
                loc=(problem.path,),
                input=value,
            )
            for problem in problems
        ],
        hide_input=True,
    )
