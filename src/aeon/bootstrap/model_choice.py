"""Chooses the model of a run, and decides which server may get the user's API key."""

import importlib.util
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from aeon.adapters.weights import CATALOG, Weights, resolve_weights
from aeon.base.errors import ConfigError, MissingExtraError
from aeon.base.next_steps import NextStep
from aeon.bootstrap.embedded_models import suitable_weights
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, is_loopback
from aeon.llm.usage import ModelPrice
from aeon.settings import ModelSettings, Settings, environment_variable


class _Vendor(NamedTuple):
    address: str | None
    key_variable: str | None


_VENDORS = {
    "openai": _Vendor("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": _Vendor("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "vllm": _Vendor(None, None),
}
"""The default address and key variable of each remote provider."""

_INSTALL = "pip install 'aeon-orchestrator[embedded]'"


def key_variables(settings: Settings) -> frozenset[str]:
    """Return the names of the variables that hold, or would hold, a key or password; keep them from other code."""
    named = [
        settings.model.api_key_env,
        settings.embeddings.api_key_env,
        settings.store.password_env,
        settings.graph.password_env,
        settings.graphiti.password_env,
        settings.engine.password_env,
        settings.server.oidc_client_secret_env,
        *(vendor.key_variable for vendor in _VENDORS.values()),
    ]
    return frozenset(name for name in named if name is not None)


def prices_by_model(settings: ModelSettings) -> dict[str, ModelPrice]:
    """Return the prices in the settings, by model."""
    return {
        model: ModelPrice(price.prompt, price.completion, price.currency) for model, price in settings.prices.items()
    }


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that a run uses, and why. Embedded: its `weights` or `file`; remote: its address and key."""

    provider: str
    name: str
    why: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    weights: Weights | None = None
    file: Path | None = None

    @property
    def is_embedded(self) -> bool:
        """Whether the model runs in this process."""
        return self.provider == "embedded"

    @property
    def title(self) -> str:
        """The model's description for people."""
        if self.is_embedded:
            return f"embedded model {self.name}" + (f" ({self.weights.title})" if self.weights else "")
        return f"{self.name} at {self.base_url}"


def choose_model(
    settings: ModelSettings, environ: Mapping[str, str], from_project: Mapping[str, Path] = NO_PROJECT_KEYS
) -> ModelChoice:
    """Return the model of the settings: a configured server, else the embedded model.

    With "auto", a name of the catalogue or a .gguf file selects the embedded model whatever else is set.
    `from_project` maps the keys that a project's file sets to that file.
    Raises ConfigError for settings without a model, or that would send a key to a server that a project's file chose;
    MissingExtraError if no model can run here.
    """
    provider, why = _provider(settings)
    if provider == "embedded":
        return _embedded(settings, environ, why)
    return _remote(settings, provider, why, environ, from_project)


def _provider(settings: ModelSettings) -> tuple[str, str]:
    """Return the provider, set explicitly or derived from other settings, and the reason."""
    if settings.provider != "auto":
        return settings.provider, f"model.provider is {settings.provider}"
    if settings.name in CATALOG or (settings.name or "").endswith(".gguf"):
        return "embedded", f"model.name is {settings.name}"
    if settings.base_url is not None:
        return "openai", "model.base_url is set"
    if settings.api_key_env is not None:
        return _provider_of_key(settings.api_key_env), "model.api_key_env is set"
    return "embedded", "no model server is configured"


def _remote(
    settings: ModelSettings, provider: str, why: str, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> ModelChoice:
    base_url = settings.base_url or _VENDORS[provider].address
    if base_url is None:
        raise ConfigError(
            f"The provider {provider!r} needs an address.", next_step="Set AEON_MODEL_BASE_URL, or model.base_url."
        )
    if settings.name is None:
        raise ConfigError(
            f"No model is named for {base_url}.", next_step="Set AEON_MODEL_NAME, model.name, or give --model."
        )
    key = _key(settings, provider, base_url, environ, from_project)
    return ModelChoice(provider, settings.name, why, base_url=base_url, api_key=key)


def _key(
    settings: ModelSettings,
    provider: str,
    base_url: str,
    environ: Mapping[str, str],
    from_project: Mapping[str, Path],
) -> str | None:
    """Return the API key to send, or None. The user's own server gets a key only if api_key_env names one."""
    own = _VENDORS[provider].key_variable if settings.base_url is None else None
    name = settings.api_key_env or own
    if name is None:
        return None
    if name != own:
        _refuse_project_server(settings, name, base_url, from_project)
    key = environ.get(name)
    if not key:
        raise ConfigError(
            f"The environment variable {name}, which must hold the API key, is not set.",
            next_step=f"Run: export {name}=...",
        )
    return key


def _refuse_project_server(settings: ModelSettings, name: str, base_url: str, from_project: Mapping[str, Path]) -> None:
    """Raise ConfigError if a project's file chose the server that gets the key, unless it is this machine."""
    key = "model.provider" if settings.base_url is None else "model.base_url"
    value = settings.base_url or settings.provider
    file = from_project.get(key)
    if file is None or is_loopback(base_url):
        return
    raise ConfigError(
        f"The project's file {file} would have the key in {name} sent to {base_url}. A project's file may come from "
        "somebody else, so it does not decide who gets your key.",
        next_step="If you trust that address, set it yourself: export "
        f"{environment_variable(key)}={shlex.quote(value)}",
    )


def _provider_of_key(name: str) -> str:
    """Return the provider whose default key variable this is. Raises ConfigError for an unknown variable."""
    for provider, vendor in _VENDORS.items():
        if vendor.key_variable == name:
            return provider
    raise ConfigError(
        f"The provider of the key in {name} is unknown.",
        next_step="Set model.provider to openai, anthropic or vllm, or model.base_url to the server's address.",
    )


def _embedded(settings: ModelSettings, environ: Mapping[str, str], why: str) -> ModelChoice:
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError(
            f"No language model can be used: {why}, and the embedded model is not installed.",
            next_step=NextStep("models.install", command=_INSTALL),
        )
    if settings.name is not None:
        weights_or_file = resolve_weights(settings.name)
        if isinstance(weights_or_file, Path):
            return ModelChoice("embedded", weights_or_file.name, why, file=weights_or_file)
        return ModelChoice("embedded", weights_or_file.name, why, weights=weights_or_file)
    weights = suitable_weights(environ)
    return ModelChoice(
        "embedded", weights.name, f"{why}; {weights.name} suits the memory and what was fetched", weights=weights
    )
