"""Opens the reader and the judge: the embedded model, or a model behind an OpenAI-compatible endpoint."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

from aeon.adapters.weights import CATALOG, find_verified, weights_dir
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.interface import LLMAdapter


@contextmanager
def embedded_model(name: str, context: int) -> Generator[LLMAdapter]:
    """The embedded model of that name with a context of so many tokens; its weights must have been fetched."""
    weights = find_verified(CATALOG[name], weights_dir(os.environ), lambda _progress: None)
    if weights is None:
        sys.exit(f"The weights of {name} are not here. Run: aeon model fetch {name}")
    with LlamaCppAdapter(weights, context=context) as model:
        yield model


def remote_model(endpoint: str, name: str, key_variable: str, *, reasons: bool) -> LLMAdapter:
    """A model behind an endpoint such as https://host/v1; its API key, if it needs one, is in that variable."""
    return RemoteAPIAdapter(
        endpoint,
        name,
        api_key=os.environ.get(key_variable) or None,
        max_tokens_field="max_completion_tokens" if reasons else "max_tokens",
        send_temperature=not reasons,
    )
