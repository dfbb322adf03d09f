"""Chooses the embedding model of the settings, and decides which server may get the user's key for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aeon.adapters.embeddings.minilm import MiniLMEmbedder, require_minilm
from aeon.base.errors import ConfigError
from aeon.bootstrap.passwords import NO_PROJECT_KEYS, AddressedServer, server_secret
from aeon.platform.embedder import Embedder
from aeon.settings import EmbeddingSettings


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """The embedding model of the settings: its name, and the address of its server if it is not in this process."""

    model: str
    timeout: float
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        """The model's description for people."""
        return f"{self.model} at {self.base_url}" if self.base_url else f"{self.model} in this process, for English"

    def open(self) -> Embedder:
        """Return the model; nothing is loaded or asked before it is used."""
        if self.base_url is None:
            return MiniLMEmbedder()
        from aeon.adapters.embeddings.remote import RemoteEmbedder

        return RemoteEmbedder(self.base_url, self.model, api_key=self.api_key, timeout=self.timeout)


def choose_embeddings(
    settings: EmbeddingSettings, environ: Mapping[str, str], from_project: Mapping[str, Path] = NO_PROJECT_KEYS
) -> EmbeddingChoice:
    """Return the embedding model of the settings.

    Raises ConfigError for settings that are not complete, or that would send a key to a server that a project's file
    chose (decision 12); MissingExtraError if the embedded model is not installed.
    """
    if settings.provider == "embedded":
        require_minilm()
        return EmbeddingChoice(MiniLMEmbedder.NAME, settings.timeout)
    if settings.base_url is None or settings.model is None:
        raise ConfigError(
            "embeddings.provider is remote, and the server or its model is not named.",
            next_step="Set embeddings.base_url and embeddings.model, or embeddings.provider to embedded.",
        )
    server = AddressedServer("embeddings.base_url", settings.base_url, "key", "the API key")
    key = server_secret(server, settings.api_key_env, environ, from_project)
    return EmbeddingChoice(settings.model, settings.timeout, settings.base_url, key)
