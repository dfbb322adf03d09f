"""Applies catalog documents: checks everything first, then creates and changes what differs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog import model
from aeon.platform.catalog.documents import CatalogDocument, raise_problems
from aeon.platform.catalog.repository import EntityUse
from aeon.platform.catalog.rules import check_service, check_tool, check_tool_against_service
from aeon.platform.catalog.service import Catalog
from aeon.platform.catalog.templates import refuse_archived, structure_of
from aeon.platform.catalog.trust import is_same_connection, with_defaults
from aeon.platform.errors import NotFoundError, PlatformError, RuleError
from aeon.platform.ledger import MutationRequest
from aeon.platform.records import Record

ApplyAction: TypeAlias = Literal["create", "change", "keep"]

PlannedRecords: TypeAlias = Mapping[tuple[str, str], Record]
"""The records that the file creates or changes earlier, by kind and name."""

_WORDS = {
    "ServiceTemplate": "service template",
    "ToolTemplate": "tool template",
    "Service": "service",
    "Secret": "secret",
}

TO_COME = "to come"
"""The id, in a plan, of something that the same file will create."""


class _Kind(NamedTuple):
    new: type[Record]
    change: type[Record]
    changeable: tuple[str, ...]


class DocumentProblem(NamedTuple):
    """What is wrong with a document: the path in it, which may be empty, the rule, and the message.

    `field` is the path that the message itself says, for who shows the place in the text.
    """

    document: CatalogDocument
    path: str
    rule: str
    message: str
    field: str = ""

    def __str__(self) -> str:
        place = f"{self.document.location}, {self.document.kind} {self.document.name!r}"
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class DocumentKind(Protocol):
    """A kind outside the catalog, for one user and one file: how its documents are applied."""

    repository: Any
    change: type[Record]
    changeable: tuple[str, ...]

    def sort(self, documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
        """Returns the documents with referenced ones first."""
        ...

    def parse(self, document: CatalogDocument, planned: PlannedRecords) -> Record:
        """Returns the record to create or compare with. Raises PlatformError."""
        ...

    def check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        """Raises RuleError with all problems, once the records parsed before it exist; returns warnings."""
        ...

    def create(self, document: CatalogDocument, new: Record, request: MutationRequest) -> None:
        """Creates the record."""
        ...

    def details(self, found: Any, new: Record) -> tuple[str, ...]:
        """Returns a line for each difference inside the fields that differ."""
        ...


def changeable_fields(change: type[Record]) -> tuple[str, ...]:
    """Returns the published names of the fields that a document may change: all of a change but the name."""
    return tuple(field.alias or name for name, field in change.model_fields.items() if name != "name")


_KINDS = {
    "ServiceTemplate": _Kind(model.NewServiceTemplate, model.TemplateChange, ("description", "shared")),
    "ToolTemplate": _Kind(model.NewToolTemplate, model.TemplateChange, ("description", "shared")),
    "Service": _Kind(model.NewService, model.ServiceChange, ("enabled", "shared", "connectionSchema", "limits")),
    "Secret": _Kind(model.NewSecret, model.SecretChange, ("value", "shared")),
    "Tool": _Kind(
        model.NewTool,
        model.ToolChange,
        (
            "description",
            "secretId",
            "secretScope",
            "connectionParams",
            "operation",
            "inputSchema",
            "outputSchema",
            "effect",
            "runsOn",
            "enabled",
            "shared",
        ),
    ),
}

_REFERENCES = {"service": ("Service", "serviceId"), "secret": ("Secret", "secretId")}
"""How a tool in a file refers by name to what it uses: the kind, and the field that holds its id."""

_TEMPLATES: dict[str, tuple[str, model.EntityKind]] = {
    "Service": ("ServiceTemplate", "serviceTemplate"),
    "Tool": ("ToolTemplate", "toolTemplate"),
}
"""The kinds that can be created from a template, which the file names with `template`."""


class ApplyStep(NamedTuple):
    """What applying one document does.

    `fields` are the fields that differ, `differences` the changes inside them. `affects` lists other users' things that
    depend on a thing that the file unshares; `breaks` lists other users' tools that would not fit the service's new
    connection schema. `warnings` are what is probably a mistake in the document.
    """

    action: ApplyAction
    document: CatalogDocument
    fields: tuple[str, ...] = ()
    affects: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    warnings: tuple[DocumentProblem, ...] = ()


class Applier:
    """Applies documents for one user.

    A reference is the name of a thing that the user owns, the file creates, or the default catalog contains; otherwise
    the id of a shared thing.
    """

    def __init__(self, catalog: Catalog, user: str, extra_kinds: Mapping[str, DocumentKind] | None = None) -> None:
        """`extra_kinds` are the kinds outside the catalog."""
        self._catalog = catalog
        self._extra_kinds = extra_kinds or {}
        self._request = MutationRequest(user)
        self._repositories: dict[str, Any] = {
            "ServiceTemplate": catalog.service_templates,
            "ToolTemplate": catalog.tool_templates,
            "Service": catalog.services,
            "Secret": catalog.secrets,
            "Tool": catalog.tools,
            **{kind: each.repository for kind, each in self._extra_kinds.items()},
        }

    def plan(self, documents: Sequence[CatalogDocument]) -> list[ApplyStep]:
        """Returns a step for each document, in order.

        Raises ApplyError with every problem and its place.
        """
        steps, problems = self.examine(documents)
        raise_problems([str(problem) for problem in problems])
        return steps

    def examine(self, documents: Sequence[CatalogDocument]) -> tuple[list[ApplyStep], list[DocumentProblem]]:
        """Returns a step for each valid document, in order, and every problem of the others."""
        steps: list[ApplyStep] = []
        problems: list[DocumentProblem] = []
        planned: dict[tuple[str, str], Record] = {}
        for document in self._in_order(documents):
            try:
                new = self._parse(document, planned)
                warnings = tuple(self._check(document, new))
                steps.append(self._step(document, new, planned)._replace(warnings=warnings))
                planned[document.kind, document.name] = new
            except NotFoundError as error:
                problems += [*_problems_of(document, error), *_field_problems(document)]
            except PlatformError as error:
                problems += _problems_of(document, error)
        return steps, problems

    def apply(self, steps: Sequence[ApplyStep]) -> None:
        """Executes the steps in order. If one fails, earlier ones remain; applying again continues."""
        for step in steps:
            if step.action == "create":
                self._create(step.document, self._parse(step.document, {}))
            elif step.action == "change":
                self._change(step, self._parse(step.document, {}))

    def _in_order(self, documents: Sequence[CatalogDocument]) -> Iterator[CatalogDocument]:
        yield from (document for document in documents if document.kind not in self._extra_kinds)
        for kind, extra_kind in self._extra_kinds.items():
            yield from extra_kind.sort([document for document in documents if document.kind == kind])

    def _parse(self, document: CatalogDocument, planned: PlannedRecords) -> Record:
        if document.kind not in self._repositories:
            raise RuleError(f"a {document.kind} cannot be created here", rule="kind")
        if document.kind in self._extra_kinds:
            return self._extra_kinds[document.kind].parse(document, planned)
        fields = {**document.fields, **self._template_fields(document, planned)}
        fields.pop("template", None)
        for name, (kind, field) in _REFERENCES.items() if document.kind == "Tool" else ():
            if (wanted := fields.pop(name, None)) is not None:
                fields[field] = self._id_of(kind, wanted, planned)
        return _KINDS[document.kind].new.parsed(fields)

    def _create(self, document: CatalogDocument, new: Record) -> None:
        repository = self._repositories[document.kind]
        if document.kind in self._extra_kinds:
            self._extra_kinds[document.kind].create(document, new, self._request)
        elif "template" in document.fields:
            kind, _ = _TEMPLATES[document.kind]
            repository.add(new, self._request, self._resolve(kind, document.fields["template"], {}))
        else:
            repository.add(new, self._request)

    def _template_fields(self, document: CatalogDocument, planned: PlannedRecords) -> JsonObject:
        """Returns the fields from the document's template, which the document must not repeat."""
        if "template" not in document.fields:
            return {}
        if document.kind not in _TEMPLATES:
            raise RuleError(f"a {document.kind} cannot be created from a template", rule="template_kind")
        kind, stored = _TEMPLATES[document.kind]
        fields = structure_of(stored, self._resolve(kind, document.fields["template"], planned), document.fields)
        if both := sorted(fields.keys() & document.fields.keys()):
            raise RuleError(
                f"its template already provides {', '.join(both)}; remove either that or the template",
                rule="template_copied",
            )
        return fields

    def _id_of(self, kind: str, name: object, planned: PlannedRecords) -> str:
        return getattr(self._resolve(kind, name, planned), "id", TO_COME)

    def _resolve(self, kind: str, name: object, planned: PlannedRecords) -> Any:
        """Resolves a name.

        A name is the user's own thing, else one that the file creates earlier, else a default, else an id.
        """
        repository, user = self._repositories[kind], self._request.user
        if isinstance(name, str):
            if own := repository.find_own(user, name) or planned.get((kind, name)):
                return own
            with suppress(NotFoundError):
                return repository.find(user, name)
        raise NotFoundError(f"You have no {_WORDS[kind]} named {name!r}, and the file creates none before this.")

    def _step(self, document: CatalogDocument, new: Record, planned: PlannedRecords) -> ApplyStep:
        if isinstance(new, model.NewTool):
            service = self._resolve("Service", document.fields["service"], planned)
            connection = with_defaults(new.connection_params, service.connection_schema)
            check_tool_against_service(new.model_copy(update={"connection_params": connection}), service)
        existing = self._repositories[document.kind].find_own(self._request.user, document.name)
        if existing is None:
            self._refuse_archived(document, planned)
            return ApplyStep("create", document)
        fields = self._changed_fields(new, existing)
        if immutable := [field for field in fields if field not in self._kind(document).changeable]:
            raise RuleError(
                f"its {', '.join(immutable)} can never change; use another name, or delete the existing one",
                rule="immutable",
            )
        details = self._extra_kinds[document.kind].details(existing, new) if document.kind in self._extra_kinds else ()
        affects, breaks = self._affected_uses(document, existing, fields), self._broken_tools(new, existing, fields)
        return ApplyStep("change" if fields else "keep", document, fields, affects, details, breaks)

    def _refuse_archived(self, document: CatalogDocument, planned: PlannedRecords) -> None:
        if "template" in document.fields:
            kind, _ = _TEMPLATES[document.kind]
            template = self._resolve(kind, document.fields["template"], planned)
            refuse_archived(template if isinstance(template, model.ServiceTemplate | model.ToolTemplate) else None)

    def _kind(self, document: CatalogDocument) -> _Kind | DocumentKind:
        return self._extra_kinds.get(document.kind) or _KINDS[document.kind]

    def _affected_uses(
        self, document: CatalogDocument, existing: model.OwnedEntity, fields: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Returns other users' things that depend on a thing that the file unshares (platform 4)."""
        if "shared" not in fields or not existing.shared:
            return ()
        user = self._request.user
        return _of_others(user, self._repositories[document.kind].list_uses(user, existing.id))

    def _broken_tools(self, new: Record, existing: model.OwnedEntity, fields: tuple[str, ...]) -> tuple[str, ...]:
        """Returns other users' tools that do not fit the service's new connection schema."""
        if "connectionSchema" not in fields or not isinstance(new, model.NewService):
            return ()
        user = self._request.user
        return _of_others(
            user, self._catalog.services.find_incompatible_tools(user, existing.id, new.connection_schema)
        )

    def _changed_fields(self, new: Record, existing: model.OwnedEntity) -> tuple[str, ...]:
        wanted, current = new.as_dict(), existing.as_dict()
        if isinstance(existing, model.Secret):
            current["value"] = self._catalog.secrets.reveal(self._request.user, existing.id).reveal()
        left_out = new.unset_fields()
        differing = tuple(
            field
            for field in dict.fromkeys([*wanted, *left_out])
            if wanted.get(field, left_out.get(field)) != current.get(field, left_out.get(field))
        )
        if isinstance(existing, model.Tool) and self._keeps_connection(wanted["connectionParams"], existing):
            return tuple(field for field in differing if field != "connectionParams")
        return differing

    def _keeps_connection(self, wanted: JsonObject, tool: model.Tool) -> bool:
        """Returns whether a tool differs from the file only in its service's defaults."""
        service = self._catalog.tools.get_service(self._request.user, tool)
        return is_same_connection(wanted, tool.connection_params, service.connection_schema)

    def _change(self, step: ApplyStep, new: Record) -> None:
        repository = self._repositories[step.document.kind]
        existing = repository.find_own(self._request.user, step.document.name)
        given = new.unset_fields() | new.as_dict()
        changes: JsonObject = {field: given[field] for field in step.fields}
        if (value := changes.pop("value", None)) is not None:
            self._catalog.secrets.rotate(existing.id, value, self._request)
        if changes:
            repository.change(existing.id, self._kind(step.document).change.parsed(changes), self._request)

    def _check(self, document: CatalogDocument, new: Record) -> Sequence[DocumentProblem]:
        if document.kind in self._extra_kinds:
            return self._extra_kinds[document.kind].check(document, new)
        if isinstance(new, model.NewService | model.NewServiceTemplate):
            check_service(new)
        elif isinstance(new, model.NewTool | model.NewToolTemplate):
            check_tool(new)
        elif isinstance(new, model.NewSecret):
            self._catalog.secrets.check(new)
        return ()


def _of_others(user: str, uses: Iterable[EntityUse]) -> tuple[str, ...]:
    return tuple(f"{use.name or f'a {use.kind}'} of {use.owner_id}" for use in uses if use.owner_id != user)


def _field_problems(document: CatalogDocument) -> list[DocumentProblem]:
    """Returns the problems in the fields of a tool that refers to something missing."""
    if document.kind != "Tool" or "template" in document.fields:
        return []
    fields = {name: value for name, value in document.fields.items() if name not in _REFERENCES}
    references = {field: TO_COME for name, (_, field) in _REFERENCES.items() if name in document.fields}
    try:
        _KINDS["Tool"].new.parsed({**fields, **references})
    except PlatformError as error:
        return _problems_of(document, error)
    return []


def _problems_of(document: CatalogDocument, error: PlatformError) -> list[DocumentProblem]:
    """Returns a document's problems, each with its path in the document if the error knows it."""
    problems = cast(list[Json], error.details.get("problems") or [])
    known = [cast(JsonObject, each) for each in problems if isinstance(each, dict)]
    if not known:
        if isinstance(error, RuleError):
            return [DocumentProblem(document, "", error.rule, error.message, error.field)]
        rule = "reference" if isinstance(error, NotFoundError) else ""
        return [DocumentProblem(document, "", rule, error.message)]
    return [DocumentProblem(document, each["path"], each.get("rule", ""), each["message"]) for each in known]
