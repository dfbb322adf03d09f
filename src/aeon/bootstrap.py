"""The composition root: from settings to an `App`. The only module that names adapters."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional  # noqa: UP035  # the published signature

from aeon.adapters.weights import (
    CATALOG,
    Phase,
    Progress,
    Report,
    Weights,
    choose,
    default_sources,
    fetch,
    find_verified,
    resolve,
    weights_dir,
)
from aeon.base.errors import AeonError, ConfigError, LLMError, MissingExtraError, ToolDefinitionError, WeightsError
from aeon.base.json import Json
from aeon.kernel.orchestrator import Orchestrator
from aeon.llm.interface import LLMAdapter, Reply, Request, TextSink
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.memory.sqlite import SQLiteMemory
from aeon.observability.events import Observer
from aeon.observability.log import RunLog
from aeon.settings import ModelSettings, Settings
from aeon.tools.entry_points import find_tools
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import shipped_tools

__all__ = ["App", "ModelChoice", "Phase", "Progress", "StoredModel", "build", "choose_model", "stored_models"]

_REMOTE = {
    "openai": ("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "vllm": (None, None),
}
"""Per remote provider: its address and the variable of its key, used when nothing else is said."""

_INSTALL = "pip install 'aeon-orchestrator[embedded]'"
_REACH = "set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which model a run uses, and why. Embedded: its `weights` or its file; remote: where it is and its key."""

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
        """The model in words, for people."""
        if self.is_embedded:
            return f"embedded model {self.name}" + (f" ({self.weights.title})" if self.weights else "")
        return f"{self.name} at {self.base_url}"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model of the catalogue, where its weights belong, and whether a file of the right size is there."""

    weights: Weights
    file: Path
    is_there: bool


class App:
    """Everything a run needs, wired. `warnings` say what could not be loaded."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.warnings: list[str] = []
        self._memory = LazyMemory(lambda: _open_memory(settings.memory.path))
        self.memory: Memory = self._memory
        self.registry = ToolRegistry(shipped_tools(self.memory))
        self.model = LazyAdapter(lambda: self._open_model(None))
        self._environ = environ
        self._take_installed_tools()

    def choice(self) -> ModelChoice:
        """The model that a run would use. Raises AeonError when there is none."""
        return choose_model(self.settings.model, self._environ)

    def prepare_model(self, report: Report | None) -> ModelChoice:
        """Make sure that the model can be asked; its weights are fetched when `report` is there to tell of it.

        Raises AeonError that says what to do.
        """
        choice = self.choice()
        adapter = self._open_model(report)
        self.model = LazyAdapter(lambda: adapter)
        return choice

    def fetch(self, name: str | None, report: Report) -> Path:
        """The weights of a catalogued model, fetched unless they are there. Raises WeightsError, ConfigError."""
        weights = catalogued(name) if name else self._wanted_weights()
        return fetch(weights, weights_dir(self._environ), self._sources(), report)

    def path_of(self, name: str | None) -> Path:
        """Where a catalogued model's weights belong. Raises ConfigError."""
        weights = catalogued(name) if name else self._wanted_weights()
        return weights_dir(self._environ) / weights.file

    def verified(self, weights: Weights) -> Path | None:
        """The model's file when it is there and what was published. A file that changed is hashed: seconds."""
        return find_verified(weights, weights_dir(self._environ), _silent)

    def orchestrator(self, *, ttl: int, log: RunLog | None, observer: Observer | None) -> Orchestrator:
        """An orchestrator for one run."""
        return Orchestrator(self.model, self.memory, self.registry, ttl=ttl, log=log, observer=observer)

    def close(self) -> None:
        """Give back what was opened."""
        self.model.close()
        self._memory.close()

    def _open_model(self, report: Report | None) -> LLMAdapter:
        choice = self.choice()
        if not choice.is_embedded:
            return _remote_adapter(choice, self.settings.model)
        from aeon.llm.adapters.llama_cpp import LlamaCppAdapter

        return LlamaCppAdapter(self._weights_file(choice, report), context=self.settings.model.context)

    def _weights_file(self, choice: ModelChoice, report: Report | None) -> Path:
        if choice.file is not None:
            return choice.file
        weights = choice.weights or CATALOG["standard"]
        if report is not None:
            return self.fetch(weights.name, report)
        found = self.verified(weights)
        if found is None:
            raise WeightsError(
                f"The weights of the model {weights.name!r} ({weights.size / 1e9:.1f} GB) are not on this machine.",
                next_step=f"Fetch them once with `aeon model fetch {weights.name}`; or {_REACH}.",
            )
        return found

    def _wanted_weights(self) -> Weights:
        return _default_weights(self.settings.model, self._environ)

    def _sources(self) -> list[Any]:
        by_name = {source.name: source for source in default_sources(self._environ)}
        return [by_name[name] for name in self.settings.model.sources]

    def _take_installed_tools(self) -> None:
        found = find_tools()
        self.warnings += [f"A tool could not be loaded: {problem}" for problem in found.problems]
        for tool in found.tools:
            try:
                self.registry.register(tool)
            except ToolDefinitionError as error:
                self.warnings.append(error.message)


def build(settings: Settings, environ: Mapping[str, str]) -> App:
    """Wire everything. Nothing is opened, loaded or fetched before it is used."""
    return App(settings, environ)


def choose_model(settings: ModelSettings, environ: Mapping[str, str]) -> ModelChoice:
    """The model that the settings mean: a configured server, else the embedded model.

    Under "auto" a name of the catalogue or a .gguf file means the embedded model whatever else is set.
    Raises ConfigError for settings that name no model, MissingExtraError when none can run here.
    """
    if settings.provider == "embedded":
        return _embedded(settings, environ, "model.provider is embedded")
    if settings.provider != "auto":
        return _remote(settings, settings.provider, environ, f"model.provider is {settings.provider}")
    if settings.name in CATALOG or (settings.name or "").endswith(".gguf"):
        return _embedded(settings, environ, f"model.name is {settings.name}")
    if settings.base_url is not None:
        return _remote(settings, "openai", environ, "model.base_url is set")
    if settings.api_key_env is not None:
        return _remote(settings, _provider_of_key(settings.api_key_env), environ, "model.api_key_env is set")
    return _embedded(settings, environ, "no model server is configured")


def stored_models(environ: Mapping[str, str]) -> list[StoredModel]:
    """Every model of the catalogue and whether its weights are on this machine."""
    folder = weights_dir(environ)
    return [StoredModel(weights, folder / weights.file, _is_there(weights, folder)) for weights in CATALOG.values()]


def catalogued(name: str) -> Weights:
    """The model of that name. Raises ConfigError for an unknown name, or a file, which needs no fetching."""
    found = resolve(name)
    if isinstance(found, Path):
        raise ConfigError(f"{found} is a file of yours.", next_step=f"Name one of {', '.join(CATALOG)}.")
    return found


class LazyAdapter(LLMAdapter):
    """A model opened at its first question, so that work without a question needs no model."""

    def __init__(self, opened: Callable[[], LLMAdapter]) -> None:
        self._open = opened
        self._adapter: LLMAdapter | None = None

    @property
    def was_asked(self) -> bool:
        """Whether any question has been put to it."""
        return self._adapter is not None

    def generate(
        self,
        prompt: str,
        system_prompt: Optional[str] = None,  # noqa: UP045  # the published signature
        max_tokens: int = 2048,
        temperature: float = 0.7,
    ) -> Dict[str, Any]:  # noqa: UP006  # the published signature
        return self.complete(Request(prompt, system_prompt, max_tokens, temperature)).as_dict()

    def supports_streaming(self) -> bool:
        return self._opened().supports_streaming()

    def supports_schema(self) -> bool:
        return self._opened().supports_schema()

    def complete(self, request: Request, on_text: TextSink | None = None) -> Reply:
        return self._opened().complete(request, on_text)

    def close(self) -> None:
        """Close the adapter, where it was opened and can be closed."""
        close = getattr(self._adapter, "close", None)
        if callable(close):
            close()

    def _opened(self) -> LLMAdapter:
        """Raises LLMError: to a run, a model that is not there is one that does not answer (core 7)."""
        if self._adapter is None:
            try:
                self._adapter = self._open()
            except LLMError:
                raise
            except AeonError as error:
                raise LLMError(error.message, next_step=error.advice) from error
        return self._adapter


class LazyMemory(Memory):
    """A memory opened at its first use, so that looking around creates no file."""

    def __init__(self, opened: Callable[[], InMemoryKVStore | SQLiteMemory]) -> None:
        self._open = opened
        self._memory: InMemoryKVStore | SQLiteMemory | None = None

    def write(self, key: str, value: Any) -> None:
        self._opened().write(key, value)

    def read(self, key: str) -> Json | None:
        return self._opened().read(key)

    def search(self, prefix: str) -> list[tuple[str, Any]]:
        return self._opened().search(prefix)

    def close(self) -> None:
        """Close the file, where one was opened."""
        if isinstance(self._memory, SQLiteMemory):
            self._memory.close()

    def _opened(self) -> InMemoryKVStore | SQLiteMemory:
        if self._memory is None:
            self._memory = self._open()
        return self._memory


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Bytes of memory that a program can take now; 0 where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text("ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError):
        return 0


def _open_memory(path: str) -> InMemoryKVStore | SQLiteMemory:
    return InMemoryKVStore() if path == ":memory:" else SQLiteMemory(Path(path).expanduser())


def _remote(settings: ModelSettings, provider: str, environ: Mapping[str, str], why: str) -> ModelChoice:
    address, key_variable = _REMOTE[provider]
    base_url = settings.base_url or address
    if base_url is None:
        raise ConfigError(
            f"The provider {provider!r} needs an address.", next_step="Set AEON_MODEL_BASE_URL, or model.base_url."
        )
    if settings.name is None:
        raise ConfigError(
            f"No model is named for {base_url}.", next_step="Set AEON_MODEL_NAME, model.name, or give --model."
        )
    # A server of the user's own gets a key only when told which: the vendor's key is not for it.
    variable = settings.api_key_env or (key_variable if settings.base_url is None else None)
    key = environ.get(variable) if variable else None
    if variable and not key:
        raise ConfigError(
            f"The environment variable {variable}, which is to hold the API key, is not set.",
            next_step=f"Run: export {variable}=...",
        )
    return ModelChoice(provider, settings.name, why, base_url=base_url, api_key=key)


def _provider_of_key(variable: str) -> str:
    """The vendor whose own variable it is. A key of unknown kind is sent nowhere."""
    for provider, (_, known) in _REMOTE.items():
        if known == variable:
            return provider
    raise ConfigError(
        f"It is not said whose key {variable} holds.",
        next_step="Set model.provider to openai, anthropic or vllm, or model.base_url to the server's address.",
    )


def _embedded(settings: ModelSettings, environ: Mapping[str, str], why: str) -> ModelChoice:
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError(
            f"No language model can be used: {why}, and the embedded model is not installed.",
            next_step=f"Run {_INSTALL} and then `aeon model fetch`; or {_REACH}.",
        )
    if settings.name is not None:
        found = resolve(settings.name)
        if isinstance(found, Path):
            return ModelChoice("embedded", found.name, why, file=found)
        return ModelChoice("embedded", found.name, why, weights=found)
    weights = _default_weights(settings, environ)
    return ModelChoice(
        "embedded", weights.name, f"{why}; {weights.name} suits the memory and what was fetched", weights=weights
    )


def _default_weights(settings: ModelSettings, environ: Mapping[str, str]) -> Weights:
    """What was named, else what the memory allows; the small one when only that was fetched."""
    if settings.name in CATALOG:
        return CATALOG[settings.name or ""]
    folder = weights_dir(environ)
    wanted = choose(available_memory())
    small = CATALOG["small"]
    return small if not _is_there(wanted, folder) and _is_there(small, folder) else wanted


def _is_there(weights: Weights, folder: Path) -> bool:
    try:
        return (folder / weights.file).stat().st_size == weights.size
    except OSError:
        return False


def _remote_adapter(choice: ModelChoice, settings: ModelSettings) -> LLMAdapter:
    base_url, key = choice.base_url or "", choice.api_key
    if choice.provider == "vllm":
        from aeon.llm.adapters.vllm import VLLMAdapter

        return VLLMAdapter(base_url, choice.name, api_key=key, timeout=settings.timeout)
    from aeon.llm.adapters.remote_api import RemoteAPIAdapter

    api = "anthropic" if choice.provider == "anthropic" else "openai"
    return RemoteAPIAdapter(base_url, choice.name, api=api, api_key=key, timeout=settings.timeout)


def _silent(progress: Progress) -> None:
    """Nobody watches."""
    del progress
