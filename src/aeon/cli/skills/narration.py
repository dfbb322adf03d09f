"""A skills run in words: what each event says to a person. Pure; the displays draw it."""

from collections.abc import Iterator
from typing import cast

from aeon.base.json import JsonObject
from aeon.cli.narration import StyledLine
from aeon.cli.text import compact_json, one_line, wrap
from aeon.observability.events import (
    Event,
    NodeEnded,
    NodeEventEmitted,
    NodeRetried,
    NodeStarted,
    PlanningStarted,
    PlanReady,
    ReplanRequested,
    RunEnded,
    SkillsChosen,
    WarningIssued,
)

STYLES = {
    "pending": "dim",
    "running": "cyan",
    "completed": "green",
    "failed": "bold red",
    "timeout": "bold red",
    "skipped": "yellow",
}
"""The colour of each state of a node."""

MAX_LISTED = 30
"""Nodes of a plan that are listed."""

_STOPPED = ("cancelled", "plan_timeout", "plan_rejected")
"""Why nodes did not run that are counted in the end, not told one by one: there may be thousands."""

_INDENT = "      "
_LINES = 4
_MOST_TEXT = 4_000
_SHORT = 300
"""Characters below which long words stay whole."""


def narrate(event: Event, width: int) -> list[StyledLine]:
    """What `event` says, in lines of at most `width` cells."""
    match event:
        case NodeStarted():
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return [
                StyledLine(one_line(f"[{event.tool_id}] running {event.tool_path}{again}", width), STYLES["running"])
            ]
        case NodeEventEmitted():
            return _lines(event_text(event.protocol_event), width)
        case NodeRetried():
            failed = f"[{event.tool_id}] attempt {event.attempt} failed, again in {event.wait_ms} ms"
            return _lines(f"{failed}: {_error_text(event.error)}", width, "yellow")
        case NodeEnded():
            return ended_lines(event, width)
        case _:
            return _narrate_run(event, width)


def _narrate_run(event: Event, width: int) -> list[StyledLine]:  # noqa: PLR0911  # one for each kind of event
    match event:
        case PlanningStarted():
            return [StyledLine(one_line(f"planning: {event.request}", width), "bold")]
        case SkillsChosen():
            names = ", ".join(event.names) or "none"
            return [StyledLine(one_line(f"chosen of {event.considered} skills: {names}", width))]
        case PlanReady():
            return list(_plan_lines(event.plan, width))
        case ReplanRequested():
            without = f" (without {', '.join(event.disabled)})" if event.disabled else ""
            return _lines(f"attempt {event.attempt} came to nothing{without}: {event.reason}", width, "yellow")
        case WarningIssued():
            return _lines(f"warning: {event.message}", width, "yellow")
        case RunEnded():
            return [StyledLine(f"run {event.status}", "green" if event.status == "completed" else "bold red")]
        case _:
            return []


def node_line(node: JsonObject, state: str, width: int) -> StyledLine:
    """A node of a plan: its state, its id, its script, what it gets and what it waits for."""
    after = f" after {', '.join(node['dependencies'])}" if node["dependencies"] else ""
    said = f"{state} {node['toolId']}: {node['toolPath']}{after} {compact_json(node['input'])}"
    return StyledLine(f"  {one_line(said, width - 2)}", STYLES.get(state, ""))


def ended_lines(event: NodeEnded, width: int) -> list[StyledLine]:
    """How a node ended: when, how it was isolated, what it gave or why it failed; nothing where all were stopped."""
    result = event.result
    error: JsonObject = result.get("error") or {}
    if event.state == "skipped" and error.get("type") in _STOPPED:
        return []
    isolated = f", {result['sandbox']}" if result.get("sandbox") else ""
    took = f" ({result['executionTimeMs']} ms{isolated})" if result.get("sandbox") else ""
    head = StyledLine(one_line(f"[{event.tool_id}] {event.state}{took}", width), STYLES.get(event.state, ""))
    if result["ok"]:
        return [head, *_lines(f"gave {compact_json(result['output'])}", width)]
    return [head, *_lines(_error_text(result.get("error")), width, "red")]


def event_text(said: JsonObject) -> str:
    """One event of a script's protocol as a line of text."""
    match said["type"]:
        case "log":
            return f"{said['level']}: {said['message']}"
        case "state_patch":
            return f"patch {compact_json(said['patch'])}"
        case "asset":
            return f"asset {said['assetId']}: {said['path']}"
        case "ui_event":
            return f"event {said['event']} {compact_json(said.get('payload'))}"
        case "error":
            return f"error {said['errorCode']}: {said['errorMessage']}"
        case _:
            return f"done: {said.get('summary') or ('ok' if said.get('ok') else 'not ok')}"


def _plan_lines(plan: JsonObject, width: int) -> Iterator[StyledLine]:
    nodes = cast("list[JsonObject]", plan["tools"])
    attempt = plan["metadata"]["generationAttempt"]
    again = f", attempt {attempt}" if attempt > 1 else ""
    yield StyledLine(f"plan: {len(nodes):,} script{'' if len(nodes) == 1 else 's'}{again}", "bold")
    for node in nodes[:MAX_LISTED]:
        yield node_line(node, "pending", width)
    if len(nodes) > MAX_LISTED:
        yield StyledLine(f"  ... and {len(nodes) - MAX_LISTED:,} more", "dim")


def _error_text(error: JsonObject | None) -> str:
    return "" if error is None else f"{error['type']}: {error['message']}"


def _lines(text: str, width: int, style: str = "") -> list[StyledLine]:
    """A few lines; paths and commands in them stay whole, so that they can be copied."""
    if not text:
        return []
    lines = wrap(text[:_MOST_TEXT], width, _INDENT, f"{_INDENT}  ", most=_LINES, keeps_words=len(text) < _SHORT)
    return [StyledLine(line, style) for line in lines]
