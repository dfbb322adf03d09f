"""Formats the events of a run as lines of text for people. Pure; the displays draw the lines."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.cli.text import compact_json, one_line, wrap
from aeon.kernel.marks import MODEL_KNOWLEDGE_MARK, is_fallback
from aeon.observability.events import (
    Event,
    PlanningStarted,
    PlanReady,
    PlanStepEnded,
    PlanStepStarted,
    RepairAttempted,
    RunEnded,
    ToolInvoked,
    WarningIssued,
)

MAX_LISTED_STEPS = 20
"""The most steps of a plan that are listed."""

_STATE_STYLES = {"pending": "dim", "running": "cyan", "complete": "green", "failed": "bold red"}
_STATUS_STYLES = {"completed": "green", "failed": "bold red", "ttl_expired": "yellow"}
_INDENT = "      "
_NAME = 30
_RESULT_LINES = 4
_WARNING_LINES = 6


class StyledLine(NamedTuple):
    """A line of text, and its style on a terminal that supports styles."""

    text: str
    style: str = ""


def event_lines(event: Event, total: int, width: int) -> list[StyledLine]:  # noqa: PLR0911  # one for each kind of event
    """Format `event` in lines of at most `width` cells. `total` is the number of steps."""
    match event:
        case PlanningStarted():
            return [StyledLine(one_line(f"planning: {event.request}", width), "bold")]
        case PlanReady():
            return [] if is_lone_answer(event.plan["steps"]) else list(plan_lines(event.plan, width))
        case PlanStepStarted():
            return [_begun_line(event, total, width)]
        case ToolInvoked():
            return _lines(
                f"{one_line(event.tool, _NAME)} input: ", compact_json(event.arguments), width, "", _RESULT_LINES
            )
        case WarningIssued():
            return _lines("warning: ", event.message, width, "yellow", _WARNING_LINES)
        case RepairAttempted():
            return _repair_lines(event.action, width)
        case PlanStepEnded():
            return _ended_lines(event, total, width)
        case RunEnded():
            return [_ended_line(event)]
        case _:
            return []


def _begun_line(event: PlanStepStarted, total: int, width: int) -> StyledLine:
    if is_lone_answer([event.step], total):
        return StyledLine("the model answers", _STATE_STYLES["running"])
    return step_line(event.step, "running", event.position, total, width)


def _ended_lines(event: PlanStepEnded, total: int, width: int) -> list[StyledLine]:
    if is_lone_answer([event.step], total) and event.error is None:
        return mark_lines(event, width)
    state = str(event.step["status"])
    return [step_line(event.step, state, event.position, total, width), *outcome_lines(event, width)]


def is_lone_answer(steps: Sequence[JsonObject], total: int = 1) -> bool:
    """Whether a plan of `total` steps is nothing but an answer by the model: lines about steps would say nothing."""
    return len(steps) == total == 1 and not steps[0].get("tool") and bool(steps[0].get("agent"))


def plan_lines(plan: JsonObject, width: int) -> Iterator[StyledLine]:
    """Yield the lines of a plan: its goal and its first steps."""
    steps = cast("list[JsonObject]", plan["steps"])
    count = f" ({len(steps)} step{'' if len(steps) == 1 else 's'})"
    yield StyledLine(one_line(f"plan: {plan['goal']}", width - len(count)) + count, "bold")
    for step in steps[:MAX_LISTED_STEPS]:
        yield planned_line(step, width)
    if len(steps) > MAX_LISTED_STEPS:
        yield StyledLine(f"  ... and {len(steps) - MAX_LISTED_STEPS:,} more", "dim")


def planned_line(step: JsonObject, width: int) -> StyledLine:
    """Format a step of a plan: its state, id, description, and tool or model."""
    state = str(step.get("status", "pending"))
    target = _step_target(step)
    room = width - len(target) - 1
    what = one_line(f"{state} {step['step_id']}: {step['description']}", room - 2)
    return StyledLine(f"  {what} {target}", _STATE_STYLES[state])


def step_line(step: JsonObject, state: str, position: int, total: int, width: int) -> StyledLine:
    """Format the state of a step."""
    text = f"[{position + 1}/{total}] {state} {step['step_id']}: {step['description']}"
    return StyledLine(one_line(text, width), _STATE_STYLES[state])


def outcome_lines(event: PlanStepEnded, width: int) -> list[StyledLine]:
    """Format the result of a step, or its error, with its marks."""
    lines = mark_lines(event, width)
    if event.error is not None:
        return [*lines, *_lines("error: ", event.error, width, "red", _WARNING_LINES)]
    label = "the model's own words: " if is_fallback(event.marks) else "result: "
    return [*lines, *_lines(label, _result_text(event.result), width, "", _RESULT_LINES)]


def mark_lines(event: PlanStepEnded, width: int) -> list[StyledLine]:
    """Format the marks of a step's result."""
    return [line for mark in event.marks for line in _lines("", mark, width, _style_of(mark), _WARNING_LINES)]


def _ended_line(event: RunEnded) -> StyledLine:
    text = f"run {event.status.replace('_', ' ')}"
    return (
        StyledLine(text, _STATUS_STYLES.get(event.status, ""))
        if event.trusted or event.status != "completed"
        else StyledLine(f"{text}, not trusted", "yellow")
    )


def _style_of(mark: str) -> str:
    return "dim" if mark == MODEL_KNOWLEDGE_MARK else "yellow"


def _repair_lines(action: JsonObject, width: int) -> list[StyledLine]:
    kind = str(action["action_type"]).replace("_", " ")
    if "error" in action:
        return [StyledLine(one_line(f"{_INDENT}{kind} failed, attempt {action['attempt_number']}", width), "yellow")]
    how = f" by {', '.join(action['stages'])}" if action.get("stages") else ""
    before, after = compact_json(action["original_output"]), compact_json(action["repaired_output"])
    room = max(20, (width - len(_INDENT) - 8) // 2)
    return [
        StyledLine(one_line(f"{_INDENT}{kind}{how}", width), "yellow"),
        StyledLine(f"{_INDENT}  {one_line(before, room)} -> {one_line(after, room)}", "yellow"),
    ]


def _lines(label: str, text: str, width: int, style: str, most: int) -> list[StyledLine]:
    return [StyledLine(line, style) for line in wrap(text, width, f"{_INDENT}{label}", f"{_INDENT}  ", most=most)]


def _result_text(result: Json) -> str:
    """Return a model's text as it is, and a tool's result as JSON."""
    if isinstance(result, dict) and list(cast(JsonObject, result)) == ["text"]:
        return str(cast(JsonObject, result)["text"])
    return compact_json(result)


def _step_target(step: JsonObject) -> str:
    if step.get("tool"):
        return f"[{one_line(str(step['tool']), _NAME)}]"
    return "[model]" if step.get("agent") else "[no tool named]"
