"""Builds everything a run needs: model, memory, tools and skills."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from aeon.adapters.files.folders import FolderAccess
from aeon.adapters.files.tools import file_tools
from aeon.adapters.web.fetch import FetchTool
from aeon.adapters.weights import (
    CATALOG,
    Weights,
    WeightsPhase,
    WeightsProgress,
    WeightsProgressCallback,
    default_sources,
    fetch_weights,
    find_verified,
    weights_dir,
)
from aeon.base.errors import AeonError, InputError, MissingExtraError, ToolDefinitionError, WeightsError
from aeon.base.masking import secrets_of_environment
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import OWN_USER
from aeon.bootstrap.embedded_models import catalogued_weights, suitable_weights
from aeon.bootstrap.lazy import LazyAdapter, LazyMemory, SeeingAdapter
from aeon.bootstrap.model_choice import NO_PROJECT_KEYS, ModelChoice, choose_model, key_variables, prices_by_model
from aeon.llm.interface import Image, LLMAdapter
from aeon.llm.usage import Prices
from aeon.memory.interface import Memory
from aeon.memory.kv_store import InMemoryKVStore
from aeon.memory.sqlite import SQLiteMemory
from aeon.settings import EngineSettings, ModelSettings, Settings
from aeon.tools.entry_points import discover_tools
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

if TYPE_CHECKING:
    from aeon.adapters.operations.assisted_reply import OfferedTools, ToolQuestion
    from aeon.bootstrap.embedding_choice import EmbeddingChoice
    from aeon.bootstrap.platform import Platform
    from aeon.bootstrap.process_runtime import ProcessRuntime
    from aeon.bootstrap.skills import Skills
    from aeon.kernel.orchestrator import Orchestrator
    from aeon.observability.events import Observer
    from aeon.observability.log import RunLog
    from aeon.platform.catalog.kernel_tool import StoredTool
    from aeon.platform.embedder import Embedder
    from aeon.platform.knowledge.view import KnowledgeGraph
    from aeon.platform.store import Store


class OwnParts(NamedTuple):
    """Parts that the caller supplies and closes; None uses what the settings name."""

    model: LLMAdapter | None = None
    memory: Memory | None = None
    embedder: "Embedder | None" = None


NO_OWN_PARTS = OwnParts()


class App:
    """Everything a run needs. `warnings` lists what could not be loaded."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        from_project: Mapping[str, Path],
        folder: Path,
        own: OwnParts = NO_OWN_PARTS,
    ) -> None:
        """`folder` is the project's: its record is there, and relative paths in settings start there."""
        self.settings = settings
        self.folder = folder
        self.user = OWN_USER
        self.warnings: list[str] = []
        self._memory = LazyMemory(lambda: _open_memory(folder, settings.memory.path))
        self.memory = self._memory if own.memory is None else own.memory
        self.registry = ToolRegistry(plans_always=False)
        for tool in builtin_tools(self.memory):
            self._register(tool, is_checked=True)
        self.model = LazyAdapter(
            lambda: self._open_model(_ignore_progress, may_fetch=False), own.model, self.known_secrets
        )
        self.has_own_model = own.model is not None
        """Whether the caller supplied the model; then the settings do not name it."""
        self._embedder = own.embedder
        self._opening_embedder = Lock()
        self._closes_embedder = own.embedder is None
        self._is_temporary = False
        self._environ = environ
        self._from_project = from_project
        self._platform: Platform | None = None
        self._skills: Skills | None = None
        self._skill_data: Path | None = None
        self._opening_skills = Lock()
        self._register_installed_tools()
        if settings.tools.allow_read or settings.tools.allow_write:
            self.allow_files()
        if settings.tools.allow_hosts:
            self.allow_pages("")

    @property
    def skills(self) -> "Skills":
        """The skills of the folder, loaded at their first use."""
        with self._opening_skills:
            if self._skills is None:
                self._skills = self._new_skills()
            return self._skills

    def isolate(self, user: str, data: Path) -> None:
        """Serve a user other than the folder's owner: the skills' data are kept below `data`.

        Call it before `skills`.
        """
        self.user = user
        self._skill_data = data

    def keep_nothing(self) -> None:
        """Keep the record, its runs and their results in memory: a temporary conversation leaves nothing (platform 28).

        It has neither stored tools nor the folder's memory, files and skills. Call it before `platform`.
        """
        self._is_temporary = True

    def known_secrets(self) -> set[str]:
        """Return the secrets in the environment, which no log may contain."""
        return secrets_of_environment(self._environ, key_variables(self.settings))

    @property
    def prices(self) -> Prices:
        """The prices in the settings. The configured model is priced by its name there; a supplied one is not."""
        return Prices(prices_by_model(self.settings.model), None if self.has_own_model else self.settings.model.name)

    @property
    def log_folder(self) -> Path:
        """The folder for the logs of requests."""
        return self.folder / Path(self.settings.run.log_dir).expanduser()

    def model_choice(self) -> ModelChoice:
        """Return the model that a run would use. Raises AeonError if there is none."""
        return choose_model(self.settings.model, self._environ, self._from_project)

    def prepare_model(self, report: WeightsProgressCallback, *, may_fetch: bool) -> ModelChoice:
        """Make the model ready for requests; `report` gets the progress of fetching and verifying weights.

        Raises an AeonError that says what to do.
        """
        choice = self.model_choice()
        adapter = self._open_model(report, may_fetch=may_fetch)
        self.model = LazyAdapter(lambda: adapter, secrets=self.known_secrets)
        return choice

    def embedding_choice(self) -> "EmbeddingChoice":
        """Return the embedding model of the settings. Raises ConfigError, MissingExtraError."""
        from aeon.bootstrap.embedding_choice import choose_embeddings

        return choose_embeddings(self.settings.embeddings, self._environ, self._from_project)

    def embedder(self) -> "Embedder":
        """Return the embedding model, opened once. Raises the errors of `embedding_choice`."""
        with self._opening_embedder:
            if self._embedder is None:
                self._embedder = self.embedding_choice().open()
            return self._embedder

    def find_embedder(self) -> "Embedder | None":
        """Return the embedding model that runs in this process, or None if there is none. Raises ConfigError.

        One on a server does not count: users' messages are not sent anywhere for the search in them.
        """
        try:
            is_elsewhere = self._closes_embedder and self.embedding_choice().base_url is not None
            return None if is_elsewhere else self.embedder()
        except MissingExtraError:
            return None

    def find_knowledge_graph(self) -> "KnowledgeGraph | None":
        """Return the graph that shows what users know to Graphiti, or None if the settings name no server for it.

        Raises ConfigError, MissingExtraError.
        """
        from aeon.bootstrap.graphiti import open_knowledge_graph

        if self._is_temporary:
            return None
        return open_knowledge_graph(
            self.settings, self._environ, self._from_project, self.find_embedder, lambda: self.model
        )

    def require_sight(self) -> None:
        """Raises InputError if the model of the settings cannot see images."""
        if not self.has_own_model and (choice := self.model_choice()).is_embedded:
            raise InputError(
                f"The {choice.title} cannot see images.",
                next_step="Use one that can: set AEON_MODEL_BASE_URL and AEON_MODEL_NAME to use a model server.",
            )

    def fetch_weights(self, name: str | None, report: WeightsProgressCallback) -> Path:
        """Return the path of a catalogued model's weights, fetched if needed. Raises WeightsError, ConfigError."""
        weights = catalogued_weights(name) if name else self._selected_weights()
        return fetch_weights(weights, weights_dir(self._environ), self._sources(), report)

    def weights_path(self, name: str | None) -> Path:
        """Return the path where a catalogued model's weights belong. Raises ConfigError."""
        weights = catalogued_weights(name) if name else self._selected_weights()
        return weights_dir(self._environ) / weights.file

    def orchestrator(
        self,
        *,
        ttl: int,
        log: "RunLog | None",
        observer: "Observer | None",
        tools: ToolRegistry | None = None,
        images: Sequence[Image] = (),
    ) -> "Orchestrator":
        """Return an orchestrator for one run, with `tools`, or with all registered tools if None.

        The model sees `images` with each request.
        """
        from aeon.kernel.orchestrator import Orchestrator
        from aeon.observability.run_logger import RunLogger

        on_missing_tool = self.settings.run.on_missing_tool
        return Orchestrator(
            SeeingAdapter(self.model, images) if images else self.model,
            self.memory,
            self.registry if tools is None else tools,
            ttl=ttl,
            log=log,
            observer=RunLogger("kernel", then=observer, secrets=self.known_secrets),
            on_missing_tool=on_missing_tool,
        )

    def register_skills(self, request: str, named: Iterable[str | None] = ()) -> None:
        """Register as tools the skills that match a request, and those that a plan names."""
        for tool in self.skill_tools(request, named):
            if self.registry.get(tool.name) is None:
                self._register(tool, is_checked=True)

    def skill_tools(self, request: str, named: Iterable[str | None] = ()) -> list[Tool]:
        """Return as tools the skills that a plan names, and those that match a request."""
        unknown = [name for name in named if name is not None and self.registry.get(name) is None]
        wanted = [tool for name in dict.fromkeys(unknown) if (tool := self.skills.tool(name)) is not None]
        return [*wanted, *(self.skills.tools_for(request) if request else [])]

    def open_store(self) -> "Store":
        """Open the record of this folder, or of the server in the settings; the caller closes it.

        Raises StoreError, ConfigError, MissingExtraError.
        """
        from aeon.bootstrap.stores import open_store

        return open_store(self.folder, self.settings.store, self._environ, self._from_project)

    def platform(self) -> "Platform":
        """Return the platform of this folder, opened once. Raises StoreError, VaultError."""
        if self._platform is None:
            self._platform = self._open_platform()
            self._platform.offer_tools = self._offer_tools
            self._platform.open_app = lambda: None if self._is_temporary else self
            self._platform.require_sight = self.require_sight
            self._platform.names_conversations = self.settings.conversations.titles and not self._is_temporary
            self._platform.compresses_conversations = not self._is_temporary
            self._platform.introspects_after = self.settings.conversations.introspect_after
            self._platform.enriches_after = self.settings.conversations.enrich_after
            self._platform.recalls_conversations = self.settings.conversations.recall
            self._platform.extractor = self.settings.conversations.extractor
            self._platform.open_knowledge_graph = self.find_knowledge_graph
            self._platform.answers_at_once = self._answers_at_once
            self._platform.open_embedder = self.find_embedder
        return self._platform

    def _open_platform(self) -> "Platform":
        from aeon.bootstrap.platform import open_platform, open_platform_in_memory

        context = self.settings.model.context
        if self._is_temporary:
            return open_platform_in_memory(self._environ, lambda: self.model, context)
        return open_platform(self.folder, self.open_store(), self._environ, lambda: self.model, context)

    def process_runtime(self) -> "ProcessRuntime":
        """Return the runtime of this folder's Processes; the caller closes it. Raises the errors of `platform`."""
        from aeon.bootstrap.engines import IN_MEMORY
        from aeon.bootstrap.process_runtime import ProcessRuntime

        return ProcessRuntime(
            self.platform(),
            self.folder,
            EngineSettings(address=IN_MEMORY) if self._is_temporary else self.settings.engine,
            self._environ,
            self._from_project,
            Prices(prices_by_model(self.settings.model)),
        )

    def allow_files(self, *readable: Path, confirm: Callable[[Path], bool] | None = None) -> None:
        """Register the tools for files: for the folders in the settings, and for those that are `readable`.

        `confirm` asks the user whether a file elsewhere may be written; without it, it may not.
        """
        granted = self.settings.tools
        access = FolderAccess(
            self.folder,
            [*map(Path, granted.allow_read), *readable],
            [Path(each) for each in granted.allow_write],
            confirm,
        )
        for tool in file_tools(access):
            self.registry.unregister(tool.name)
            self._register(tool, is_checked=True)

    def allow_pages(self, own_words: str) -> None:
        """Register the tool for web pages: for the hosts that the user's own words name, and those in the settings."""
        self.registry.unregister(FetchTool.name)
        self._register(FetchTool(own_words, self.settings.tools.allow_hosts), is_checked=True)

    def register_stored_tools(self, user: str) -> "list[StoredTool]":
        """Register the tools in this folder's record that the user of this process owns or may see; returns them.

        Raises StoreError, VaultError, MissingExtraError.
        """
        platform = self.platform()
        platform.catalog.add_user(user)
        platform.owner = user
        stored = platform.tools_for_kernel(user)
        self.warnings += platform.notices
        for tool in stored:
            self._register(tool)
        return stored

    def close(self) -> None:
        """Close everything that was opened."""
        if self._platform is not None:
            self._platform.close()
        if self._skills is not None:
            self._skills.close()
        if self._embedder is not None and self._closes_embedder:
            self._embedder.close()
        self.model.close()
        self._memory.close()

    def _new_skills(self) -> "Skills":
        from aeon.bootstrap.skills import Skills  # slow to load

        settings, keys, data = self.settings.skills, key_variables(self.settings), self._skill_data
        budget = self._instruction_budget
        return Skills(settings, self._environ, self.folder, lambda: self.model, keys, data, self.prices, budget)

    def _offer_tools(self, question: "ToolQuestion") -> "OfferedTools | None":
        """Choose the tools for a message of a conversation; the kernel is loaded at the first one."""
        from aeon.bootstrap.conversation_tools import ConversationTools

        return ConversationTools(self, None if self._is_temporary else self.user)(question)

    def _answers_at_once(self) -> bool:
        """Return whether the model is on a server; the embedded one has a single place for a prompt."""
        return self.has_own_model or not self.model_choice().is_embedded

    def _instruction_budget(self) -> int:
        """Return the characters of a skill's instructions that fit into the context of the model (skills 14)."""
        from aeon.skills.instructions import LARGE_BUDGET, budget_of_context

        try:
            is_embedded = self.model_choice().is_embedded
        except AeonError:
            is_embedded = True
        return budget_of_context(self.settings.model.context) if is_embedded else LARGE_BUDGET

    def _open_model(self, report: WeightsProgressCallback, *, may_fetch: bool) -> LLMAdapter:
        choice = self.model_choice()
        if not choice.is_embedded:
            return _remote_adapter(choice, self.settings.model)
        from aeon.llm.adapters.llama_cpp import LlamaCppAdapter

        file = choice.file or self._weights_file(choice.weights or CATALOG["standard"], report, may_fetch=may_fetch)
        states = weights_dir(self._environ).parent / "states"
        return LlamaCppAdapter(file, context=self.settings.model.context, states=states)

    def _weights_file(self, weights: Weights, report: WeightsProgressCallback, *, may_fetch: bool) -> Path:
        if may_fetch:
            return self.fetch_weights(weights.name, report)
        path = find_verified(weights, weights_dir(self._environ), _verification_only(report))
        if path is None:
            raise _missing_weights(weights, weights_dir(self._environ) / weights.file)
        return path

    def _selected_weights(self) -> Weights:
        """Return the weights named in the settings, else those that suit this machine."""
        return CATALOG.get(self.settings.model.name or "") or suitable_weights(self._environ)

    def _sources(self) -> list[Any]:
        by_name = {source.name: source for source in default_sources(self._environ)}
        return [by_name[name] for name in self.settings.model.sources]

    def _register_installed_tools(self) -> None:
        discovered = discover_tools()
        self.warnings += [f"A tool could not be loaded: {problem}" for problem in discovered.problems]
        for tool in discovered.tools:
            self._register(tool)

    def _register(self, tool: Tool, *, is_checked: bool = False) -> None:
        try:
            self.registry.register(tool, is_checked=is_checked)
        except ToolDefinitionError as error:
            self.warnings.append(error.message)


def build_app(
    settings: Settings,
    environ: Mapping[str, str],
    from_project: Mapping[str, Path] = NO_PROJECT_KEYS,
    *,
    folder: Path,
    own: OwnParts = NO_OWN_PARTS,
) -> App:
    """Build the app for the project in `folder`. Nothing is opened, loaded or fetched before it is used.

    `from_project` maps the keys that a project's file sets to that file: such keys do not decide who gets the user's
    API key.
    """
    return App(settings, environ, from_project, folder, own)


def _open_memory(folder: Path, path: str) -> InMemoryKVStore | SQLiteMemory:
    return InMemoryKVStore() if path == ":memory:" else SQLiteMemory(folder / Path(path).expanduser())


def _remote_adapter(choice: ModelChoice, settings: ModelSettings) -> LLMAdapter:
    base_url, key = choice.base_url or "", choice.api_key
    if choice.provider == "vllm":
        from aeon.llm.adapters.vllm import VLLMAdapter

        return VLLMAdapter(base_url, choice.name, api_key=key, timeout=settings.timeout)
    from aeon.llm.adapters.remote_api import RemoteAPIAdapter

    api = "anthropic" if choice.provider == "anthropic" else "openai"
    return RemoteAPIAdapter(
        base_url, choice.name, api=api, api_key=key, timeout=settings.timeout, probabilities=settings.probabilities
    )


def _missing_weights(weights: Weights, file: Path) -> WeightsError:
    missing = f"The weights of the model {weights.name!r} ({weights.size / 1e9:.1f} GB) are not on this machine."
    wrong = f"{file} is not what was published as the model {weights.name!r}; it is damaged, or a different file."
    return WeightsError(
        wrong if file.exists() else missing,
        next_step=NextStep("models.fetch_or_serve", model=weights.name),
    )


def _verification_only(report: WeightsProgressCallback) -> WeightsProgressCallback:
    """Return a callback that reports only verification, for when nothing is fetched."""

    def pass_on(progress: WeightsProgress) -> None:
        if progress.phase is WeightsPhase.VERIFYING:
            report(progress)

    return pass_on


def _ignore_progress(progress: WeightsProgress) -> None:
    """Ignore progress."""
    del progress
