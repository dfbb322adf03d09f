"""`RequestService`: requests that the kernel plans and runs, for every door."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from aeon.application.attachments import (
    plan_of_images,
    plan_of_texts,
    read_attachments,
    read_images,
    tools_of_texts,
)
from aeon.application.prepared_runs import (
    STRICT,
    AskedRequest,
    PlanPolicy,
    PreparedRun,
    about_named_table,
    calls_planned_by_code,
    plan_of_skill,
    prepare_request,
    read_interrupted_run,
)
from aeon.base.errors import RequestError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.app import App
from aeon.bootstrap.kernel_requests import new_log_path, open_request_log, request_registry, request_usage
from aeon.kernel.request_text import normalize_request
from aeon.kernel.state import CancellationCheck, OrchestrationState, RunStatus
from aeon.llm.usage import Prices, Usage
from aeon.observability.events import Observer
from aeon.observability.log import JsonlLog
from aeon.observability.run_logger import logged_run
from aeon.plan.models import Plan, StepStatus
from aeon.plan.parser import build_plan
from aeon.tools.attachments import Attachments
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry

__all__ = [
    "KernelRunOptions",
    "RequestResult",
    "RequestService",
    "cancelled_by",
    "execute_run",
    "new_log_path",
    "open_request_log",
]


@dataclass(frozen=True, slots=True)
class RequestResult:
    """The outcome of a request. `answer` is the last step's result as text, None without one.

    `results` and `marks` are by step id; `trusted` is False for a run that is not completed, and where `marks` say why
    to doubt the answer (core 17). `error` is why the run ended early, or why a step failed. `usage` counts the model
    calls of the whole run, also those before a resume. `log` is None where nothing was logged.
    """

    answer: str | None
    status: RunStatus
    trusted: bool
    marks: dict[str, list[str]]
    results: dict[str, Json]
    plan: JsonObject
    error: JsonObject | None
    log: Path | None
    usage: Usage
    state: OrchestrationState

    @classmethod
    def of(cls, raw: JsonObject, log: Path | None, prices: Prices) -> "RequestResult":
        """The typed form of what `Orchestrator.execute` returned."""
        state = cast(OrchestrationState, raw["final_state"])
        return cls(
            answer=raw["answer"],
            status=raw["status"],
            trusted=raw["trusted"],
            marks=raw["marks"],
            results=raw["results"],
            plan=raw["plan"],
            error=raw.get("error") or failure_of(state),
            log=log,
            usage=request_usage(state, prices),
            state=state,
        )

    def as_dict(self) -> JsonObject:
        """The published form: what `Orchestrator.execute` returns, with the error of a step that failed."""
        whole: JsonObject = {
            "plan": self.plan,
            "status": self.status,
            "final_state": self.state,
            "answer": self.answer,
            "results": self.results,
            "marks": self.marks,
            "trusted": self.trusted,
        }
        return whole if self.error is None else {**whole, "error": self.error}


def failure_of(state: OrchestrationState) -> JsonObject | None:
    """The error of the step that failed; None if none did."""
    failed = {step.step_id for step in state.plan.steps if step.status is StepStatus.FAILED}
    errors = [error for error in state.errors if error.get("step_id") in failed and error["type"] != "Warning"]
    return errors[-1] if errors else None


class KernelRunOptions(NamedTuple):
    """How a request is run.

    `observer` gets its events; `tools` are added to the registered ones. `ttl` counts the steps that may be visited,
    None for the settings' own; `log` is the path of the log, None for a fresh one. `cancellation` is called before each
    step and returns whether to stop there. `files` are paths, relative to the project's folder, and addresses of
    pages; the model reads them, whatever their length. `images` are paths of images, which the model sees.
    """

    observer: Observer | None = None
    tools: Sequence[Tool] = ()
    ttl: int | None = None
    log: Path | None = None
    cancellation: CancellationCheck | None = None
    files: Sequence[str | Path] = ()
    images: Sequence[str | Path] = ()


_DEFAULTS = KernelRunOptions()
_CANCELLATION: ContextVar[CancellationCheck | None] = ContextVar("request_cancellation", default=None)


@contextmanager
def cancelled_by(check: CancellationCheck) -> Generator[None]:
    """Requests that are made inside the context end if `check` says so, as with `cancellation`."""
    token = _CANCELLATION.set(check)
    try:
        yield
    finally:
        _CANCELLATION.reset(token)


class RequestService:
    """Runs requests, each with a log and a registry of its own. Threads may share it."""

    def __init__(self, app: App) -> None:
        """The caller closes `app`."""
        self._app = app

    def ask(self, request: str, options: KernelRunOptions = _DEFAULTS) -> RequestResult:
        """Plan a request and run the plan.

        Raises RequestError, LLMError without a model, OrchestrationError when no plan can be made, and LogError;
        InputError for a file that cannot be read or seen, and for images if the model cannot see.
        """
        _require_text(request)
        if options.images:
            self._app.require_sight()
        tools = request_registry(self._app, request, (), options.tools)
        if options.files or options.images or calls_planned_by_code(tools, request) is None:
            self._app.model.supports_schema()  # opens the model before a log is created
        if options.files or options.images:
            return self._ask_about(request, options)
        if plan := plan_of_skill(self._app, request):
            return self._run(AskedRequest(request, plan), options)
        return self._run(about_named_table(AskedRequest(request), tools, self._app.folder), options)

    def _ask_about(self, request: str, options: KernelRunOptions) -> RequestResult:
        """Answer a request about texts and images; code makes the plan. Raises InputError for a file without text."""
        images = read_images(options.images, folder=self._app.folder)
        text = normalize_request(request)
        if not options.files:
            return self._run(AskedRequest(request, plan_of_images(text, images), images=images), options)
        attachments = read_attachments(options.files, folder=self._app.folder)
        plan = plan_of_texts(text, attachments, images)
        ttl = max(self._app.settings.run.ttl, len(plan.steps)) if options.ttl is None else options.ttl
        return self._run(AskedRequest(request, plan, attachments, images), options._replace(ttl=ttl))

    def run_plan(
        self,
        plan: Plan | JsonObject,
        request: str = "",
        options: KernelRunOptions = _DEFAULTS,
        policy: PlanPolicy = STRICT,
    ) -> RequestResult:
        """Run a supplied plan; without a request, its goal is the request.

        Raises PlanError with every fault that `policy` does not leave to the model, RequestError, LogError.
        """
        plan = plan if isinstance(plan, Plan) else build_plan(plan)
        return self._run(AskedRequest(request or plan.goal, plan, policy=policy), options)

    def resume(self, log: Path, options: KernelRunOptions = _DEFAULTS) -> RequestResult:
        """Resume the run of a log from its last complete entry.

        Raises LogError, and InputError if the run has ended, or if its texts or images are not given again.
        """
        run = read_interrupted_run(log)
        attachments = read_attachments(options.files, folder=self._app.folder) if options.files else None
        prepared = run.prepared(attachments, read_images(options.images, folder=self._app.folder))
        tools = request_registry(self._app, "", [step.tool for step in run.steps], _with_texts(options, attachments))
        return self._execute(prepared, options._replace(log=log), tools)

    def _run(self, asked: AskedRequest, options: KernelRunOptions) -> RequestResult:
        steps = () if asked.plan is None else asked.plan.steps
        tools = request_registry(
            self._app,
            asked.request if asked.plan is None else "",
            [step.tool for step in steps],
            _with_texts(options, asked.attachments),
        )
        return self._execute(prepare_request(asked, tools, self._app.skills.tool_names), options, tools)

    def _execute(self, run: PreparedRun, options: KernelRunOptions, tools: ToolRegistry) -> RequestResult:
        path = options.log or new_log_path(self._app.log_folder)
        with open_request_log(path, run.after) as log, logged_run("kernel", path.stem, self._app.known_secrets):
            return execute_run(self._app, run, log, options, tools)


def execute_run(
    app: App, run: PreparedRun, log: JsonlLog, options: KernelRunOptions = _DEFAULTS, tools: ToolRegistry | None = None
) -> RequestResult:
    """Run what was prepared, with `tools`, or with all registered tools if None. Raises LogError, AeonError."""
    ttl = app.settings.run.ttl if options.ttl is None else options.ttl
    seen = [each.image for each in run.images]
    kernel = app.orchestrator(ttl=ttl, log=log, observer=options.observer, tools=tools, images=seen)
    checks = [check for check in (options.cancellation, _CANCELLATION.get()) if check is not None]
    raw = run.execute(kernel, lambda: any(check() for check in checks))
    return RequestResult.of(raw, log.path, app.prices)


def _with_texts(options: KernelRunOptions, attachments: Attachments | None) -> list[Tool]:
    """The tools of a run, with those that read its texts."""
    return [*options.tools] if attachments is None else [*options.tools, *tools_of_texts(attachments)]


def _require_text(request: object) -> None:
    """Raises RequestError for what is not text: programs without a type checker get a message, too."""
    if not isinstance(request, str):
        raise RequestError(f"The request is {type(request).__name__}, not text.", next_step="Give a str.")
    if not request.strip():
        raise RequestError("The request is empty.")
