"""TLS contexts of clients: trusted authorities, client certificates, and advice for TLS errors."""

import os
import ssl
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import httpx2

from aeon.base.json import JsonObject
from aeon.platform.catalog.operations import OperationError
from aeon.platform.vault import SecretValue

_OPEN_FILES = Path("/proc/self/fd")

_TRUST_ADVICE = "If you trust it, set the connection's `caCertificate` to the authority's certificate in PEM."
_NAME_ADVICE = "Use a name or address in the endpoint that is in the certificate."
_CERTIFICATE_ADVICE = {
    9: "The certificate is not valid yet: check this machine's clock.",
    10: "Ask the service's operator to renew its certificate, and check this machine's clock.",
    18: _TRUST_ADVICE,
    19: _TRUST_ADVICE,
    20: _TRUST_ADVICE,
    21: _TRUST_ADVICE,
    62: _NAME_ADVICE,
    64: _NAME_ADVICE,
}
"""By OpenSSL's X509_V_ERR codes: not yet valid, expired, issuer not trusted, another host or address."""
_TLS_ADVICE = "Check whether the service uses TLS on this port, and whether it requires a client certificate."


def client_context(scheme: str, connection: JsonObject, secret: SecretValue | None) -> ssl.SSLContext:
    """Return the TLS context of a client for one peer.

    All clients of the process share contexts, since reading the public authorities takes about 25 ms. If `scheme` needs
    no TLS, the context reads nothing and trusts nobody. The connection's `caCertificate` in PEM replaces the public
    authorities, for this connection only. A secret of type certificate is presented to the peer, from a separate
    context that is not shared. Raises OperationError if a certificate cannot be used.
    """
    if scheme != "https":
        return _empty_context()
    authority, own = _authority(connection), secret.reveal() if is_certificate(secret) and secret else None
    if own is None:
        return _shared_context(authority)
    context = _context_trusting(authority)
    _load_client_certificate(context, f"{own['certificate']}\n{own['private_key']}\n")
    return context


def is_certificate(secret: SecretValue | None) -> bool:
    """Return whether the secret is a client certificate, presented in the TLS handshake and not in a header."""
    return secret is not None and "certificate" in secret.reveal()


class TlsFault(NamedTuple):
    """Why TLS with a peer failed, and what to do about it."""

    problem: str
    advice: str


def tls_fault(error: BaseException) -> TlsFault | None:
    """Return the TLS fault behind a client's error; None if the cause is not TLS."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        advice = _CERTIFICATE_ADVICE.get(cause.verify_code, "Ask the service's operator to correct its certificate.")
        return TlsFault(f"its certificate was refused: {cause.verify_message.rstrip('.')}", advice)
    if cause is not None:
        return TlsFault(f"TLS failed ({cause.reason or type(cause).__name__})", _TLS_ADVICE)
    return None


def require_tls(scheme: str, secret: SecretValue | None) -> None:
    """Raise OperationError for a client certificate without https, where it would not be presented."""
    if is_certificate(secret) and scheme != "https":
        raise OperationError("a client certificate needs https", next_step="Use an endpoint that begins with https://.")


@lru_cache(maxsize=1)
def _empty_context() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@lru_cache(maxsize=64)
def _shared_context(authority: str | None) -> ssl.SSLContext:
    """Return a context for HTTP/1.1 that clients cannot change.

    A client sets the protocol again before each connection. OpenSSL then frees the old setting, while another thread
    may be copying it for its connection.
    """
    context = _context_trusting(authority)
    context.set_alpn_protocols(["http/1.1"])
    context.set_alpn_protocols = _ignore_protocols
    return context


def _ignore_protocols(alpn_protocols: Iterable[str]) -> None:
    """Ignore the protocols: they are already set."""


def _authority(connection: JsonObject) -> str | None:
    authority = connection.get("caCertificate")
    if authority is None or (isinstance(authority, str) and authority):  # "" would mean the public authorities
        return authority
    raise _unreadable_authority()


def _context_trusting(authority: str | None) -> ssl.SSLContext:
    if authority is None:
        return _trusting_public_authorities()
    try:
        return ssl.create_default_context(cadata=authority)
    except (ssl.SSLError, ValueError):
        raise _unreadable_authority() from None


def _trusting_public_authorities() -> ssl.SSLContext:
    """Return a context with the system's authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR."""
    try:
        return httpx2.create_ssl_context()
    except OSError as error:  # SSLError is one
        raise OperationError(
            f"the certificate authorities cannot be read: {error}", next_step="Correct SSL_CERT_FILE or SSL_CERT_DIR."
        ) from None


def _unreadable_authority() -> OperationError:
    return OperationError(
        "the connection's caCertificate is not a certificate in PEM",
        next_step="Use the text of the file, from its BEGIN to its END line.",
    )


def _load_client_certificate(context: ssl.SSLContext, chain: str) -> None:
    with _in_memory_file(chain.encode()) as path:
        try:
            context.load_cert_chain(path)
        except ssl.SSLError:
            raise OperationError(
                "the secret's certificate and private key do not belong together", next_step="Rotate the secret."
            ) from None


@contextmanager
def _in_memory_file(content: bytes) -> Generator[str]:
    """Yield a path to the content, as the ssl module needs one; in memory if the system can (platform 3)."""
    if not hasattr(os, "memfd_create") or not _OPEN_FILES.exists():
        with tempfile.NamedTemporaryFile("wb", buffering=0) as file:  # 0600, gone at the end
            file.write(content)
            yield file.name
        return
    number = os.memfd_create("aeon", os.MFD_CLOEXEC)
    with os.fdopen(number, "wb", buffering=0) as file:
        file.write(content)
        yield str(_OPEN_FILES / str(number))
