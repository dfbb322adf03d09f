"""How a Process is written: its row, its versions, its steps and what they depend on, and its definition's text."""

from collections.abc import Callable, Collection, Iterator

from aeon.base.json import Json, JsonObject, canonical_json
from aeon.platform.processes import queries
from aeon.platform.processes.catalog_targets import CheckedVersion
from aeon.platform.processes.definition import ProcessDefinition, ProcessStep
from aeon.platform.processes.model import FIELDS_OUTSIDE_DIGEST, Process
from aeon.platform.store import Query, UnitOfWork, guard, write_one


def insert_process(process: Process, seen: Collection[CheckedVersion]) -> Callable[[UnitOfWork], None]:
    """Add a new Process. Raises GuardError when anything that its check has `seen` was changed since."""

    def work(unit: UnitOfWork) -> None:
        _guard_seen(unit, seen)
        _add_definition(unit, process)
        unit.write(queries.CREATE_PROCESS, _row(process))
        _add_steps(unit, process)

    return work


def update_process(process: Process) -> Callable[[UnitOfWork], None]:
    """Change a Process that still does the same. Raises GuardError unless its version is the one before this."""
    return write_one(queries.CHANGE_PROCESS, _row(process))


def replace_definition(process: Process, seen: Collection[CheckedVersion]) -> Callable[[UnitOfWork], None]:
    """Change a Process and all of its steps. Raises GuardError as `creates` and `changes`."""

    def work(unit: UnitOfWork) -> None:
        _guard_seen(unit, seen)
        _add_definition(unit, process)
        update_process(process)(unit)
        unit.write(queries.DELETE_STEPS, {"id": process.id})
        _add_steps(unit, process)

    return work


def canonical_definition(definition: ProcessDefinition) -> str:
    """What its digest is made of, as canonical JSON."""
    return canonical_json(
        {name: value for name, value in definition.as_dict().items() if name not in FIELDS_OUTSIDE_DIGEST}
    )


def _guard_seen(unit: UnitOfWork, seen: Collection[CheckedVersion]) -> None:
    _guard_versions(unit, queries.TOOL_VERSIONS, {each.id: each.version for each in seen if each.kind == "tool"})
    _guard_versions(unit, queries.PROCESS_VERSIONS, {each.id: each.version for each in seen if each.kind == "process"})


def _guard_versions(unit: UnitOfWork, query: Query, versions: dict[str, int]) -> None:
    rows = unit.read(query, {"ids": list[Json](versions)}) if versions else []
    guard(holds={row["id"]: row["version"] for row in rows} == versions)


def _add_definition(unit: UnitOfWork, process: Process) -> None:
    text = canonical_definition(process.definition)
    unit.write(queries.ADD_DEFINITION, {"digest": process.digest, "text": text, "at": process.updated_at})


def _add_steps(unit: UnitOfWork, process: Process) -> None:
    """Add its steps as they are in this version."""
    version: JsonObject = {"id": process.id, "version": process.version, "digest": process.digest}
    unit.write(queries.ADD_VERSION, {**version, "at": process.updated_at})
    unit.write_each(queries.ADD_STEP, (_step(process.id, place, step) for place, step in enumerate(process.steps)))
    unit.write_each(queries.ADD_DEPENDENCY, _dependencies(process))


def _row(process: Process) -> JsonObject:
    """Its columns, without the steps, which have rows of their own; and the version that it had before."""
    row = {name: value for name, value in process.as_row().items() if name != "steps"}
    return {**row, "before": process.version - 1}


def _step(process: str, position: int, step: ProcessStep) -> JsonObject:
    return {
        "process_id": process,
        "position": position,
        "id": step.id,
        "tool_id": step.tool,
        "called_process_id": step.process,
        "inputs": canonical_json(step.inputs),
        "output_variable": step.output.variable,
        "output_token_budget": step.output.token_budget,
        "output_required": step.output.required,
        "mode": step.execution.mode,
        "condition": step.execution.condition,
        "timeout": step.execution.timeout,
        "interaction_mode": step.execution.interaction_mode,
    }


def _dependencies(process: Process) -> Iterator[JsonObject]:
    places = {step.id: place for place, step in enumerate(process.steps)}
    for place, step in enumerate(process.steps):
        for rank, needed in enumerate(step.depends_on):
            yield {"process_id": process.id, "step": place, "needs": places[needed], "rank": rank}
