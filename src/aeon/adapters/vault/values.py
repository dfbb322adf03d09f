"""Rules for the values of each type of secret.

Problems name fields of the type, and never repeat a value.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from aeon.adapters.vault.requirements import require_cryptography
from aeon.base.json import Json, JsonObject
from aeon.platform.catalog.oauth_tokens import CLIENT_CREDENTIALS
from aeon.platform.vault import SecretKey, SecretType

MAX_CHARACTERS = 65_536
"""The maximum length of a field; a certificate chain has about a tenth of it."""

_MAX_VERSION = 2**63 - 1
_REFRESH_FIELDS = ("token_url", "client_id")
"""Fields that a refresh token needs."""

_CLIENT_FIELDS = ("token_url", "client_id", "client_secret")
"""Fields that a client needs which gets its tokens itself (RFC 6749, section 4.4)."""

_GRANT_FIELDS = ("grant", "scope", "audience")
"""Fields of such a client alone."""

_LOCAL = ("localhost", "127.0.0.1", "::1")


class SecretFields(NamedTuple):
    """The fields of a type of secret, in display order."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return self.required + self.optional


FIELDS: dict[SecretType, SecretFields] = {
    "api_key": SecretFields(("key",)),
    "password": SecretFields(("username", "password")),
    "certificate": SecretFields(("certificate", "private_key")),
    "oauth_token": SecretFields(
        (),
        ("access_token", "refresh_token", "token_url", "client_id", "client_secret", "expires_at", *_GRANT_FIELDS),
    ),
}


def key_problems(key: SecretKey) -> list[str]:
    """Returns the problems of a SecretKey. Its parts are not secret and may be shown."""
    problems = [
        f"{name} must be a string of at least one character, in valid Unicode"
        for name, part in (("secret_id", key.secret_id), ("owner_id", key.owner_id))
        if not _is_id(part)
    ]
    if key.type not in tuple(FIELDS):
        problems.append(f"type must be one of {', '.join(FIELDS)}")
    if not _is_version(key.version):
        problems.append("version must be a whole number from 1")
    return problems


def is_storable(secret_id: str, version: int | None) -> bool:
    """Returns whether a vault can contain this id with this version, or any version."""
    return _is_id(secret_id) and (version is None or _is_version(version))


def value_problems(kind: SecretType, value: Json) -> list[str]:
    """Returns all problems of a value as a secret of this type."""
    if not isinstance(value, dict):
        return ["it must be an object of strings"]
    entered = cast(JsonObject, value)
    fields = FIELDS[kind]
    valid = {
        name: entered[name] for name in fields.all if name in entered and not [*_field_problems(name, entered[name])]
    }
    return [*_shape_problems(kind, entered), *_token_problems(valid), *_certificate_problems(valid)]


def _shape_problems(kind: SecretType, value: JsonObject) -> Iterator[str]:
    fields = FIELDS[kind]
    required = _token_fields(value) if kind == "oauth_token" else fields.required
    yield from (f"{name} is missing" for name in required if name not in value)
    if kind == "oauth_token":
        of_other_kind = ("refresh_token",) if "grant" in value else _GRANT_FIELDS[1:]
        yield from (
            f"{name} is of no use with{'' if 'grant' in value else 'out'} grant"
            for name in of_other_kind
            if name in value
        )
    for name in fields.all:
        if name in value:
            yield from _field_problems(name, value[name])
    # Not by name: the user may have entered the secret itself as a field's name.
    unknown = len(value.keys() - set(fields.all))
    if unknown:
        yield f"{unknown} field{'s' if unknown > 1 else ''} that its type does not have"


def _token_fields(value: JsonObject) -> tuple[str, ...]:
    """Returns the fields that an OAuth token needs: a client's own, or a token, which may be refreshable."""
    if "grant" in value:
        return _CLIENT_FIELDS
    return ("access_token", *(_REFRESH_FIELDS if "refresh_token" in value else ()))


def _field_problems(name: str, text: Json) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"{name} must be a string"
    elif not text:
        yield f"{name} is empty"
    elif len(text) > MAX_CHARACTERS:
        yield f"{name} is longer than {MAX_CHARACTERS} characters"


def _token_problems(valid: JsonObject) -> Iterator[str]:
    if "token_url" in valid and not _is_safe_url(valid["token_url"]):
        yield "token_url must be an https address, or http on this machine"
    if "grant" in valid and valid["grant"] != CLIENT_CREDENTIALS:
        yield f"grant must be {CLIENT_CREDENTIALS}"
    if "expires_at" in valid and not _is_instant(valid["expires_at"]):
        yield "expires_at must be an ISO 8601 instant with an offset, like 2026-01-31T12:00:00Z"


def _certificate_problems(valid: JsonObject) -> Iterator[str]:
    if not valid.keys() & {"certificate", "private_key"}:
        return
    require_cryptography()
    from aeon.adapters.vault.pem import certificate_public_key, is_encrypted, private_key_public_key

    certificate_key, private_public_key = (
        certificate_public_key(valid.get("certificate", "")),
        private_key_public_key(valid.get("private_key", "")),
    )
    if certificate_key is None and "certificate" in valid:
        yield "certificate is not a certificate in PEM"
    if private_public_key is None and "private_key" in valid:
        if is_encrypted(valid["private_key"]):
            yield "private_key needs a passphrase; remove it with `openssl pkey`, the vault encrypts the key anyway"
        else:
            yield "private_key is not a private key in PEM"
    if certificate_key is not None and private_public_key is not None and certificate_key != private_public_key:
        yield "certificate and private_key do not match"


def _is_safe_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL))


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_version(version: object) -> bool:
    return type(version) is int and 1 <= version <= _MAX_VERSION


def _is_id(part: object) -> bool:
    return isinstance(part, str) and bool(part) and _encodes(part)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
