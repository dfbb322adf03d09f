"""Makes what a file says true: looks at everything first, then creates and changes what differs."""

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
"""What the file creates or changes before, by kind and name."""

_WORDS = {
    "ServiceTemplate": "service template",
    "ToolTemplate": "tool template",
    "Service": "service",
    "Secret": "secret",
}

_TO_COME = "to come"
"""Stands for the id of what the same file will create."""


class _Kind(NamedTuple):
    new: type[Record]
    change: type[Record]
    changeable: tuple[str, ...]


class DocumentKind(Protocol):
    """A kind that is built on those of the catalog, for one user and one file: how its documents are made true."""

    repository: Any
    change: type[Record]
    changeable: tuple[str, ...]

    def sort(self, documents: Sequence[CatalogDocument]) -> list[CatalogDocument]:
        """Those that are referred to first."""
        ...

    def parse(self, document: CatalogDocument, coming: PlannedRecords) -> Record:
        """What is to be there. Raises PlatformError."""
        ...

    def check(self, document: CatalogDocument, new: Record) -> None:
        """Raises RuleError for all that is wrong with it, once what was parsed before is there."""
        ...

    def create(self, document: CatalogDocument, new: Record, request: MutationRequest) -> None:
        """Make it."""
        ...

    def details(self, found: Any, new: Record) -> tuple[str, ...]:
        """What differs inside the fields that differ, a line each."""
        ...


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
            "enabled",
            "shared",
        ),
    ),
}

_REFERENCES = {"service": ("Service", "serviceId"), "secret": ("Secret", "secretId")}
"""How a tool in a file names what it uses, by name, and the field that holds its id."""

_TEMPLATES: dict[str, tuple[str, model.EntityKind]] = {
    "Service": ("ServiceTemplate", "serviceTemplate"),
    "Tool": ("ToolTemplate", "toolTemplate"),
}
"""What may be made from a template, which the file names with `template`."""


class ApplyStep(NamedTuple):
    """What one document comes to; `fields` are those that differ, `hurts` whose things depend on what is taken back.

    `details` says what differs inside of them, where that can be said. `outgrows` are others' tools that would not fit
    what the service asks for from then on.
    """

    action: ApplyAction
    document: CatalogDocument
    fields: tuple[str, ...] = ()
    affects: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


class Applier:
    """Makes documents true for one user.

    References are by name, to what he owns, the file itself creates, or the default catalog has; else by id, to what
    somebody shares.
    """

    def __init__(self, catalog: Catalog, user: str, further: Mapping[str, DocumentKind] | None = None) -> None:
        """`further` are kinds besides the catalog's."""
        self._catalog = catalog
        self._further = further or {}
        self._request = MutationRequest(user)
        self._shelves: dict[str, Any] = {
            "ServiceTemplate": catalog.service_templates,
            "ToolTemplate": catalog.tool_templates,
            "Service": catalog.services,
            "Secret": catalog.secrets,
            "Tool": catalog.tools,
            **{kind: each.repository for kind, each in self._further.items()},
        }

    def plan(self, documents: Sequence[CatalogDocument]) -> list[ApplyStep]:
        """What each document comes to, in order. Raises ApplyError with everything wrong, each with its place."""
        steps: list[ApplyStep] = []
        problems: list[str] = []
        coming: dict[tuple[str, str], Record] = {}
        for document in self._in_order(documents):
            try:
                new = self._parsed(document, coming)
                self._check(document, new)
                steps.append(self._step(document, new, coming))
                coming[document.kind, document.name] = new
            except PlatformError as error:
                problems += _told(document, error)
        raise_problems(problems)
        return steps

    def apply(self, steps: Sequence[ApplyStep]) -> None:
        """Do what the steps say, in order; what was done before one fails stays done, and applying again goes on."""
        for step in steps:
            new = self._parsed(step.document, {})
            if step.action == "create":
                self._create(step.document, new)
            elif step.action == "change":
                self._change(step, new)

    def _in_order(self, documents: Sequence[CatalogDocument]) -> Iterator[CatalogDocument]:
        yield from (document for document in documents if document.kind not in self._further)
        for kind, further in self._further.items():
            yield from further.sort([document for document in documents if document.kind == kind])

    def _parsed(self, document: CatalogDocument, coming: PlannedRecords) -> Record:
        if document.kind not in self._shelves:
            raise RuleError(f"no {document.kind} can be made here", rule="kind")
        if document.kind in self._further:
            return self._further[document.kind].parse(document, coming)
        fields = {**document.fields, **self._copied(document, coming)}
        fields.pop("template", None)
        for name, (kind, field) in _REFERENCES.items() if document.kind == "Tool" else ():
            if (wanted := fields.pop(name, None)) is not None:
                fields[field] = self._id_of(kind, wanted, coming)
        return _KINDS[document.kind].new.parsed(fields)

    def _create(self, document: CatalogDocument, new: Record) -> None:
        shelf = self._shelves[document.kind]
        if document.kind in self._further:
            self._further[document.kind].create(document, new, self._request)
        elif "template" in document.fields:
            kind, _ = _TEMPLATES[document.kind]
            shelf.add(new, self._request, self._referred(kind, document.fields["template"], {}))
        else:
            shelf.add(new, self._request)

    def _copied(self, document: CatalogDocument, coming: PlannedRecords) -> JsonObject:
        """What the document's template gives it, which it may not say itself."""
        if "template" not in document.fields:
            return {}
        if document.kind not in _TEMPLATES:
            raise RuleError(f"a {document.kind} is not made from a template", rule="template_kind")
        kind, stored = _TEMPLATES[document.kind]
        copied = structure_of(stored, self._referred(kind, document.fields["template"], coming), document.fields)
        if both := sorted(copied.keys() & document.fields.keys()):
            raise RuleError(
                f"its template gives it {', '.join(both)}; leave that out, or the template", rule="template_copied"
            )
        return copied

    def _id_of(self, kind: str, name: object, coming: PlannedRecords) -> str:
        return getattr(self._referred(kind, name, coming), "id", _TO_COME)

    def _referred(self, kind: str, name: object, coming: PlannedRecords) -> Any:
        """What a name means: the user's own, else what the file makes before, else a default, else it is an id."""
        shelf, user = self._shelves[kind], self._request.user
        if isinstance(name, str):
            if found := shelf.find_own(user, name) or coming.get((kind, name)):
                return found
            with suppress(NotFoundError):
                return shelf.find(user, name)
        raise NotFoundError(f"You have no {_WORDS[kind]} named {name!r}, and the file makes none before this.")

    def _step(self, document: CatalogDocument, new: Record, coming: PlannedRecords) -> ApplyStep:
        if isinstance(new, model.NewTool):
            service = self._referred("Service", document.fields["service"], coming)
            connection = with_defaults(new.connection_params, service.connection_schema)
            check_tool_against_service(new.model_copy(update={"connection_params": connection}), service)
        found = self._shelves[document.kind].find_own(self._request.user, document.name)
        if found is None:
            self._refuse_archived(document, coming)
            return ApplyStep("create", document)
        fields = self._differing(new, found)
        if fixed := [field for field in fields if field not in self._kind(document).changeable]:
            raise RuleError(
                f"its {', '.join(fixed)} can never change; give it another name, or delete the one that is there",
                rule="immutable",
            )
        details = self._further[document.kind].details(found, new) if document.kind in self._further else ()
        hurts, outgrows = self._hurt(document, found, fields), self._outgrown(new, found, fields)
        return ApplyStep("change" if fields else "keep", document, fields, hurts, details, outgrows)

    def _refuse_archived(self, document: CatalogDocument, coming: PlannedRecords) -> None:
        if "template" in document.fields:
            kind, _ = _TEMPLATES[document.kind]
            template = self._referred(kind, document.fields["template"], coming)
            refuse_archived(template if isinstance(template, model.ServiceTemplate | model.ToolTemplate) else None)

    def _kind(self, document: CatalogDocument) -> _Kind | DocumentKind:
        return self._further.get(document.kind) or _KINDS[document.kind]

    def _hurt(self, document: CatalogDocument, found: model.OwnedEntity, fields: tuple[str, ...]) -> tuple[str, ...]:
        """What others have that depends on a thing that is to be shared no more (platform 4)."""
        if "shared" not in fields or not found.shared:
            return ()
        user = self._request.user
        return _of_others(user, self._shelves[document.kind].list_uses(user, found.id))

    def _outgrown(self, new: Record, found: model.OwnedEntity, fields: tuple[str, ...]) -> tuple[str, ...]:
        """Others' tools on a service that is to ask for something else (measured P10)."""
        if "connectionSchema" not in fields or not isinstance(new, model.NewService):
            return ()
        user = self._request.user
        return _of_others(user, self._catalog.services.find_incompatible_tools(user, found.id, new.connection_schema))

    def _differing(self, new: Record, found: model.OwnedEntity) -> tuple[str, ...]:
        wanted, there = new.as_dict(), found.as_dict()
        if isinstance(found, model.Secret):
            there["value"] = self._catalog.secrets.reveal(self._request.user, found.id).reveal()
        differing = tuple(field for field in wanted if wanted[field] != there[field])
        if isinstance(found, model.Tool) and self._keeps_connection(wanted["connectionParams"], found):
            return tuple(field for field in differing if field != "connectionParams")
        return differing

    def _keeps_connection(self, wanted: JsonObject, tool: model.Tool) -> bool:
        """Whether a tool differs from a file in nothing but its service's defaults, which it keeps as they were."""
        service = self._catalog.tools.get_service(self._request.user, tool)
        return is_same_connection(wanted, tool.connection_params, service.connection_schema)

    def _change(self, step: ApplyStep, new: Record) -> None:
        shelf = self._shelves[step.document.kind]
        found = shelf.find_own(self._request.user, step.document.name)
        asked: JsonObject = {field: new.as_dict()[field] for field in step.fields}
        if (value := asked.pop("value", None)) is not None:
            self._catalog.secrets.rotate(found.id, value, self._request)
        if asked:
            shelf.change(found.id, self._kind(step.document).change.parsed(asked), self._request)

    def _check(self, document: CatalogDocument, new: Record) -> None:
        if document.kind in self._further:
            self._further[document.kind].check(document, new)
        elif isinstance(new, model.NewService | model.NewServiceTemplate):
            check_service(new)
        elif isinstance(new, model.NewTool | model.NewToolTemplate):
            check_tool(new)
        elif isinstance(new, model.NewSecret):
            self._catalog.secrets.check(new)


def _of_others(user: str, uses: Iterable[EntityUse]) -> tuple[str, ...]:
    return tuple(f"{use.name or f'a {use.kind}'} of {use.owner_id}" for use in uses if use.owner_id != user)


def _told(document: CatalogDocument, error: PlatformError) -> list[str]:
    """What is wrong with a document, each thing with its place in it where the error knows that."""
    place = f"{document.location}, {document.kind} {document.name!r}"
    problems = cast(list[Json], error.details.get("problems") or [])
    known = [cast(JsonObject, each) for each in problems if isinstance(each, dict)]
    return [f"{place}: {each['path']}: {each['message']}" for each in known] or [f"{place}: {error.message}"]
