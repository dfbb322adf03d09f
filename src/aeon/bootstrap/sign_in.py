"""The OpenID provider of a server, from its settings (platform 31)."""

from collections.abc import Mapping

from aeon.base.errors import ConfigError
from aeon.platform.access.openid import IdentityProvider, SignInPolicy
from aeon.settings import ServerSettings


def open_provider(settings: ServerSettings, environ: Mapping[str, str]) -> IdentityProvider | None:
    """Return the provider that the settings name; None if they name none. Nothing is asked yet.

    Raises ConfigError if the settings are not complete, and MissingExtraError.
    """
    if settings.oidc_issuer is None:
        return None
    if settings.oidc_client_id is None:
        raise ConfigError(
            "server.oidc_issuer is set, and server.oidc_client_id is not.",
            next_step="Set the id that the provider gave this server when you registered it there.",
        )
    from aeon.adapters.openid.provider import ClientRegistration, HttpIdentityProvider

    secret = _secret(settings.oidc_client_secret_env, environ)
    scopes = tuple(settings.oidc_scopes)
    return HttpIdentityProvider(ClientRegistration(settings.oidc_issuer, settings.oidc_client_id, secret, scopes))


def sign_in_policy(settings: ServerSettings) -> SignInPolicy:
    """Return whom the settings let in by the provider."""
    return SignInPolicy(
        settings.oidc_issuer or "",
        tuple(settings.oidc_domains),
        settings.oidc_operator_claim,
        tuple(settings.oidc_operator_values),
    )


def _secret(variable: str | None, environ: Mapping[str, str]) -> str | None:
    if variable is None:
        return None
    value = environ.get(variable, "")
    if not value:
        raise ConfigError(
            f"server.oidc_client_secret_env names {variable}, which is not set.",
            next_step=f"Set {variable} to the client's secret, or leave the setting out for a client without one.",
        )
    return value
