"""`Workspace`: what one user does with a project's record, as services that every door shares."""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from aeon.application.folder_owner import OwnerServices
from aeon.base.project_folder import state_folder
from aeon.bootstrap.platform import Platform, open_project_platform
from aeon.platform.ledger import RequestKey
from aeon.platform.store_identity import check_writable
from aeon.settings import LoadedSettings

__all__ = ["RequestKey", "Workspace", "Workspaces", "open_app_workspace", "open_workspace"]

_NAMED_USERS: Final = 5
"""How many of the other users a notice names."""

if TYPE_CHECKING:
    from aeon.application.access import AccessService
    from aeon.application.alerts import AlertService
    from aeon.application.audit import AuditService
    from aeon.application.catalog import CatalogService, Services
    from aeon.application.chats import ChatService
    from aeon.application.conversations import ConversationService
    from aeon.application.documents import DocumentService
    from aeon.application.embeddings import EmbeddingService
    from aeon.application.health import HealthService
    from aeon.application.idempotency import IdempotencyService
    from aeon.application.jobs import JobService
    from aeon.application.knowledge import KnowledgeService
    from aeon.application.metrics import MetricsService
    from aeon.application.notes import NoteService
    from aeon.application.processes import ProcessService
    from aeon.application.run_reader import RunReader
    from aeon.application.runs import RunService
    from aeon.application.schedules import ScheduleService
    from aeon.application.secrets import SecretService
    from aeon.application.sign_in import ProviderSignIn
    from aeon.application.summaries import SummaryService
    from aeon.application.tools import ToolService
    from aeon.application.users import UserService
    from aeon.application.webhook_events import WebhookReceiver
    from aeon.application.webhooks import WebhookService
    from aeon.application.workers import WorkerService
    from aeon.bootstrap.app import App
    from aeon.bootstrap.process_runtime import ProcessRuntime


class Workspace:
    """The services of one user in one project. Each is made at its first use; threads may share it.

    The user is added to the record when it is opened. Services raise StoreError besides what they declare.
    """

    def __init__(
        self,
        platform: Platform,
        user: str,
        *,
        folder: Path,
        environ: Mapping[str, str],
        open_runtime: "Callable[[], ProcessRuntime]",
        has_worker: bool = False,
    ) -> None:
        """The caller closes `platform` and what `open_runtime` returns. Raises RuleError for an invalid user name.

        `has_worker`: this process does what runs in the background.
        """
        self._notices = _notices_of_new_user(platform, user) if platform.catalog.add_user(user) else []
        self.user = user
        self._platform = platform
        self._folder = folder
        self._environ = environ
        self._open_runtime = open_runtime
        self._has_worker = has_worker

    @property
    def notices(self) -> list[str]:
        """Messages for the user about the opening."""
        return [*self._platform.notices, *self._notices]

    @property
    def upload_folder(self) -> Path:
        """A folder for files that are removed after they were read, which may not exist."""
        return state_folder(self._environ) / "uploads"

    @cached_property
    def catalog(self) -> "CatalogService":
        """Stored things of any kind: services, secrets, tools, templates and Processes."""
        from aeon.application.catalog import CatalogService

        return CatalogService(self._platform, self.user)

    @cached_property
    def summaries(self) -> "SummaryService":
        """The summaries of parts of the user's conversations."""
        from aeon.application.summaries import SummaryService

        return SummaryService(self._platform, self.user, self.conversations)

    @cached_property
    def notes(self) -> "NoteService":
        """The notes that the model keeps for itself, and the user's own among them."""
        from aeon.application.notes import NoteService

        return NoteService(self._platform, self.user)

    @cached_property
    def idempotency(self) -> "IdempotencyService":
        """The ids for which Idempotency-Keys stand, of what the record does not keep."""
        from aeon.application.idempotency import IdempotencyService

        return IdempotencyService(self._platform.catalog.ledger, self.user)

    @cached_property
    def documents(self) -> "DocumentService":
        """YAML documents that describe stored things, and the default catalog."""
        from aeon.application.documents import DocumentService

        return DocumentService(self._platform, self.user, self._environ)

    @cached_property
    def tools(self) -> "ToolService":
        """The stored tools."""
        from aeon.application.tools import ToolService

        return ToolService(self._platform, self.user, lambda: self.runtime.cache)

    @cached_property
    def services(self) -> "Services":
        """The stored services."""
        from aeon.application.entities import EntityService
        from aeon.platform.catalog.model import NewService, ServiceChange

        return EntityService(self._platform.catalog.services, self.user, NewService, ServiceChange)

    @cached_property
    def secrets(self) -> "SecretService":
        """The stored secrets; their values stay in the vault."""
        from aeon.application.secrets import SecretService

        return SecretService(self._platform.catalog.secrets, self.user)

    @cached_property
    def processes(self) -> "ProcessService":
        """The stored Processes and their versions."""
        from aeon.application.processes import ProcessService

        return ProcessService(self._platform, self.user, self._environ)

    @cached_property
    def schedules(self) -> "ScheduleService":
        """When Processes start by themselves; a worker starts them."""
        from aeon.application.schedules import ScheduleService

        return ScheduleService(self._platform, self.user)

    @cached_property
    def alerts(self) -> "AlertService":
        """Which metrics start Processes; a worker evaluates them."""
        from aeon.application.alerts import AlertService

        return AlertService(self._platform, self.user)

    @cached_property
    def webhooks(self) -> "WebhookService":
        """Which Processes other programs start by signed events; a server takes them."""
        from aeon.application.webhooks import WebhookService

        return WebhookService(self._platform, self.user)

    @cached_property
    def metrics(self) -> "MetricsService":
        """What is measured of services, tools and Processes."""
        from aeon.application.metrics import MetricsService

        return MetricsService(self._platform.metrics, self.user)

    @cached_property
    def audit(self) -> "AuditService":
        """The user's audit log."""
        from aeon.application.audit import AuditService

        return AuditService(self._platform.catalog.ledger, self.user)

    @cached_property
    def health(self) -> "HealthService":
        """Whether the services of the user's tools answer."""
        from aeon.application.health import HealthService

        return HealthService(self._platform, self.user)

    @cached_property
    def past_runs(self) -> "RunReader":
        """The user's runs for reading alone, without an engine."""
        from aeon.application.run_reader import RunReader
        from aeon.bootstrap.runs import platform_runs

        return RunReader(platform_runs(self._platform), self.user)

    @cached_property
    def runs(self) -> "RunService":
        """The user's runs: start, follow, settle, answer, cancel, retry, resume."""
        from aeon.application.runs import RunService

        return RunService(self.runtime, self.user)

    @cached_property
    def access(self) -> "AccessService":
        """Sign-in links, sessions and tokens of a server's users."""
        from aeon.application.access import AccessService

        return AccessService(self._platform)

    @cached_property
    def users(self) -> "UserService":
        """The users of the record, and what each may do."""
        from aeon.application.users import UserService

        return UserService(self._platform.accounts, self.user)

    @cached_property
    def conversations(self) -> "ConversationService":
        """The conversations: messages, answers, branches."""
        from aeon.application.conversations import ConversationService

        return ConversationService(self._platform, self.user, lambda: self.runs, self._platform.context, self._folder)

    @cached_property
    def knowledge(self) -> "KnowledgeService":
        """The knowledge from the user's messages: names, facts, sources."""
        from aeon.application.knowledge import KnowledgeService

        return KnowledgeService(self._platform, self.user, lambda: self.runs, has_worker=self._has_worker)

    @cached_property
    def chats(self) -> "ChatService":
        """Answers to lists of messages that a caller keeps."""
        from aeon.application.chats import ChatService

        return ChatService(self._platform, self.user, self.runs)

    @cached_property
    def jobs(self) -> "JobService":
        """The jobs of the user's runs, and the workers that execute them."""
        from aeon.application.jobs import JobService
        from aeon.bootstrap.runs import platform_runs

        return JobService(self._platform.store, self._platform.catalog.ledger, platform_runs(self._platform), self.user)

    @cached_property
    def workers(self) -> "WorkerService":
        """The worker of this process, and the maintenance of all users' runs."""
        from aeon.application.workers import WorkerService

        return WorkerService(self.runtime)

    @cached_property
    def runtime(self) -> "ProcessRuntime":
        """The runtime of Processes, opened at its first use; for services of this floor."""
        return self._open_runtime()


def _notices_of_new_user(platform: Platform, user: str) -> list[str]:
    """Names the users that were there before, since a new one may be a mistyped name."""
    names = [account.name for account in platform.accounts.list("", _NAMED_USERS + 2) if account.name != user]
    if not names:
        return []
    others = ", ".join(names[:_NAMED_USERS]) + (" and others" if len(names) > _NAMED_USERS else "")
    return [f"The user {user!r} is new here; there were already: {others}."]


@contextmanager
def open_workspace(folder: Path, loaded: LoadedSettings, environ: Mapping[str, str], user: str) -> Generator[Workspace]:
    """Open a project's record for a user, without its model, its installed tools or an engine; close it at the end.

    Raises StoreError, VaultError, MissingExtraError, ConfigError, and RuleError for an invalid user name.
    """
    with ExitStack() as closing:
        opened = open_project_platform(folder, loaded.settings, environ, loaded.from_project)
        platform = closing.enter_context(opened)
        platform.recalls_conversations = loaded.settings.conversations.recall
        platform.extractor = loaded.settings.conversations.extractor
        platform.owner = user

        def open_runtime() -> "ProcessRuntime":
            from aeon.bootstrap.model_choice import prices_by_model
            from aeon.bootstrap.process_runtime import ProcessRuntime
            from aeon.llm.usage import Prices

            engine, prices = loaded.settings.engine, Prices(prices_by_model(loaded.settings.model))
            return closing.enter_context(ProcessRuntime(platform, folder, engine, environ, loaded.from_project, prices))

        yield Workspace(platform, user, folder=folder, environ=environ, open_runtime=open_runtime)


class Workspaces:
    """The workspaces of the users of an app's project, which share its record, its model and its engine.

    Each is opened once; threads may share them.
    """

    def __init__(self, app: "App", environ: Mapping[str, str], runtime: "ProcessRuntime") -> None:
        """The caller closes `app` and `runtime`."""
        self._app = app
        self._environ = environ
        self._runtime = runtime
        self._opening = Lock()
        self._opened: dict[str, Workspace] = {}
        self.owned = OwnerServices(app, environ)
        """What only the owner of the project's folder may use."""

    def of(self, user: str) -> Workspace:
        """Return the workspace of a user. Raises RuleError for an invalid user name, and StoreError.

        The first time, it adds what Aeon ships to the record: requests that read must not change it.
        """
        from aeon.application.default_catalog import add_defaults

        with self._opening:
            if not self._opened:
                add_defaults(self._app.platform())
            if user not in self._opened:
                self._opened[user] = Workspace(
                    self._app.platform(),
                    user,
                    folder=self._app.folder,
                    environ={},  # who sends documents to a server must not read its variables by `${NAME}`
                    open_runtime=lambda: self._runtime,
                    has_worker=True,  # requests that read must not change the record
                )
            return self._opened[user]

    @cached_property
    def sign_in(self) -> "ProviderSignIn | None":
        """How people sign in by the OpenID provider in the settings; None if there is none. Raises ConfigError."""
        from aeon.application.sign_in import ProviderSignIn
        from aeon.bootstrap.sign_in import open_provider, sign_in_policy

        settings, platform = self._app.settings.server, self._app.platform()
        provider = open_provider(settings, self._environ)
        if provider is None:
            return None
        return ProviderSignIn(provider, sign_in_policy(settings), platform.accounts, platform.credentials)

    @cached_property
    def webhook_events(self) -> "WebhookReceiver":
        """The events that other programs send to the webhooks of all users."""
        from aeon.application.webhook_events import WebhookReceiver

        return WebhookReceiver(self._app.platform(), lambda user: self.of(user).runs)

    def own_machine(self, user: str) -> None:
        """Let the tools of this user, for whom the process runs, start programs here and call private addresses."""
        self._app.platform().owner = user

    def embeddings(self) -> "EmbeddingService":
        """Return the embedding model of the settings. Raises ConfigError, and MissingExtraError if it is not here."""
        from aeon.application.embeddings import EmbeddingService

        return EmbeddingService(self._app.embedder())

    def opened(self, user: str) -> Workspace | None:
        """Return the workspace of a user if it is open already. Does not block."""
        return self._opened.get(user)

    def check(self) -> None:
        """Raise StoreError if the record takes no changes, and EngineUnavailableError if the engine does not answer."""
        check_writable(self._app.platform().store)
        self._runtime.start()
        self._runtime.engine.check()


@contextmanager
def open_app_workspace(app: "App", environ: Mapping[str, str], user: str) -> Generator[Workspace]:
    """Open the record of an app's project for a user, with the app's model and tools; ends runs here at the end.

    The caller closes `app`. Raises the errors of `open_workspace`.
    """
    with ExitStack() as closing:

        def open_runtime() -> "ProcessRuntime":
            return closing.enter_context(app.process_runtime())

        app.platform().owner = user
        yield Workspace(app.platform(), user, folder=app.folder, environ=environ, open_runtime=open_runtime)
