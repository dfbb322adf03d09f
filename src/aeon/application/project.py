"""`Project`: Aeon in a folder, for Python programs: `from aeon import Project`."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event, RLock
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar, overload

from aeon.application.argument_types import require_argument, require_called, require_paths
from aeon.application.prepared_runs import PlanPolicy
from aeon.application.requests import KernelRunOptions, RequestResult, RequestService, cancelled_by
from aeon.base.errors import AeonError, ConfigError, InputError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import words_of
from aeon.base.project_folder import OWN_USER, PROJECT_FOLDER, make_folder
from aeon.bootstrap.app import App, OwnParts, build_app
from aeon.kernel.state import CancellationCheck
from aeon.llm.interface import LLMAdapter
from aeon.memory.interface import Memory
from aeon.observability.events import Observer
from aeon.plan.models import Plan
from aeon.settings import load_settings
from aeon.tools.async_call import async_tools_on
from aeon.tools.interface import Tool

if TYPE_CHECKING:
    from aeon.application.alerts import AlertService
    from aeon.application.answers import AnswerFollower
    from aeon.application.audit import AuditService
    from aeon.application.catalog import CatalogService, Services
    from aeon.application.conversations import ConversationService
    from aeon.application.documents import ApplyStep
    from aeon.application.health import HealthService
    from aeon.application.jobs import JobService
    from aeon.application.knowledge import KnowledgeService
    from aeon.application.metrics import MetricsService
    from aeon.application.processes import ProcessService
    from aeon.application.run_follower import RunFollower, RunUpdate
    from aeon.application.runs import RunService
    from aeon.application.schedules import ScheduleService
    from aeon.application.secrets import SecretService
    from aeon.application.tools import ToolService
    from aeon.application.webhooks import WebhookService
    from aeon.application.workspace import Workspace
    from aeon.bootstrap.process_runtime import ProcessRuntime
    from aeon.bootstrap.skills import Skills

P = ParamSpec("P")
R = TypeVar("R")


def private_folder(user: str) -> Path | None:
    """The folder for the memory and the skills' data of another user than the project's own.

    It is relative to the project's folder. None for the project's own user, whose data are in the usual places
    (platform 2).
    """
    return None if user == OWN_USER else Path(PROJECT_FOLDER) / "users" / user.encode().hex()


class Project:
    """Aeon in one folder, for one user: requests, runs of Processes, and what is stored.

    A context manager, also for `async with`. Nothing is opened before it is used. Several projects may be open in one
    process, and threads may share one.
    """

    def __init__(self, folder: Path, user: str, environ: Mapping[str, str], app: App) -> None:
        """Use `Project.open`."""
        self.folder = folder
        self.user = user
        self._environ = environ
        self._app = app
        self._opening = RLock()
        self._requests = RequestService(app)
        self._runtime: ProcessRuntime | None = None
        self._is_closed = False
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        folder: Path | str = ".",
        *,
        user: str = OWN_USER,
        environ: Mapping[str, str] | None = None,
        settings: Mapping[str, Json] | None = None,
        model: LLMAdapter | None = None,
        memory: Memory | None = None,
    ) -> Self:
        """Open the project in `folder`; the folder is made if it is not there.

        `settings` maps keys such as "run.ttl" to values that win over files and environment. `model` and `memory` are
        used instead of those that the settings name; the caller closes them. Raises ConfigError with every mistake, and
        InputError if the folder cannot be made, and for a model or a memory of another type.
        """
        require_argument(folder, (str, Path), "folder", "the path of a folder")
        require_argument(user, str, "user", "the name of a user")
        require_argument(settings or {}, Mapping, "settings", "a dict of settings by key")
        _require_type(model, LLMAdapter, "model", "name it in the settings, or subclass LLMAdapter")
        _require_type(memory, Memory, "memory", "subclass Memory")
        place = _made_folder(Path(folder).expanduser().absolute())
        _require_keys(settings or {})
        variables = os.environ if environ is None else environ
        private = private_folder(user)
        defaults = {} if private is None else {"memory.path": str(private / "memory.db")}
        flags = {key: (f"settings[{key!r}]", value) for key, value in {**defaults, **(settings or {})}.items()}
        loaded = load_settings(flags, variables, place)
        own = OwnParts(model, memory)
        app = build_app(loaded.settings, variables, loaded.from_project, folder=place, own=own)
        if private is not None:
            make_folder(place / private)
            app.isolate(user, place / private / "skills")
        return cls(place, user, variables, app)

    def ask(
        self,
        request: str,
        *,
        observer: Observer | None = None,
        tools: Sequence[Tool] = (),
        cancellation: CancellationCheck | None = None,
        files: Sequence[str | Path] = (),
        images: Sequence[str | Path] = (),
    ) -> RequestResult:
        """Plan a request and run the plan.

        The plan may use all registered tools, `tools`, and the skills that match. `observer` gets every event. With
        `files`, paths or addresses of pages, the request is about their texts: the model reads them, in parts if they
        are long, and answers. With `images`, paths of PNG, JPEG, GIF or WebP files of at most 10 MiB, the model sees
        them with each of its requests. Raises RequestError, InputError for files without text or non-images and if the
        model cannot see, LLMError without a model, OrchestrationError if no plan can be made, ToolDefinitionError for
        one of `tools`, and LogError.
        """
        self._require_open()
        _require_options(observer, tools, cancellation, files, images)
        options = KernelRunOptions(observer, tools, cancellation=cancellation, files=files, images=images)
        return self._requests.ask(request, options)

    def run_plan(
        self,
        plan: Plan | JsonObject,
        *,
        observer: Observer | None = None,
        tools: Sequence[Tool] = (),
        cancellation: CancellationCheck | None = None,
        repair: bool = False,
        allow_fallback: bool = False,
    ) -> RequestResult:
        """Run a supplied plan.

        The model may correct unknown tools and unfit arguments only with `repair`, and answers in place of an unknown
        tool only with `allow_fallback`. Raises PlanError with every other fault, and the errors of `ask`.
        """
        self._require_open()
        _require_options(observer, tools, cancellation)
        options = KernelRunOptions(observer, tools, cancellation=cancellation)
        return self._requests.run_plan(plan, options=options, policy=PlanPolicy(repair, allow_fallback))

    def resume(
        self,
        log: Path,
        *,
        observer: Observer | None = None,
        tools: Sequence[Tool] = (),
        cancellation: CancellationCheck | None = None,
        files: Sequence[str | Path] = (),
        images: Sequence[str | Path] = (),
    ) -> RequestResult:
        """Continue a request that was cancelled, whose TTL expired, or that was killed.

        `log` is the path of its log; `files` and `images` are those of `ask`, if there were any. Raises LogError, and
        InputError for a finished request, and for files and images that are missing or differ.
        """
        self._require_open()
        require_argument(log, (Path, str), "log", "the path of a log")
        _require_options(observer, tools, cancellation, files, images)
        options = KernelRunOptions(observer, tools, cancellation=cancellation, files=files, images=images)
        return self._requests.resume(Path(log), options)

    def apply(self, source: str | Path) -> "list[ApplyStep]":
        """Create and change what YAML documents describe; returns a step for each document.

        They describe services, secrets, tools, templates, Processes, schedules, webhooks and alerts. A Path is a file,
        relative to the project's folder; a str is the text itself. If there is any fault, nothing is changed. Raises
        ApplyError with every fault, InputError for a file that cannot be read.
        """
        self._require_open()
        require_argument(source, (str, Path), "source", "a text of YAML documents, or the Path of a file")
        if isinstance(source, str) and source.endswith((".yaml", ".yml")) and "\n" not in source:
            raise InputError(f"{source!r} is the name of a file.", next_step=f"For a file, give Path({source!r}).")
        return self._workspace.documents.apply(self._read(source) if isinstance(source, Path) else source)

    def stored_tools(self) -> list[Tool]:
        """The stored tools, for the `tools` of `ask` and `run_plan`.

        These are the user's own, those that Aeon ships, and those of other users that the user trusts.
        """
        return [*self._workspace.tools.list_for_kernel()]

    @property
    def runs(self) -> "RunService":
        """The runs of Processes: start, follow, settle, answer, cancel, retry, resume."""
        with self._opening:
            return self._workspace.runs

    @property
    def conversations(self) -> "ConversationService":
        """The conversations: messages, answers, branches, and what answers were made from."""
        with self._opening:
            return self._workspace.conversations

    @property
    def knowledge(self) -> "KnowledgeService":
        """The knowledge from the user's messages: names, facts, and their sources."""
        return self._workspace.knowledge

    @property
    def processes(self) -> "ProcessService":
        """The stored Processes."""
        return self._workspace.processes

    @property
    def tools(self) -> "ToolService":
        """The stored tools."""
        return self._workspace.tools

    @property
    def services(self) -> "Services":
        """The stored services."""
        return self._workspace.services

    @property
    def secrets(self) -> "SecretService":
        """The stored secrets; their values stay in the vault."""
        return self._workspace.secrets

    @property
    def schedules(self) -> "ScheduleService":
        """When Processes start by themselves; a worker starts them (`aeon serve worker`)."""
        return self._workspace.schedules

    @property
    def alerts(self) -> "AlertService":
        """Which metrics start Processes when they cross a threshold; a worker evaluates them."""
        return self._workspace.alerts

    @property
    def webhooks(self) -> "WebhookService":
        """Which Processes other programs start by signed events; a server takes them (`aeon serve`)."""
        return self._workspace.webhooks

    @property
    def catalog(self) -> "CatalogService":
        """Stored things of any kind: find, search, rename, archive."""
        return self._workspace.catalog

    @property
    def jobs(self) -> "JobService":
        """The jobs of the user's runs, and the workers that execute them."""
        return self._workspace.jobs

    @property
    def metrics(self) -> "MetricsService":
        """What is measured of services, tools and Processes."""
        return self._workspace.metrics

    @property
    def audit(self) -> "AuditService":
        """The user's audit log."""
        return self._workspace.audit

    @property
    def health(self) -> "HealthService":
        """Whether the services of the user's tools answer."""
        return self._workspace.health

    @property
    def skills(self) -> "Skills":
        """The skills of this project, of the user, and those that Aeon ships."""
        self._require_open()
        return self._app.skills

    @property
    def memory(self) -> Memory:
        """The memory that the kernel's runs share."""
        self._require_open()
        return self._app.memory

    @property
    def warnings(self) -> list[str]:
        """What could not be loaded when the project was opened."""
        return list(self._app.warnings)

    def advice(self, error: AeonError) -> str:
        """What to do about an error of this project, as calls of it where there are any."""
        from aeon.application.next_steps import CALLS

        return words_of(error.next, CALLS)

    async def in_thread(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a method of this project in a worker thread.

        For example: `await project.in_thread(project.ask, "...")`. Async tools run on the loop that awaits this. If
        the awaiting task is cancelled, a request ends after the step under way and can be resumed by its log, as with
        `cancellation`; any other call goes on.
        """
        is_cancelled = Event()
        with async_tools_on(asyncio.get_running_loop()), cancelled_by(is_cancelled.is_set):
            try:
                return await asyncio.to_thread(function, *args, **kwargs)
            except asyncio.CancelledError:
                is_cancelled.set()
                raise

    @overload
    def stream(self, follower: "RunFollower") -> "AsyncGenerator[RunUpdate]": ...
    @overload
    def stream(self, follower: "AnswerFollower") -> "AsyncGenerator[str]": ...
    async def stream(self, follower: "RunFollower | AnswerFollower") -> "AsyncGenerator[RunUpdate | str]":
        """The updates of a run, or the pieces of an answer that is being made, for `async for`.

        When the caller leaves the loop, the follower is stopped; the run or the answer goes on.
        """
        updates: Iterator[RunUpdate | str] = iter(follower)
        try:
            while (update := await asyncio.to_thread(next, updates, None)) is not None:
                yield update
        finally:
            follower.stop()

    def close(self) -> None:
        """Stop the runs in this process, and close everything that was opened.

        Calling it again does nothing, nor does a process that was forked. The runs are kept and can be resumed.
        """
        if os.getpid() != self._process:
            return
        with self._opening:
            if self._is_closed:
                return
            self._is_closed = True
            try:
                if self._runtime is not None:
                    self._runtime.close()
            finally:
                self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)  # engines refuse to be closed in the thread of an event loop

    @property
    def _workspace(self) -> "Workspace":
        """What this user does with the record. Raises InputError, StoreError, VaultError, MissingExtraError."""
        self._require_open()
        with self._opening:  # threads share one: a cached property alone makes several from Python 3.12 on
            return self._own_workspace

    @cached_property
    def _own_workspace(self) -> "Workspace":
        from aeon.application.workspace import Workspace

        self._app.platform().owner = self.user
        return Workspace(
            self._app.platform(),
            self.user,
            folder=self.folder,
            environ=self._environ,
            open_runtime=self._opened_runtime,
        )

    def _opened_runtime(self) -> "ProcessRuntime":
        with self._opening:
            if self._runtime is None:
                self._runtime = self._app.process_runtime()
            return self._runtime

    def _require_open(self) -> None:
        """Raises InputError if this project was closed, or opened before this process was forked."""
        if os.getpid() != self._process:  # a fork has none of the threads, and must not use the connections
            raise InputError(
                f"The project in {self.folder} was opened in another process, which was then forked.",
                next_step="Open it in this process: Project.open().",
            )
        if self._is_closed:
            raise InputError(f"The project in {self.folder} is closed.", next_step="Open it again: Project.open().")

    def _read(self, file: Path) -> str:
        place = self.folder / file
        try:
            return place.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{place} cannot be read as UTF-8 text.", next_step="Name a YAML file.") from None
        except OSError as error:
            raise InputError(f"{place} cannot be read: {error.strerror}.", next_step="Name a YAML file.") from None


def _require_type(part: object, kind: type, name: str, advice: str) -> None:
    if part is not None and not isinstance(part, kind):
        raise InputError(
            f"{name} is no {kind.__name__}, but {type(part).__name__}.", next_step=f"To choose one, {advice}."
        )


def _require_options(
    observer: object, tools: object, cancellation: object, files: object = (), images: object = ()
) -> None:
    """Raises InputError for an argument of another type."""
    require_called(observer, "observer", "a function that takes an event")
    require_called(cancellation, "cancellation", "a function that returns whether to stop")
    require_argument(tools, Sequence, "tools", "a list of tools")
    require_paths(files, "files")
    require_paths(images, "images")


def _made_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be a project's folder: {error.strerror}.", next_step="Name another folder."
        ) from None
    return folder


def _require_keys(settings: Mapping[str, Json]) -> None:
    """Raises ConfigError for a whole section."""
    sections = [name for name in settings if "." not in str(name)]
    if sections:
        raise ConfigError(
            f"{', '.join(map(repr, sections))} in settings must be a key such as 'run.ttl'.",
            next_step="Write {'section.name': value}.",
        )
