"""`ProcessTexts`: Processes as YAML texts: written, checked line by line, and saved."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from aeon.application.text_faults import (
    CheckedText,
    InvalidTextError,
    fault_at,
    faults_at,
    find_faults,
    read_mapping,
)
from aeon.base.json import JsonObject
from aeon.bootstrap.platform import Platform
from aeon.plan.yaml import dump_yaml
from aeon.platform.catalog.apply import DocumentProblem
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.errors import ForbiddenError, NotFoundError, PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.model import NewProcess, Process, ProcessChange, ProcessStep
from aeon.platform.processes.step_control import Compensation, Reminder

if TYPE_CHECKING:
    from aeon.platform.catalog.tools import ToolRepository
    from aeon.platform.processes.repository import ProcessRepository

KIND: Final = "Process"


class _ReadText(NamedTuple):
    """A text whose Process is valid."""

    documents: ProcessDocuments
    document: CatalogDocument
    new: NewProcess
    warnings: Sequence[DocumentProblem]


class ProcessTexts:
    """The Processes of one user as texts, in the form of `aeon apply`. Every method raises StoreError."""

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._catalog = platform.catalog
        self._processes = platform.processes
        self._user = user

    def write(self, process: Process, name: str | None = None) -> str:
        """The text of a Process that the user sees; `name` is the name of a copy, which belongs to nobody yet."""
        fields = NewProcess.model_validate(process.definition.model_dump()).model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude={"name", "steps", "on_failure", "finally_"}
        )
        if name is None and process.shared:
            fields["shared"] = True
        template = {key: fields.pop(key) for key in ("outputTemplate",) if key in fields}
        head = {"kind": KIND, "name": name or process.name}
        name_of_tool = cache(partial(self._name, self._catalog.tools))
        name_of_process = cache(partial(self._name, self._processes))

        def target(call: ProcessStep | Compensation | Reminder) -> JsonObject:
            if not isinstance(call, Reminder) and call.tool is not None:
                return {"tool": name_of_tool(call.tool)}
            if call.process is None:
                return {}
            return {"process": head["name"] if call.process == process.id else name_of_process(call.process)}

        sections = {"steps": process.steps, "onFailure": process.on_failure, "finally": process.finally_}
        written = {name: [_step(each, target) for each in steps] for name, steps in sections.items() if steps}
        return dump_yaml({**head, **fields, **written, **template})

    def check(self, text: str, process: str | None = None) -> CheckedText:
        """All faults of a text by line, none if it can be saved, and warnings.

        `process` is the name or id of the user's own Process that it would change; None if it would be a new one.
        Raises NotFoundError, ForbiddenError.
        """
        changed = self._own(process)
        try:
            read = self._read(text, changed)
        except InvalidTextError as error:
            return CheckedText(error.faults)
        if changed is None and self._processes.find_own(self._user, read.new.name) is not None:
            message = f"you have a Process named {read.new.name!r}; choose another name"
            return CheckedText([fault_at(text, "$.name", message)])
        return CheckedText([], sorted(faults_at(text, [(each.path, each.message) for each in read.warnings])))

    def save(
        self, text: str, process: str | None = None, *, key: str | None = None, expected_version: int | None = None
    ) -> Process:
        """Change the user's own Process, given by its name or id, to what a text describes; None creates a new one.

        Raises InvalidTextError with every fault, NotFoundError, ForbiddenError, RuleError for a name that is taken,
        ConflictError, and VersionError if the Process has another version than `expected_version` by now.
        """
        changed = self._own(process)
        documents, document, new, _ = self._read(text, changed)
        request = MutationRequest(self._user, key, expected_version)
        if changed is None:
            documents.create(document, new, request)
            return self._processes.find(self._user, new.name)
        wanted = new.unset_fields() | new.as_dict()
        change = ProcessChange.parsed({name: wanted[name] for name in documents.changeable})
        return self._processes.change(changed.id, change, request)

    def _own(self, process: str | None) -> Process | None:
        """The Process that a text is to change. Raises NotFoundError, and ForbiddenError for another user's."""
        if process is None:
            return None
        found = self._processes.find(self._user, process)
        if found.owner_id != self._user:
            raise ForbiddenError(
                f"The Process {found.name!r} belongs to another user.", next_step="Make a copy and change that."
            )
        return found

    def _read(self, text: str, changed: Process | None) -> _ReadText:
        """What a text describes. Raises InvalidTextError."""
        fields = _fields(text)
        name = fields.get("name")
        if changed is not None and name != changed.name:
            message = f"the name is {name!r}, and this Process is {changed.name!r}; rename it on its page"
            raise InvalidTextError([fault_at(text, "$.name", message)])
        document = CatalogDocument(KIND, str(name), fields, "")
        documents = ProcessDocuments(self._catalog, self._processes, self._user)
        try:
            new = documents.parse(document, {})
            warnings = documents.check(document, new)
        except PlatformError as error:
            raise InvalidTextError(find_faults(text, error)) from None
        return _ReadText(documents, document, new, warnings)

    def _name(self, repository: "ToolRepository | ProcessRepository", id_: str) -> str:
        """The name by which the user means what has that id; the id itself if there is none."""
        try:
            name = repository.get(self._user, id_).name
            return name if repository.find(self._user, name).id == id_ else id_
        except NotFoundError:
            return id_


def _step(step: ProcessStep, target: Callable[[ProcessStep | Compensation | Reminder], JsonObject]) -> JsonObject:
    """A step as a person writes it: without defaults, with the names of what it calls."""
    fields = step.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"tool", "process"})
    if step.compensate is not None:
        undo = fields["compensate"]
        named = {name: value for name, value in undo.items() if name not in ("tool", "process")}
        fields["compensate"] = {**target(step.compensate), **named}
    if step.question is not None and step.question.remind is not None:
        remind = cast(JsonObject, fields["question"]["remind"])
        fields["question"]["remind"] = {**remind, **target(step.question.remind)}
    if fields["output"].keys() == {"variable"}:
        fields["output"] = fields["output"]["variable"]
    return {"id": fields.pop("id"), **target(step), **fields}


def _fields(text: str) -> JsonObject:
    """The fields of a text without its kind. Raises InvalidTextError."""
    fields = read_mapping(text)
    if (kind := fields.pop("kind", None)) != KIND:
        raise InvalidTextError([fault_at(text, "$.kind", f"the kind is {kind!r}; it must be {KIND}")])
    return fields
