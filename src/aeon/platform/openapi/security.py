"""Finds which secret an operation needs, and where it goes, from the document's security schemes."""

import re
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.openapi.document import DocumentPart, OpenApiDocument, UnsupportedError
from aeon.platform.openapi.texts import bounded_text
from aeon.platform.vault import SecretType

HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
OWN_HEADERS: Final = frozenset(
    {"accept", "content-type", "authorization", "host", "content-length", "transfer-encoding", "connection"}
    | {"cookie", "te", "trailer", "upgrade", "expect"}
)
"""Headers that a request gets from Aeon: parameters of these names mean nothing (OpenAPI 3.1, Parameter Object)."""

_BEARER: Final[tuple[SecretType, ...]] = ("api_key", "oauth_token")


class SecurityScheme(NamedTuple):
    """A way in which an operation takes a secret: the types of secrets that fit, and where the secret goes.

    `connection` are the tool's connection parameters for it. `place` says where it goes, in words. `parameter` is its
    header or query parameter: where and under which name.
    """

    types: tuple[SecretType, ...]
    connection: JsonObject
    place: str
    parameter: tuple[str, str] = ("header", "authorization")


class Security(NamedTuple):
    """The schemes of which an operation needs one; `is_optional` if it also works without."""

    schemes: tuple[SecurityScheme, ...] = ()
    is_optional: bool = True


def security_of(document: OpenApiDocument, operation: DocumentPart) -> Security:
    """The schemes of an operation. Raises UnsupportedError if it needs one that Aeon does not have."""
    own = operation.inner("security")
    requirements = list((document.root.inner("security") if own.value is None else own).items())
    found: list[SecurityScheme] = []
    reasons: list[UnsupportedError] = []
    for requirement in requirements:
        try:
            found += _required(document, requirement)
        except UnsupportedError as error:
            reasons.append(error)
    is_optional = not requirements or any(not each.object() for each in requirements)
    if reasons and not found and not is_optional:
        raise reasons[0]
    distinct = (each for position, each in enumerate(found) if each not in found[:position])
    return Security(tuple(distinct), is_optional)


def _required(document: OpenApiDocument, requirement: DocumentPart) -> list[SecurityScheme]:
    """The scheme of one requirement, none for an empty one. Raises UnsupportedError."""
    names = list(requirement.object())
    if len(names) > 1:
        raise UnsupportedError(requirement.pointer, f"it needs {len(names)} credentials at once: {', '.join(names)}")
    return [_scheme(document, name, requirement.pointer) for name in names]


def _scheme(document: OpenApiDocument, name: str, pointer: str) -> SecurityScheme:
    scheme = document.resolve(document.root.inner("components").inner("securitySchemes").inner(name))
    kind = scheme.inner("type").text()
    match kind, scheme.inner("scheme").text().lower():
        case "apiKey", _:
            return _api_key(scheme)
        case "http", "bearer":
            return SecurityScheme(_BEARER, {}, "as a bearer token in the header Authorization")
        case "http", "basic":
            return SecurityScheme(("password",), {}, "as user name and password in the header Authorization")
        case (("oauth2" | "openIdConnect"), _):
            return SecurityScheme(("oauth_token",), {}, f"as an OAuth token{_token_server(scheme)}")
        case "mutualTLS", _:
            return SecurityScheme(("certificate",), {}, "as a client's certificate", ("", ""))
        case "http", other:
            raise UnsupportedError(scheme.pointer, f"it needs HTTP authentication of the kind {other!r}")
        case "", _:
            raise UnsupportedError(pointer, f"the document does not say what {name!r} is")
        case _:
            raise UnsupportedError(scheme.pointer, f"it needs a credential of the unknown type {kind!r}")


def _api_key(scheme: DocumentPart) -> SecurityScheme:
    name = bounded_text(scheme.inner("name").value, 100)
    match scheme.inner("in").text():
        case "header" if name.lower() == "authorization":
            return SecurityScheme(("api_key",), {"authPrefix": ""}, "as it is in the header Authorization")
        case "header" if HEADER.fullmatch(name) and name.lower() not in OWN_HEADERS:
            return SecurityScheme(("api_key",), {"authHeader": name}, f"in the header {name}", ("header", name.lower()))
        case "query" if name:
            return SecurityScheme(("api_key",), {"authQuery": name}, f"in the query parameter {name}", ("query", name))
        case "cookie" if HEADER.fullmatch(name):
            connection: JsonObject = {"authHeader": "Cookie", "authPrefix": f"{name}="}
            return SecurityScheme(("api_key",), connection, f"in the cookie {name}", ("cookie", name))
        case place:
            raise UnsupportedError(scheme.pointer, f"its key cannot go to {name!r} in {place!r}")


def _token_server(scheme: DocumentPart) -> str:
    """Where the first token comes from, in words."""
    flows = [flow.inner("tokenUrl").text() for _, flow in scheme.inner("flows").fields()]
    address = next((bounded_text(each, 200) for each in flows if each), "")
    return f" from {address}" if address else ""
