"""Reads the text of an OpenAPI document, checks its form, and resolves references inside it."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, NamedTuple, cast
from urllib.parse import unquote

from aeon.base.errors import InputError
from aeon.base.json import MAX_DEPTH, Json, JsonObject, parse_strict
from aeon.plan.yaml import load_yaml

MAX_CHARACTERS: Final = 20_000_000
_MAX_REFERENCES = 50
"""References that may lead to one another before something is found."""

_MAX_DIGITS = 10
"""A number with more digits is not a position in a list."""

_MAX_SHOWN = 50

METHODS: Final = ("get", "head", "post", "put", "patch", "delete", "options", "trace")
"""The fields of a path that are operations."""


class OpenApiError(InputError):
    """The OpenAPI document cannot be imported; nothing was changed."""

    next_step = "Correct the document and import it again."


class UnsupportedError(Exception):
    """A part of the document cannot become a tool or a part of one: its place, a JSON pointer, and the reason."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(reason)
        self.pointer = pointer
        self.reason = reason


class DocumentPart(NamedTuple):
    """A value of the document and its place, a JSON pointer."""

    value: Json
    pointer: str

    def inner(self, key: str | int) -> "DocumentPart":
        """A field or an item of it; its value is None if there is none."""
        text, items = str(key), self._list()
        is_position = text.isascii() and text.isdigit() and len(text) < _MAX_DIGITS and int(text) < len(items)
        value = items[int(text)] if is_position else self.object().get(text)
        return DocumentPart(value, f"{self.pointer}/{pointer_part(text)}")

    @property
    def is_object(self) -> bool:
        """Whether it is an object."""
        return isinstance(self.value, dict)

    def object(self) -> JsonObject:
        """The fields of it; none if it is not an object."""
        value: Json = self.value
        return cast(JsonObject, value) if isinstance(value, dict) else {}

    def fields(self) -> "Iterator[tuple[str, DocumentPart]]":
        """Each field's name and value; none if it is not an object."""
        yield from ((key, self.inner(key)) for key in self.object())

    def items(self) -> "Iterator[DocumentPart]":
        """Each item; none if it is not a list."""
        yield from (self.inner(number) for number in range(len(self._list())))

    def text(self) -> str:
        """It, if it is a text; else an empty one."""
        return self.value if isinstance(self.value, str) else ""

    def _list(self) -> list[Json]:
        value: Json = self.value
        return cast("list[Json]", value) if isinstance(value, list) else []


def pointer_part(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


class OpenApiDocument:
    """An OpenAPI document whose form is checked."""

    def __init__(self, root: JsonObject) -> None:
        self.root = DocumentPart(root, "")

    @property
    def title(self) -> str:
        """The title of the API."""
        return self.root.inner("info").inner("title").text()

    def resolve(self, at: DocumentPart) -> DocumentPart:
        """What a reference leads to; what is not a reference as it is. Raises UnsupportedError."""
        found = at
        for _ in range(_MAX_REFERENCES):
            reference = found.object().get("$ref")
            if not isinstance(reference, str):
                return found
            found = self.find(reference, found.pointer)
        raise UnsupportedError(at.pointer, "its references lead to one another")

    def find(self, reference: str, pointer: str) -> DocumentPart:
        """What a reference at that place leads to. Raises UnsupportedError, and opens nothing outside the document."""
        if not reference.startswith("#"):
            raise UnsupportedError(pointer, f"it refers to {reference[:200]}, which is outside the document")
        found = self.root
        for part in unquote(reference.removeprefix("#")).split("/")[1:]:
            found = found.inner(part.replace("~1", "/").replace("~0", "~"))
        if found.value is None or (reference != "#" and not reference.startswith("#/")):
            raise UnsupportedError(pointer, f"it refers to {reference[:200]}, which the document does not have")
        return found


def read_document(text: str) -> OpenApiDocument:
    """Return the document in a text of JSON or YAML. Raises OpenApiError with every fault and its JSON pointer."""
    if len(text) > MAX_CHARACTERS:
        raise OpenApiError(f"The document has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read.")
    root = _parsed(text)
    if not isinstance(root, dict):
        raise OpenApiError("The text is not an OpenAPI document: it is not an object.")
    version = cast(JsonObject, root).get("openapi")
    if "swagger" in root:
        raise OpenApiError(
            "The document is in the older format Swagger 2.0.",
            next_step="Convert it to OpenAPI 3 first, with the program that made it or with a converter.",
        )
    if version is None:
        raise OpenApiError("The text is not an OpenAPI document: it has no `openapi`, which gives the version.")
    if not isinstance(version, str) or not version.startswith(("3.0.", "3.1.")):
        raise OpenApiError(f"/openapi: the version is {version!r}; 3.0 and 3.1 can be read.")
    raise_faults(list(_faults(DocumentPart(root, ""))))
    return OpenApiDocument(cast(JsonObject, root))


def raise_faults(faults: list[str]) -> None:
    """Raise OpenApiError if there are any faults, each with its place."""
    if faults:
        shown = "\n".join(f"  {fault}" for fault in faults[:_MAX_SHOWN])
        more = f"\n  ... and {len(faults) - _MAX_SHOWN} more" if len(faults) > _MAX_SHOWN else ""
        raise OpenApiError(f"{len(faults)} fault(s) in the document:\n{shown}{more}\n", problems=list[Json](faults))


def _parsed(text: str) -> Json:
    try:
        return _plain(parse_strict(text) if text.lstrip().startswith("{") else load_yaml(text), 0)
    except ValueError as error:
        raise OpenApiError(f"The text is neither JSON nor YAML that can be read: {error}.") from None


def _plain(value: object, depth: int) -> Json:
    """The value with texts for the keys and dates that YAML reads. Raises ValueError if it is nested too deeply."""
    if depth > MAX_DEPTH:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in cast("list[object]", value)]
    return value.isoformat() if isinstance(value, date) else value


_TYPES: Final[Mapping[str, type]] = {"an object": dict, "a list": list, "a text": str}


def _faults(root: DocumentPart) -> Iterator[str]:
    """Every fault of form in what an import reads."""
    yield from _expect(root.inner("info"), "an object", is_required=True)
    yield from _expect(root.inner("info").inner("title"), "a text", is_required=root.inner("info").is_object)
    yield from _expect(root.inner("components"), "an object")
    yield from _expect(root.inner("components").inner("securitySchemes"), "an object")
    yield from _server_faults(root)
    yield from _security_faults(root)
    is_newer = root.inner("openapi").text().startswith("3.1")
    yield from _expect(root.inner("paths"), "an object", is_required=not is_newer)
    for path, at in root.inner("paths").fields():
        if not path.startswith("x-"):
            if not path.startswith("/"):
                yield f"{at.pointer}: a path must begin with /"
            yield from _path_faults(at)


def _path_faults(at: DocumentPart) -> Iterator[str]:
    yield from _expect(at, "an object", is_required=True)
    yield from _shared_faults(at)
    for method in METHODS:
        if method in at.object():
            operation = at.inner(method)
            yield from _expect(operation, "an object", is_required=True)
            yield from _shared_faults(operation)
            yield from _security_faults(operation)
            yield from _expect(operation.inner("operationId"), "a text")
            yield from _expect(operation.inner("tags"), "a list")
            yield from _expect(operation.inner("requestBody"), "an object")
            yield from _expect(operation.inner("responses"), "an object")


def _shared_faults(at: DocumentPart) -> Iterator[str]:
    """The faults in what paths and operations both have."""
    yield from _expect(at.inner("parameters"), "a list")
    for parameter in at.inner("parameters").items():
        yield from _expect(parameter, "an object", is_required=True)
        if parameter.is_object and "$ref" not in parameter.object():
            yield from _expect(parameter.inner("name"), "a text", is_required=True)
            yield from _expect(parameter.inner("in"), "a text", is_required=True)
    yield from _server_faults(at)


def _server_faults(at: DocumentPart) -> Iterator[str]:
    yield from _expect(at.inner("servers"), "a list")
    for server in at.inner("servers").items():
        yield from _expect(server, "an object", is_required=True)
        yield from _expect(server.inner("url"), "a text", is_required=server.is_object)
        yield from _expect(server.inner("variables"), "an object")


def _security_faults(at: DocumentPart) -> Iterator[str]:
    yield from _expect(at.inner("security"), "a list")
    for requirement in at.inner("security").items():
        yield from _expect(requirement, "an object", is_required=True)


def _expect(at: DocumentPart, wanted: str, *, is_required: bool = False) -> Iterator[str]:
    if at.value is None:
        if is_required:
            yield f"{at.pointer}: {wanted} is missing here"
    elif not isinstance(at.value, _TYPES[wanted]):
        yield f"{at.pointer}: this must be {wanted}"
