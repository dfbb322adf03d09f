"""Checks the signatures of events: HMAC-SHA256 over the raw bytes, as three kinds of senders make it. Pure.

Sources: Standard Webhooks 1.0.0 (standardwebhooks.com), "Validating webhook deliveries" of GitHub's documentation,
"Verify webhook signatures manually" of Stripe's.
"""

import base64
import hmac
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final, NamedTuple

from aeon.base.json import JsonObject
from aeon.platform.webhooks.model import SigningScheme

TOLERANCE: Final = 300
"""Seconds by which the time of an event may differ from this machine's."""

MIN_SECRET: Final = 16
"""The fewest bytes of a signing secret."""

_PREFIX: Final = "whsec_"
_MAX_SIGNATURES: Final = 16
"""Signatures of one event that are looked at."""

_ID: Final = re.compile(r"[!-~]{1,200}")
_TIME: Final = re.compile(r"[0-9]{1,12}")


class SignatureError(Exception):
    """The event is not from the sender, or not from now; the message is for the log and names nothing of the event."""


class SignedEvent(NamedTuple):
    """An event as it came: every header with its name in small letters, and the bytes that were signed."""

    headers: Sequence[tuple[str, str]]
    body: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 of the body in hex."""
        return sha256(self.body).hexdigest()

    def one(self, name: str) -> str:
        """Return the value of a header. Raises SignatureError unless the event has exactly one."""
        values = [value for each, value in self.headers if each == name]
        if len(values) != 1:
            raise SignatureError(f"it has {len(values) or 'no'} {name}")
        return values[0]


def secret_problem(scheme: SigningScheme, secret: str) -> str | None:
    """Return what is wrong with a signing secret; None if it can be used."""
    if re.search(r"\s", secret):
        return "it has blanks"
    try:
        key = _key(scheme, secret)
    except ValueError:
        return "it is not base64, with or without whsec_ before it, as Standard Webhooks has it"
    return None if len(key) >= MIN_SECRET else f"it has fewer than {MIN_SECRET} bytes"


def check_signature(scheme: SigningScheme, event: SignedEvent, secrets: Iterable[str], now: float) -> None:
    """Raise SignatureError unless one of the secrets signed the event; `now` is in seconds since 1970."""
    claim = _CLAIMS[scheme](event, now)
    try:
        keys = [_key(scheme, secret) for secret in secrets]
    except ValueError:
        raise SignatureError("its secret has another form since it was chosen") from None
    expected = [hmac.digest(key, claim.signed, "sha256") for key in keys]
    matches = [hmac.compare_digest(given, digest) for given in claim.signatures for digest in expected]
    if not any(matches):
        raise SignatureError("its signature is wrong")


def delivery_id(scheme: SigningScheme, event: SignedEvent, content: JsonObject) -> str | None:
    """Return the sender's id of an event, which is the same when it is sent again; None if it has no usable one.

    `content` is the body. GitHub's id is not signed: anyone with one signed event can send it under another id.
    """
    if scheme == "stripe":
        found = content.get("id")
    else:
        found = event.one("webhook-id" if scheme == "standard" else "x-github-delivery")
    return found if isinstance(found, str) and _ID.fullmatch(found) else None


class _Claim(NamedTuple):
    """The bytes that the sender says to have signed, and the signatures."""

    signed: bytes
    signatures: list[bytes]


def _standard_claim(event: SignedEvent, now: float) -> _Claim:
    id_, time = event.one("webhook-id"), event.one("webhook-timestamp")
    if "." in id_ or not _ID.fullmatch(id_):  # a dot would make the parts of what is signed ambiguous
        raise SignatureError("its id has other characters than an id")
    _require_recent(time, now)
    versions = [each.partition(",") for each in event.one("webhook-signature").split(" ", _MAX_SIGNATURES)]
    return _Claim(f"{id_}.{time}.".encode() + event.body, _decoded(versions, "v1", base64.b64decode))


def _github_claim(event: SignedEvent, _now: float) -> _Claim:
    named = [event.one("x-hub-signature-256").partition("=")]
    return _Claim(event.body, _decoded(named, "sha256", bytes.fromhex))


def _stripe_claim(event: SignedEvent, now: float) -> _Claim:
    fields = [each.partition("=") for each in event.one("stripe-signature").split(",", _MAX_SIGNATURES)]
    times = [value for name, _, value in fields if name == "t"]
    if len(times) != 1:
        raise SignatureError("it has not exactly one time")
    _require_recent(times[0], now)
    return _Claim(f"{times[0]}.".encode() + event.body, _decoded(fields, "v1", bytes.fromhex))


_CLAIMS: Final[dict[SigningScheme, Callable[[SignedEvent, float], _Claim]]] = {
    "standard": _standard_claim,
    "github": _github_claim,
    "stripe": _stripe_claim,
}


def _require_recent(time: str, now: float) -> None:
    if not _TIME.fullmatch(time) or abs(now - int(time)) > TOLERANCE:
        raise SignatureError(f"its time is not within {TOLERANCE} s of now")


def _decoded(fields: Iterable[tuple[str, str, str]], version: str, decode: Callable[[str], bytes]) -> list[bytes]:
    """Return the signatures of one version; what cannot be decoded is none."""
    found: list[bytes] = []
    for name, _, value in fields:
        with suppress(ValueError):
            found += [decode(value)] if name == version else []
    return found


def _key(scheme: SigningScheme, secret: str) -> bytes:
    """Return the key of a secret. Raises ValueError if it has another form."""
    if scheme != "standard":
        return secret.encode()
    return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
