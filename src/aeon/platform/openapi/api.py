"""Reads what an OpenAPI document offers: operations that can be tools, and those that cannot, with the reason."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.operations import RestRequest
from aeon.platform.errors import RuleError
from aeon.platform.openapi.document import (
    METHODS,
    DocumentPart,
    OpenApiDocument,
    OpenApiError,
    UnsupportedError,
    read_document,
)
from aeon.platform.openapi.pages import PageForm, page_form_of
from aeon.platform.openapi.requests import RequestBuilder
from aeon.platform.openapi.responses import response_of
from aeon.platform.openapi.security import Security, security_of
from aeon.platform.openapi.servers import NoHostError, checked_endpoint, endpoint_of
from aeon.platform.openapi.texts import bounded_text, service_name, tool_name

_WORDS = re.compile(r"[A-Za-z0-9.-]+")
_LONGEST_DESCRIPTION = 1000
_MAX_OPERATIONS = 5000
_SENT_METHODS: Final = frozenset({"get", "head", "post", "put", "patch", "delete"})


class ApiOperation(NamedTuple):
    """An operation that can be a tool.

    `name` is its name as the document has it, `plain_name` as a tool may be called. `operation` is the tool's operation
    without pagination; `notes` say what of the operation the tool does not have.
    """

    name: str
    plain_name: str
    method: str
    path: str
    pointer: str
    tags: tuple[str, ...]
    endpoint: str
    security: Security
    description: str
    operation: JsonObject
    input_schema: JsonObject
    output_schema: JsonObject
    pages: PageForm | None
    notes: tuple[str, ...]

    @property
    def protocol(self) -> str:
        """Http or https."""
        return self.endpoint.partition(":")[0]


class SkippedOperation(NamedTuple):
    """An operation that cannot be a tool: how it is called, its place or that of what is missing, and the reason."""

    name: str
    path: str
    tags: tuple[str, ...]
    pointer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason} ({self.pointer})"

    def as_dict(self) -> JsonObject:
        """As JSON data."""
        return {"name": self.name, "pointer": self.pointer, "reason": self.reason}


class Api(NamedTuple):
    """What a document offers. All operations stand in the order of the document."""

    title: str
    service: str
    operations: tuple[ApiOperation, ...]
    skipped: tuple[SkippedOperation, ...]


def read_api(text: str, *, address: str | None = None, server: str | None = None) -> Api:
    """Return what the document in a text offers.

    `address` is where the document is from, if it is from the web; `server` replaces the servers that it names. Raises
    OpenApiError with every fault of the document, and if its servers have no host.
    """
    document = read_document(text)
    if server is not None:
        _require_address(server)
    else:
        _require_host(document, address)
    found = list(_operations(document, address, server))
    operations = tuple(each for each in found if isinstance(each, ApiOperation))
    skipped = [each for each in found if isinstance(each, SkippedOperation)]
    for name, _ in document.root.inner("webhooks").fields():
        pointer, shown = document.root.inner("webhooks").inner(name).pointer, bounded_text(name, 200)
        skipped.append(SkippedOperation(shown, shown, (), pointer, "it is a webhook: the service calls you"))
    return Api(bounded_text(document.title, 200), service_name(document.title), operations, tuple(skipped))


def _require_address(server: str) -> None:
    try:
        checked_endpoint(server, "")
    except UnsupportedError as error:
        raise OpenApiError(f"The server cannot be used: {error.reason}.", next_step="Correct its address.") from None


def _require_host(document: OpenApiDocument, address: str | None) -> None:
    """Raise OpenApiError if the server of the document has no host; its other faults are those of operations."""
    try:
        endpoint_of(document.root.inner("servers"), address)
    except NoHostError as error:
        raise OpenApiError(
            f"{error.pointer}: {error.reason}, so the document does not say where its service is.",
            next_step="Name the address, such as https://api.example.com/v1, as the server.",
        ) from None
    except UnsupportedError:
        return


def _operations(
    document: OpenApiDocument, address: str | None, server: str | None
) -> Iterator[ApiOperation | SkippedOperation]:
    count = 0
    for path, at in document.root.inner("paths").fields():
        if not path.startswith("/"):
            continue
        try:
            path_item = document.resolve(at)
        except UnsupportedError as error:
            yield SkippedOperation(bounded_text(path, 200), path, (), error.pointer, error.reason)
            continue
        for method in (name for name in METHODS if name in path_item.object()):
            count += 1
            if count > _MAX_OPERATIONS:
                raise OpenApiError(f"The document has more than {_MAX_OPERATIONS:,} operations.")
            yield _OperationReader(document, path, method, path_item, address, server).read()


class _OperationReader:
    def __init__(
        self,
        document: OpenApiDocument,
        path: str,
        method: str,
        path_item: DocumentPart,
        address: str | None,
        server: str | None,
    ) -> None:
        self._document = document
        self._path = path
        self._method = method
        self._path_item = path_item
        self._at = path_item.inner(method)
        self._address = address
        self._server = server

    def read(self) -> ApiOperation | SkippedOperation:
        """The operation, or why it cannot be a tool."""
        name = bounded_text(self._at.inner("operationId").value, 200)
        shown = name or bounded_text(f"{self._method.upper()} {self._path}", 200)
        try:
            return self._read(shown, name or "_".join([self._method, *_WORDS.findall(self._path)]))
        except UnsupportedError as error:
            return SkippedOperation(shown, self._path, self._tags(), error.pointer, error.reason)

    def _read(self, shown: str, name: str) -> ApiOperation:
        if self._method not in _SENT_METHODS:
            raise UnsupportedError(self._at.pointer, f"a tool cannot send {self._method.upper()}")
        security = security_of(self._document, self._at)
        builder = RequestBuilder(self._document, self._path, self._path_item, self._at)
        request = builder.build(security.schemes)
        response = response_of(self._document, self._at)
        operation: JsonObject = {"type": "rest_request", "method": self._method.upper(), **request.operation}
        if response.accept is not None:
            operation["headers"] = {"Accept": response.accept, **operation.get("headers", {})}
        self._check(operation)
        query: dict[str, Json] = operation.get("query", {})
        is_read = self._method == "get"
        return ApiOperation(
            shown,
            tool_name(name),
            self._method.upper(),
            self._path,
            self._at.pointer,
            self._tags(),
            self._endpoint(),
            security,
            self._description(shown),
            operation,
            request.input_schema,
            response.output_schema,
            page_form_of(self._document, self._at, frozenset(query)) if is_read else None,
            (*request.notes, *response.notes),
        )

    def _tags(self) -> tuple[str, ...]:
        return tuple(each.text() for each in self._at.inner("tags").items())

    def _check(self, operation: JsonObject) -> None:
        """Raise UnsupportedError for an operation that a tool cannot have, such as one whose path is too long."""
        try:
            RestRequest.parsed(operation)
        except RuleError as error:
            raise UnsupportedError(self._at.pointer, bounded_text(error.message, 300)) from None

    def _endpoint(self) -> str:
        """The server of the operation, else that of its path, else that of the document; `server` wins over all."""
        if self._server is not None:
            return self._server.rstrip("/")
        owners = (self._at, self._path_item, self._document.root)
        owner = next((each for each in owners if each.inner("servers").value), self._document.root)
        return endpoint_of(owner.inner("servers"), self._address)

    def _description(self, shown: str) -> str:
        """What the document says of the operation, as a text of bounded length; its path if it says nothing."""
        summary, description = (
            bounded_text(self._at.inner(word).value, _LONGEST_DESCRIPTION) for word in ("summary", "description")
        )
        if description.startswith(summary):
            summary = ""
        heading = f"{summary}." if summary and description and summary[-1].isalnum() else summary
        text = f"{heading} {description}".strip() or shown
        return bounded_text(
            f"Deprecated. {text}" if self._at.inner("deprecated").value is True else text, _LONGEST_DESCRIPTION
        )
