"""Stores Processes: saves only valid ones, replaces them whole, and keeps every definition."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final, cast

from aeon.base.json import Json, JsonObject, canonical_json, parse_strict
from aeon.platform.catalog.repository import EntityQueries, EntityRepository, audit_change
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import NotFoundError
from aeon.platform.ledger import AuditAction, MutationRequest
from aeon.platform.processes import queries
from aeon.platform.processes.model import (
    FIELDS_OUTSIDE_DIGEST,
    NewProcess,
    Process,
    ProcessChange,
    ProcessDefinition,
    ProcessStep,
    ProcessVersion,
)
from aeon.platform.processes.sections import SectionName, split_sections
from aeon.platform.store import Query, Row, Store, UnitOfWork, guard, write_one

if TYPE_CHECKING:
    from aeon.platform.processes.target_lookup import CatalogTargetLookup, CheckedVersion


def insert_process(process: Process, seen: "Collection[CheckedVersion]") -> Callable[[UnitOfWork], None]:
    """Insert a Process.

    Raises GuardError if a target that its check has `seen` was changed since.
    """

    def work(unit: UnitOfWork) -> None:
        _guard_seen(unit, seen)
        _add_definition(unit, process)
        unit.write(queries.CREATE_PROCESS, _row(process))
        _add_steps(unit, process)

    return work


def update_process(process: Process) -> Callable[[UnitOfWork], None]:
    """Update a Process without changing its definition.

    Raises GuardError unless its stored version is the previous one.
    """
    return write_one(queries.CHANGE_PROCESS, _row(process))


def replace_definition(process: Process, seen: "Collection[CheckedVersion]") -> Callable[[UnitOfWork], None]:
    """Update a Process and replace all of its steps.

    Raises GuardError as `insert_process` and `update_process` do.
    """

    def work(unit: UnitOfWork) -> None:
        _guard_seen(unit, seen)
        _add_definition(unit, process)
        update_process(process)(unit)
        unit.write(queries.DELETE_STEPS, {"id": process.id})
        _add_steps(unit, process)

    return work


def canonical_definition(definition: ProcessDefinition) -> str:
    """Return the canonical JSON that the digest is computed from."""
    return canonical_json(
        {name: value for name, value in definition.as_dict().items() if name not in FIELDS_OUTSIDE_DIGEST}
    )


def _guard_seen(unit: UnitOfWork, seen: "Collection[CheckedVersion]") -> None:
    _guard_versions(unit, queries.TOOL_VERSIONS, {each.id: each.version for each in seen if each.kind == "tool"})
    _guard_versions(unit, queries.PROCESS_VERSIONS, {each.id: each.version for each in seen if each.kind == "process"})


def _guard_versions(unit: UnitOfWork, query: Query, versions: dict[str, int]) -> None:
    rows = unit.read(query, {"ids": list[Json](versions)}) if versions else []
    guard(holds={row["id"]: row["version"] for row in rows} == versions)


def _add_definition(unit: UnitOfWork, process: Process) -> None:
    text = canonical_definition(process.definition)
    unit.write(queries.ADD_DEFINITION, {"digest": process.digest, "text": text, "at": process.updated_at})


def _add_steps(unit: UnitOfWork, process: Process) -> None:
    """Insert the steps of this version."""
    version: JsonObject = {"id": process.id, "version": process.version, "digest": process.digest}
    unit.write(queries.ADD_VERSION, {**version, "at": process.updated_at})
    steps = process.definition.all_steps
    section_of: list[SectionName] = [
        section.name for section in split_sections(process.definition)[0] for _ in section.steps
    ]
    unit.write_each(
        queries.ADD_STEP, (_step(process.id, place, step, section_of[place]) for place, step in enumerate(steps))
    )
    unit.write_each(queries.ADD_DEPENDENCY, _dependencies(process))


def _row(process: Process) -> JsonObject:
    """Return the columns of a Process, without its steps, and its previous version."""
    row = {name: value for name, value in process.as_row().items() if name not in _FIELDS_OF_DEFINITION}
    return {**row, "before": process.version - 1}


_FIELDS_OF_DEFINITION: Final = ("inputs", "steps", "on_failure", "finally_")
"""Fields of a Process that only its definition holds."""


def _step(process: str, position: int, step: ProcessStep, section: SectionName) -> JsonObject:
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
        "section": section,
        "options": canonical_json(step.model_dump(mode="json", by_alias=True, include=_OPTIONS)),
    }


_OPTIONS: Final = {"wait", "for_each", "retry", "question", "compensate"}
"""Fields of a step that are stored together."""


def _dependencies(process: Process) -> Iterator[JsonObject]:
    steps = process.definition.all_steps
    places = {step.id: place for place, step in enumerate(steps)}
    for place, step in enumerate(steps):
        for rank, needed in enumerate(step.depends_on):
            yield {"process_id": process.id, "step": place, "needs": places[needed], "rank": rank}


QUERIES = EntityQueries(
    queries.PROCESS,
    queries.PROCESS_NAMED,
    queries.OWN_PROCESSES,
    queries.SHARED_PROCESSES,
    queries.VISIBLE_PROCESSES,
    queries.USERS_OF_PROCESS,
)

_SHORT_DIGEST = 12
"""Characters of a digest that identify it in text."""


class ProcessRepository(EntityRepository[Process]):
    """The Processes of all users; each call sees what its user may see. Thread-safe."""

    kind = "process"
    list_step = "catalog.list_processes"

    def __init__(self, store: Store, catalog: Catalog) -> None:
        super().__init__(store, catalog.ledger, _read, QUERIES)
        self._ledger = catalog.ledger
        self._new_id = catalog.new_id

    def add(self, new: NewProcess, request: MutationRequest, process_id: str | None = None) -> Process:
        """Save a Process of the caller.

        `process_id` is the id by which its own steps call it, if they do. Raises RuleError with every problem of its
        definition, each with its path (platform 6, 7), and ConflictError if a target was changed during the check.
        """
        change = request.mutation("process.create", parameters={**new.as_dict(), "id": process_id})
        if (earlier := self._ledger.earlier_answer(change)) is not None:
            return Process.model_validate(earlier)
        id_, at = process_id or self._new_id(), self._ledger.now()
        seen = self._checked(new.definition, request.user, id_)
        identity = {"id": id_, "ownerId": request.user, "createdAt": at, "updatedAt": at}
        process = Process.model_validate(new.as_dict() | identity | {"digest": new.digest})
        return self.create(insert_process(process, seen.values()), process, change, _use_actions(process, seen, set()))

    def change(self, id_: str, change: ProcessChange, request: MutationRequest) -> Process:
        """Change the caller's Process. The new definition must pass the same checks as a new Process.

        It is checked if the definition changes or if the Process is enabled. A Process that no longer works can still
        be renamed, unshared and disabled. Raises the errors of `add`, and NotFoundError, ForbiddenError (platform 2).
        """
        mutation = request.mutation("process.change", id_, change.as_dict())
        if (earlier := self._ledger.earlier_answer(mutation)) is not None:
            return Process.model_validate(earlier)
        before = self.get_own(request.user, id_)
        after = _changed(before, change, self._ledger.now())
        actions = audit_change(before, after, request.user)
        is_same = after.digest == before.digest
        if is_same and before.enabled >= after.enabled:
            return self.replace(update_process(after), after, mutation, actions)
        seen = self._checked(after.definition, request.user, id_)
        if is_same:
            return self.replace(update_process(after), after, mutation, actions)
        actions += _use_actions(after, seen, _target_ids(before))
        return self.replace(replace_definition(after, seen.values()), after, mutation, actions)

    def remove(self, id_: str, request: MutationRequest) -> None:
        """Delete the caller's Process; its definitions stay.

        Raises ReferencedError while a step of another Process calls it or a schedule starts it.
        """
        self.delete(queries.DELETE_PROCESS, request.mutation("process.delete", id_))

    def get_definition(self, digest: str) -> ProcessDefinition:
        """Return the definition of a digest, named by the digest's first characters.

        Names are not part of a digest. The caller must have checked that the user may see it. Raises NotFoundError.
        """
        rows = self._store.read(queries.DEFINITION, {"digest": digest})
        if not rows:
            raise NotFoundError(f"There is no definition {digest!r}.")
        return ProcessDefinition.model_validate({"name": digest[:_SHORT_DIGEST], **_parse_object(rows[0]["text"])})

    def list_versions(self, user: str, id_: str) -> list[ProcessVersion]:
        """Return every definition that a Process ever had, oldest first.

        Other users than the owner get only the current one.
        """
        process = self.get(user, id_)
        rows = self._store.read(queries.VERSIONS, {"id": id_})
        versions = [ProcessVersion(row["digest"], row["version"], row["at"]) for row in rows]
        return versions if process.owner_id == user else versions[-1:]

    def target_lookup(self, user: str) -> "CatalogTargetLookup":
        """Return a lookup of step targets as the user sees them, for one check."""
        from aeon.platform.processes.target_lookup import CatalogTargetLookup

        return CatalogTargetLookup(self._store, user)

    def _checked(self, definition: ProcessDefinition, user: str, id_: str) -> "dict[str, CheckedVersion]":
        """Return the targets of a valid definition in the checked versions. Raises RuleError."""
        from aeon.platform.processes.checks.definition import check_definition, raise_problems  # slow to load

        targets = self.target_lookup(user)
        targets.prefetch(definition)
        raise_problems(check_definition(definition, targets, process_id=id_))
        return targets.checked


def _changed(before: Process, change: ProcessChange, at: str) -> Process:
    updates = change.requested_fields() | {"version": before.version + 1, "updated_at": at}
    after = before.model_copy(update=updates)
    return after.model_copy(update={"digest": after.definition.digest})


def _target_ids(process: Process) -> set[str]:
    """Return the ids of all tools and Processes that its steps call."""
    return {step.tool or step.process or "" for step in process.definition.all_steps}


def _use_actions(process: Process, seen: "Mapping[str, CheckedVersion]", before: set[str]) -> list[AuditAction]:
    """Return each new use of another user's tool or Process, for both audit logs (platform 19)."""
    called = [seen[id_] for id_ in sorted(_target_ids(process) - before) if id_ in seen]
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


def _parse_object(text: str) -> JsonObject:
    return cast(JsonObject, parse_strict(text))


def _read(row: Row) -> Process:
    definition = _parse_object(row["definition"])
    published = {name: str(Process.model_fields[name].alias) for name in _FIELDS_OF_DEFINITION}
    fields = {name: definition[alias] for name, alias in published.items() if alias in definition}
    return Process.from_row({**row, **fields})
