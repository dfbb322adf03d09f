"""A skills run in words: what each event says to a person. Pure; the displays draw it."""

from collections.abc import Iterator
from typing import cast

from aeon.base.json import JsonObject
from aeon.cli.narration import Line
from aeon.cli.text import one_line, shown, wrapped
from aeon.observability.events import (
    Event,
    NodeEnded,
    NodeRetried,
    NodeSpoke,
    NodeStarted,
    PlanningStarted,
    PlanReady,
    Replanned,
    RunEnded,
    SkillsChosen,
    Warned,
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

MOST_LISTED = 30
"""Nodes of a plan that are listed."""

_STOPPED = ("cancelled", "plan_timeout", "plan_rejected")
"""Why nodes did not run that are counted in the end, not told one by one: there may be thousands."""

_INDENT = "      "
_LINES = 4
_MOST_TEXT = 4_000
_SHORT = 300
"""Characters below which long words stay whole."""


def narrated(event: Event, width: int) -> list[Line]:
    """What `event` says, in lines of at most `width` cells."""
    match event:
        case NodeStarted():
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return [Line(one_line(f"[{event.tool_id}] running {event.tool_path}{again}", width), STYLES["running"])]
        case NodeSpoke():
            return _lines(spoken(event.said), width)
        case NodeRetried():
            failed = f"[{event.tool_id}] attempt {event.attempt} failed, again in {event.wait_ms} ms"
            return _lines(f"{failed}: {_why(event.error)}", width, "yellow")
        case NodeEnded():
            return ended_lines(event, width)
        case _:
            return _of_whole_run(event, width)


def _of_whole_run(event: Event, width: int) -> list[Line]:  # noqa: PLR0911  # one for each kind of event
    match event:
        case PlanningStarted():
            return [Line(one_line(f"planning: {event.request}", width), "bold")]
        case SkillsChosen():
            names = ", ".join(event.names) or "none"
            return [Line(one_line(f"chosen of {event.considered} skills: {names}", width))]
        case PlanReady():
            return list(_plan_lines(event.plan, width))
        case Replanned():
            without = f" (without {', '.join(event.disabled)})" if event.disabled else ""
            return _lines(f"attempt {event.attempt} came to nothing{without}: {event.reason}", width, "yellow")
        case Warned():
            return _lines(f"warning: {event.message}", width, "yellow")
        case RunEnded():
            return [Line(f"run {event.status}", "green" if event.status == "completed" else "bold red")]
        case _:
            return []


def node_line(node: JsonObject, state: str, width: int) -> Line:
    """A node of a plan: its state, its id, its script, what it gets and what it waits for."""
    after = f" after {', '.join(node['dependencies'])}" if node["dependencies"] else ""
    said = f"{state} {node['toolId']}: {node['toolPath']}{after} {shown(node['input'])}"
    return Line(f"  {one_line(said, width - 2)}", STYLES.get(state, ""))


def ended_lines(event: NodeEnded, width: int) -> list[Line]:
    """How a node ended: when, how it was isolated, what it gave or why it failed; nothing where all were stopped."""
    result = event.result
    error: JsonObject = result.get("error") or {}
    if event.state == "skipped" and error.get("type") in _STOPPED:
        return []
    isolated = f", {result['sandbox']}" if result.get("sandbox") else ""
    took = f" ({result['executionTimeMs']} ms{isolated})" if result.get("sandbox") else ""
    head = Line(one_line(f"[{event.tool_id}] {event.state}{took}", width), STYLES.get(event.state, ""))
    if result["ok"]:
        return [head, *_lines(f"gave {shown(result['output'])}", width)]
    return [head, *_lines(_why(result.get("error")), width, "red")]


def spoken(said: JsonObject) -> str:
    """One event of a script's protocol as a line of text."""
    match said["type"]:
        case "log":
            return f"{said['level']}: {said['message']}"
        case "state_patch":
            return f"patch {shown(said['patch'])}"
        case "asset":
            return f"asset {said['assetId']}: {said['path']}"
        case "ui_event":
            return f"event {said['event']} {shown(said.get('payload'))}"
        case "error":
            return f"error {said['errorCode']}: {said['errorMessage']}"
        case _:
            return f"done: {said.get('summary') or ('ok' if said.get('ok') else 'not ok')}"


def _plan_lines(plan: JsonObject, width: int) -> Iterator[Line]:
    nodes = cast("list[JsonObject]", plan["tools"])
    attempt = plan["metadata"]["generationAttempt"]
    again = f", attempt {attempt}" if attempt > 1 else ""
    yield Line(f"plan: {len(nodes):,} script{'' if len(nodes) == 1 else 's'}{again}", "bold")
    for node in nodes[:MOST_LISTED]:
        yield node_line(node, "pending", width)
    if len(nodes) > MOST_LISTED:
        yield Line(f"  ... and {len(nodes) - MOST_LISTED:,} more", "dim")


def _why(error: JsonObject | None) -> str:
    return "" if error is None else f"{error['type']}: {error['message']}"


def _lines(text: str, width: int, style: str = "") -> list[Line]:
    """A few lines; paths and commands in them stay whole, so that they can be copied."""
    if not text:
        return []
    lines = wrapped(text[:_MOST_TEXT], width, _INDENT, f"{_INDENT}  ", most=_LINES, keeps_words=len(text) < _SHORT)
    return [Line(line, style) for line in lines]
