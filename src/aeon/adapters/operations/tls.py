"""How TLS is spoken with a peer: whose certificates are trusted, and the client certificate that is presented."""

import os
import ssl
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import OperationError
from aeon.platform.vault import Revealed

_OPEN_FILES = Path("/proc/self/fd")


def verification(connection: JsonObject, secret: Revealed | None) -> ssl.SSLContext | bool:
    """What a client's `verify` is: True is the usual trust, without a certificate of one's own.

    The connection's `caCertificate` in PEM is trusted in place of the public authorities, for this connection alone; a
    secret of type certificate is presented to the peer. Raises OperationError where either cannot be used.
    """
    authority, own = connection.get("caCertificate"), secret.reveal() if is_certificate(secret) and secret else None
    if authority is None and own is None:
        return True
    context = _trusting(authority)
    if own is not None:
        _present(context, f"{own['certificate']}\n{own['private_key']}\n")
    return context


def is_certificate(secret: Revealed | None) -> bool:
    """Whether the secret is shown in the TLS handshake and in no header."""
    return secret is not None and "certificate" in secret.reveal()


def require_tls(scheme: str, secret: Revealed | None) -> None:
    """Raises OperationError for a client certificate where nothing would ask for it."""
    if is_certificate(secret) and scheme != "https":
        raise OperationError(
            "a certificate is presented over https alone", next_step="Give an endpoint that begins with https://."
        )


def _trusting(authority: object) -> ssl.SSLContext:
    if authority is None:
        return httpx2.create_ssl_context(trust_env=False)
    try:
        if isinstance(authority, str) and authority:  # an empty one would mean the public authorities
            return ssl.create_default_context(cadata=authority)
    except (ssl.SSLError, ValueError):
        pass
    raise OperationError(
        "the connection's caCertificate is no certificate in PEM",
        next_step="Give the text of the file, from its BEGIN to its END line.",
    )


def _present(context: ssl.SSLContext, chain: str) -> None:
    with _as_file(chain.encode()) as path:
        try:
            context.load_cert_chain(path)
        except ssl.SSLError:
            raise OperationError(
                "the secret's certificate and private key cannot be used together", next_step="Rotate the secret."
            ) from None


@contextmanager
def _as_file(content: bytes) -> Generator[str]:
    """A path to the content, as the ssl module wants one, on no disk where the system can do so (platform 3)."""
    if not hasattr(os, "memfd_create") or not _OPEN_FILES.exists():
        with tempfile.NamedTemporaryFile("wb", buffering=0) as file:  # 0600, gone at the end
            file.write(content)
            yield file.name
        return
    number = os.memfd_create("aeon", os.MFD_CLOEXEC)
    with os.fdopen(number, "wb", buffering=0) as file:
        file.write(content)
        yield str(_OPEN_FILES / str(number))
