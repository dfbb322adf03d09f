"""Applies documents of kind Process: resolves names to ids and puts callees before callers."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.apply import DocumentProblem, PlannedRecords, changeable_fields
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.model import NewTool, ServiceType
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.checks.definition import check_definition, raise_problems
from aeon.platform.processes.checks.recursion import find_callees
from aeon.platform.processes.checks.targets import Callee, ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.checks.warnings import find_warnings
from aeon.platform.processes.diff import diff_definitions, format_differences
from aeon.platform.processes.model import NewProcess, Process, ProcessChange
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.records import Record


class ProcessDocuments:
    """The Processes in one user's file. Steps name their targets as a tool names its service.

    Of Processes that call each other in a circle, one must exist before the file is applied, because each needs a
    callee. A Process that calls itself may be new.
    """

    change: type[Record] = ProcessChange
    changeable: tuple[str, ...] = changeable_fields(ProcessChange)

    def __init__(self, catalog: Catalog, processes: ProcessRepository, user: str) -> None:
        self.repository = processes
        self._tools = catalog.tools
        self._new_id = catalog.new_id
        self._user = user
        self._unparsed: set[str] = set()
        self._ids: dict[str, str] = {}
        self._planned_tools: dict[str, ToolTarget] = {}
        self._planned_processes: dict[str, ProcessTarget] = {}

    def sort(self, documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
        """Return the documents with callees before their callers, as far as possible."""
        by_name = {document.name: document for document in documents}
        self._unparsed = set(by_name)
        calls = {name: _called_names(each) for name, each in by_name.items()}
        return [by_name[name] for name in _callees_first(calls, lambda name: self._own(name) is not None)]

    def parse(self, document: CatalogDocument, planned: PlannedRecords) -> NewProcess:
        """Return the Process with ids in place of the names in its steps.

        A name that cannot be resolved stays in place, so that the check reports it.
        """
        self._unparsed.discard(document.name)
        own = self._own(document.name)
        self._ids[document.name] = own.id if own else self._ids.get(document.name) or self._new_id()
        resolvers = {
            "tool": cache(partial(self._resolve_tool, planned)),
            "process": cache(partial(self._resolve_process, document.name)),
        }
        fields = dict(document.fields)
        for section in _SECTIONS:
            if isinstance(steps := fields.get(section), list):
                fields[section] = [_resolve_step(each, resolvers) for each in cast(list[Json], steps)]
        return NewProcess.parsed(fields)

    def check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        """Raises RuleError with all problems of the Process, once the earlier documents are parsed.

        Returns a warning for what is probably not meant. A disabled Process that stays as it is may call
        something that is gone, so that it can be applied again.
        """
        process = cast(NewProcess, new)
        id_, definition = self._ids[document.name], process.definition
        self._planned_processes[id_] = _process_target(process)
        own = self._own(document.name)
        if own and own.digest == definition.digest and not definition.enabled:
            return ()
        stored = self.repository.target_lookup(self._user)
        stored.prefetch(definition)
        targets = _OverlaidTargets(stored, self._planned_tools, self._planned_processes)
        raise_problems(check_definition(definition, targets, process_id=id_))
        found = find_warnings(definition, targets, process_id=id_)
        return [DocumentProblem(document, each.path, each.rule, each.message) for each in found]

    def create(self, document: CatalogDocument, new: Record, request: MutationRequest) -> None:
        """Save the Process under the id by which it calls itself."""
        self.repository.add(cast(NewProcess, new), request, self._ids[document.name])

    def details(self, found: Process, new: Record) -> tuple[str, ...]:
        """Return the differences in the steps as text."""
        differing = diff_definitions(found.definition, cast(NewProcess, new).definition)
        return tuple(format_differences(each for each in differing if each.step))

    def _own(self, name: str) -> Process | None:
        return self.repository.find_own(self._user, name)

    def _resolve_tool(self, planned: PlannedRecords, name: str) -> str:
        own = self._tools.find_own(self._user, name)
        new = planned.get(("Tool", name))
        if isinstance(new, NewTool):
            id_ = own.id if own else f"to come: {name}"
            self._planned_tools[id_] = _tool_target(new)
            return id_
        return own.id if own else _resolve(self._tools, self._user, name)

    def _resolve_process(self, caller: str, name: str) -> str:
        if name == caller or self._ids.get(name) in self._planned_processes:
            return self._ids[name]
        if own := self._own(name):
            return own.id
        if name in self._unparsed:
            raise RuleError(
                f"it and {name!r} call each other in a circle and neither exists yet; apply one of them first without"
                " the step that calls the other",
                rule="circle_of_new",
            )
        return _resolve(self.repository, self._user, name)


class _OverlaidTargets:
    """The stored targets, overlaid with those that the file has defined so far."""

    def __init__(
        self, stored: TargetLookup, tools: Mapping[str, ToolTarget], processes: Mapping[str, ProcessTarget]
    ) -> None:
        self._stored = stored
        self._tools = tools
        self._processes = processes

    def tool(self, identity: str) -> ToolTarget | None:
        return self._tools.get(identity) or self._stored.tool(identity)

    def process(self, identity: str) -> ProcessTarget | None:
        return self._processes.get(identity) or self._stored.process(identity)


def _resolve(shelf: Any, user: str, name: str) -> str:
    """Return the id that the user means by a name, or the name itself if there is none.

    A default, or an entity of another user, is named by its id.
    """
    with suppress(NotFoundError):
        return shelf.find(user, name).id
    return name


_SECTIONS = ("steps", "onFailure", "finally")
"""The fields of a document that hold steps."""


def _resolve_step(step: Json, resolvers: Mapping[str, Callable[[str], str]]) -> Json:
    if not isinstance(step, dict):
        return step
    fields = cast(JsonObject, step)
    if isinstance(undo := fields.get("compensate"), dict):
        fields = fields | {"compensate": _resolve_step(undo, resolvers)}
    question = fields.get("question")
    if isinstance(question, dict) and "remind" in question:
        rules = cast(JsonObject, question)
        named: JsonObject = {"question": rules | {"remind": _resolve_step(rules["remind"], resolvers)}}
        fields = fields | named
    ids = {kind: id_of(fields[kind]) for kind, id_of in resolvers.items() if isinstance(fields.get(kind), str)}
    short = {"output": {"variable": fields["output"]}} if isinstance(fields.get("output"), str) else {}
    return fields | ids | short


def _tool_target(tool: NewTool) -> ToolTarget:
    """Return the target for a new tool; the user owns it, so has access to it."""
    service_type = cast(ServiceType, tool.operation.service_type)
    schemas = (tool.input_schema, tool.output_schema)
    return ToolTarget(tool.name, service_type, *schemas, tool.enabled, timeout=tool.operation.timeout)


def _process_target(process: NewProcess) -> ProcessTarget:
    definition = process.definition
    callees = tuple(Callee(id_, is_conditional) for id_, is_conditional in find_callees(definition).items())
    return ProcessTarget(
        process.name,
        tuple(definition.input_names),
        definition.digest,
        callees,
        enabled=process.enabled,
        required=tuple(definition.required_inputs),
    )


def _called_names(document: CatalogDocument) -> list[str]:
    """Return the names of the Processes that the steps of any document, even an invalid one, call."""
    lists = [document.fields.get(section) for section in _SECTIONS]
    steps = [step for each in lists if isinstance(each, list) for step in cast(list[Json], each)]
    calls = [cast(JsonObject, step) for step in steps if isinstance(step, dict)]
    calls += [cast(JsonObject, undo) for call in calls if isinstance(undo := call.get("compensate"), dict)]
    return [name for call in calls if isinstance(name := call.get("process"), str)]


def _callees_first(calls: Mapping[str, Sequence[str]], is_there: Callable[[str], bool]) -> Iterator[str]:
    """Yield every name once, after those that it calls.

    A circle starts with a name that only calls Processes that exist already.
    """
    remaining = {name: {each for each in callees if each in calls and each != name} for name, callees in calls.items()}
    callers: dict[str, list[str]] = {name: [] for name in calls}
    for name, callees in remaining.items():
        for each in callees:
            callers[each].append(name)
    ready = deque(name for name, callees in remaining.items() if not callees)
    while remaining:
        name = ready.popleft() if ready else _first_of_circle(remaining, is_there)
        del remaining[name]
        yield name
        for caller in callers[name]:
            if caller in remaining:
                remaining[caller].discard(name)
                ready.extend([] if remaining[caller] else [caller])


def _first_of_circle(left: Mapping[str, set[str]], is_there: Callable[[str], bool]) -> str:
    return next((name for name, called in left.items() if all(map(is_there, called))), next(iter(left)))
