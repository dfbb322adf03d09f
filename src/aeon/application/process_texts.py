"""`ProcessTexts`: Processes as YAML texts: written, checked line by line, and saved."""

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject, json_problems
from aeon.bootstrap.platform import Platform
from aeon.plan.yaml import YamlError, dump_yaml, find_lines, load_yaml
from aeon.platform.catalog.documents import CatalogDocument
from aeon.platform.errors import ForbiddenError, NotFoundError, PlatformError
from aeon.platform.ledger import MutationRequest
from aeon.platform.processes.documents import ProcessDocuments
from aeon.platform.processes.model import NewProcess, Process, ProcessChange, ProcessStep

if TYPE_CHECKING:
    from aeon.platform.catalog.tools import ToolRepository
    from aeon.platform.processes.repository import ProcessRepository

KIND: Final = "Process"

_MAX_TEXT: Final = 500_000
_PART: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class TextFault(NamedTuple):
    """A fault of a text: its line, counted from 1, and the path of the field, which may be empty."""

    line: int
    path: str
    message: str


class ProcessTextError(InputError):
    """The text does not describe a valid Process; nothing was saved.

    `faults` are all that is wrong, by line.
    """

    next_step = "Correct the text and save it again."

    def __init__(self, faults: list[TextFault]) -> None:
        listed = "; ".join(f"line {each.line}: {each.message}" for each in faults[:5])
        super().__init__(
            f"The text has {len(faults)} fault(s): {listed}.", problems=[each._asdict() for each in faults]
        )
        self.faults = faults


class _ReadText(NamedTuple):
    """A text whose Process is valid."""

    documents: ProcessDocuments
    document: CatalogDocument
    new: NewProcess


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
            mode="json", by_alias=True, exclude_defaults=True, exclude={"steps", "name"}
        )
        if name is None and process.shared:
            fields["shared"] = True
        template = {key: fields.pop(key) for key in ("outputTemplate",) if key in fields}
        head = {"kind": KIND, "name": name or process.name}
        steps = [self._step(each, process, name or process.name) for each in process.steps]
        return dump_yaml({**head, **fields, "steps": steps, **template})

    def check(self, text: str, process: str | None = None) -> list[TextFault]:
        """All faults of a text by line; none if it can be saved.

        `process` is the name or id of the user's own Process that it would change; None if it would be a new one.
        Raises NotFoundError, ForbiddenError.
        """
        changed = self._own(process)
        try:
            read = self._read(text, changed)
        except ProcessTextError as error:
            return error.faults
        if changed is None and self._processes.find_own(self._user, read.new.name) is not None:
            message = f"you have a Process named {read.new.name!r}; choose another name"
            return [_fault(text, "$.name", message)]
        return []

    def save(
        self, text: str, process: str | None = None, *, key: str | None = None, expected_version: int | None = None
    ) -> Process:
        """Change the user's own Process, given by its name or id, to what a text describes; None creates a new one.

        Raises ProcessTextError with every fault, NotFoundError, ForbiddenError, RuleError for a name that is taken,
        ConflictError, and VersionError if the Process has another version than `expected_version` by now.
        """
        changed = self._own(process)
        documents, document, new = self._read(text, changed)
        request = MutationRequest(self._user, key, expected_version)
        if changed is None:
            documents.create(document, new, request)
            return self._processes.find(self._user, new.name)
        wanted = new.as_dict()
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
        """What a text describes. Raises ProcessTextError."""
        fields = _fields(text)
        name = fields.get("name")
        if changed is not None and name != changed.name:
            message = f"the name is {name!r}, and this Process is {changed.name!r}; rename it on its page"
            raise ProcessTextError([_fault(text, "$.name", message)])
        document = CatalogDocument(KIND, str(name), fields, "")
        documents = ProcessDocuments(self._catalog, self._processes, self._user)
        try:
            new = documents.parse(document, {})
            documents.check(document, new)
        except PlatformError as error:
            raise ProcessTextError(_faults(text, error)) from None
        return _ReadText(documents, document, new)

    def _step(self, step: ProcessStep, process: Process, name: str) -> JsonObject:
        """A step as a person writes it: without defaults, with the names of what it calls."""
        fields = step.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"tool", "process"})
        if step.tool is not None:
            target: JsonObject = {"tool": self._name(self._catalog.tools, step.tool)}
        elif step.process == process.id:
            target = {"process": name}
        else:
            target = {"process": self._name(self._processes, step.process or "")}
        if fields["output"].keys() == {"variable"}:
            fields["output"] = fields["output"]["variable"]
        return {"id": fields.pop("id"), **target, **fields}

    def _name(self, repository: "ToolRepository | ProcessRepository", id_: str) -> str:
        """The name by which the user means what has that id; the id itself if there is none."""
        try:
            name = repository.get(self._user, id_).name
            return name if repository.find(self._user, name).id == id_ else id_
        except NotFoundError:
            return id_


def _fields(text: str) -> JsonObject:
    """The fields of a text without its kind. Raises ProcessTextError."""
    if len(text) > _MAX_TEXT:
        raise ProcessTextError([TextFault(1, "", f"the text has {len(text):,} characters; {_MAX_TEXT:,} are read")])
    try:
        value = load_yaml(text)
    except YamlError as error:
        raise ProcessTextError([TextFault(error.line, "", str(error))]) from None
    if not isinstance(value, dict) or json_problems(value):
        raise ProcessTextError([TextFault(1, "", "the text is not a mapping of fields to JSON values")])
    fields: JsonObject = {**value}
    if (kind := fields.pop("kind", None)) != KIND:
        raise ProcessTextError([_fault(text, "$.kind", f"the kind is {kind!r}; it must be {KIND}")])
    return fields


def _faults(text: str, error: PlatformError) -> list[TextFault]:
    """What an error says is wrong, by line."""
    problems: list[Json] = error.details.get("problems") or [{"path": "$", "message": error.message}]
    lines = find_lines(text, [_parts(each["path"]) for each in problems])
    return sorted(TextFault(line, each["path"], each["message"]) for line, each in zip(lines, problems, strict=True))


def _fault(text: str, path: str, message: str) -> TextFault:
    return TextFault(find_lines(text, [_parts(path)])[0], path, message)


def _parts(path: str) -> list[str | int]:
    return [name or int(place) for name, place in _PART.findall(path)]
