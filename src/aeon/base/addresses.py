"""Which addresses may get a secret, judged by their text alone."""

from typing import Final, TypeGuard
from urllib.parse import urlsplit

from aeon.base.json import Json

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def is_safe_address(address: Json) -> TypeGuard[str]:
    """Whether secrets may be sent to an address: by https, or within this machine."""
    if not isinstance(address, str):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )
