"""The prompts of the kernel: for a plan, for a tool call, for a step by the model (FR-002). All bounded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aeon.base.binding import bind
from aeon.base.clock import local_time
from aeon.base.json import Json, JsonObject, canonical_json
from aeon.kernel.marks import is_fallback
from aeon.llm.instructions import MATERIAL_SYSTEM_PROMPT, NOTHING_DONE, STEP_SYSTEM_PROMPT, answer_prompt
from aeon.llm.material import as_material
from aeon.plan.models import PlanStep, StepStatus
from aeon.tools.date_requests import names_the_present
from aeon.tools.interface import Example
from aeon.tools.memory_requests import related_keys
from aeon.tools.registry import ToolOffer
from aeon.validation.output_schemas import call_schema, describe_shape, offered_schema

_BEFORE, _AFTER = 10, 3
"""Steps before and after the current one in a step's prompt."""
_MAX_RESULT = 400
"""Characters of an earlier result in a step's prompt."""
_MAX_KEYS = 20
"""Stored keys in a planner's prompt."""


@dataclass(slots=True)
class StepContext:
    """The part of a run that prompts show: request, plan, results and errors by step id, cycles left."""

    request: str = ""
    goal: str | None = None
    """The plan's goal. None: the step runs by itself, outside a run."""
    steps: Sequence[PlanStep] = ()
    position: int = 0
    results: Mapping[str, Json] = field(default_factory=dict[str, Json])
    failures: dict[str, str] = field(default_factory=dict[str, str])
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict[str, list[str]])
    ttl_remaining: int = 0
    instant: str = ""
    """When the step began, ISO 8601; empty outside a run."""
    lines: dict[str, str] = field(default_factory=dict[str, str])
    """Cached prompt lines of steps that are not running, by id; a step's line is dropped when the step is visited."""


class CallForm(NamedTuple):
    """The part of a call's prompt that describes its tool, and the schema of the reply."""

    tool: JsonObject
    offer: str
    answer: str
    schema: JsonObject


def planner_system(offer: ToolOffer) -> str:
    """The planner's instructions: the same for every request, so that a backend can cache them."""
    listed = "\n".join(map(_tool_line, offer.common))
    return (
        "You turn a request into a plan: JSON with the steps in order.\n"
        'A step uses one tool, or "agent": "llm" when the step is writing, explaining or translating.\n'
        "A simple request is exactly ONE step. Use a tool only for what it is for, and only these tools:\n"
        f"{listed}\n"
        "A later step uses a field of an earlier result as {step.<step_id>.<field>}; a step by the llm gives text.\n"
        + "\n".join(map(_example, (*offer.common_examples, *_LLM_EXAMPLES)))
    )


def planner_prompt(request: str, offer: ToolOffer, stored_keys: Sequence[str]) -> str:
    """The planner's prompt: the extra tools, the request, and what code read from it.

    The stored keys that share most words with the request are shown.
    """
    related = related_keys(request, stored_keys)
    parts = ["More tools for this request:", *map(_tool_line, offer.extra)] if offer.extra else []
    parts += [_example(example) for example in offer.extra_examples]
    parts += [f"Request: {request}"]
    parts += [f"Read from the request: {name} {canonical_json(arguments)}" for name, arguments in offer.hints.items()]
    if related:
        parts.append(f"Stored keys: {', '.join(related[:_MAX_KEYS])}")
    return "\n".join([*parts, "Plan:"])


def call_form(tool: JsonObject) -> CallForm:
    """The part of a call's prompt that is the same for every step with `tool`."""
    example = f"\nExample of its arguments: {canonical_json(tool['example'])}" if "example" in tool else ""
    offer = (
        f"Tool of this step: {tool['name']}: {tool['description']}\n"
        f"Schema of its arguments: {canonical_json(offered_schema(tool))}{example}"
    )
    answer = f'Answer with JSON: {{"tool": {canonical_json(tool["name"])}, "arguments": {{...}}}}'
    return CallForm(tool, offer, answer, call_schema(tool))


def call_prompt(step: PlanStep, form: CallForm, context: StepContext) -> str:
    """The prompt for the tool call of `step` (core 3)."""
    return f"{describe_run(context)}\n{form.offer}\nStep to carry out: {step.description}\n{form.answer}"


def reasoning_prompt(
    step: PlanStep, context: StepContext, *, is_fallback: bool, answers_request: bool
) -> tuple[str, str, int]:
    """The prompt and the instructions for a step that the model executes itself; a fallback gets an extra warning.

    The only step of a plan that no user supplied `answers_request`: the model is shown the request as it stands, with
    the time if it speaks of today. Else a step's arguments are its material, and all that it is shown; without any, it
    is shown the run, and as material the results that the plan's lines cut. Also returns the number of the material's
    characters that did not fit. Raises BindingError.
    """
    now = f"Now: {local_time(context.instant)}" if context.instant else ""
    if answers_request and not step.arguments:
        shown, instructions = answer_prompt(context.request)
        is_of_today = bool(now) and shown == context.request and names_the_present(shown)
        return f"{now}\n{shown}" if is_of_today else shown, instructions, 0
    text, left_out = as_material(bind(step.arguments, context.results) if step.arguments else _long_results(context))
    parts = [NOTHING_DONE if is_fallback else "", text and f"{text}\n", step.description]
    if context.goal is not None and not step.arguments:
        parts[1:] = [now, describe_run(context), text, f"Step to carry out: {step.description}", "Answer:"]
    return "\n".join(filter(None, parts)), MATERIAL_SYSTEM_PROMPT if step.arguments else STEP_SYSTEM_PROMPT, left_out


def _long_results(context: StepContext) -> dict[str, Json]:
    """The results before the current step that the plan's lines show only in part."""
    return {
        f"result of {each.step_id}": value
        for each in context.steps[: context.position][-_BEFORE:]
        if len(canonical_json(value := context.results.get(each.step_id))) > _MAX_RESULT
    }


def describe_run(context: StepContext) -> str:
    """The request, the plan around the current step, the results so far and the cycles left (FR-002)."""
    first = max(0, context.position - _BEFORE)
    near = context.steps[first : context.position + _AFTER + 1]
    return "\n".join(
        [
            f"Request: {context.request}" if context.request else "",
            f"Goal: {context.goal or ''}",
            "Plan:",
            *(context.lines.get(step.step_id) or _step_line(step, context) for step in near),
            f"Cycles left: {context.ttl_remaining}",
        ]
    )


def _tool_line(tool: JsonObject) -> str:
    takes, gives = describe_shape(offered_schema(tool)), describe_shape(tool["output_schema"])
    return f"- {tool['name']}: {tool['description']} Takes {takes}, gives {gives}"


def _step_line(step: PlanStep, context: StepContext) -> str:
    line = f"- {step.step_id} [{step.status}] {step.description}"
    if step.step_id in context.results:
        prefix = "nothing was done; the model's own words: " if is_fallback(context.marks.get(step.step_id, ())) else ""
        line = f"{line} -> {prefix}{canonical_json(context.results[step.step_id])[:_MAX_RESULT]}"
    elif step.step_id in context.failures:
        line = f"{line} -> failed: {context.failures[step.step_id][:_MAX_RESULT]}"
    if step.status is not StepStatus.RUNNING:
        context.lines[step.step_id] = line
    return line


def _example(example: Example) -> str:
    steps = [{"step_id": f"s{number}", **step} for number, step in enumerate(example.steps, 1)]
    # In the schema's order: a model writes the description before it names the tool.
    rendered = (
        "{" + ", ".join(f'"{key}": {canonical_json(step[key])}' for key in _ORDER if key in step) + "}"
        for step in steps
    )
    return f'Request: {example.request}\nPlan: {{"steps": [{", ".join(rendered)}]}}'


_ORDER = ("step_id", "description", "tool", "agent", "arguments")
_LLM_EXAMPLES = (
    Example("Write a short line about the sea.", [{"description": "write a line about the sea", "agent": "llm"}]),
    Example(
        "Is it snowing in Oslo, and can you phone Tom?",
        [{"description": "say that no tool here knows the weather or can phone", "agent": "llm"}],
    ),
)
