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
    choice = _Choice(request)
    choice.check(api)
    left_out = [each for each in api.skipped if choice.has(each)]
    if not any(choice.has(each) for each in api.operations):
        raise _no_operation_error(left_out)
    catalog = platform.catalog
    name = request.name or api.service
    service = catalog.services.find_own(user, name)
    own_tools = catalog.tools.list_own(user, limit=_MAX_OWN)
    existing = {tool.name: tool for tool in own_tools if service is not None and tool.service_id == service.id}
    taken = {tool.name for tool in own_tools} - existing.keys() | set(names_of_built_in_tools())
    names = unique_names([each.plain_name for each in api.operations], name, taken)
    chosen = [(each, tool) for each, tool in zip(api.operations, names, strict=True) if choice.has(each)]
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
        [*left_out, *skipped],
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


def _no_operation_error(skipped: Sequence[SkippedOperation]) -> OpenApiError:
    """The error for a document of which nothing that is wanted can be a tool; it lists the reasons."""
    if not skipped:
        return OpenApiError("The document has no operation to import.")
    listed = "".join(f"\n  {each}" for each in skipped[:_MAX_SHOWN])
    return OpenApiError(f"None of the operations can be a tool:{listed}\n", problems=[str(each) for each in skipped])


class _Choice:
    """Which operations of a document are wanted: all, or those that match a pattern and have a tag of those given."""

    def __init__(self, request: OpenApiRequest) -> None:
        self._only = request.only
        self._tags = request.tags

    def check(self, api: Api) -> None:
        """Raise InputError for a pattern that matches nothing, and for a tag that nothing has."""
        found = [*api.operations, *api.skipped]
        for pattern in self._only:
            if not any(_matches(each, pattern) for each in found):
                _refuse_unmatched(f"matches {pattern!r}", [each.name for each in found])
        for tag in self._tags:
            if not any(tag in each.tags for each in found):
                _refuse_unmatched(f"has the tag {tag!r}", dict.fromkeys(tag for each in found for tag in each.tags))

    def has(self, operation: ApiOperation | SkippedOperation) -> bool:
        """Whether an operation is wanted."""
        is_named = not self._only or any(_matches(operation, pattern) for pattern in self._only)
        return is_named and (not self._tags or any(tag in operation.tags for tag in self._tags))


def _matches(operation: ApiOperation | SkippedOperation, pattern: str) -> bool:
    return fnmatchcase(operation.name, pattern) or fnmatchcase(operation.path, pattern)


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
        SkippedOperation(
            each.name, each.path, each.tags, each.pointer, f"it is at {each.endpoint}, and the service at {protocol}"
        )
        for each, _ in chosen
        if each.protocol != protocol
    ]
    return usable, skipped
