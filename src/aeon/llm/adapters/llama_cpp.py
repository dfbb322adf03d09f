"""The embedded model: llama.cpp in this process with weights from a GGUF file, without a server or an API key."""

import secrets
import threading
from collections.abc import Generator
from contextlib import closing
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeAlias  # the published signature

from aeon.base.cancellation import on_cancel
from aeon.base.errors import LLMError, LLMRequestError
from aeon.base.json import JsonObject
from aeon.llm.adapters.chat_completions import ChatCompletionsWire
from aeon.llm.adapters.control_tokens import read_control_tokens, without_control_tokens
from aeon.llm.adapters.llama_counts import count_messages
from aeon.llm.adapters.llama_runtime import LlamaServer, RuntimeSettings, default_threads, start_server
from aeon.llm.adapters.prompt_cache import PromptCache, make_private_folder
from aeon.llm.adapters.repetition import RepetitionWatch
from aeon.llm.interface import LLMRequest, LLMResponse, RequestAdapter, TextSink, TokenCounts, refuse_images
from aeon.llm.retry import AttemptFailed

_DETERMINISTIC: JsonObject = {"cache_prompt": False, "seed": 0}
"""A cached prefix is computed in other batches than a fresh one, hence long greedy answers can differ."""

_TELLS_PROGRESS: JsonObject = {"return_progress": True}
"""A chunk after each batch of the prompt, at which a request can be stopped that is still being read."""

_Outcome: TypeAlias = JsonObject | Exception | None
"""An outcome of the native call: a chunk, the error it ended with, or None at its end."""


class LlamaCppAdapter(RequestAdapter):
    """Runs a GGUF model with llama.cpp, loaded at the first request. Thread-safe; requests queue.

    `context` is in tokens, prompt and answer together; `threads` defaults to all cores but one. `deterministic` makes
    equal requests give equal text on one machine, but processes every prompt from the start. `states` is a folder for
    the model's state after long instructions, which spares the next process their processing. Nothing is retried: a
    failure in the process would occur again. A text such as `<|im_start|>` in a message is text: it begins no message.
    """

    def __init__(
        self,
        model_path: str | PathLike[str],
        *,
        context: int = 8192,
        threads: int | None = None,
        deterministic: bool = False,
        states: str | PathLike[str] | None = None,
    ) -> None:
        path = Path(model_path)
        folder = None if states is None or deterministic else make_private_folder(Path(states))
        # Only this process knows the key: it protects the loopback port that llama.cpp always opens.
        self._settings = RuntimeSettings(path, context, threads or default_threads(), secrets.token_urlsafe(32), folder)
        self._states = None if folder is None else PromptCache(folder, self._settings)
        self._wire = ChatCompletionsWire(path.stem, asks_probabilities=True)
        self._extra = _DETERMINISTIC if deterministic else {}
        self._control_tokens: tuple[str, ...] = ()
        self._server: LlamaServer | None = None
        self._lock = threading.Lock()

    def supports_streaming(self) -> bool:
        return True

    def supports_schema(self) -> bool:
        return True

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        """Returns the model's response. A text without a schema that goes round in circles is cut off.

        Raises LLMRequestError if the prompt exceeds the context or llama.cpp cannot follow the schema, LLMError if the
        weights cannot be loaded or the request has images, MissingExtraError without xllamacpp.
        """
        refuse_images(request, "The embedded model")
        reader = self._wire.reader()
        watch = None if request.schema is not None else RepetitionWatch(request.prompt)
        try:
            server = self._loaded()
            self._prepare(server, request)
            with closing(_chunks(server, {**self._body(request), **self._extra, **_TELLS_PROGRESS})) as chunks:
                for chunk in chunks:
                    _check_fits(chunk)
                    piece = reader.feed_chunk(chunk)
                    if on_text is not None and (piece or "prompt_progress" in chunk):
                        on_text(piece)
                    if watch is not None and watch.sees_loop(piece):
                        return reader.cut_reply()
            return reader.reply()
        except AttemptFailed as failure:
            raise LLMError(f"The embedded model failed: {failure.reason}.") from None

    def count_tokens(self, request: LLMRequest) -> TokenCounts | None:
        """Returns the tokens of each message, by the model's own template and vocabulary; loads the weights.

        None if the runtime does not answer. Raises like `complete`.
        """
        refuse_images(request, "The embedded model")
        server = self._loaded()
        return count_messages(server.listening_address, self._settings.api_key, self._body(request)["messages"])

    def close(self) -> None:
        """Frees the model's memory when the running requests have ended. The next request loads it again."""
        with self._lock:
            self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"LlamaCppAdapter({str(self._settings.model_path)!r})"

    def _loaded(self) -> LlamaServer:
        with self._lock:
            if self._server is None:
                server = start_server(self._settings)
                self._control_tokens = read_control_tokens(self._settings.model_path)
                self._server = server
                self._states = None if self._states is None else self._states.for_new_server()
            return self._server

    def _body(self, request: LLMRequest) -> JsonObject:
        """The request as llama.cpp gets it: no text of it has a control token. Needs a loaded model."""
        return self._wire.encode(without_control_tokens(request, self._control_tokens), stream=True)

    def _prepare(self, server: LlamaServer, request: LLMRequest) -> None:
        """Restores the state after instructions that were processed before, in this process or another."""
        if self._states is None or request.system_prompt is None:
            return
        instructions = LLMRequest("", request.system_prompt, max_tokens=1, temperature=0.0)
        body = self._body(instructions)
        self._states.load_instructions(
            server.listening_address, request.system_prompt, lambda: _exhaust(_chunks(server, body))
        )


def _exhaust(chunks: Generator[JsonObject]) -> None:
    with closing(chunks):
        for chunk in chunks:
            _check_fits(chunk)


def _chunks(server: LlamaServer, body: JsonObject) -> Generator[JsonObject]:
    """The chunks of one response, generated in a separate thread.

    Native code swallows exceptions of its callback, also KeyboardInterrupt. Here the caller waits in Python, is
    interrupted at once, and the model stops at its next token, as it does if the call is cancelled. The caller closes
    the generator: the error of one that was interrupted holds it, and a process that ends waits for the thread.
    """
    outcomes = SimpleQueue[_Outcome]()
    stop = threading.Event()

    def generate() -> None:
        def put_chunk(chunk: JsonObject) -> bool:
            outcomes.put(chunk)
            return stop.is_set()

        try:
            server.handle_chat_completions(body, put_chunk)
            outcomes.put(None)
        except (TypeError, ValueError, RuntimeError) as error:  # TypeError: raised if orjson is installed
            outcomes.put(_refused(error))
        except Exception as error:  # noqa: BLE001  # raised again in the caller's thread
            outcomes.put(error)

    def cancel() -> None:
        stop.set()
        outcomes.put(LLMError("The call of the embedded model was cancelled."))

    try:
        threading.Thread(target=generate, name="aeon-llama").start()  # waits for the thread: may be interrupted, too
        with on_cancel(cancel):
            while (outcome := outcomes.get()) is not None:
                if isinstance(outcome, Exception):
                    raise outcome
                yield outcome
    finally:
        stop.set()


def _refused(error: Exception) -> LLMRequestError:
    return LLMRequestError(
        f"llama.cpp cannot take the request: {str(error)[:500]}",
        next_step="If the text above names the JSON schema, simplify the schema.",
    )


def _check_fits(chunk: JsonObject) -> None:
    error: JsonObject = chunk.get("error") or {}
    if "n_ctx" in error:
        raise LLMRequestError(
            f"The prompt has {error.get('n_prompt_tokens')} tokens, the model's context {error['n_ctx']}.",
            next_step="Shorten the prompt, or build LlamaCppAdapter with a larger context.",
        )
