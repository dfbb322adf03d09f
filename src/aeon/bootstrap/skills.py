"""The skills of a place, wired: found, configured, isolated, planned for, run."""

import importlib.util
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from aeon.base.errors import AeonError, InputError, MissingExtraError
from aeon.base.json import JsonObject
from aeon.base.project_folder import state_folder
from aeon.llm.interface import LLMAdapter
from aeon.observability.events import Observer, PlanningStarted
from aeon.settings import SkillsSettings
from aeon.skills.answer import with_isolation_warnings
from aeon.skills.config.skill_settings import secret_values
from aeon.skills.discovery.cache import cache_folder
from aeon.skills.discovery.library import SkillCatalogCallback, SkillLibrary
from aeon.skills.discovery.search import SkillRoot, default_roots
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.executor.plan_executor import PlanExecutor
from aeon.skills.health import SkillHealth
from aeon.skills.invocation import Cancellation, Invocation, ResourceLimits, SandboxLevel
from aeon.skills.launch.grants import Grants, UntrustedSkillError
from aeon.skills.launch.input_files import resolve_input_files
from aeon.skills.launch.preparation import prepare_invocation
from aeon.skills.launch.trust_store import SkillTrustStore
from aeon.skills.model_gateway import ModelGateway
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.skills.plan_json import ExecutionResult, PlanJson
from aeon.skills.planner.model_planner import PROMPT_BUDGET, SMALL_PROMPT_BUDGET, ModelPlanner
from aeon.skills.planner.pattern_planner import PatternPlanner
from aeon.skills.planner.skill_index import SkillIndex
from aeon.skills.replan import Replanner
from aeon.skills.tool import SkillTool

if TYPE_CHECKING:
    from aeon.skills.sandbox import SandboxRunner

_PACKAGES = ("msgspec",)
"""What running scripts needs beyond the base installation."""

_MAX_TOOLS = 3
"""Skills that a request is offered as tools: more would only distract the planner."""

_REPLACED_BY_TOOLS = frozenset({"memory"})
"""Shipped skills whose work the kernel's own tools do: two places for the same memory would lose things."""


class Skills:
    """Everything that running skills takes. Nothing is read or started before it is used; closed, no process is left.

    `folder` is where the user works: files that scripts are given lie in it. `model` gives the model of this moment.
    `keys` are the variables that hold a model's key: no skill of a project gets them (decision 18).
    """

    def __init__(
        self,
        settings: SkillsSettings,
        environ: Mapping[str, str],
        folder: Path,
        model: Callable[[], LLMAdapter],
        keys: Collection[str] = frozenset(),
        data: Path | None = None,
    ) -> None:
        """`data` is where all skills keep what is theirs; without it each has its own place."""
        self._data = data
        self.untrusted_matches: list[str] = []
        """The skills that would have fitted the request last asked about, and that are not trusted."""
        self.health = SkillHealth()
        self._settings = settings
        self._environ = environ
        self._folder = folder
        self._model = model
        self._keys = keys
        self._gateway = ModelGateway(model)
        self._lock = threading.Lock()
        self._runner: SandboxRunner | None = None
        self._exit_stack = ExitStack()

    @cached_property
    def roots(self) -> list[SkillRoot]:
        """Where skills are looked for; the first wins: folders that are set, the project's, the user's, the shipped."""
        more = [SkillRoot(self._folder / Path(place).expanduser(), "project") for place in self._settings.folders]
        found = [*more, *default_roots(self._folder, self._environ)]
        return found if self._data is None else [root._replace(data_home=self._data) for root in found]

    @cached_property
    def catalog(self) -> SkillCatalog:
        """The skills as they are now, those that the settings disable marked."""
        return self._usable(self._library.catalog)

    def watch(self, on_change: SkillCatalogCallback, stop_event: threading.Event) -> None:
        """Tell each new catalog until the event is set. Raises MissingExtraError without `watchfiles`."""
        self._library.watch(lambda found: on_change(self._usable(found)), stop_event)

    def execute(
        self,
        plan: PlanJson,
        observer: Observer | None = None,
        cancellation: Cancellation | None = None,
        *,
        by_hand: bool = False,
        verbatim: bool = False,
    ) -> ExecutionResult:
        """Run a plan; see PlanExecutor.

        Raises MissingExtraError without the extra, SandboxError when it cannot isolate as asked.
        """
        executor = self._executor(observer)
        return with_isolation_warnings(
            executor.execute(plan, cancellation=cancellation, by_hand=by_hand, verbatim=verbatim)
        )

    def run(
        self,
        request: str,
        observer: Observer | None = None,
        cancellation: Cancellation | None = None,
        *,
        is_model_small: bool = False,
        on_result: Callable[[ExecutionResult], None] | None = None,
    ) -> ExecutionResult:
        """Plan a request with the trusted skills and run it, again where something fails. Raises as `execute`.

        A small model is shown only the beginning of the chosen skills' prompts (decision 17). `on_result` is told what
        each plan came to, before the next one is made.
        """
        executor = self._executor(observer)
        if observer is not None:
            observer(PlanningStarted(request))
        budget = SMALL_PROMPT_BUDGET if is_model_small else PROMPT_BUDGET
        planner = ModelPlanner(self._model(), _prompt, observer, budget)
        usable = self.catalog.with_disabled([skill.name for skill in self.untrusted()])
        replanner = Replanner(usable, planner, PatternPlanner(), executor.execute, self.health, observer)
        return with_isolation_warnings(replanner.run(request, cancellation, on_result))

    def tools_for(self, request: str) -> list[SkillTool]:
        """The scripts of the few skills that share words with the request, as tools; none without the extra."""
        if not self._settings.as_tools or missing_packages():
            return []
        usable = [skill for skill in self.catalog.plannable() if skill.name not in _REPLACED_BY_TOOLS]
        with SkillIndex(usable) as index:
            found = index.search(request, _MAX_TOOLS)
        self.untrusted_matches = [skill.name for skill in found if not self.is_trusted(skill)]
        return self._tools([skill for skill in found if skill.name not in self.untrusted_matches])

    def tool(self, name: str) -> SkillTool | None:
        """The tool of that name, `<skill>.<script>`, or None."""
        found = next((skill for skill in self.catalog.plannable() if name.startswith(f"{skill.name}.")), None)
        return next((tool for tool in self._tools([found] if found else []) if tool.name == name), None)

    def tool_names(self) -> list[str]:
        """The names of all scripts that can be had as tools."""
        return [tool.name for tool in self._tools(self.catalog.plannable())]

    def sandbox(self) -> SandboxLevel:
        """How scripts are isolated here. Raises MissingExtraError, SandboxError."""
        return self._open_runner().level

    def close(self) -> None:
        """End every process and give back what was opened."""
        with self._lock:
            self._exit_stack.close()
            self._runner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def _library(self) -> SkillLibrary:
        cache = cache_folder(self._environ)
        return SkillLibrary(self.roots, environ=self._environ, cache_folder=cache, withheld=self._keys)

    def _usable(self, catalog: SkillCatalog) -> SkillCatalog:
        return catalog.with_disabled(self._settings.disabled)

    def _tools(self, skills: Sequence[Skill]) -> list[SkillTool]:
        timeout = self._settings.timeout
        return [SkillTool(skill, script, self.execute, timeout) for skill in skills for script in skill.scripts]

    def _executor(self, observer: Observer | None) -> PlanExecutor:
        return PlanExecutor(
            self.catalog.with_disabled(self.health.disabled()),
            self._open_runner(),
            prepare=self._prepare_script,
            secrets=self._secrets,
            parallel=self._settings.parallel,
            plan_timeout=self._settings.timeout,
            observer=observer,
        )

    def _open_runner(self) -> "SandboxRunner":
        """The runner, started at the first script that runs."""
        missing = missing_packages()
        if missing:
            raise MissingExtraError(
                f"Running skills needs {', '.join(missing)}.",
                next_step="Run: pip install 'aeon-orchestrator[skills]'",
            )
        from aeon.skills.sandbox import SandboxRunner

        with self._lock:
            if self._runner is None:
                given = self._settings
                limits = ResourceLimits(
                    given.memory_mb * 1024**2, given.processes, given.written_mb * 1024**2, given.open_files
                )
                runner = SandboxRunner(given.sandbox, fork_server=given.fork_server, limits=limits)
                self._runner = self._exit_stack.enter_context(runner)
                self._exit_stack.enter_context(self._gateway)
            return self._runner

    def _prepare_script(self, skill: Skill, script: SkillScript, given: JsonObject, request_id: str) -> Invocation:
        """Raises UntrustedSkillError, InputError for files that a script may not have, else as `prepare`."""
        if not self.is_trusted(skill):
            raise UntrustedSkillError(skill)
        found = resolve_input_files(script.input_schema, given, self._folder)
        if found.problems:
            said = "; ".join(str(problem) for problem in found.problems)
            raise InputError(f"The input names files that cannot be used: {said}.", next_step="Name others.")
        gateway = self._gateway.folder
        return prepare_invocation(
            skill,
            script,
            found.input,
            request_id,
            environ=self._environ,
            input_files=found.files,
            extra_env=self._gateway.environment,
            extra_read=() if gateway is None else (gateway,),
            grants=self.trusted.grants_for(skill, self._grants),
        )

    def is_trusted(self, skill: Skill) -> bool:
        """Whether a skill's scripts may run: a project's only once it is trusted (skills 15)."""
        return not skill.is_from_project or self._settings.trust_project or self.trusted.is_trusted(skill)

    def untrusted(self) -> list[Skill]:
        """The skills with scripts that came with the project and are not trusted as they are now."""
        return [skill for skill in self.catalog.plannable() if not self.is_trusted(skill)]

    @cached_property
    def trusted(self) -> SkillTrustStore:
        """What the user granted to single skills for good."""
        return SkillTrustStore(state_folder(self._environ) / "skills")

    @cached_property
    def _grants(self) -> Grants:
        given = self._settings
        folders = tuple((self._folder / Path(place).expanduser()).resolve() for place in given.allow_write)
        return Grants(given.allow_network, given.allow_model, folders)

    def _secrets(self, skill: Skill) -> Sequence[str]:
        return secret_values(skill, self._environ)


def missing_packages() -> list[str]:
    """The packages that running skills needs and that are not installed."""
    return [name for name in _PACKAGES if importlib.util.find_spec(name) is None]


def _prompt(skill: Skill) -> str:
    """A prompt that cannot be read any more is no reason not to plan."""
    try:
        return read_prompt(skill)
    except AeonError:
        return ""
