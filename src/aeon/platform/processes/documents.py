"""Documents of kind Process in a file that is applied: names become ids, callees come before their callers."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.apply import PlannedRecords
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.catalog.model import NewTool, ServiceType
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import NotFoundError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.checks.definition import check_definition, raise_problems
from aeon.platform.processes.checks.recursion import find_callees
from aeon.platform.processes.checks.targets import Callee, ProcessTarget, TargetLookup, ToolTarget
from aeon.platform.processes.diff import diff_definitions, format_differences
from aeon.platform.processes.model import NewProcess, Process, ProcessChange
from aeon.platform.processes.repository import ProcessRepository
from aeon.platform.records import Record


class ProcessDocuments:
    """The Processes of one file for one user. Steps name what they call as a tool names its service.

    Of Processes that call each other in a circle one must be there before the file is applied: each needs another to
    call. One that calls itself may be new.
    """

    change: type[Record] = ProcessChange
    changeable: tuple[str, ...] = tuple(
        field.alias or name for name, field in ProcessChange.model_fields.items() if name != "name"
    )

    def __init__(self, catalog: Catalog, processes: ProcessRepository, user: str) -> None:
        self.repository = processes
        self._tools = catalog.tools
        self._new_id = catalog.new_id
        self._user = user
        self._not_read: set[str] = set()
        self._ids: dict[str, str] = {}
        self._tools_to_be: dict[str, ToolTarget] = {}
        self._processes_to_be: dict[str, ProcessTarget] = {}

    def sort(self, documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
        """What is called before what calls it, as far as that can be."""
        by_name = {document.name: document for document in documents}
        self._not_read = set(by_name)
        calls = {name: _called(each) for name, each in by_name.items()}
        return [by_name[name] for name in _callees_first(calls, lambda name: self._own(name) is not None)]

    def parse(self, document: CatalogDocument, coming: PlannedRecords) -> NewProcess:
        """The Process with the ids of what its steps name. A name that means nothing stays, for the check to tell."""
        self._not_read.discard(document.name)
        own = self._own(document.name)
        self._ids[document.name] = own.id if own else self._ids.get(document.name) or self._new_id()
        meant = {
            "tool": cache(partial(self._tool, coming)),
            "process": cache(partial(self._process, document.name)),
        }
        fields = dict(document.fields)
        if isinstance(steps := fields.get("steps"), list):
            fields["steps"] = [_step(each, meant) for each in cast(list[Json], steps)]
        return NewProcess.parsed(fields)

    def check(self, document: CatalogDocument, new: Record) -> None:
        """Raises RuleError with all that is wrong with it, once all that was parsed before is there.

        What is disabled and stays as it is may call what is gone: so it can be applied again.
        """
        process = cast(NewProcess, new)
        id_, definition = self._ids[document.name], process.definition
        self._processes_to_be[id_] = _process_target(process)
        found = self._own(document.name)
        if found and found.digest == definition.digest and not definition.enabled:
            return
        there = self.repository.target_lookup(self._user)
        there.prefetch(definition)
        targets = _WithComing(there, self._tools_to_be, self._processes_to_be)
        raise_problems(check_definition(definition, targets, process_id=id_))

    def create(self, document: CatalogDocument, new: Record, request: MutationRequest) -> None:
        """Save it, under the id by which it calls itself."""
        self.repository.add(cast(NewProcess, new), request, self._ids[document.name])

    def details(self, found: Process, new: Record) -> tuple[str, ...]:
        """What differs in the steps."""
        differing = diff_definitions(found.definition, cast(NewProcess, new).definition)
        return tuple(format_differences(each for each in differing if each.step))

    def _own(self, name: str) -> Process | None:
        return self.repository.find_own(self._user, name)

    def _tool(self, coming: PlannedRecords, name: str) -> str:
        own = self._tools.find_own(self._user, name)
        new = coming.get(("Tool", name))
        if isinstance(new, NewTool):
            id_ = own.id if own else f"to come: {name}"
            self._tools_to_be[id_] = _tool_target(new)
            return id_
        return own.id if own else _found(self._tools, self._user, name)

    def _process(self, caller: str, name: str) -> str:
        if name == caller or self._ids.get(name) in self._processes_to_be:
            return self._ids[name]
        if own := self._own(name):
            return own.id
        if name in self._not_read:
            raise RuleError(
                f"it and {name!r} call each other in a circle and neither is there yet; apply one of them first without"
                " the step that calls the other",
                rule="circle_of_new",
            )
        return _found(self.repository, self._user, name)


class _WithComing:
    """What is there, as it will be when the file has been applied so far."""

    def __init__(
        self, there: TargetLookup, tools: Mapping[str, ToolTarget], processes: Mapping[str, ProcessTarget]
    ) -> None:
        self._there = there
        self._tools = tools
        self._processes = processes

    def tool(self, identity: str) -> ToolTarget | None:
        return self._tools.get(identity) or self._there.tool(identity)

    def process(self, identity: str) -> ProcessTarget | None:
        return self._processes.get(identity) or self._there.process(identity)


def _found(shelf: Any, user: str, name: str) -> str:
    """The id of what the user means by a name, a default or somebody's by its id; the name itself where it is none."""
    with suppress(NotFoundError):
        return shelf.find(user, name).id
    return name


def _step(step: Json, meant: Mapping[str, Callable[[str], str]]) -> Json:
    if not isinstance(step, dict):
        return step
    said = cast(JsonObject, step)
    ids = {kind: id_of(said[kind]) for kind, id_of in meant.items() if isinstance(said.get(kind), str)}
    short = {"output": {"variable": said["output"]}} if isinstance(said.get("output"), str) else {}
    return said | ids | short


def _tool_target(tool: NewTool) -> ToolTarget:
    """Its owner's own: he may run it."""
    service_type = cast(ServiceType, tool.operation.service_type)
    return ToolTarget(tool.name, service_type, tool.input_schema, tool.output_schema, tool.enabled)


def _process_target(process: NewProcess) -> ProcessTarget:
    definition = process.definition
    callees = tuple(Callee(id_, is_conditional) for id_, is_conditional in find_callees(definition).items())
    return ProcessTarget(
        process.name, tuple(process.initial_context), definition.digest, callees, enabled=process.enabled
    )


def _called(document: CatalogDocument) -> list[str]:
    """The names of the Processes that a document's steps call, whatever else is wrong with it."""
    steps = document.fields.get("steps")
    said = cast(list[Json], steps) if isinstance(steps, list) else []
    called = [cast(JsonObject, step).get("process") for step in said if isinstance(step, dict)]
    return [name for name in called if isinstance(name, str)]


def _callees_first(calls: Mapping[str, Sequence[str]], is_there: Callable[[str], bool]) -> Iterator[str]:
    """Every name once, after those that it calls. A circle begins with one that calls only what is there already."""
    left = {name: {each for each in called if each in calls and each != name} for name, called in calls.items()}
    callers: dict[str, list[str]] = {name: [] for name in calls}
    for name, called in left.items():
        for each in called:
            callers[each].append(name)
    ready = deque(name for name, called in left.items() if not called)
    while left:
        name = ready.popleft() if ready else _first_of_circle(left, is_there)
        del left[name]
        yield name
        for caller in callers[name]:
            if caller in left:
                left[caller].discard(name)
                ready.extend([] if left[caller] else [caller])


def _first_of_circle(left: Mapping[str, set[str]], is_there: Callable[[str], bool]) -> str:
    return next((name for name, called in left.items() if all(map(is_there, called))), next(iter(left)))
