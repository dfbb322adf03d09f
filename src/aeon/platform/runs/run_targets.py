"""What the steps of a run call, and the versions of Processes to which the run is pinned (platform 7)."""

from collections.abc import Iterable
from typing import NamedTuple

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.catalog.needs import operation_name
from aeon.platform.catalog.operations import default_effect, parse_operation, worker_type_of
from aeon.platform.processes.checks.recursion import find_callees
from aeon.platform.processes.language import language_of
from aeon.platform.processes.model import Process, ProcessDefinition, ProcessStep
from aeon.platform.runs import queries
from aeon.platform.runs.machine.plan import StepCall
from aeon.platform.store import Row, Store


class Pins(NamedTuple):
    """The digests of all Processes that a run may call, by id, and the version of the language that they need."""

    digests: dict[str, str]
    language: int


class RunTargets:
    """Looks up the targets of runs. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def calls(self, definition: ProcessDefinition, user: str) -> dict[str, StepCall]:
        """Return the target of each step. A manual step asks the user who owns the run (platform 9)."""
        tools, processes = self._tools(definition), self._called_processes(find_callees(definition))
        calls: dict[str, StepCall] = {}
        for step in definition.all_steps:
            call = tools.get(step.tool) if step.tool else processes.get(step.process or "")
            is_manual = step.execution.interaction_mode == "manual"
            calls[step.id] = (call or _missing_call(step)).model_copy(update={"asks": user if is_manual else None})
        return calls

    def _tools(self, definition: ProcessDefinition) -> dict[str, StepCall]:
        ids = list[Json](dict.fromkeys(step.tool for step in definition.all_steps if step.tool))
        if not ids:
            return {}
        return {row["id"]: _call_of(row) for row in self._store.read(queries.CALLED_TOOLS, {"tools": ids})}

    def _called_processes(self, ids: Iterable[str]) -> dict[str, StepCall]:
        return {
            row["id"]: StepCall(kind="process", id=row["id"], name=row["name"], owner=row["owner_id"], worker="process")
            for row in self._process_rows(ids)
        }

    def pins(self, process: Process) -> Pins:
        """Return the current digests of all Processes that a run may call, and the language of all of them."""
        pins: dict[str, str] = {process.id: process.digest}
        language = language_of(process.definition)
        unpinned = set(find_callees(process.definition))
        while unpinned := unpinned - pins.keys():
            rows = self._process_rows(sorted(unpinned))
            definitions = [_definition_of(row) for row in rows]
            pins |= {row["id"]: row["digest"] for row in rows}
            language = max(language, *map(language_of, definitions))
            unpinned = {callee for definition in definitions for callee in find_callees(definition)}
        return Pins(pins, language)

    def _process_rows(self, ids: Iterable[str]) -> list[Row]:
        id_list = list[Json](ids)
        return self._store.read(queries.CALLED_PROCESSES, {"processes": id_list}) if id_list else []


def _definition_of(row: Row) -> ProcessDefinition:
    return ProcessDefinition.model_validate({"name": row["name"], **parse_strict(row["text"])})


def _missing_call(step: ProcessStep) -> StepCall:
    """Return the call of a step that waits, or that of a deleted target; then the step fails, and names the target."""
    if step.wait is not None:
        return StepCall(kind="wait", id="", name="wait")
    id_ = step.tool or step.process or ""
    return StepCall(kind="tool" if step.tool else "process", id=id_, name=id_)


def _call_of(row: JsonObject) -> StepCall:
    operation = parse_operation(row["operation"])
    return StepCall(
        kind="tool",
        id=row["id"],
        name=row["name"],
        owner=row["owner_id"],
        worker=worker_type_of(operation),
        effect=row["effect"] or default_effect(operation),
        runs_on=parse_strict(row["runs_on"]),
        operation=operation_name(operation, parse_strict(row["connection_params"])),
    )
