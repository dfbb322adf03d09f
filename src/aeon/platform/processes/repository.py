"""Processes in the record: saved only when they can work, changed whole, and every definition of theirs kept."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, audit_change
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import AuditAction, MutationRequest
from aeon.platform.processes import queries
from aeon.platform.processes.checks.definition import check_definition, raise_problems
from aeon.platform.processes.model import (
    FIELDS_OUTSIDE_DIGEST,
    NewProcess,
    Process,
    ProcessChange,
    ProcessDefinition,
    ProcessStep,
    ProcessVersion,
)
from aeon.platform.processes.target_lookup import CatalogTargetLookup, CheckedVersion
from aeon.platform.store import Query, Row, Store, UnitOfWork, guard, write_one


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


QUERIES = EntityQueries(
    queries.PROCESS,
    queries.PROCESS_NAMED,
    queries.OWN_PROCESSES,
    queries.SHARED_PROCESSES,
    queries.USERS_OF_PROCESS,
)

_SHORT = 12
"""Characters of a digest that are enough to tell it by."""


class ProcessRepository(EntityRepository[Process]):
    """The Processes of all users, each as its caller may see them. Threads may share it."""

    kind = "process"

    def __init__(self, store: Store, catalog: Catalog) -> None:
        super().__init__(store, catalog.ledger, _read, QUERIES)
        self._ledger = catalog.ledger
        self._new_id = catalog.new_id

    def add(self, new: NewProcess, request: MutationRequest, process_id: str | None = None) -> Process:
        """Save a Process of the caller's. `process_id` is the id that its steps call it by, where it calls itself.

        Raises RuleError with every problem of its definition, each with its path (platform 6, 7), and ConflictError
        when what it calls was changed while it was checked.
        """
        asked = request.mutation("process.create", parameters={**new.as_dict(), "id": process_id})
        if (earlier := self._ledger.earlier_answer(asked)) is not None:
            return Process.model_validate(earlier)
        id_, at = process_id or self._new_id(), self._ledger.now()
        seen = self._checked(new.definition, request.user, id_)
        identity = {"id": id_, "ownerId": request.user, "createdAt": at, "updatedAt": at}
        process = Process.model_validate(new.as_dict() | identity | {"digest": new.digest})
        return self.create(insert_process(process, seen.values()), process, asked, _uses(process, seen, set()))

    def change(self, id_: str, change: ProcessChange, request: MutationRequest) -> Process:
        """Change the caller's Process; what it does from now on must hold as when it is new.

        Checked when what it does changes, and when it is enabled. What works no more can be renamed, unshared and
        disabled. Raises as `add`, and NotFoundError, ForbiddenError (platform 2).
        """
        asked = request.mutation("process.change", id_, change.as_dict())
        if (earlier := self._ledger.earlier_answer(asked)) is not None:
            return Process.model_validate(earlier)
        before = self.get_own(request.user, id_)
        after = _changed(before, change, self._ledger.now())
        deeds = audit_change(before, after, request.user)
        is_same = after.digest == before.digest
        if is_same and before.enabled >= after.enabled:
            return self.replace(update_process(after), after, asked, deeds)
        seen = self._checked(after.definition, request.user, id_)
        if is_same:
            return self.replace(update_process(after), after, asked, deeds)
        deeds += _uses(after, seen, _called(before))
        return self.replace(replace_definition(after, seen.values()), after, asked, deeds)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's Process; its definitions stay.

        Raises ReferencedError while another's step calls it or a schedule starts it.
        """
        self.delete(queries.DELETE_PROCESS, request.mutation("process.delete", id_))

    def get_definition(self, digest: str) -> ProcessDefinition:
        """What a digest stands for, exactly; named by the digest's beginning, since what it is called is no part of it.

        Whoever knows the digest is given it: who may, the caller has asked. Raises NotFoundError.
        """
        found = self._store.read(queries.DEFINITION, {"digest": digest})
        if not found:
            raise NotFoundError(f"There is no definition {digest!r}.")
        return ProcessDefinition.model_validate({"name": digest[:_SHORT], **_said(found[0]["text"])})

    def list_versions(self, user: str, id_: str) -> list[ProcessVersion]:
        """Every definition that a Process ever had, oldest first; of another's, only the one that it has now."""
        process = self.get(user, id_)
        rows = self._store.read(queries.VERSIONS, {"id": id_})
        found = [ProcessVersion(row["digest"], row["version"], row["at"]) for row in rows]
        return found if process.owner_id == user else found[-1:]

    def target_lookup(self, user: str) -> CatalogTargetLookup:
        """What steps call, as the user sees it; for one check."""
        return CatalogTargetLookup(self._store, user)

    def _checked(self, definition: ProcessDefinition, user: str, id_: str) -> dict[str, CheckedVersion]:
        """What a definition calls, as it was when nothing was found wrong with it. Raises RuleError."""
        targets = self.target_lookup(user)
        targets.prefetch(definition)
        raise_problems(check_definition(definition, targets, process_id=id_))
        return targets.checked


def _changed(before: Process, change: ProcessChange, at: str) -> Process:
    asked = change.requested_fields() | {"version": before.version + 1, "updated_at": at}
    after = before.model_copy(update=asked)
    return after.model_copy(update={"digest": after.definition.digest})


def _called(process: Process) -> set[str]:
    """The ids of all that its steps call."""
    return {step.tool or step.process or "" for step in process.steps}


def _uses(process: Process, seen: Mapping[str, CheckedVersion], before: set[str]) -> list[AuditAction]:
    """Each use of another's thing that there was not before, for both trails (platform 19)."""
    called = [seen[id_] for id_ in sorted(_called(process) - before) if id_ in seen]
    return [
        AuditAction(
            f"{each.kind}.use",
            each.id,
            process.owner_id,
            each.owner_id,
            {"name": each.name, "process": process.name},
        )
        for each in called
        if each.owner_id != process.owner_id
    ]


def _said(text: str) -> JsonObject:
    return cast(JsonObject, parse_strict(text))


def _read(row: Row) -> Process:
    return Process.from_row({**row, "steps": _said(row["definition"])["steps"]})
