"""A skill as found on disk (skills-data-model 1), and the catalog of all skills.

Immutable values only.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from aeon.base.json import JsonObject

ScriptProtocol: TypeAlias = Literal["ndjson", "plain"]
"""How Aeon talks to a script: by the process protocol, or as to any published script (skills 9)."""

SKILL_MD = "SKILL.md"
SKILL_JSON = "skill.json"

NO_VERSION = "0.0.0"
"""The version of a skill that declares none (skills 9)."""

DEFAULT_TIMEOUT = 30.0
"""Default timeout of a script in seconds (skills 4)."""


class ErrorState(StrEnum):
    """Health of a skill (skills 13)."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    TEMPORARY_FAILURE = "temporaryFailure"
    PERMANENT_FAILURE = "permanentFailure"


class SkillNote(NamedTuple):
    """A remark about a file on disk: its place and the message.

    `is_skip`: the file was skipped because of it.
    """

    path: Path
    line: int | None
    message: str
    is_skip: bool

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{where}: {'skipped: ' if self.is_skip else ''}{self.message}"


@dataclass(frozen=True, slots=True)
class ScriptRetryPolicy:
    """Number of retries, and the delay before the first in milliseconds, doubling (skills 4)."""

    max_retries: int = 3
    backoff_ms: int = 100


@dataclass(frozen=True, slots=True)
class SkillScript:
    """A script of a skill. `timeout` is in seconds."""

    name: str
    path: Path
    tool_path: str
    """The script's name in plans: `<skill>/<path inside the skill's folder>`."""
    is_executable: bool
    protocol: ScriptProtocol
    description: str = ""
    input_schema: JsonObject | None = None
    output_schema: JsonObject | None = None
    timeout: float = DEFAULT_TIMEOUT
    required: bool = True


class SkillUsage(NamedTuple):
    """Who may call a skill, and how, by its author's words in SKILL.md (skills 14)."""

    is_for_model: bool = True
    """False for `disable-model-invocation: true`: only the user calls it, by `/name`."""
    is_for_user: bool = True
    """False for `user-invocable: false`: only the model chooses it."""
    argument_hint: str = ""
    allowed_tools: tuple[str, ...] = ()


EVERYBODY = SkillUsage()


@dataclass(frozen=True)
class Skill:
    """A folder with a prompt and scripts.

    `error_state` is its state on disk; `SkillHealth` has the session's.
    """

    name: str
    description: str
    directory_path: Path
    manifest_path: Path
    """The path of SKILL.md, else of skill.json."""
    data_home: Path
    """The folder of the skill's `data/` and `config.json`: its own, unless the user may not write there."""
    version: str = NO_VERSION
    display_name: str | None = None
    author: str | None = None
    license: str | None = None
    homepage: str | None = None
    scripts: tuple[SkillScript, ...] = ()
    prompt_path: Path | None = None
    config_schema: JsonObject | None = None
    user_config: JsonObject | None = field(default=None, repr=False)
    is_from_project: bool = False
    """Found in a project's folder, or in one that a setting names: it may be another person's (skills 15)."""
    withheld_variables: frozenset[str] = frozenset()
    """Environment variables that its settings never get, even if x-env lists them: the model's keys (skills 11)."""
    capabilities: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    priority: int = 50
    retry_policy: ScriptRetryPolicy | None = None
    """What its manifest declares; None repeats a script only if that can do no harm (decision 99)."""
    usage: SkillUsage = EVERYBODY
    enabled: bool = True
    error_state: ErrorState = ErrorState.HEALTHY
    notes: tuple[SkillNote, ...] = ()

    @property
    def is_instructions(self) -> bool:
        """Whether it is a text to follow, without scripts (skills 14)."""
        return not self.scripts and self.prompt_path is not None

    @property
    def can_be_planned(self) -> bool:
        """Whether a planner may choose it: enabled, with an adequate state on disk (skills 10, 13)."""
        return self.enabled and self.error_state in (ErrorState.HEALTHY, ErrorState.TEMPORARY_FAILURE)


class FolderReading(NamedTuple):
    """The result of reading a folder.

    `skill` is None if the folder has no usable skill; the notes give reasons.
    """

    skill: Skill | None
    notes: tuple[SkillNote, ...] = ()
    files: tuple[str, ...] = ()
    """The files and folders that it depends on; a change of any of them makes it stale."""


@dataclass(frozen=True, eq=False)
class SkillCatalog:
    """All skills at one moment.

    Immutable: a running plan keeps the catalog that it was checked against.
    """

    skills: tuple[Skill, ...] = ()
    notes: tuple[SkillNote, ...] = ()
    """Remarks about skipped or leniently read files, including those of the skills."""
    shadowed: tuple[Skill, ...] = ()
    """The user's and the shipped skills whose names skills of a project have taken."""
    passed_over: tuple[Skill, ...] = ()
    """Skills of a project that may not run, in whose places those that they shadowed are used."""

    @cached_property
    def by_name(self) -> Mapping[str, Skill]:
        return MappingProxyType({skill.name: skill for skill in self.skills})

    @cached_property
    def _by_path(self) -> Mapping[str, tuple[Skill, SkillScript]]:
        scripts_by_path: dict[str, tuple[Skill, SkillScript]] = {}
        for skill in self.skills:
            for script in skill.scripts:
                for spelling in (script.tool_path, f"skills/{script.tool_path}", str(script.path)):
                    scripts_by_path.setdefault(spelling, (skill, script))
        return scripts_by_path

    def find_script(self, tool_path: str) -> tuple[Skill, SkillScript] | None:
        """Finds a script by its path in a plan (skills 7).

        That is `<skill>/<path>`, `skills/<skill>/<path>`, or its absolute path.
        """
        return self._by_path.get(tool_path)

    def with_disabled(self, names: Sequence[str]) -> "SkillCatalog":
        """Returns the catalog with these skills disabled."""
        disabled = frozenset(names)
        skills = tuple(replace(skill, enabled=False) if skill.name in disabled else skill for skill in self.skills)
        return replace(self, skills=skills)

    def passing_over(self, names: Collection[str]) -> "SkillCatalog":
        """Returns the catalog with the skills that those of these names shadowed in their places."""
        used = {skill.name: skill for skill in self.shadowed if skill.name in names}
        passed_over = tuple(skill for skill in self.skills if skill.name in used)
        outdated = {shadow_note(used[skill.name], skill) for skill in passed_over}
        notes = [_passed_over_note(skill, used[skill.name]) for skill in passed_over]
        return replace(
            self,
            skills=tuple(used.get(skill.name, skill) for skill in self.skills),
            notes=(*(note for note in self.notes if note not in outdated), *notes),
            passed_over=passed_over,
        )

    def plannable(self) -> tuple[Skill, ...]:
        """Returns the skills that a planner may choose: those with scripts, or with instructions to follow."""
        return tuple(
            skill
            for skill in self.skills
            if skill.can_be_planned and skill.usage.is_for_model and (skill.scripts or skill.is_instructions)
        )


def shadow_note(skill: Skill, winner: Skill) -> SkillNote:
    """Returns the note on a second skill with the same name."""
    message = f"another skill {skill.name!r} in {winner.directory_path} takes precedence"
    return SkillNote(skill.manifest_path, None, message, is_skip=True)


def _passed_over_note(skill: Skill, used: Skill) -> SkillNote:
    message = f"it came with the project and is not trusted; the skill {skill.name!r} in {used.directory_path} is used"
    return SkillNote(skill.manifest_path, None, message, is_skip=True)


def skill_as_dict(skill: Skill) -> JsonObject:
    """Returns the skill as JSON data, with the field names of skills-data-model 1.

    Its configuration is not included.
    """
    described: dict[str, Any] = {
        "name": skill.name,
        "displayName": skill.display_name,
        "version": skill.version,
        "description": skill.description,
        "author": skill.author,
        "license": skill.license,
        "homepage": skill.homepage,
        "directoryPath": str(skill.directory_path),
        "manifestPath": str(skill.manifest_path),
        "scripts": [_script_as_dict(script) for script in skill.scripts],
        "configSchema": skill.config_schema,
        "capabilities": list(skill.capabilities),
        "isInstructions": skill.is_instructions,
        "allowedTools": list(skill.usage.allowed_tools),
        "argumentHint": skill.usage.argument_hint,
        "modelInvocable": skill.usage.is_for_model,
        "userInvocable": skill.usage.is_for_user,
        "dependencies": list(skill.dependencies),
        "priority": skill.priority,
        "enabled": skill.enabled,
        "errorState": skill.error_state.value,
        "notes": [str(note) for note in skill.notes],
    }
    return described


def _script_as_dict(script: SkillScript) -> JsonObject:
    return {
        "name": script.name,
        "path": str(script.path),
        "toolPath": script.tool_path,
        "isExecutable": script.is_executable,
        "protocol": script.protocol,
        "description": script.description,
        "inputSchema": script.input_schema,
        "outputSchema": script.output_schema,
        "timeout": int(script.timeout * 1000),
        "required": script.required,
    }
