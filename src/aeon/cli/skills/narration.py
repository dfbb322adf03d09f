"""Turns the events of a skills run into lines of text for the displays. Pure."""

from collections.abc import Iterator
from typing import cast

from aeon.base.json import JsonObject
from aeon.cli.narration import StyledLine
from aeon.cli.text import compact_json, one_line, wrap
from aeon.observability.events import Event, PlanningStarted, PlanReady, RunEnded, WarningIssued
from aeon.observability.skill_events import (
    NodeEnded,
    NodeEventEmitted,
    NodeRetried,
    NodeStarted,
    PackagesInstallationStarted,
    ReplanRequested,
    SkillsChosen,
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
"""Maximum number of listed nodes of a plan."""

_STOPPED = ("cancelled", "plan_timeout", "plan_rejected")
"""Reasons of skipped nodes that are counted at the end, not listed one by one: there may be thousands."""

_INDENT = "      "
_LINES = 4
_MOST_TEXT = 4_000
_SHORT = 300
"""Length of a text below which long words are not broken."""


def narrate(event: Event, width: int) -> list[StyledLine]:
    """Returns the lines for `event`, each of at most `width` cells."""
    match event:
        case NodeStarted():
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return [
                StyledLine(one_line(f"[{event.tool_id}] running {event.tool_path}{again}", width), STYLES["running"])
            ]
        case PackagesInstallationStarted():
            return _lines(f"installing packages: {', '.join(event.packages)}", width)
        case NodeEventEmitted():
            return _lines(event_text(event.protocol_event), width)
        case NodeRetried():
            failed = f"[{event.tool_id}] attempt {event.attempt} failed, retry in {event.wait_ms} ms"
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
            return [StyledLine(one_line(f"chosen from {event.considered} skills: {names}", width))]
        case PlanReady():
            return list(_plan_lines(event.plan, width))
        case ReplanRequested():
            without = f" (without {', '.join(event.disabled)})" if event.disabled else ""
            return _lines(f"attempt {event.attempt} failed{without}: {event.reason}", width, "yellow")
        case WarningIssued():
            return _lines(f"warning: {event.message}", width, "yellow")
        case RunEnded():
            return [StyledLine(f"run {event.status}", "green" if event.status == "completed" else "bold red")]
        case _:
            return []


def node_line(node: JsonObject, state: str, width: int) -> StyledLine:
    """Returns a line for a node of a plan: its state, id, script, dependencies and input."""
    after = f" after {', '.join(node['dependencies'])}" if node["dependencies"] else ""
    text = f"{state} {node['toolId']}: {node['toolPath']}{after} {compact_json(node['input'])}"
    return StyledLine(f"  {one_line(text, width - 2)}", STYLES.get(state, ""))


def ended_lines(event: NodeEnded, width: int) -> list[StyledLine]:
    """Returns lines for an ended node: duration, isolation, output and stderr, or error.

    The result is empty if the whole plan was stopped.
    """
    result = event.result
    error: JsonObject = result.get("error") or {}
    if event.state == "skipped" and error.get("type") in _STOPPED:
        return []
    isolated = f", {result['sandbox']}" if result.get("sandbox") else ""
    took = f" ({result['executionTimeMs']} ms{isolated})" if result.get("sandbox") else ""
    head = StyledLine(one_line(f"[{event.tool_id}] {event.state}{took}", width), STYLES.get(event.state, ""))
    if result["ok"]:
        wrote = str(result.get("diagnostics") or "").rstrip()
        stderr = _lines(f"stderr {wrote}", width, "dim") if wrote else []
        return [head, *_lines(f"output {compact_json(result['output'])}", width), *stderr]
    return [head, *_lines(_error_text(result.get("error")), width, "red")]


def event_text(event: JsonObject) -> str:
    """Returns one event of a script's protocol as a line of text."""
    match event["type"]:
        case "log":
            return f"{event['level']}: {event['message']}"
        case "state_patch":
            return f"patch {compact_json(event['patch'])}"
        case "asset":
            return f"asset {event['assetId']}: {event['path']}"
        case "ui_event":
            return f"event {event['event']} {compact_json(event.get('payload'))}"
        case "error":
            return f"error {event['errorCode']}: {event['errorMessage']}"
        case _:
            return f"done: {event.get('summary') or ('ok' if event.get('ok') else 'not ok')}"


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
    """Returns a few wrapped lines.

    Short texts keep paths and commands unbroken, so that they can be copied.
    """
    if not text:
        return []
    lines = wrap(text[:_MOST_TEXT], width, _INDENT, f"{_INDENT}  ", most=_LINES, keeps_words=len(text) < _SHORT)
    return [StyledLine(line, style) for line in lines]
