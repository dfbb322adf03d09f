"""Imports OpenAPI documents: makes and updates a service and its tools, and says what could not become a tool."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, NoReturn

from aeon.application.stored_names import names_of_built_in_tools
from aeon.base.errors import InputError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.platform import Platform
from aeon.platform.catalog.apply import Applier, ApplyStep
from aeon.platform.errors import NotFoundError
from aeon.platform.openapi.api import Api, ApiOperation, SkippedOperation, read_api
from aeon.platform.openapi.catalog import ImportChoices, NamedSecret, SecretNeed, ToolDocuments, service_document
from aeon.platform.openapi.document import OpenApiError
from aeon.platform.openapi.texts import unique_names

__all__ = ["ApplyStep", "OpenApiImport", "OpenApiRequest", "SecretNeed", "SkippedOperation"]

_MAX_OWN = 10_000
_MAX_SHOWN = 30


class OpenApiRequest(NamedTuple):
    """What to import of a document, and how.

    `text` is the document, `address` where it is from, if that is an address. `name` is that of the service, by default
    from the title. `server` replaces the servers of the document. `only` are patterns (`*`, `?`) of names and paths of
    operations, `tags` their tags; without them all are imported. `secret` is the name of one of the user's secrets.
    `pages` is the most pages that a tool for a list gets; 1 for one page, None for what an existing tool has.
    """

    text: str
    address: str | None = None
    name: str | None = None
    server: str | None = None
    only: Sequence[str] = ()
    tags: Sequence[str] = ()
    secret: str | None = None
    pages: int | None = None
    allow_private: bool = False
    allow_insecure: bool = False


class OpenApiImport(NamedTuple):
    """What an import makes, changes and leaves out.

    `endpoints` are the addresses to which requests go. `vanished` are tools of the service that the document does not
    have any more; they are kept. `notes` say what of an operation its tool does not have.
    """

    service: str
    endpoints: list[str]
    steps: list[ApplyStep]
    skipped: list[SkippedOperation]
    notes: list[str]
    vanished: list[str]
    needs: list[SecretNeed]

    @property
    def changed(self) -> list[str]:
        """The names of existing things that are changed."""
        return [step.document.name for step in self.steps if step.action == "change"]

    def as_dict(self) -> JsonObject:
        """As JSON data."""
        steps: list[Json] = [
            {
                "verb": step.action,
                "kind": step.document.kind,
                "name": step.document.name,
                "fields": list[Json](step.fields),
            }
            for step in self.steps
        ]
        return {
            "service": self.service,
            "endpoints": list[Json](self.endpoints),
            "steps": steps,
            "skipped": [each.as_dict() for each in self.skipped],
            "notes": list[Json](self.notes),
            "vanished": list[Json](self.vanished),
            "needs": [each.as_dict() for each in self.needs],
        }


def import_openapi(platform: Platform, user: str, request: OpenApiRequest, *, is_dry: bool) -> OpenApiImport:
    """Create and change the service and the tools that a document describes; with `is_dry`, only say what would be.

    If there is any fault, nothing is changed. Raises OpenApiError with every fault of the document, InputError for a
    pattern or tag that matches nothing, NotFoundError for an unknown secret, ApplyError with every rule that a service
    or tool breaks.
    """
    api = read_api(request.text, address=request.address, server=request.server)
    if not api.operations:
        raise _no_operation_error(api)
    catalog = platform.catalog
    name = request.name or api.service
    service = catalog.services.find_own(user, name)
    own_tools = catalog.tools.list_own(user, limit=_MAX_OWN)
    existing = {tool.name: tool for tool in own_tools if service is not None and tool.service_id == service.id}
    taken = {tool.name for tool in own_tools} - existing.keys() | set(names_of_built_in_tools())
    names = unique_names([each.plain_name for each in api.operations], name, taken)
    chosen = _chosen(list(zip(api.operations, names, strict=True)), request)
    secrets = {each.id: NamedSecret(each.name, each.type) for each in catalog.secrets.list_own(user, limit=_MAX_OWN)}
    choices = ImportChoices(
        name, _named_secret(secrets, request), request.pages, request.allow_private, request.allow_insecure
    )
    tools = ToolDocuments(choices, existing, secrets)
    usable, skipped = _of_one_protocol(chosen)
    documents = [
        service_document(api, usable[0][0].protocol, name, service),
        *(tools.document(each, tool) for each, tool in usable),
    ]
    applier = Applier(catalog, user)
    steps = applier.plan(documents)
    if not is_dry:
        applier.apply(steps)
    return OpenApiImport(
        name,
        list(dict.fromkeys(each.endpoint for each, _ in usable)),
        steps,
        [*api.skipped, *skipped],
        list(_notes(tools, request, choices, usable)),
        sorted(existing.keys() - set(names)),
        tools.needs,
    )


def _notes(
    tools: ToolDocuments,
    request: OpenApiRequest,
    choices: ImportChoices,
    usable: Sequence[tuple[ApiOperation, str]],
) -> Iterator[str]:
    """What operations lose as tools, what became of secrets, and what of the request no tool takes."""
    yield from (f"{tool}: {note}" for each, tool in usable for note in each.notes)
    yield from tools.notes
    if choices.secret is not None and not tools.is_secret_used:
        yield f"no operation takes the secret {choices.secret.name!r}, which is of the type {choices.secret.type}"
    if (request.pages or 1) > 1 and all(each.pages is None for each, _ in usable):
        yield "of no operation it is recognized how it has pages"


def _no_operation_error(api: Api) -> OpenApiError:
    reasons = [str(each) for each in api.skipped[:_MAX_SHOWN]]
    listed = "".join(f"\n  {reason}" for reason in reasons)
    return OpenApiError(
        f"The document has no operation that can be a tool.{listed}", problems=[str(each) for each in api.skipped]
    )


def _chosen(operations: list[tuple[ApiOperation, str]], request: OpenApiRequest) -> list[tuple[ApiOperation, str]]:
    """The operations that match a pattern and have a tag of those wanted, each with the name of its tool."""
    for pattern in request.only:
        if not any(_matches(each, tool, pattern) for each, tool in operations):
            _refuse_unmatched(f"matches {pattern!r}", [each.name for each, _ in operations])
    for tag in request.tags:
        if not any(tag in each.tags for each, _ in operations):
            _refuse_unmatched(f"has the tag {tag!r}", dict.fromkeys(tag for each, _ in operations for tag in each.tags))
    chosen = [
        (each, tool)
        for each, tool in operations
        if (not request.only or any(_matches(each, tool, pattern) for pattern in request.only))
        and (not request.tags or any(tag in each.tags for tag in request.tags))
    ]
    if not chosen:
        _refuse_unmatched("matches the patterns and has the tags", [each.name for each, _ in operations])
    return chosen


def _matches(operation: ApiOperation, tool: str, pattern: str) -> bool:
    return any(fnmatchcase(each, pattern) for each in (operation.name, tool, operation.path))


def _refuse_unmatched(what: str, known: Iterable[str]) -> NoReturn:
    listed = list(known)
    more = f" and {len(listed) - _MAX_SHOWN} more" if len(listed) > _MAX_SHOWN else ""
    raise InputError(
        f"No operation of the document {what}.", next_step=f"There are: {', '.join(listed[:_MAX_SHOWN])}{more}."
    )


def _named_secret(secrets: Mapping[str, NamedSecret], request: OpenApiRequest) -> NamedSecret | None:
    """The user's secret that the request names. Raises NotFoundError."""
    if request.secret is None:
        return None
    found = next((each for each in secrets.values() if each.name == request.secret), None)
    if found is None:
        raise NotFoundError(f"You have no secret named {request.secret!r}.", next_step=NextStep("secrets.list"))
    return found


def _of_one_protocol(
    chosen: list[tuple[ApiOperation, str]],
) -> tuple[list[tuple[ApiOperation, str]], list[SkippedOperation]]:
    """The operations whose requests go over the protocol of the first one: a service has one; and the others."""
    protocol = chosen[0][0].protocol
    usable = [(each, tool) for each, tool in chosen if each.protocol == protocol]
    skipped = [
        SkippedOperation(each.name, each.pointer, f"it is at {each.endpoint}, and the service at {protocol}")
        for each, _ in chosen
        if each.protocol != protocol
    ]
    return usable, skipped
