"""A model adapter and a memory that are opened at their first use."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any  # the published signature

from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError, LLMError
from aeon.base.json import Json
from aeon.llm.call_log import logged_call
from aeon.llm.interface import (
    Image,
    LLMAdapter,
    LLMRequest,
    LLMResponse,
    RequestAdapter,
    TextSink,
    TokenCounts,
    WrappedAdapter,
)
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.memory.sqlite import SQLiteMemory


class LazyAdapter(RequestAdapter):
    """A model adapter opened at its first request, so that work without requests needs no model."""

    def __init__(
        self,
        opened: Callable[[], LLMAdapter],
        own: LLMAdapter | None = None,
        secrets: Callable[[], set[str]] = set[str],
    ) -> None:
        """With `own`, an adapter that the caller closes, nothing is opened. `secrets` are kept out of the log."""
        self._secrets = secrets
        self._open = opened
        self._own = own
        self._adapter: LLMAdapter | None = None
        self._opening = Lock()

    @property
    def was_used(self) -> bool:
        """Whether the adapter was opened for a request."""
        return self._adapter is not None

    def supports_streaming(self) -> bool:
        return self._opened().supports_streaming()

    def supports_schema(self) -> bool:
        return self._opened().supports_schema()

    def count_tokens(self, request: LLMRequest) -> TokenCounts | None:
        return self._opened().count_tokens(request)

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        adapter = self._opened()
        return logged_call(lambda: adapter.complete(request, on_text), self._secrets, SystemClock())

    def close(self) -> None:
        """Close the adapter if it was opened and can be closed."""
        close = getattr(self._adapter, "close", None)
        if callable(close):
            close()

    def _opened(self) -> LLMAdapter:
        """Return the opened adapter. Raises LLMError, since for a run a missing model is one that fails (core 7)."""
        if self._own is not None:
            return self._own
        with self._opening:  # opened once for concurrent calls
            if self._adapter is None:
                try:
                    self._adapter = self._open()
                except LLMError:
                    raise
                except AeonError as error:
                    raise LLMError(error.message, next_step=error.next) from error
            return self._adapter


class SeeingAdapter(WrappedAdapter):
    """A model that is shown the same images with every request of a run."""

    def __init__(self, adapter: LLMAdapter, images: Sequence[Image]) -> None:
        super().__init__(adapter)
        self._images = tuple(images)

    def complete(self, request: LLMRequest, on_text: TextSink | None = None) -> LLMResponse:
        return self._adapter.complete(replace(request, images=self._images), on_text)


class LazyMemory(Memory):
    """A memory opened at its first use, so that read-only commands create no file."""

    def __init__(self, opened: Callable[[], InMemoryKVStore | SQLiteMemory]) -> None:
        self._open = opened
        self._memory: InMemoryKVStore | SQLiteMemory | None = None

    def write(self, key: str, value: Any) -> None:
        self._opened().write(key, value)

    def read(self, key: str) -> Json | None:
        return self._opened().read(key)

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        return self._opened().search(prefix)

    def delete(self, key: str) -> bool:
        return self._opened().delete(key)

    def close(self) -> None:
        """Close the file if it was opened."""
        if isinstance(self._memory, SQLiteMemory):
            self._memory.close()

    def _opened(self) -> InMemoryKVStore | SQLiteMemory:
        if self._memory is None:
            self._memory = self._open()
        return self._memory
