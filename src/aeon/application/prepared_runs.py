"""A request, a plan or an interrupted run before the kernel runs it: its tools, its checks, its need of a model.

Doors that register tools in their app's own registry use this; `RequestService` does so with a registry for each run.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from aeon.application.attachments import (
    READING_TOOLS,
    NamedImage,
    plan_of_texts,
    read_attachments,
    require_same_images,
    require_same_texts,
    tools_of_texts,
)
from aeon.base.errors import AeonError, InputError, PlanError
from aeon.base.json import JsonObject, canonical_json
from aeon.base.next_steps import NextStep
from aeon.base.suggestions import closest_name
from aeon.bootstrap.app import App
from aeon.kernel.input_checks import LoadNames, check_supplied_plan, has_unfit_arguments, no_names
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import CancellationCheck, OrchestrationState, restore_state
from aeon.observability.events import Observer
from aeon.observability.log import LogHistory, read_log
from aeon.plan.models import Plan, PlanStep, StepStatus
from aeon.plan.parser import build_plan
from aeon.skills.instructions import require_user_may_call
from aeon.tools.attachments import Attachments
from aeon.tools.registry import ToolRegistry
from aeon.tools.table_queries import QueryTablesTool
from aeon.tools.table_requests import asks_of_table
from aeon.tools.table_texts import read_tables

_MAX_REASONS = 5
"""The most reasons for a model that an error lists."""


class PlanPolicy(NamedTuple):
    """How far the model may make up for what a supplied plan lacks."""

    repair: bool = False
    allow_fallback: bool = False


STRICT = PlanPolicy()
"""Every fault of a supplied plan is an error."""


class AskedRequest(NamedTuple):
    """What is asked: the request, its plan if there is one already, and the texts and images that it is about."""

    request: str
    plan: Plan | None = None
    attachments: Attachments | None = None
    images: Sequence[NamedImage] = ()
    policy: PlanPolicy = STRICT


class PreparedRun(NamedTuple):
    """What the kernel is to do. `steps` are those to execute, None before planning; `after` is the log to continue."""

    execute: Callable[[Orchestrator, CancellationCheck | None], JsonObject]
    steps: Sequence[PlanStep] | None = None
    images: Sequence[NamedImage] = ()
    after: LogHistory | None = None


class InterruptedRun(NamedTuple):
    """A run whose log says that steps are left: `steps`."""

    history: LogHistory
    state: OrchestrationState
    steps: Sequence[PlanStep]

    @property
    def is_about_texts(self) -> bool:
        """Whether a step that is left reads a text, which must then be given again."""
        return any(step.tool in READING_TOOLS for step in self._about_texts)

    @property
    def _about_texts(self) -> Sequence[PlanStep]:
        """The steps that name the texts that are needed: a query needs those that earlier steps looked at."""
        is_queried = any(step.tool == QueryTablesTool.name for step in self.steps)
        return self.state.plan.steps if is_queried else self.steps

    def prepared(self, attachments: Attachments | None, images: Sequence[NamedImage]) -> PreparedRun:
        """The rest of the run. Raises InputError unless it gets the texts and images that it is about."""
        require_same_texts(self._about_texts, attachments)
        require_same_images(self.steps, images)

        def execute(kernel: Orchestrator, cancellation: CancellationCheck | None) -> JsonObject:
            return kernel.resume(self.state, cancellation=cancellation)

        return PreparedRun(execute, self.steps, images, self.history)


def read_interrupted_run(log: Path) -> InterruptedRun:
    """Read the log of a run that is to go on. Raises LogError, and InputError if the run has ended."""
    history = read_log(log)
    state = restore_state(history)
    left = [step for step in state.plan.steps if step.status in (StepStatus.PENDING, StepStatus.RUNNING)]
    if not left:
        raise InputError(
            f"The run in {log} has ended: all of its {len(state.plan.steps)} steps were executed.",
            next_step=NextStep("requests.begin", log=str(log)),
        )
    return InterruptedRun(history, state, left)


def prepare_request(asked: AskedRequest, registry: ToolRegistry, other_names: LoadNames = no_names) -> PreparedRun:
    """The run of a request, or of its plan. Raises PlanError with every fault of a plan.

    `other_names` returns the names of tools that are registered only where a plan names them, such as those of skills.
    """
    request, plan, _, images, policy = asked
    if plan is not None:
        check_supplied_plan(
            plan,
            registry,
            repair=policy.repair,
            allow_fallback=policy.allow_fallback,
            other_names=other_names,
        )

    def execute(kernel: Orchestrator, cancellation: CancellationCheck | None) -> JsonObject:
        repair, allow_fallback = policy
        return kernel.execute(request, plan, repair=repair, allow_fallback=allow_fallback, cancellation=cancellation)

    return PreparedRun(execute, calls_planned_by_code(registry, request) if plan is None else plan.steps, images)


def register_tools(
    app: App, asked: AskedRequest, *, stored_for: str | None, confirm: Callable[[Path], bool] | None
) -> None:
    """Register in the app's own registry what a request may use.

    It gets its texts, the files of the folder, the pages of hosts that it names, the skills that match it or that its
    plan names, and the stored tools of the user `stored_for`. `confirm` asks whether a file may be written.
    """
    words = [asked.request] if asked.plan is None else [asked.request, canonical_json(asked.plan.as_dict())]
    steps = () if asked.plan is None else asked.plan.steps
    _register(app, asked.attachments, "\n".join(words), stored_for, confirm)
    app.register_skills(asked.request if asked.plan is None else "", [step.tool for step in steps])


def register_tools_again(
    app: App,
    run: InterruptedRun,
    attachments: Attachments | None,
    *,
    stored_for: str | None,
    confirm: Callable[[Path], bool] | None,
) -> None:
    """Register what the rest of a run may use, as `register_tools` does."""
    state = run.state
    words = [state.request, canonical_json(state.plan.as_dict())] if state.policy.is_supplied else [state.request]
    _register(app, attachments, "\n".join(words), stored_for, confirm)
    app.register_skills("", [step.tool for step in run.steps])


def about_named_table(asked: AskedRequest, registry: ToolRegistry, folder: Path) -> AskedRequest:
    """The request as one about the table that it names, if it names one that may be read; else as it is.

    Raises InputError for a file that was changed meanwhile.
    """
    reader = registry.get("read_file")
    if asked.plan is not None or reader is None or not asks_of_table(asked.request):
        return asked
    named = reader.read_request(asked.request)
    if named is None:
        return asked
    attachments = read_attachments([str(named["path"])], folder=folder)
    if not read_tables(attachments.texts):
        return asked
    return asked._replace(plan=plan_of_texts(asked.request, attachments), attachments=attachments)


def _register(
    app: App,
    attachments: Attachments | None,
    own_words: str,
    stored_for: str | None,
    confirm: Callable[[Path], bool] | None,
) -> None:
    """Register what is not of a skill; hosts that are named in the user's `own_words` may be asked."""
    if attachments is not None:
        for tool in tools_of_texts(attachments):
            app.registry.register(tool)
    app.allow_pages(own_words)
    app.allow_files(app.folder, confirm=confirm)
    if stored_for is not None:
        app.register_stored_tools(stored_for)


def make_plan(app: App, request: str, observer: Observer) -> Plan:
    """Only plan a request. Raises RequestError, LLMError, OrchestrationError."""
    return app.orchestrator(ttl=1, log=None, observer=observer).plan(request)


def calls_planned_by_code(registry: ToolRegistry, request: str) -> list[PlanStep] | None:
    """The steps of a plan that code makes and that needs no model at all (decision 52), None if a model is needed."""
    plan = registry.offer(request).plan
    steps = [] if plan is None else build_plan(plan).steps
    return steps if steps and all(step.tool is not None for step in steps) else None


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


class ModelNeeds(NamedTuple):
    """Why steps need a model, and which of these reasons are names of tools that do not exist."""

    reasons: Sequence[str]
    unknown_tools: Sequence[str]

    def error(self, cause: AeonError) -> PlanError:
        """The error for a plan that needs a model, which is not there."""
        more = f"; and {len(self.reasons) - _MAX_REASONS} more" if len(self.reasons) > _MAX_REASONS else ""
        listed = "; ".join(self.reasons[:_MAX_REASONS])
        return PlanError(f"The plan needs a language model: {listed}{more}. {cause.message}", next_step=cause.next)


def model_needs(steps: Sequence[PlanStep], registry: ToolRegistry) -> ModelNeeds:
    """Return why these steps need a model; without reasons, they do not."""
    unknown = [_unknown_tool(step, registry) for step in steps]
    reasons = [
        f"step {step.step_id!r} {reason}"
        for step, tool in zip(steps, unknown, strict=True)
        if (reason := tool or _model_reason(step, registry))
    ]
    named = [f"step {step.step_id!r} {tool}" for step, tool in zip(steps, unknown, strict=True) if tool]
    return ModelNeeds(reasons, named)


def _unknown_tool(step: PlanStep, registry: ToolRegistry) -> str | None:
    if step.tool is None or registry.get(step.tool) is not None:
        return None
    near = closest_name(step.tool, registry.list_all())
    return f"names the unknown tool {step.tool!r}" + (f" (did you mean {near!r}?)" if near else "")


def _model_reason(step: PlanStep, registry: ToolRegistry) -> str | None:
    if step.tool is None:
        return "is for the model" if step.agent else "names neither a tool nor an agent"
    if step.arguments is None:
        return "has no arguments for its tool"
    return "has arguments that do not fit its tool" if has_unfit_arguments(step, registry) else None
