"""A run in words: what each event says to a person. Pure; the displays draw it."""

from collections.abc import Iterator
from typing import NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.cli.text import one_line, shown, wrapped
from aeon.kernel.marks import FROM_THE_MODEL, is_fallback
from aeon.observability.events import (
    Event,
    PlanningStarted,
    PlanReady,
    Repaired,
    RunEnded,
    StepEnded,
    StepStarted,
    ToolInvoked,
    Warned,
)

MOST_LISTED = 20
"""Steps of a plan that are listed."""

_STATES = {"pending": "dim", "running": "cyan", "complete": "green", "failed": "bold red"}
_ENDS = {"completed": "green", "failed": "bold red", "ttl_expired": "yellow"}
_INDENT = "      "
_NAME = 30
_RESULT_LINES = 4
_WARNING_LINES = 6


class Line(NamedTuple):
    """A line and its style on a terminal that has styles."""

    text: str
    style: str = ""


def narrated(event: Event, total: int, width: int) -> list[Line]:  # noqa: PLR0911  # one for each kind of event
    """What `event` says, in lines of at most `width` cells. `total` is the number of steps."""
    match event:
        case PlanningStarted():
            return [Line(one_line(f"planning: {event.request}", width), "bold")]
        case PlanReady():
            return list(plan_lines(event.plan, width))
        case StepStarted():
            return [step_line(event.step, "running", event.position, total, width)]
        case ToolInvoked():
            return _lines(f"{one_line(event.tool, _NAME)} got ", shown(event.arguments), width, "", _RESULT_LINES)
        case Warned():
            return _lines("warning: ", event.message, width, "yellow", _WARNING_LINES)
        case Repaired():
            return _repair_lines(event.action, width)
        case StepEnded():
            state = str(event.step["status"])
            return [step_line(event.step, state, event.position, total, width), *outcome_lines(event, width)]
        case RunEnded():
            return [_ended_line(event)]
        case _:
            return []


def plan_lines(plan: JsonObject, width: int) -> Iterator[Line]:
    """The plan: its goal and its first steps."""
    steps = cast("list[JsonObject]", plan["steps"])
    count = f" ({len(steps)} step{'' if len(steps) == 1 else 's'})"
    yield Line(one_line(f"plan: {plan['goal']}", width - len(count)) + count, "bold")
    for step in steps[:MOST_LISTED]:
        yield planned_line(step, width)
    if len(steps) > MOST_LISTED:
        yield Line(f"  ... and {len(steps) - MOST_LISTED:,} more", "dim")


def planned_line(step: JsonObject, width: int) -> Line:
    """A step of a plan: its state, its id, what it does and with what."""
    state = str(step.get("status", "pending"))
    means = _means(step)
    room = width - len(means) - 1
    what = one_line(f"{state} {step['step_id']}: {step['description']}", room - 2)
    return Line(f"  {what} {means}", _STATES[state])


def step_line(step: JsonObject, state: str, position: int, total: int, width: int) -> Line:
    """Where a step stands."""
    text = f"[{position + 1}/{total}] {state} {step['step_id']}: {step['description']}"
    return Line(one_line(text, width), _STATES[state])


def outcome_lines(event: StepEnded, width: int) -> list[Line]:
    """What a step gave, or why it failed, and what was unusual about it."""
    lines = [line for mark in event.marks for line in _lines("", mark, width, _style_of(mark), _WARNING_LINES)]
    if event.error is not None:
        return [*lines, *_lines("error: ", event.error, width, "red", _WARNING_LINES)]
    label = "the model's own words: " if is_fallback(event.marks) else "gave "
    return [*lines, *_lines(label, _result_text(event.result), width, "", _RESULT_LINES)]


def _ended_line(event: RunEnded) -> Line:
    said = f"run {event.status.replace('_', ' ')}"
    return Line(said, _ENDS.get(event.status, "")) if event.trusted else Line(f"{said}, not trusted", "yellow")


def _style_of(mark: str) -> str:
    return "dim" if mark == FROM_THE_MODEL else "yellow"


def _repair_lines(action: JsonObject, width: int) -> list[Line]:
    kind = str(action["action_type"]).replace("_", " ")
    if "error" in action:
        return [Line(one_line(f"{_INDENT}{kind} failed, attempt {action['attempt_number']}", width), "yellow")]
    how = f" by {', '.join(action['stages'])}" if action.get("stages") else ""
    before, after = shown(action["original_output"]), shown(action["repaired_output"])
    room = max(20, (width - len(_INDENT) - 8) // 2)
    return [
        Line(one_line(f"{_INDENT}{kind}{how}", width), "yellow"),
        Line(f"{_INDENT}  {one_line(before, room)} -> {one_line(after, room)}", "yellow"),
    ]


def _lines(label: str, text: str, width: int, style: str, most: int) -> list[Line]:
    return [Line(line, style) for line in wrapped(text, width, f"{_INDENT}{label}", f"{_INDENT}  ", most=most)]


def _result_text(result: Json) -> str:
    """A model's text bare, a tool's result as JSON."""
    if isinstance(result, dict) and list(cast(JsonObject, result)) == ["text"]:
        return str(cast(JsonObject, result)["text"])
    return shown(result)


def _means(step: JsonObject) -> str:
    if step.get("tool"):
        return f"[{one_line(str(step['tool']), _NAME)}]"
    return "[model]" if step.get("agent") else "[no tool named]"
