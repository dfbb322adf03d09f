"""A real llama.cpp HTTP server on loopback, for tests of HTTP adapters.

with llama_server("model.gguf") as peer:
    adapter = RemoteAPIAdapter(peer.base_url, peer.model, api_key=peer.api_key)
"""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from aeon.llm.adapters.llama_runtime import RuntimeSettings, default_threads, start_server


@dataclass(frozen=True, slots=True)
class LlamaEndpoint:
    """The server's base URL, the model's name, and the API key."""

    base_url: str
    model: str
    api_key: str = field(repr=False)


@contextmanager
def llama_server(
    model_path: str | PathLike[str], *, context: int = 2048, threads: int | None = None
) -> Generator[LlamaEndpoint]:
    """Serves `model_path` with llama.cpp's own HTTP server, in this process, until the block ends.

    Raises MissingExtraError without xllamacpp, LLMError if the file cannot be loaded.
    """
    path, key = Path(model_path), secrets.token_urlsafe(32)
    server = start_server(RuntimeSettings(path, context, threads or default_threads(), key))
    try:
        yield LlamaEndpoint(f"{server.listening_address}/v1", path.stem, key)
    finally:
        # The port closes with the last reference; a traceback through this frame would keep one.
        del server
