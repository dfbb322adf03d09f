"""Where a server listens, under which names, and what it takes to let others than this machine in (platform 31)."""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import NamedTuple

from aeon.base.errors import ConfigError
from aeon.settings import ServerSettings

_BEYOND = "The server would listen on {host}, which other machines reach. Before that it needs:\n{missing}\n"


class ServerAddress(NamedTuple):
    """Where a server listens. `certificate` is the paths of the chain and of its key, for https.

    `proxies` are the addresses that are believed about the scheme and the address of a client.
    """

    host: str
    names: Sequence[str]
    proxies: Sequence[str]
    certificate: tuple[str, str] | None

    @property
    def is_public(self) -> bool:
        """Whether other machines reach it; then it answers https alone, and only under its names."""
        return not _is_loopback(self.host)

    def link(self, secret: str, own_name: str) -> str:
        """The link that signs a browser in; `own_name` is the server's name on this machine, with its port."""
        scheme = "https" if self.is_public or self.certificate else "http"
        return f"{scheme}://{self.names[0] if self.is_public else own_name}/#{secret}"


def checked_server_address(settings: ServerSettings) -> ServerAddress:
    """Return where the settings let a server listen.

    Raises ConfigError with everything that is missing for a server that other machines reach: a provider by which
    people sign in, a name, and https.
    """
    certificate = _certificate(settings)
    is_public = not _is_loopback(settings.host)
    if is_public and (missing := list(_missing(settings))):
        raise ConfigError(
            _BEYOND.format(host=settings.host, missing="\n".join(f"  {each}" for each in missing)),
            next_step="Set them, or listen on 127.0.0.1 behind a proxy on this machine (--name).",
            missing=list(missing),
        )
    before = ["127.0.0.1"] if settings.names and not is_public else []
    return ServerAddress(settings.host, settings.names, [*before, *settings.proxies], certificate)


def _missing(settings: ServerSettings) -> Sequence[str]:
    needed = {
        "server.oidc_issuer and server.oidc_client_id: the OpenID provider by which people sign in": (
            settings.oidc_issuer and settings.oidc_client_id
        ),
        "server.names, or --name: the names by which others ask it": settings.names,
        "server.certificate and server.certificate_key, or server.proxies with the address of a proxy: https": (
            settings.certificate or settings.proxies
        ),
    }
    return [words for words, value in needed.items() if not value]


def _certificate(settings: ServerSettings) -> tuple[str, str] | None:
    chain, key = settings.certificate, settings.certificate_key
    if chain is None and key is None:
        return None
    if chain is None or key is None:
        raise ConfigError(
            "server.certificate and server.certificate_key belong together; one is missing.",
            next_step="Set both, or neither.",
        )
    _require_usable(chain, key)
    return chain, key


def _require_usable(chain: str, key: str) -> None:
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key)
    except OSError as error:  # SSLError is one
        raise ConfigError(
            f"The certificate in {chain} cannot be used with the key in {key}: {error.strerror or error}.",
            next_step="Correct server.certificate and server.certificate_key: both are files in PEM.",
        ) from None


def _is_loopback(host: str) -> bool:
    return host == "localhost" or ip_address(host).is_loopback
