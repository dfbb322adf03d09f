"""What the value of each type of secret holds. Problems name fields of the type and never repeat what was given."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from aeon.adapters.vault.requirements import require_cryptography
from aeon.base.json import Json, JsonObject
from aeon.platform.vault import SecretKey, SecretType

MAX_CHARACTERS = 65_536
"""Of one field; a chain of certificates has a tenth."""

_MAX_VERSION = 2**63 - 1
_REFRESH_FIELDS = ("token_url", "client_id")
"""What a refresh token is of no use without."""

_LOCAL = ("localhost", "127.0.0.1", "::1")


class SecretFields(NamedTuple):
    """The fields of a type of secret, in the order in which they are named."""

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
        ("access_token",), ("refresh_token", "token_url", "client_id", "client_secret", "expires_at")
    ),
}


def key_problems(key: SecretKey) -> list[str]:
    """What keeps a SecretKey from naming anything. Its parts are no secret and may be shown."""
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
    """Whether a secret of this id and version, or any version, could be in a vault at all."""
    return _is_id(secret_id) and (version is None or _is_version(version))


def value_problems(kind: SecretType, value: Json) -> list[str]:
    """All that keeps `value` from being a secret of this type; empty when nothing does."""
    if not isinstance(value, dict):
        return ["it must be an object of strings"]
    given = cast(JsonObject, value)
    fields = FIELDS[kind]
    sound = {name: given[name] for name in fields.all if name in given and not [*_field_problems(name, given[name])]}
    return [*_shape_problems(kind, given), *_token_problems(sound), *_certificate_problems(sound)]


def _shape_problems(kind: SecretType, value: JsonObject) -> Iterator[str]:
    fields = FIELDS[kind]
    required = fields.required + (_REFRESH_FIELDS if "refresh_token" in value and kind == "oauth_token" else ())
    yield from (f"{name} is missing" for name in required if name not in value)
    for name in fields.all:
        if name in value:
            yield from _field_problems(name, value[name])
    # Not by name: somebody may have put the secret itself where a field's name belongs.
    strangers = len(value.keys() - set(fields.all))
    if strangers:
        yield f"{strangers} field{'s' if strangers > 1 else ''} it does not have"


def _field_problems(name: str, text: Json) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"{name} must be a string"
    elif not text:
        yield f"{name} is empty"
    elif len(text) > MAX_CHARACTERS:
        yield f"{name} is longer than {MAX_CHARACTERS} characters"


def _token_problems(sound: JsonObject) -> Iterator[str]:
    if "token_url" in sound and not _is_safe_url(sound["token_url"]):
        yield "token_url must be an https address, or http on this machine"
    if "expires_at" in sound and not _is_instant(sound["expires_at"]):
        yield "expires_at must be an instant in ISO 8601 with its offset, like 2026-01-31T12:00:00Z"


def _certificate_problems(sound: JsonObject) -> Iterator[str]:
    if not sound.keys() & {"certificate", "private_key"}:
        return
    require_cryptography()
    from aeon.adapters.vault.pem import certificate_public_key, is_encrypted, private_key_public_key

    outer, inner = (
        certificate_public_key(sound.get("certificate", "")),
        private_key_public_key(sound.get("private_key", "")),
    )
    if outer is None and "certificate" in sound:
        yield "certificate is not a certificate in PEM"
    if inner is None and "private_key" in sound:
        if is_encrypted(sound["private_key"]):
            yield "private_key asks for a passphrase; take it off with `openssl pkey`, the vault encrypts it anyway"
        else:
            yield "private_key is not a private key in PEM"
    if outer is not None and inner is not None and outer != inner:
        yield "certificate and private_key do not belong together"


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
