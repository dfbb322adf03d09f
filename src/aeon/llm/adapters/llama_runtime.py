"""llama.cpp in this process through xllamacpp, with settings that keep it private and quiet."""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol

from aeon.base.errors import LLMError
from aeon.base.extras import extra_error
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep

_MAGIC = b"GGUF"
_PROMPT_CACHE_MIB = 256
_BATCH = 512
"""Tokens of a prompt that are read before the next look whether its reader still wants the answer: a few seconds."""


class LlamaServer(Protocol):
    """The part of `xllamacpp.Server` that Aeon uses. It also always serves HTTP on a loopback port that it chooses."""

    listening_address: str

    def handle_chat_completions(self, body: JsonObject, on_chunk: Callable[[JsonObject], bool]) -> Json:
        """Streams one chat completion; a true result of `on_chunk` stops it."""
        ...


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """The weights, the context in tokens, the number of threads, and the key that protects the loopback port.

    `state_folder` keeps the state after long instructions; None disables that.
    """

    model_path: Path
    context: int
    threads: int
    api_key: str
    state_folder: Path | None = None


def default_threads() -> int:
    """All cores but one: llama.cpp's threads spin at barriers, and one too many slows it down several times."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable - 1)


def start_server(settings: RuntimeSettings) -> LlamaServer:
    """Loads the weights in a separate thread, which takes seconds.

    A signal that ends this process is raised in the caller's thread. It must not arrive between the creation of a
    server and the first turn of its loop: freeing a server whose loop has not started never returns. If the caller is
    interrupted, the other thread completes the load and frees the server.
    Raises MissingExtraError without xllamacpp, LLMError if the file is missing, not a GGUF file, or cannot be loaded.
    """
    runtime = load_llama()
    _check_file(settings.model_path)
    outcomes = SimpleQueue[LlamaServer | Exception]()

    def load() -> None:
        try:
            outcomes.put(_started_server(runtime, settings))
        except Exception as error:  # noqa: BLE001  # raised again in the caller's thread
            outcomes.put(error)

    Thread(target=load, name="aeon-llama-load", daemon=True).start()
    outcome = outcomes.get()
    if isinstance(outcome, RuntimeError):
        raise LLMError(
            f"llama.cpp cannot load {settings.model_path}: {outcome}",
            next_step=NextStep("models.load"),
        ) from None
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _started_server(runtime: Any, settings: RuntimeSettings) -> LlamaServer:
    """A server whose loop has started: `handle_metrics` returns only then."""
    server = runtime.Server(_parameters(runtime, settings))
    server.handle_metrics()
    return server


def load_llama() -> Any:  # the package has no types; `LlamaServer` declares the used part
    """The package that runs llama.cpp. Raises MissingExtraError if it, or a library that it needs, is missing."""
    try:
        return importlib.import_module("xllamacpp")
    except ImportError as missing:
        raise extra_error("The embedded model needs", "xllamacpp", "embedded", missing) from None


def _check_file(path: Path) -> None:
    advice = NextStep("models.choose_file")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise LLMError(f"The model file {path} cannot be read: {error.strerror}.", next_step=advice) from None
    if magic != _MAGIC:
        raise LLMError(f"The model file {path} is not a GGUF file.", next_step=advice)


def _parameters(runtime: Any, settings: RuntimeSettings) -> Any:
    parameters = runtime.CommonParams()
    parameters.model.path = str(settings.model_path)
    parameters.model_alias = {settings.model_path.stem}
    parameters.n_ctx = settings.context
    parameters.n_batch = _BATCH
    # One slot: with more, llama.cpp divides the context between them.
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = settings.threads
    parameters.cpuparams_batch.n_threads = settings.threads
    parameters.cache_ram_mib = _PROMPT_CACHE_MIB
    parameters.verbosity = 0
    parameters.endpoint_metrics = True
    # The port is always open, by default even to every web page that the user visits.
    parameters.api_keys = [settings.api_key]
    parameters.cors_origins = ""
    parameters.cors_credentials = False
    parameters.ui = False
    parameters.offline = True
    if settings.state_folder is not None:
        parameters.slot_save_path = f"{settings.state_folder}{os.sep}"
        parameters.endpoint_slots = True
    return parameters
