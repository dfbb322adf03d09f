"""The platform of a project's folder: its record, vault, catalog, and the callers of its tools."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aeon.adapters.operations.allowed_programs import AllowedPrograms
from aeon.adapters.results import FileResultStore, MemoryResultStore
from aeon.base.clock import SystemClock
from aeon.base.errors import AeonError
from aeon.base.project_folder import PROJECT_FOLDER, state_folder
from aeon.bootstrap.stores import open_store
from aeon.bootstrap.vaults import open_project_vault
from aeon.llm.interface import LLMAdapter, LLMRequest, TokenCounts
from aeon.platform.catalog.operations import OperationError
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.platform.catalog.service import Catalog
from aeon.platform.errors import ForbiddenError, PlatformError
from aeon.platform.knowledge.model import STATEMENTS
from aeon.platform.runs.claim_check import ResultStore
from aeon.platform.runs.recorded_results import LayeredResults, RecordedResults
from aeon.platform.store import Store
from aeon.platform.vault import Vault, VaultError
from aeon.settings import Settings

if TYPE_CHECKING:
    from aeon.adapters.operations.assisted_reply import OfferTools
    from aeon.adapters.operations.mcp import McpExecutor
    from aeon.adapters.operations.own_operations import OwnAbilities
    from aeon.bootstrap.app import App
    from aeon.platform.access.accounts import AccountRepository
    from aeon.platform.access.repository import CredentialRepository
    from aeon.platform.catalog.call_pieces import CallPieces
    from aeon.platform.catalog.health import HealthChecks
    from aeon.platform.catalog.kernel_tool import StoredTool
    from aeon.platform.catalog.model import Tool
    from aeon.platform.catalog.oauth_tokens import OAuthTokens
    from aeon.platform.catalog.tool_calls import OperationRequest, StoredToolCaller
    from aeon.platform.conversations.attachments import AttachmentRepository
    from aeon.platform.conversations.erasing import ErasureRepository
    from aeon.platform.conversations.importing.writer import ImportWriter
    from aeon.platform.conversations.pieces import PieceStream
    from aeon.platform.conversations.repository import ConversationRepository
    from aeon.platform.conversations.turns import TurnRepository
    from aeon.platform.embedder import Embedder
    from aeon.platform.introspection.repository import NoteRepository
    from aeon.platform.knowledge.active_entities import ActiveEntityRepository
    from aeon.platform.knowledge.embedding_backlog import EmbeddingBacklog
    from aeon.platform.knowledge.enrichment import DescriptionRepository
    from aeon.platform.knowledge.entities import NamedEntityRepository
    from aeon.platform.knowledge.extraction import ExtractionQueue
    from aeon.platform.knowledge.facts import FactRepository
    from aeon.platform.knowledge.retrieval import KnowledgeSearch
    from aeon.platform.knowledge.settings import KnowledgeSettingsRepository
    from aeon.platform.knowledge.view import KnowledgeGraph, KnowledgeViewReader
    from aeon.platform.memory.compression import CompressionPlanner
    from aeon.platform.memory.working_memory import MemoryService
    from aeon.platform.metrics.service import Metrics
    from aeon.platform.metrics.tool_calls import MeasuringToolCaller
    from aeon.platform.processes.repository import ProcessRepository
    from aeon.platform.runs.ports import EntryNotifier
    from aeon.platform.search.messages import MessageSearch
    from aeon.platform.summaries.repository import SummaryRepository

_MAX_OFFERED = 200
"""The most own and the most shipped stored tools that a kernel is offered."""


class Platform:
    """Everything that a command of the platform needs; each part is loaded at its first use. A context manager."""

    def __init__(
        self,
        store: Store,
        vault: Vault,
        results: ResultStore,
        model: Callable[[], LLMAdapter],
        state: Path,
        context: int = 8192,
    ) -> None:
        """`model` returns the project's own model, for tools on the endpoint `aeon:model`; `context` is its, in tokens.

        `results` has the large results of runs. `state` is this user's state folder, outside the project.
        """
        self.programs = AllowedPrograms(state / "programs")
        self.store = store
        self.results = results
        self.catalog = Catalog(store, vault)
        self.context = context
        self._vault = vault
        self._model = model
        self.offer_tools: OfferTools = lambda _question: None
        """Chooses the tools for a message of a conversation; an app sets it."""
        self.open_app: Callable[[], App | None] = lambda: None
        """Returns the app whose skills and kernel tools may use, None where there is none; who opens it sets it."""
        self.require_sight: Callable[[], None] = lambda: None
        """Raises InputError if the model cannot see images; an app sets it."""
        self.names_conversations = False
        """Whether a model names conversations without a title; an app sets it."""
        self.compresses_conversations = False
        """Whether a model sums up long conversations, and keeps notes, for users who let it; an app sets it."""
        self.introspects_after = 5
        """The compressions of a conversation after which a note is made of it (platform 15); an app sets it."""
        self.enriches_after = 5
        """The messages that mention something before it is described (platform 17); an app sets it."""
        self.recalls_conversations = False
        """Whether answers recall statements from other conversations; an app sets it."""
        self.open_embedder: Callable[[], Embedder | None] = lambda: None
        """Returns the embedding model, None if it is not installed; an app sets it."""
        self.extractor = STATEMENTS
        """What finds the facts in what users say: `statements`, `model` or `graphiti`; an app sets it."""
        self.open_knowledge_graph: Callable[[], KnowledgeGraph | None] = lambda: None
        """Returns the graph that shows what users know to Graphiti, None if there is none; an app sets it."""
        self.answers_at_once: Callable[[], bool] = lambda: False
        """Whether the model answers several requests at once, so that none waits for another; an app sets it."""
        self.owner: str | None = None
        """The user for whom this process runs, to whom the machine is open; who opens it sets it."""
        self.notices: list[str] = []
        """Messages for the user about the opening."""
        self._closers: list[Callable[[], None]] = [vault.close, store.close]

    def may_use_machine(self, user: str) -> bool:
        """Whether a user's tools may start programs on this machine, and call private addresses from it.

        The user for whom this process runs and operators may: they have the machine anyway (platform 31).
        """
        from aeon.platform.access.roles import is_allowed

        return user in {self.owner, DEFAULTS_OWNER} or is_allowed(self.accounts.get(user).role, "manage_folder")

    def require_machine(self, user: str, what: str) -> None:
        """Raise ForbiddenError unless the user may use this machine for `what`."""
        if not self.may_use_machine(user):
            raise ForbiddenError(
                f"On this server, only operators may {what}.", next_step="Ask an operator to share such a tool."
            )

    def add_closer(self, close: Callable[[], None]) -> None:
        """Add a function that is called when the platform is closed."""
        self._closers.append(close)

    @cached_property
    def processes(self) -> "ProcessRepository":
        """The stored Processes."""
        from aeon.platform.processes.repository import ProcessRepository

        return ProcessRepository(self.store, self.catalog)

    @cached_property
    def conversations(self) -> "ConversationRepository":
        """The conversations of all users."""
        from aeon.platform.conversations.repository import ConversationRepository

        return ConversationRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def turns(self) -> "TurnRepository":
        """The turns and alternatives of conversations."""
        from aeon.platform.conversations.turns import TurnRepository

        return TurnRepository(self.store, self.catalog.ledger, self.catalog.new_id, self.conversations)

    @cached_property
    def credentials(self) -> "CredentialRepository":
        """Sign-in links, sessions and tokens."""
        from aeon.platform.access.repository import CredentialRepository

        return CredentialRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def accounts(self) -> "AccountRepository":
        """The accounts of users, and their identities at OpenID providers."""
        from aeon.platform.access.accounts import AccountRepository

        return AccountRepository(self.store, self.catalog.ledger)

    @cached_property
    def attachments(self) -> "AttachmentRepository":
        """What is attached to messages."""
        from aeon.platform.conversations.attachments import AttachmentRepository

        return AttachmentRepository(self.store)

    @cached_property
    def erasures(self) -> "ErasureRepository":
        """The erasures of messages."""
        from aeon.platform.conversations.erasing import ErasureRepository

        return ErasureRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def message_search(self) -> "MessageSearch":
        """The search in conversations."""
        from aeon.platform.search.messages import MessageSearch

        return MessageSearch(self.store)

    @cached_property
    def entities(self) -> "NamedEntityRepository":
        """The entities that users know."""
        from aeon.platform.knowledge.entities import NamedEntityRepository

        return NamedEntityRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def active_entities(self) -> "ActiveEntityRepository":
        """The entities that are active in conversations."""
        from aeon.platform.knowledge.active_entities import ActiveEntityRepository

        return ActiveEntityRepository(self.store, self.catalog.ledger, self.entities)

    @cached_property
    def descriptions(self) -> "DescriptionRepository":
        """The descriptions of what users mention often."""
        from aeon.platform.knowledge.enrichment import DescriptionRepository

        ledger = self.catalog.ledger
        return DescriptionRepository(self.store, ledger, self.entities, self.facts, self.enriches_after)

    @cached_property
    def facts(self) -> "FactRepository":
        """The facts that users know."""
        from aeon.platform.knowledge.facts import FactRepository

        return FactRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def extraction(self) -> "ExtractionQueue":
        """The episodes that wait for extraction."""
        from aeon.platform.knowledge.extraction import ExtractionQueue

        return ExtractionQueue(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def knowledge_views(self) -> "KnowledgeViewReader":
        """Reads what users know as it is seen from one place."""
        from aeon.platform.knowledge.view import KnowledgeViewReader

        return KnowledgeViewReader(self.store, self.facts, self.entities)

    @cached_property
    def knowledge_graph(self) -> "KnowledgeGraph | None":
        """The graph that shows what users know to Graphiti; None without one. Raises ConfigError, MissingExtraError."""
        return self.open_knowledge_graph()

    @cached_property
    def knowledge_settings(self) -> "KnowledgeSettingsRepository":
        """What each user lets the background do."""
        from aeon.platform.knowledge.settings import KnowledgeSettingsRepository

        return KnowledgeSettingsRepository(self.store, self.catalog.ledger)

    @cached_property
    def embedding_backlog(self) -> "EmbeddingBacklog | None":
        """What makes vectors of users' messages; None without an embedding model. Raises ConfigError."""
        from aeon.platform.knowledge.embedding_backlog import EmbeddingBacklog

        embedder = self.open_embedder()
        return None if embedder is None else EmbeddingBacklog(self.store, embedder)

    @cached_property
    def knowledge_search(self) -> "KnowledgeSearch":
        """The search in users' messages: by words, and by meaning where there is an embedding model.

        Raises ConfigError.
        """
        from aeon.platform.knowledge.retrieval import KnowledgeSearch

        return KnowledgeSearch(self.store, self.open_embedder())

    @cached_property
    def conversation_imports(self) -> "ImportWriter":
        """Writes imported conversations."""
        from aeon.platform.conversations.importing.writer import ImportWriter

        return ImportWriter(self.store, self.catalog.ledger)

    @cached_property
    def memory(self) -> "MemoryService":
        """What answers are made from."""
        from aeon.platform.memory.recall import Recollection
        from aeon.platform.memory.working_memory import MemoryService

        recollection = Recollection(
            self.message_search,
            self.turns,
            self.facts,
            self.entities,
            self.active_entities,
            self.descriptions,
            is_enabled=self.recalls_conversations,
            uses_descriptions=self.extractor != STATEMENTS,
        )
        return MemoryService(self.store, self.conversations, self.turns, recollection)

    @cached_property
    def summaries(self) -> "SummaryRepository":
        """The summaries of parts of conversations."""
        from aeon.platform.summaries.repository import SummaryRepository

        return SummaryRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def notes(self) -> "NoteRepository":
        """The notes that the model keeps for itself."""
        from aeon.platform.introspection.repository import NoteRepository

        return NoteRepository(self.store, self.catalog.ledger, self.catalog.new_id)

    @cached_property
    def compression(self) -> "CompressionPlanner":
        """What of conversations is to be compressed."""
        from aeon.platform.memory.compression import CompressionPlanner

        return CompressionPlanner(self.store, self.conversations, self.turns, self.memory, self.summaries)

    def count_tokens(self, request: LLMRequest) -> TokenCounts | None:
        """Count the tokens of a request to the project's own model; None if that cannot be done on this machine."""
        with suppress(AeonError):
            return self._model().count_tokens(request)
        return None

    @cached_property
    def pieces(self) -> "PieceStream":
        """The pieces of the answers that are being made."""
        from aeon.platform.conversations.pieces import RecordedPieces

        return RecordedPieces(self.store, SystemClock())

    @cached_property
    def call_pieces(self) -> "CallPieces":
        """The text of model calls in runs while it is made, for who waits for it in this process."""
        from aeon.platform.catalog.call_pieces import CallPieces

        return CallPieces()

    @cached_property
    def run_notifier(self) -> "EntryNotifier":
        """Tells everyone in this process who follows runs of new entries."""
        from aeon.platform.runs.notifier import InProcessNotifier

        return InProcessNotifier()

    @cached_property
    def tool_caller(self) -> "StoredToolCaller":
        """The caller of stored tools; each kind of operation loads its client at its first use."""
        from aeon.bootstrap.operation_executors import OperationExecutors
        from aeon.platform.catalog.tool_calls import StoredToolCaller

        executors = OperationExecutors(self)
        return StoredToolCaller(
            self.catalog,
            executors,
            self.tokens,
            SystemClock(),
            programs=self.programs,
            may_use_machine=self.may_use_machine,
        )

    @cached_property
    def metrics(self) -> "Metrics":
        """The metrics. Raises StoreError."""
        from aeon.platform.metrics.service import Metrics

        return Metrics(self.store, self.catalog.ledger)

    @cached_property
    def measured_tool_caller(self) -> "MeasuringToolCaller":
        """The caller of stored tools outside runs; it records each call."""
        from aeon.platform.metrics.tool_calls import MeasuringToolCaller

        return MeasuringToolCaller(self.tool_caller, self.catalog.tools, self.metrics.values)

    @cached_property
    def tokens(self) -> "OAuthTokens":
        """The user's secrets for calls, with OAuth tokens refreshed if due."""
        from aeon.bootstrap.operation_executors import LazyTokenServer
        from aeon.platform.catalog.oauth_tokens import OAuthTokens

        return OAuthTokens(self.catalog.secrets, LazyTokenServer(), SystemClock())

    @cached_property
    def mcp(self) -> "McpExecutor":
        """The MCP client, for calls and for listing the tools of servers."""
        from aeon.adapters.operations.mcp import McpExecutor

        mcp = McpExecutor()
        self._closers.insert(0, mcp.close)
        return mcp

    @cached_property
    def health(self) -> "HealthChecks":
        """The health checks of services."""
        from aeon.adapters.operations.probes import HttpProbe, McpProbe, SocketProbe
        from aeon.platform.catalog.health import HealthChecks

        probes = {
            "rest_api": HttpProbe(),
            "llm_provider": HttpProbe(),
            "neo4j_graph": SocketProbe(),
            "mcp_server": McpProbe(),
        }
        return HealthChecks(
            self.store,
            self.catalog.tools,
            self.catalog.services,
            probes,
            SystemClock(),
            may_use_machine=self.may_use_machine,
        )

    def tools_for_kernel(self, user: str, *, with_shipped: bool = True) -> "list[StoredTool]":
        """Return the tools for a kernel's registry: the user's own, Aeon's own, and trusted ones of other users.

        A trusted tool that its owner has changed since is left out, and `notices` says so. A tool that asks the kernel
        is not offered to a kernel, which would plan for itself again.
        """
        from aeon.platform.catalog.kernel_tool import StoredTool

        tools = self.catalog.tools
        own = [each for each in tools.list_own(user, limit=_MAX_OFFERED) if each.operation.type != "agent_request"]
        shipped = tools.list_own(DEFAULTS_OWNER, limit=_MAX_OFFERED) if with_shipped else []
        call = self.tool_caller.call
        trusted = [
            StoredTool(each, partial(call, user, each.id, trusted=digest)) for each, digest in self._trusted(user)
        ]
        theirs = [StoredTool(each, partial(call, user, each.id)) for each in [*shipped, *own]]
        return list({each.name: each for each in [*trusted, *theirs]}.values())

    def _trusted(self, user: str) -> "Iterator[tuple[Tool, str]]":
        """Yield the unchanged tools of other users that a user trusts, with their digests."""
        from aeon.platform.catalog.trust import appearance_digest, tool_changed_error

        tools = self.catalog.tools
        for id_, digest in tools.list_trusted(user).items():
            try:
                tool = tools.get(user, id_)
                is_same = appearance_digest(tool, tools.get_service(user, tool)) == digest
            except PlatformError as error:
                self.notices.append(f"A tool that you trust cannot be used: {error.message}")
                continue
            if is_same:
                yield tool, digest
            else:
                error = tool_changed_error(tool, "let it into your plans", "tools.trust_again")
                self.notices.append(f"{error.message} {error.advice}")

    def close(self) -> None:
        """Close everything that was opened."""
        for close in self._closers:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def own_abilities(self) -> "OwnAbilities":
        """Return the skills and the kernel of the app. Raises OperationError where there is none."""
        from aeon.bootstrap.kernel_requests import AppAbilities

        if (app := self.open_app()) is None:
            raise OperationError("a temporary conversation uses neither skills nor the kernel")
        return AppAbilities(app)

    def model_for(self, work: "OperationRequest") -> AbstractContextManager[LLMAdapter]:
        """Return the model of a call: the project's own, or one at the endpoint of the call's service."""
        from aeon.adapters.operations.llm import OWN_MODEL
        from aeon.adapters.operations.llm_endpoints import model_server

        return nullcontext(self._model()) if work.connection["endpoint"] == OWN_MODEL else model_server(work)


def open_platform(
    project: Path, store: Store, environ: Mapping[str, str], model: Callable[[], LLMAdapter], context: int
) -> Platform:
    """Open the platform on an open record, which it closes, with the vault in `.aeon`, created if missing.

    Raises StoreError, VaultError, MissingExtraError, ForeignFolderError.
    """
    try:
        opened = open_project_vault(project, environ)
    except BaseException:
        store.close()
        raise
    results = _result_store(project, store)
    platform = Platform(store, opened.vault, results, model, state_folder(environ), context)
    platform.notices += opened.notices
    return platform


def _result_store(project: Path, store: Store) -> ResultStore:
    """Return where large results are: in files beside a record in SQLite, else in the record, for all machines."""
    files = FileResultStore(project / PROJECT_FOLDER / "results")
    recorded = RecordedResults(store, SystemClock())
    return LayeredResults(files, recorded) if store.dialect == "sqlite" else LayeredResults(recorded, files)


def open_platform_in_memory(environ: Mapping[str, str], model: Callable[[], LLMAdapter], context: int) -> Platform:
    """Open the platform of temporary conversations: its record is in memory, has no secrets, and ends when closed."""
    from aeon.adapters.store.sqlite.memory import MemoryStore
    from aeon.adapters.vault import LazyVault

    return Platform(MemoryStore(), LazyVault(_no_vault), MemoryResultStore(), model, state_folder(environ), context)


def _no_vault() -> Vault:
    raise VaultError("A temporary conversation has no secrets.", next_step="Leave it to use stored tools.")


def open_project_platform(
    project: Path, settings: Settings, environ: Mapping[str, str], from_project: Mapping[str, Path]
) -> Platform:
    """Open the platform of a project's settings. Its models are opened at their first requests.

    Raises StoreError, VaultError, MissingExtraError, ConfigError.
    """

    @cache
    def app() -> "App":
        from aeon.bootstrap.app import build_app

        opened = build_app(settings, environ, from_project, folder=project)
        platform.add_closer(opened.close)
        return opened

    store = open_store(project, settings.store, environ, from_project)
    platform = open_platform(project, store, environ, lambda: app().model, settings.model.context)
    platform.open_embedder = lambda: app().find_embedder()
    platform.open_app = app
    return platform  # `app` closes over it
