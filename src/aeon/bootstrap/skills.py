"""Wires the skills of a folder: discovery, settings, sandbox, planning and execution."""

import importlib.util
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from aeon.base.errors import AeonError, InputError, MissingExtraError
from aeon.base.json import JsonObject
from aeon.base.loggers import current_run_id
from aeon.base.masking import secrets_of_environment
from aeon.base.next_steps import NextStep
from aeon.base.project_folder import state_folder
from aeon.base.suggestions import closest_name
from aeon.llm.interface import LLMAdapter
from aeon.llm.usage import NO_PRICES, MeteredAdapter, Prices, total_usage
from aeon.settings import SkillsSettings
from aeon.skills.config.skill_settings import secret_values
from aeon.skills.discovery.cache import cache_folder
from aeon.skills.discovery.library import SkillCatalogCallback, SkillLibrary
from aeon.skills.discovery.search import SkillRoot, default_roots, user_folders
from aeon.skills.health import SkillHealth
from aeon.skills.instructions import (
    LARGE_BUDGET,
    FollowedAnswer,
    InstructionFollower,
    SkillInstructionsTool,
    require_user_may_call,
)
from aeon.skills.invocation import Cancellation, Invocation, ResourceLimits, SandboxLevel
from aeon.skills.launch.environments import EnvironmentStore
from aeon.skills.launch.grants import Grants, UntrustedSkillError
from aeon.skills.launch.input_files import resolve_input_files
from aeon.skills.launch.preparation import prepare_invocation
from aeon.skills.launch.trust_store import SkillTrustStore, skill_digest
from aeon.skills.launch.verified_copies import VerifiedCopies
from aeon.skills.models import Skill, SkillCatalog, SkillScript
from aeon.tools.interface import Tool

if TYPE_CHECKING:
    from aeon.observability.events import Observer
    from aeon.skills.executor.plan_executor import PlanExecutor
    from aeon.skills.installation import SkillInstaller
    from aeon.skills.model_gateway import ModelGateway
    from aeon.skills.plan_json import ExecutionResult, PlanJson
    from aeon.skills.sandbox import SandboxRunner

_PACKAGES = ("msgspec",)
"""The packages that running scripts needs beyond the base installation."""

_MAX_LISTED = 10
"""The most scripts that a message names."""

_MAX_TOOLS = 3
"""The most skills that a request is offered as tools: more would distract the planner."""

_REPLACED_BY_TOOLS = frozenset({"memory"})
"""Shipped skills that the kernel's own tools replace: two memories side by side would lose values."""


class Skills:
    """Everything that running skills needs. Nothing is loaded, read or started before use; `close` ends all processes.

    `folder` is the user's working folder, which contains input files of scripts. `model` returns the current model.
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
        prices: Prices = NO_PRICES,
        instruction_budget: Callable[[], int] = lambda: LARGE_BUDGET,
    ) -> None:
        """`data` is the folder for the data of all skills; without it, each skill root has its own.

        `instruction_budget` returns the characters of instructions that fit into the model's context.
        """
        self._instruction_budget = instruction_budget
        self._data = data
        self.untrusted_matches: list[str] = []
        """The untrusted skills that matched the last request of `tools_for`."""
        self.health = SkillHealth()
        self._settings = settings
        self._environ = environ
        self._folder = folder
        self._model = model
        self._keys = keys
        self._prices = prices
        self._script_model = MeteredAdapter(model)
        self._lock = threading.Lock()
        self._runner: SandboxRunner | None = None
        self._exit_stack = ExitStack()

    @cached_property
    def roots(self) -> list[SkillRoot]:
        """The search path; the first match wins: configured folders, the project's, the user's, the shipped skills."""
        more = [SkillRoot(self._folder / Path(path).expanduser(), "project") for path in self._settings.folders]
        roots = [*more, *default_roots(self._folder, self._environ)]
        return roots if self._data is None else [root._replace(data_home=self._data) for root in roots]

    @cached_property
    def catalog(self) -> SkillCatalog:
        """The current skills; those that the settings disable are marked."""
        return self._usable(self._library.catalog)

    def reload(self) -> None:
        """Read again the skills that changed on disk. What runs keeps the catalog that it began with."""
        self.__dict__["catalog"] = self._usable(self._library.reload())

    def watch(self, on_change: SkillCatalogCallback, stop_event: threading.Event) -> None:
        """Call `on_change` with each new catalog until the event is set. Raises MissingExtraError."""
        self._library.watch(lambda catalog: on_change(self._usable(catalog)), stop_event)

    def execute(
        self,
        plan: "PlanJson | JsonObject",
        observer: "Observer | None" = None,
        cancellation: Cancellation | None = None,
        *,
        is_supplied: bool = False,
        verbatim: bool = False,
    ) -> "ExecutionResult":
        """Run a plan, also one as JSON data; see PlanExecutor.

        Raises PlanError with all that is wrong with its form, MissingExtraError without the extra, SandboxError if the
        required isolation is unavailable.
        """
        from aeon.skills.plan_json import PlanJson, parse_plan

        checked = plan if isinstance(plan, PlanJson) else parse_plan(plan)

        def run(observe: "Observer") -> "ExecutionResult":
            return self._executor(observe).execute(
                checked, cancellation=cancellation, is_supplied=is_supplied, verbatim=verbatim
            )

        return self._logged(checked.request_id, observer, run)

    def run(
        self,
        request: str,
        observer: "Observer | None" = None,
        cancellation: Cancellation | None = None,
        *,
        is_model_small: bool = False,
        on_result: "Callable[[ExecutionResult], None] | None" = None,
        only: Skill | None = None,
    ) -> "ExecutionResult":
        """Plan a request with the trusted skills and run it, replanning after failures. Raises the errors of `execute`.

        With `only`, plan with that skill alone.

        A small model sees only the beginning of the chosen skills' prompts (decision 17). `on_result` is called with
        the result of each plan, before the next one is made. `usage` of the result counts the calls that planned and
        answered, and those that scripts made meanwhile; two requests at once both count the calls of all scripts.
        """
        from aeon.observability.events import PlanningStarted, WarningIssued
        from aeon.skills.plan_json import new_request_id
        from aeon.skills.planner.model_planner import PROMPT_BUDGET, SMALL_PROMPT_BUDGET, ModelPlanner
        from aeon.skills.planner.pattern_planner import PatternPlanner
        from aeon.skills.replan import Replanner

        model = MeteredAdapter(self._model)

        def run(observe: "Observer") -> "ExecutionResult":
            executor = self._executor(observe)
            observe(PlanningStarted(request))
            budget = SMALL_PROMPT_BUDGET if is_model_small else PROMPT_BUDGET
            follower = InstructionFollower(model, self._instruction_budget(), observe)

            def follow(chosen: Sequence[Skill], words: str) -> str:
                answer = follower.follow(chosen, words)
                for remark in answer.remarks:
                    observe(WarningIssued(None, remark))
                return answer.text

            planner = ModelPlanner(model, _prompt, follow, observe, budget)
            others = [skill.name for skill in self.catalog.skills if only is not None and skill.name != only.name]
            usable = self.catalog.with_disabled([*(skill.name for skill in self.untrusted()), *others])
            replanner = Replanner(usable, planner, PatternPlanner(), executor.execute, self.health, observe)
            return replanner.run(request, cancellation, on_result)

        earlier = len(self._script_model.calls)
        result = self._logged(new_request_id(), observer, run)
        usage = total_usage([*model.calls, *self._script_model.calls[earlier:]], self._prices)
        return result.model_copy(update={"usage": usage})

    def call(self, skill: Skill, words: str, observer: "Observer | None" = None) -> "ExecutionResult":
        """Answer `words` under the instructions of one skill, which the user called by its name (skills 14).

        Raises UntrustedSkillError, InputError for a skill that users may not call, LLMError, SkillError.
        """
        from aeon.observability.skill_events import SkillsChosen
        from aeon.skills.plan_json import ExecutionResult, new_request_id

        require_user_may_call(skill)
        skill = self._verified(skill)
        model = MeteredAdapter(self._model)

        def run(observe: "Observer") -> "ExecutionResult":
            observe(SkillsChosen([skill.name], 1))
            answer = InstructionFollower(model, self._instruction_budget(), observe).follow([skill], words)
            return ExecutionResult(
                plan_id=run_id, success=bool(answer.text), narrative=answer.text, warnings=list(answer.remarks)
            )

        run_id = new_request_id()
        result = self._logged(run_id, observer, run)
        return result.model_copy(update={"usage": total_usage(model.calls, self._prices)})

    def _logged(
        self, run_id: str, observer: "Observer | None", run: "Callable[[Observer], ExecutionResult]"
    ) -> "ExecutionResult":
        """Run with a logger before the observer; inside another run, the records carry the id of that run."""
        from aeon.observability.run_logger import RunLogger, logged_run
        from aeon.skills.answer import with_isolation_warnings

        logger = RunLogger("skills", then=observer, secrets=self._known_secrets)
        with logged_run("skills", current_run_id() or run_id, self._known_secrets):
            result = with_isolation_warnings(run(logger))
            logger.ended("completed" if result.success else "failed")
        return result

    def _known_secrets(self) -> set[str]:
        return secrets_of_environment(self._environ, self._keys)

    def tools_for(self, request: str) -> list[Tool]:
        """Return the scripts and instructions of the few skills that match the request, as tools.

        Without the extra, no script is returned.
        """
        if not self._settings.as_tools:
            return []
        from aeon.skills.planner.skill_index import SkillIndex

        usable = [skill for skill in self.catalog.plannable() if skill.name not in _REPLACED_BY_TOOLS]
        with SkillIndex(usable) as index:
            matches = index.related(request, _MAX_TOOLS)
        self.untrusted_matches = [skill.name for skill in matches if not self.is_trusted(skill)]
        return self._tools([skill for skill in matches if skill.name not in self.untrusted_matches])

    def tool(self, name: str) -> Tool | None:
        """Return the tool named `<skill>.<script>` or `<skill>.follow`, or None."""
        usable = (skill for skill in self.catalog.skills if skill.can_be_planned)
        skill = next((skill for skill in usable if name.startswith(f"{skill.name}.")), None)
        return next((tool for tool in self._tools([skill] if skill else []) if tool.name == name), None)

    def find(self, name: str) -> Skill:
        """Return the skill of that name. Raises InputError for an unknown name, with the closest known one."""
        known = self.catalog.by_name
        if name in known:
            return known[name]
        skipped = next((note for note in self.catalog.notes if note.is_skip and note.path.parent.name == name), None)
        if skipped:
            raise InputError(
                f"The skill {name!r} cannot be read: {skipped}.",
                next_step=NextStep("skills.correct"),
            )
        near = closest_name(name, known)
        suggestion = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"The skill {name!r} does not exist.{suggestion}", next_step=NextStep("skills.list"))

    def find_script(self, written: str) -> SkillScript:
        """Return the script that `<skill>/<path>` names; `scripts/` and the suffix may be left out.

        Raises InputError.
        """
        name, _, path = written.removeprefix("skills/").partition("/")
        skill = self.find(name)
        spellings = (f"{skill.name}/{path}", f"{skill.name}/scripts/{path}")
        for script in skill.scripts:
            if script.tool_path in spellings or script.name == path:
                return script
        known = [script.tool_path for script in skill.scripts]
        near = closest_name(spellings[1], known)
        suggestion = f" Did you mean {near!r}?" if near else ""
        listed = f" It has {', '.join(map(repr, known[:_MAX_LISTED]))}." if known else ""
        raise InputError(
            f"The skill {name!r} has no script {path!r}.{suggestion}{listed}",
            next_step=NextStep("skills.show", skill=name),
        )

    def script_tool(self, name: str, script: str) -> Tool:
        """Return a script as a tool, as it is on disk now. Raises InputError, MissingExtraError."""
        _require_packages()
        from aeon.skills.tool import SkillTool

        self.reload()
        found = self.find_script(f"{name}/{script}")
        return SkillTool(self.find(name), found, self.execute, self._settings.timeout)

    def tool_names(self) -> list[str]:
        """Return the tool names of all scripts and instructions."""
        return [tool.name for tool in self._tools(self.catalog.plannable())]

    def sandbox(self) -> SandboxLevel:
        """Return how scripts are isolated here. Raises MissingExtraError, SandboxError."""
        return self._open_runner().level

    def close(self) -> None:
        """End every process and close everything that was opened."""
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
        return self._without_strangers(catalog).with_disabled(self._settings.disabled)

    def _without_strangers(self, catalog: SkillCatalog) -> SkillCatalog:
        """Return the catalog without the project's untrusted skills where they hide one that may be used."""
        hidden = [skill.name for skill in catalog.shadowed if self.is_trusted(skill)]
        strangers = [name for name in hidden if not self.is_trusted(catalog.by_name[name])]
        return catalog.passing_over(strangers) if strangers else catalog

    def _tools(self, skills: Sequence[Skill]) -> list[Tool]:
        instructions: list[Tool] = [
            SkillInstructionsTool(skill, self._follow) for skill in skills if skill.is_instructions
        ]
        if missing_packages():
            return instructions
        from aeon.skills.tool import SkillTool

        timeout = self._settings.timeout
        scripts = [SkillTool(skill, script, self.execute, timeout) for skill in skills for script in skill.scripts]
        return [*scripts, *instructions]

    def _follow(self, skill: Skill, request: str) -> FollowedAnswer:
        """Answer a request under a skill's instructions. Raises UntrustedSkillError, LLMError, SkillError."""
        verified = self._verified(skill)
        return InstructionFollower(self._script_model, self._instruction_budget()).follow([verified], request)

    def _executor(self, observer: "Observer | None") -> "PlanExecutor":
        from aeon.skills.executor.plan_executor import PlanExecutor

        runner = self._open_runner()
        self._open_gateway()
        return PlanExecutor(
            self.catalog.with_disabled(self.health.disabled()),
            runner,
            prepare=partial(self._prepare_script, observer=observer),
            secrets=self._secrets,
            parallel=self._settings.parallel,
            plan_timeout=self._settings.timeout,
            observer=observer,
        )

    @cached_property
    def _gateway(self) -> "ModelGateway":
        """The gateway through which scripts reach the model; `_open_gateway` makes it once."""
        from aeon.skills.model_gateway import ModelGateway

        return ModelGateway(lambda: self._script_model)

    def _open_runner(self) -> "SandboxRunner":
        """Return the sandbox runner, started at its first use."""
        _require_packages()
        from aeon.skills.sandbox import SandboxRunner

        with self._lock:
            if self._runner is None:
                settings = self._settings
                limits = ResourceLimits(
                    settings.memory_mb * 1024**2, settings.processes, settings.written_mb * 1024**2, settings.open_files
                )
                runner = SandboxRunner(settings.sandbox, fork_server=settings.fork_server, limits=limits)
                self._runner = self._exit_stack.enter_context(runner)
            return self._runner

    def _open_gateway(self) -> None:
        """Open the gateway unless it is open."""
        with self._lock:
            if self._gateway.folder is None:
                self._exit_stack.enter_context(self._gateway)

    def _prepare_script(
        self,
        skill: Skill,
        script: SkillScript,
        script_input: JsonObject,
        request_id: str,
        observer: "Observer | None" = None,
    ) -> Invocation:
        """Prepare an invocation. Raises UntrustedSkillError, InputError for forbidden files, or as `prepare`."""
        live, skill = skill.directory_path.resolve(), self._verified(skill)
        script = next(each for each in skill.scripts if each.tool_path == script.tool_path)
        resolved = resolve_input_files(script.input_schema, script_input, self._folder)
        if resolved.problems:
            listed = "; ".join(str(problem) for problem in resolved.problems)
            raise InputError(f"The input names files that cannot be used: {listed}.", next_step="Name other files.")
        gateway = self._gateway.folder
        grants = self.trusted.grants_for(skill, self._grants)
        prepared = prepare_invocation(
            skill,
            script,
            resolved.input,
            request_id,
            environ=self._environ,
            input_files=resolved.files,
            extra_env=self._gateway.environment,
            extra_read=() if gateway is None else (gateway,),
            grants=grants,
        )
        # The skill's own folder stays read-only inside of a granted one.
        access = replace(prepared.access, read=(*prepared.access.read, live))
        return self._environments.apply(
            skill, script, replace(prepared, access=access), grants, _install_notice(observer, script)
        )

    def is_trusted(self, skill: Skill) -> bool:
        """Return whether a skill may be used (skills 15, 17).

        A project's skill, and an installed one that is not as it was installed, must be trusted first.
        """
        return self._is_free(skill) or self._trusted_digest(skill) is not None

    def is_changed(self, skill: Skill) -> bool:
        """Return whether an installed skill is not as it was installed."""
        return any(installer.is_changed(skill) for installer in self.installers)

    @cached_property
    def installers(self) -> "tuple[SkillInstaller, SkillInstaller]":
        """The folders that skills are installed into: the user's, the project's."""
        from aeon.skills.installation import SkillInstaller  # slow to load

        user = list(user_folders(self._environ))[-1:]
        return (
            SkillInstaller(user[0] if user else self._folder / "skills", self._environ),
            SkillInstaller(self._folder / "skills", self._environ),
        )

    def _verified(self, skill: Skill) -> Skill:
        """Return the skill to use: where trust rests on a digest, a copy that has it (skills 15).

        Raises UntrustedSkillError, SkillError if its files change meanwhile.
        """
        if self._is_free(skill):
            return skill
        digest = self._trusted_digest(skill)
        if digest is None:
            raise UntrustedSkillError(skill, is_changed=self.is_changed(skill))
        return self._copies.copy_of(skill, digest)

    def _is_free(self, skill: Skill) -> bool:
        """Return whether a skill is used whatever its files are: the user's own, or of a project that is trusted."""
        return self._settings.trust_project if skill.is_from_project else not self._is_installed(skill)

    def _trusted_digest(self, skill: Skill) -> str | None:
        """Return the digest of a skill's files if the skill is trusted, or was installed, with it."""
        if (trusted := self.trusted.trusted_digest(skill)) or skill.is_from_project:
            return trusted
        digest = skill_digest(skill)
        return digest if any(installer.digest_of(skill) == digest for installer in self.installers) else None

    def _is_installed(self, skill: Skill) -> bool:
        return any(installer.digest_of(skill) for installer in self.installers)

    @cached_property
    def _copies(self) -> VerifiedCopies:
        return VerifiedCopies(state_folder(self._environ) / "skill-copies")

    def instructions(self) -> list[Skill]:
        """Return the trusted skills without scripts that users may call by name."""
        return [
            skill
            for skill in self.catalog.skills
            if skill.can_be_planned and skill.is_instructions and skill.usage.is_for_user and self.is_trusted(skill)
        ]

    def untrusted(self) -> list[Skill]:
        """Return the project's skills that are not trusted in their current state."""
        return [skill for skill in self.catalog.plannable() if not self.is_trusted(skill)]

    @cached_property
    def trusted(self) -> SkillTrustStore:
        """The user's permanent grants to single skills."""
        return SkillTrustStore(state_folder(self._environ) / "skills")

    @cached_property
    def _environments(self) -> EnvironmentStore:
        """The packages that scripts declare, installed outside of the project and of Aeon."""
        return EnvironmentStore(state_folder(self._environ) / "skill-environments", self._environ)

    @cached_property
    def _working_folder(self) -> Path | None:
        """The folder that scripts work in and may read: the user's, unless it contains their whole home (skills 15)."""
        folder, home = self._folder.resolve(), self._environ.get("HOME", "")
        return None if Path(home).is_absolute() and Path(home).resolve().is_relative_to(folder) else folder

    @cached_property
    def _grants(self) -> Grants:
        settings = self._settings
        folders = tuple((self._folder / Path(path).expanduser()).resolve() for path in settings.allow_write)
        return Grants(
            settings.allow_network,
            settings.allow_model,
            folders,
            self._working_folder,
            settings.allow_install,
            tuple(settings.packages),
        )

    def _secrets(self, skill: Skill) -> Sequence[str]:
        return secret_values(skill, self._environ)


def missing_packages() -> list[str]:
    """Return the packages that running skills needs and that are not installed."""
    return [name for name in _PACKAGES if importlib.util.find_spec(name) is None]


def _require_packages() -> None:
    if missing := missing_packages():
        raise MissingExtraError(
            f"Running skills needs {', '.join(missing)}.",
            next_step="Run: pip install 'aeon-orchestrator[skills]'",
        )


def _prompt(skill: Skill) -> str:
    """Return a skill's prompt; "" if it cannot be read any more, so that planning continues."""
    from aeon.skills.discovery.skill_reader import read_prompt

    try:
        return read_prompt(skill)
    except AeonError:
        return ""


def _install_notice(observer: "Observer | None", script: SkillScript) -> Callable[[Sequence[str]], None] | None:
    """Return what tells the observer that packages are installed, or None without an observer."""
    if observer is None:
        return None
    from aeon.observability.skill_events import PackagesInstallationStarted

    return lambda packages: observer(PackagesInstallationStarted(script.tool_path, list(packages)))
