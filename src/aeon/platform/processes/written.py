"""How a Process stands in the graph: its node, its steps and what they depend on, and its definition's text. Pure."""

from collections.abc import Iterable

from aeon.base.json import Json, JsonObject, canonical
from aeon.platform.catalog.stored import properties
from aeon.platform.processes.catalog_targets import Seen
from aeon.platform.processes.definition import Definition, ProcessStep
from aeon.platform.processes.model import UNPINNED, Process

_NOTHING: JsonObject = {"id": "", "version": 0}
"""Ends a list that the query goes through, which must not be empty."""


def node(process: Process) -> JsonObject:
    """The properties of its node: all but the steps, which are nodes of their own."""
    return {name: value for name, value in properties(process).items() if name != "steps"}


def written(process: Process, seen: Iterable[Seen]) -> JsonObject:
    """What the queries need to write all of it, while what was `seen` at its check is as it was."""
    definition = process.definition
    return {
        "at": process.updated_at,
        "digest": process.digest,
        "text": text_of(definition),
        "properties": node(process),
        "steps": [_step(place, step) for place, step in enumerate(definition.steps)],
        "dependencies": _dependencies(definition.steps),
        "tools": _versions(seen, "tool"),
        "processes": _versions(seen, "process"),
    }


def text_of(definition: Definition) -> str:
    """What its digest is made of, as canonical JSON."""
    return canonical({name: value for name, value in definition.as_dict().items() if name not in UNPINNED})


def _versions(seen: Iterable[Seen], kind: str) -> list[Json]:
    return [*({"id": each.id, "version": each.version} for each in seen if each.kind == kind), _NOTHING]


def _step(place: int, step: ProcessStep) -> JsonObject:
    said = step.as_dict()
    return {
        "order": place,
        "tool": step.tool or "",
        "process": step.process or "",
        "timeout": step.execution.timeout,
        "interactionMode": step.execution.interaction_mode,
        "properties": {"id": step.id, "inputs": canonical(step.inputs), **said["output"], **said["execution"]},
    }


def _dependencies(steps: list[ProcessStep]) -> list[Json]:
    places = {step.id: place for place, step in enumerate(steps)}
    return [
        {"step": place, "needs": places[needed], "order": order}
        for place, step in enumerate(steps)
        for order, needed in enumerate(step.depends_on)
    ]
