"""`RequestService`: requests that the kernel plans and runs, for every door."""

import secrets
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from aeon.application.attachments import (
    NamedImage,
    plan_of_images,
    plan_of_texts,
    read_attachments,
    read_images,
    require_same_images,
)
from aeon.base.errors import InputError, RequestError, ToolDefinitionError
from aeon.base.json import Json, JsonObject
from aeon.base.loggers import logged_as
from aeon.bootstrap.app import App
from aeon.kernel.input_checks import normalize_request
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import CancellationCheck, OrchestrationState, RunStatus, restore_state
from aeon.llm.usage import CallUsage, Prices, Usage, total_usage
from aeon.observability.events import Observer
from aeon.observability.log import JsonlLog, LogHistory, read_log
from aeon.observability.run_logger import logged_run
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.plan.parser import build_plan
from aeon.skills.instructions import require_user_may_call
from aeon.tools.attachments import AttachmentTool
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class RequestResult:
    """The outcome of a request. `answer` is the last step's result as text, None without one.

    `results` and `marks` are by step id; `trusted` is False where `marks` say why to doubt the answer (core 17).
    `error` is why the run ended early. `usage` counts the model calls of the whole run, also those before a resume.
    `log` is None where nothing was logged.
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
            error=raw.get("error"),
            log=log,
            usage=request_usage(state, prices),
            state=state,
        )

    def as_dict(self) -> JsonObject:
        """The published form, as `Orchestrator.execute` returns it."""
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


class _Work(NamedTuple):
    """What a run does: the call of the kernel, the request and the tools that say which skills it needs.

    `after` is the log that it continues, `images` what the model sees.
    """

    execute: Callable[[Orchestrator], JsonObject]
    request: str = ""
    named: Sequence[str | None] = ()
    after: LogHistory | None = None
    images: Sequence[NamedImage] = ()


_DEFAULTS = KernelRunOptions()


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
            return self.run_plan(plan, request, options)

        def execute(kernel: Orchestrator) -> JsonObject:
            return kernel.execute(request, cancellation=options.cancellation)

        return self._run(_Work(execute, request), options)

    def _ask_about(self, request: str, options: KernelRunOptions) -> RequestResult:
        """Answer a request about texts and images; code makes the plan. Raises InputError for a file without text."""
        images = read_images(options.images, folder=self._app.folder)
        text = normalize_request(request)
        if not options.files:
            return self._run_plan(plan_of_images(text, images), request, options, images)
        attachments = read_attachments(options.files, folder=self._app.folder)
        plan = plan_of_texts(text, attachments, images)
        ttl = max(self._app.settings.run.ttl, len(plan.steps)) if options.ttl is None else options.ttl
        tools = [*options.tools, AttachmentTool(attachments)]
        return self._run_plan(plan, request, options._replace(tools=tools, ttl=ttl), images)

    def run_plan(
        self, plan: Plan | JsonObject, request: str = "", options: KernelRunOptions = _DEFAULTS
    ) -> RequestResult:
        """Run a supplied plan; without a request, its goal is the request.

        Raises PlanError, RequestError, LogError.
        """
        return self._run_plan(plan if isinstance(plan, Plan) else build_plan(plan), request, options)

    def _run_plan(
        self, plan: Plan, request: str, options: KernelRunOptions, images: Sequence[NamedImage] = ()
    ) -> RequestResult:
        def execute(kernel: Orchestrator) -> JsonObject:
            return kernel.execute(request or plan.goal, plan, cancellation=options.cancellation)

        return self._run(_Work(execute, request, [step.tool for step in plan.steps], images=images), options)

    def resume(self, log: Path, options: KernelRunOptions = _DEFAULTS) -> RequestResult:
        """Resume the run of a log from its last complete entry.

        Raises LogError, and InputError if the run has ended, or if its images are not given again.
        """
        history = read_log(log)
        state = restore_state(history)
        left = [step for step in state.plan.steps if step.status in (StepStatus.PENDING, StepStatus.RUNNING)]
        if not left:
            raise InputError(f"The run in {log} has ended.", next_step="Start a new run.")
        images = read_images(options.images, folder=self._app.folder)
        require_same_images(left, images)

        def execute(kernel: Orchestrator) -> JsonObject:
            return kernel.resume(state, cancellation=options.cancellation)

        work = _Work(execute, named=[step.tool for step in left], after=history, images=images)
        return self._run(work, options._replace(log=log))

    def _run(self, work: _Work, options: KernelRunOptions) -> RequestResult:
        ttl = self._app.settings.run.ttl if options.ttl is None else options.ttl
        path = options.log or new_log_path(self._app.log_folder)
        with open_request_log(path, work.after) as log, logged_run("kernel", path.stem, self._app.known_secrets):
            tools = request_registry(self._app, work.request, work.named, options.tools)
            seen = [each.image for each in work.images]
            kernel = self._app.orchestrator(ttl=ttl, log=log, observer=options.observer, tools=tools, images=seen)
            raw = work.execute(kernel)
        return RequestResult.of(raw, path, self._app.prices)


def calls_planned_by_code(registry: ToolRegistry, request: str) -> list[PlanStep] | None:
    """The steps of a plan that code makes and that needs no model at all (decision 52), None if a model is needed."""
    plan = registry.offer(request).plan
    steps = [] if plan is None else build_plan(plan).steps
    return steps if steps and all(step.tool is not None for step in steps) else None


def _require_text(request: object) -> None:
    """Raises RequestError for what is no text: programs without a type checker get a message, too."""
    if not isinstance(request, str):
        raise RequestError(f"The request is {type(request).__name__}, not text.", next_step="Give a str.")


def new_log_path(folder: Path) -> Path:
    """Return the path for a new log in a folder; the names sort by start time."""
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}.jsonl"


@contextmanager
def open_request_log(path: Path, after: LogHistory | None = None) -> Generator[JsonlLog]:
    """Open the log at `path`, and close it at the end; an empty one is removed. Raises LogError.

    Records of the standard logging that are made inside carry the name of the file, without its suffix, as `run_id`.
    """
    log = JsonlLog(path, after=after)
    try:
        with logged_as(path.stem):
            yield log
    finally:
        log.close()
        if not log.entries:
            path.unlink(missing_ok=True)


def request_registry(
    app: App, request: str, named: Iterable[str | None] = (), tools: Iterable[Tool] = ()
) -> ToolRegistry:
    """Return a registry for one run alone: other runs are concurrent.

    It has the registered tools, `tools`, and the skills that are named or match the request. Raises ToolDefinitionError
    for one of `tools`.
    """
    registry = app.registry.snapshot()
    for tool in tools:
        registry.register(tool)
    for tool in app.skill_tools(request, named):
        with suppress(ToolDefinitionError):  # `aeon skill check` reports scripts that cannot be registered
            registry.register(tool)
    return registry


def plan_of_skill(app: App, request: str) -> Plan | None:
    """The plan of `/name words`: one step that follows the skill's instructions (skills 14).

    None for any other request, and for a skill with scripts, which the model plans. Raises InputError for a skill that
    users may not call.
    """
    name, _, words = request.partition(" ")
    skill = app.skills.catalog.by_name.get(name[1:]) if name.startswith("/") else None
    if skill is None or not skill.is_instructions:
        return None
    require_user_may_call(skill)
    arguments = {"request": words.strip() or skill.description}
    step = {
        "step_id": "s1",
        "description": f"Follow the skill {skill.name}: {arguments['request']}"[:500],
        "tool": f"{skill.name}.follow",
        "arguments": arguments,
    }
    return build_plan({"goal": request, "steps": [step]})


def request_usage(state: OrchestrationState, prices: Prices) -> Usage:
    """The model calls of a whole run, repairs and what was done before it was resumed included."""
    replies = [*state.llm_outputs, *(action.model_output or {} for action in state.supervisor_actions)]
    return total_usage((CallUsage.of_reply(reply) for reply in replies if "text" in reply), prices)
