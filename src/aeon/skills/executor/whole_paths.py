"""Assets by paths that mean the same file to everybody: a script may name them from its own folder (skills 2). Pure."""

from pathlib import Path

from aeon.base.json import JsonObject
from aeon.skills.invocation import InvocationResult


def with_absolute_paths(outcome: InvocationResult, cwd: Path) -> InvocationResult:
    """`outcome`, the paths of its assets absolute; `cwd` is where its script ran."""
    if not any(event.get("type") == "asset" for event in outcome.events):
        return outcome
    return outcome._replace(events=[_absolute(event, cwd) for event in outcome.events])


def _absolute(event: JsonObject, cwd: Path) -> JsonObject:
    return {**event, "path": str(cwd / event["path"])} if event.get("type") == "asset" else event
