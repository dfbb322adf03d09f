"""What a repair is asked for, and the checks that it must pass: plans, tool calls, choices of a tool (core 2, 18)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from aeon.base.errors import SupervisorError
from aeon.base.json import Json, JsonObject, canonical_json, json_problems
from aeon.base.json_schema import CompiledSchema, ValidationProblem, compile_schema, schema_problem
from aeon.observability.records import ActionType
from aeon.plan.models import Plan
from aeon.plan.parser import plan_problems
from aeon.supervisor.limits import call_violations, plan_violations, step_violations
from aeon.supervisor.prompts import repair_prompt
from aeon.supervisor.repair_context import RepairContext
from aeon.validation.output_schemas import MAX_PLAN_STEPS, call_schema, plan_schema
from aeon.validation.schema import argument_problems, call_problems


@dataclass(frozen=True, slots=True)
class RepairTask:
    """The repair of one faulty output: the original, the prompt, and the checks that a repair must pass."""

    action_type: ActionType
    before: JsonObject
    problems: Sequence[ValidationProblem]
    prompt: Callable[[Sequence[ValidationProblem]], str]
    schema: JsonObject | None
    """The schema that constrains decoding."""
    check: Callable[[JsonObject], list[ValidationProblem]]
    """Returns the problems of a proposed repair: its form, and the limits it violates."""
    finish: Callable[[JsonObject], JsonObject] = lambda value: value
    """Builds the repaired output from an accepted proposal; raises SupervisorError if the proposal declines."""


@cache
def plan_form() -> JsonObject:
    """The schema of a model's plan; built on first use, because it takes 15 ms."""
    return {**Plan.model_json_schema(), "required": ["steps"]}


def plan_task(
    before: JsonObject | None,
    shown: str,
    problems: Sequence[ValidationProblem],
    tools: Sequence[JsonObject] | None,
    request: str,
) -> RepairTask:
    """The task to repair a plan; `before` is None if nothing in the reply was readable."""
    schema = plan_schema(tools) if tools else plan_form()
    names = tool_names(before, tools)

    def check(value: JsonObject) -> list[ValidationProblem]:
        whole = with_goal(value, request) or value
        return model_plan_problems(whole) or plan_violations(before, whole, names)

    return RepairTask(
        "plan_repair",
        {"text": shown} if before is None else before,
        problems,
        lambda remaining: repair_prompt(shown, remaining, schema, f"Request: {request}" if request else ""),
        schema,
        check,
        lambda value: with_goal(value, request) or value,
    )


def tool_names(plan: JsonObject | None, tools: Sequence[JsonObject] | None) -> list[str]:
    """The tool names that a repaired plan may use: those of `tools`, or, if that is None, those in the plan."""
    return _tools_named(plan) if tools is None else [str(tool["name"]) for tool in tools]


def _tools_named(plan: JsonObject | None) -> list[str]:
    listed = (plan or {}).get("steps")
    steps = cast(list[Json], listed) if isinstance(listed, list) else []
    named = (cast(JsonObject, step).get("tool") for step in steps if isinstance(step, dict))
    return [tool for tool in named if isinstance(tool, str)]


def with_goal(plan: JsonObject | None, request: str) -> JsonObject | None:
    """The plan with its goal, by default the request."""
    return plan if plan is None or not request else {"goal": request, **plan}


def call_task(
    before: JsonObject,
    shown: str,
    problems: Sequence[ValidationProblem],
    tool_schema: JsonObject,
    context: RepairContext,
) -> RepairTask:
    """The task to repair a tool call; valid arguments stay as they are (core 18)."""
    input_schema = compile_schema(tool_schema)
    invalid = invalid_arguments(before, input_schema)

    def check(value: JsonObject) -> list[ValidationProblem]:
        return call_problems(value, input_schema) or call_violations(before, value, invalid, context.values())

    schema = call_schema({"name": "", "input_schema": tool_schema})
    schema["properties"]["tool"] = _tool_name_schema(before)
    return RepairTask(
        "tool_call_repair",
        before,
        problems,
        lambda remaining: repair_prompt(shown, remaining, schema, context.as_prompt()),
        schema,
        check,
    )


def _tool_name_schema(before: JsonObject) -> JsonObject:
    return {"const": before["tool"]} if isinstance(before.get("tool"), str) else {"type": "string"}


def invalid_arguments(call: JsonObject, check: CompiledSchema) -> set[str]:
    """The arguments of a call that are invalid by themselves: a wrong value, or an unknown argument."""
    arguments = call.get("arguments")
    if not isinstance(arguments, dict):
        return set()
    named = cast(JsonObject, arguments)
    problems = argument_problems(named, check)
    return {name for name in named for problem in problems if _is_about(problem, name)}


def _is_about(problem: ValidationProblem, name: str) -> bool:
    path = f"$.arguments.{name}"
    if problem.path == path or problem.path.startswith((f"{path}.", f"{path}[")):
        return True
    return problem.path == "$.arguments" and f"'{name}'" in problem.message and "unexpected" in problem.message


def model_plan_problems(value: Json) -> list[ValidationProblem]:
    """The problems of a model's plan: those of any plan, and an excessive length."""
    problems = plan_problems(value)
    steps = cast(JsonObject, value).get("steps") if isinstance(value, dict) else None
    if isinstance(steps, list) and len(cast(list[Json], steps)) > MAX_PLAN_STEPS:
        problems.append(ValidationProblem("$.steps", f"has more than {MAX_PLAN_STEPS} steps"))
    return problems


def choice_problems(step: JsonObject, choice: JsonObject, names: Sequence[str]) -> list[ValidationProblem]:
    """The problems of a model's choice of a tool for a step."""
    if "tool" not in choice or choice["tool"] not in (*names, None):
        return [
            ValidationProblem("$.tool", f"{choice.get('tool')!r} is not registered; registered are: {', '.join(names)}")
        ]
    return step_violations(step, choice)


def chosen_tool(choice: JsonObject) -> str:
    """The tool of a valid choice. Raises SupervisorError if the model declines."""
    if choice["tool"] is None:
        raise SupervisorError("The model finds no registered tool for the step.")
    return choice["tool"]


def with_tool(step: JsonObject, tool: str) -> JsonObject:
    """The step with that tool, and without the errors about the former one."""
    return {**step, "tool": tool, "errors": []}


def matching_name(name: Json, names: Sequence[str]) -> str | None:
    """The one registered name that equals `name` except for case and punctuation."""
    if not isinstance(name, str):
        return None
    matches = [known for known in names if _letters(known) == _letters(name)]
    return matches[0] if len(matches) == 1 else None


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def object_schema(expected: JsonObject) -> JsonObject:
    """`expected`, restricted to objects. Raises SupervisorError if it is invalid or excludes objects."""
    schema: JsonObject = {"type": "object", **expected}
    problem = next(iter(json_problems(schema)), None) or schema_problem(schema)
    if problem:
        raise SupervisorError(f"The expected schema is not a valid JSON Schema: {problem}.")
    kinds = cast("list[Json]", schema["type"] if isinstance(schema["type"], list) else [schema["type"]])
    if "object" not in kinds:
        raise SupervisorError(
            f"repair_json returns an object, but the expected schema requires {canonical_json(schema['type'])}.",
            next_step='Use a schema of an object around it: {"properties": {"items": ...}, "required": ["items"]}.',
        )
    return schema


def require_object(value: Json) -> None:
    """Raises SupervisorError unless the value is a JSON object."""
    problems = json_problems(value) if isinstance(value, dict) else [f"this is {type(value).__name__}"]
    if problems:
        raise SupervisorError(
            f"Only a JSON object can be repaired here: {'; '.join(problems[:5])}.",
            next_step="Pass text to repair_json() first.",
        )


def is_object(value: Json) -> bool:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)
