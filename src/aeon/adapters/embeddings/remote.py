"""An embedding model behind an OpenAI-compatible API (POST /embeddings)."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from aeon.base.clock import Clock, SystemClock
from aeon.base.errors import ConfigError, LLMError, LLMRequestError
from aeon.base.json import Json, JsonObject
from aeon.llm.adapters.model_server import ModelServer
from aeon.llm.adapters.transport import JSON_CONTENT_TYPE, TransportLimits, is_loopback
from aeon.llm.adapters.wire import parse_object, raise_reported_error, read_usage, require_object
from aeon.llm.retry import AttemptFailed, LLMRetryPolicy
from aeon.platform.embedder import EmbeddedTexts, Embedder, EmbeddingInputError, Vector, require_embeddable, unit_vector

_BATCH: Final = 128
"""Texts of one request."""

_WRONG_INPUT: Final = frozenset({400, 413, 422})
"""The statuses by which servers refuse texts that are too long, or too many."""

_SAMPLE: Final = "dimensions"


class RemoteEmbedder(Embedder):
    """An embedding model behind an OpenAI-compatible API, such as "https://host/v1". Thread-safe.

    `timeout` limits one request, in seconds. Vectors are scaled to length 1. The server alone knows how many tokens a
    text may have; it refuses what is longer. Raises ConfigError for an address that cannot be used, and for a key that
    would go over plain http to another machine.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retry: LLMRetryPolicy | None = None,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._server = ModelServer(
            base_url,
            _key_headers,
            api_key=api_key,
            headers=None,
            limits=TransportLimits(total_timeout=timeout),
            retry=retry,
            clock=clock or SystemClock(),
            chance=chance,
        )
        root = self._server.root
        if api_key and root.scheme == "http" and not is_loopback(root.host):
            raise ConfigError(
                f"The key would go over plain http to {root.host}, where others can read it.",
                next_step="Use an https address, or leave the key out if that server needs none.",
            )
        self._model = model
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimensions(self) -> int:
        """The length of a vector; before the first answer, the server is asked for one. Raises LLMError."""
        return self._dimensions or len(self.embed([_SAMPLE]).vectors[0])

    @property
    def max_tokens(self) -> None:
        return None

    def count_tokens(self, text: str) -> None:
        del text

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        require_embeddable(self, texts)
        answers = [
            self._server.run(lambda batch=texts[start : start + _BATCH]: self._ask(batch))
            for start in range(0, len(texts), _BATCH)
        ]
        vectors = [vector for answer in answers for vector in answer.vectors]
        self._require_dimensions(vectors)
        return EmbeddedTexts(vectors, sum(answer.tokens for answer in answers))

    def close(self) -> None:
        self._server.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._server.root)!r})"

    def _ask(self, texts: Sequence[str]) -> EmbeddedTexts:
        body: JsonObject = {"model": self._model, "input": [*texts], "encoding_format": "float"}
        try:
            with self._server.post("embeddings", body, accept=JSON_CONTENT_TYPE) as incoming:
                return _decoded(parse_object(incoming.read()), len(texts))
        except LLMRequestError as error:
            if error.details.get("status") in _WRONG_INPUT:
                raise EmbeddingInputError(error.message, next_step=error.next, **error.details) from None
            raise

    def _require_dimensions(self, vectors: Sequence[Vector]) -> None:
        """Raises LLMError if vectors are longer or shorter than those before."""
        for vector in vectors:
            self._dimensions = self._dimensions or len(vector)
            if len(vector) != self._dimensions:
                raise LLMError(
                    f"The model server at {self._server.root} returned vectors of {self._dimensions} and of "
                    f"{len(vector)} dimensions for {self._model}.",
                    next_step="Find out whether the server has changed its model; vectors of two models cannot be "
                    "compared.",
                )


def _key_headers(api_key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


def _decoded(answer: JsonObject, expected: int) -> EmbeddedTexts:
    """Returns the vectors in the order of the texts. Raises AttemptFailed for any other answer."""
    raise_reported_error(answer)
    items = answer.get("data")
    by_index = dict(_numbered(cast("list[Json]", items))) if isinstance(items, list) else {}
    if by_index.keys() != set(range(expected)):
        raise AttemptFailed(f"the response does not have one vector for each of the {expected} texts at data")
    usage = read_usage(answer.get("usage"), {"prompt_tokens": "input_tokens"})
    return EmbeddedTexts([by_index[number] for number in range(expected)], cast(int, usage.get("input_tokens", 0)))


def _numbered(items: list[Json]) -> Iterator[tuple[int | None, Vector]]:
    for place, each in enumerate(items):
        item = require_object(each, f"data[{place}]")
        values = item.get("embedding")
        numbers = cast("list[float]", values) if isinstance(values, list) else []
        is_numeric = all(type(value) in (int, float) for value in numbers)
        vector = unit_vector(numbers) if is_numeric else None
        if vector is None:
            raise AttemptFailed(f"the response has no vector of numbers at data[{place}].embedding")
        index = item.get("index", place)
        yield index if isinstance(index, int) else None, vector
