"""The reduced prompts for repairs (FR-028)."""

from collections.abc import Sequence

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.base.json_schema import ValidationProblem

_MAX_TEXT = 8000
"""Characters of a faulty output, and of its context, in a prompt."""


def repair_prompt(output: str, problems: Sequence[ValidationProblem], schema: JsonObject | None, context: str) -> str:
    """The prompt for the corrected form of `output`."""
    parts = [
        f"Context:\n{context[:_MAX_TEXT]}\n" if context else "",
        f"The JSON must fit this schema:\n{canonical_json(schema)}\n" if schema else "",
        f"Output to correct:\n{output[:_MAX_TEXT]}\n",
        _problem_lines(problems),
        "Corrected JSON:",
    ]
    return "\n".join(part for part in parts if part)


def tool_choice_prompt(
    step: JsonObject, tools: Sequence[JsonObject], goal: str, problems: Sequence[ValidationProblem]
) -> str:
    """The prompt for the choice of a registered tool for a step."""
    listed = "\n".join(_tool_line(tool) for tool in tools)
    return (
        f"Goal of the plan: {goal}\nStep: {step.get('description', '')}\n{_problem_lines(problems)}\n"
        f'Tools:\n{listed}\n\nWhich tool carries out this step? Answer {{"tool": "<name>"}}, '
        f'or {{"tool": null}} when none does.'
    )


def _tool_line(tool: JsonObject) -> str:
    example: Json = tool.get("example")
    return f"- {tool['name']}: {tool['description']} Input schema: {canonical_json(tool['input_schema'])}" + (
        f" Example: {canonical_json(example)}" if example is not None else ""
    )


def _problem_lines(problems: Sequence[ValidationProblem]) -> str:
    return "Problems:\n" + "\n".join(f"- {problem}" for problem in problems[:20])
