"""`SkillService`: the skills of a project: find, check, export, trust, run and replay them."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from pydantic import ValidationError

from aeon.base.errors import InputError, PlanError, SkillError
from aeon.base.json import Json, JsonObject
from aeon.base.next_steps import NextStep
from aeon.bootstrap.skills import Skills, missing_packages
from aeon.observability.events import Observer
from aeon.skills.answer import answer_text
from aeon.skills.authoring.export import export_name, export_skill
from aeon.skills.authoring.linter import check_skill, line_end_notes
from aeon.skills.authoring.scaffold import Language, new_skill
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.examples import SkillExample, read_examples
from aeon.skills.executor.plan_result import FAILED_STATES
from aeon.skills.executor.state_patches import replay_state, verify_replay
from aeon.skills.installation import InstalledSkill, SkillInstaller
from aeon.skills.instructions import instructions_of
from aeon.skills.invocation import GRACE_SECONDS, Cancellation
from aeon.skills.launch.grants import MODEL, NETWORK, Grants, UntrustedSkillError
from aeon.skills.launch.trust_store import digest_of_files, file_digests
from aeon.skills.models import SKILL_JSON, SKILL_MD, Skill, SkillCatalog, SkillNote, SkillScript, skill_as_dict
from aeon.skills.plan.check import NodeFault, check_plan
from aeon.skills.plan_json import ExecutionResult, PlanJson, parse_plan, without_comments

__all__ = [
    "FAILED_STATES",
    "GRACE_SECONDS",
    "Cancellation",
    "Grants",
    "Language",
    "SkillFile",
    "SkillFiles",
    "SkillService",
    "UntrustedSkillError",
    "UpdatedSkill",
    "answer_text",
    "check_folder",
    "instructions_of",
    "new_skill",
    "read_prompt",
    "replay_result",
]

_NOT_IN_IDS: Final = re.compile(r"[\s{}\x00-\x1f\x7f]+")
"""What a `toolId` must not have, and a file's name may."""

_LONGEST_ID: Final = 128

_MAX_FAULTS_LISTED = 20
"""Maximum number of faults of a plan in a message; the error's `problems` have all of them."""


FileChange: TypeAlias = Literal["same", "new", "changed", "removed", "unknown"]
"""How a file of a skill differs from what the skill was last trusted with; `unknown` if it never was."""


class SkillFile(NamedTuple):
    """A file of a skill: its path in the skill's folder, its SHA-256, and what changed; a removed one has no digest."""

    path: str
    sha256: str
    change: FileChange


class SkillFiles(NamedTuple):
    """The files of a skill that count for trust in it, and the digest of them all."""

    digest: str
    files: list[SkillFile]


class UpdatedSkill(NamedTuple):
    """An installed skill before and after an update; `ended` is what it had been granted, if the update ended that."""

    before: InstalledSkill
    after: InstalledSkill
    ended: Grants | None


class SkillService:
    """The skills that a project can run. They belong to the user of the machine."""

    def __init__(self, skills: Skills) -> None:
        """The caller closes `skills`."""
        self._skills = skills

    @property
    def catalog(self) -> SkillCatalog:
        """All skills, and notes about those that cannot be used."""
        return self._skills.catalog

    def list_notes(self) -> list[SkillNote]:
        """The notes of the catalog, on installed skills that were changed, and on line ends. Raises SkillError."""
        noted = list(self.catalog.notes)
        for skill in self.catalog.skills:
            if self.is_changed(skill):
                message = "the skill's files are not those that were installed"
                noted.append(SkillNote(skill.manifest_path, None, message, not self._skills.is_trusted(skill)))
            noted += line_end_notes(skill)
        return noted

    def is_changed(self, skill: Skill) -> bool:
        """Whether an installed skill is not as it was installed. Raises SkillError."""
        return self._skills.is_changed(skill)

    def find(self, name: str) -> Skill:
        """The skill of that name. Raises InputError for an unknown name, with the closest known one."""
        return self._skills.find(name)

    def find_to_trust(self, name: str) -> Skill:
        """The skill of that name that trust is about: the project's, even if another one is used in its place.

        Raises InputError for an unknown name.
        """
        return next((skill for skill in self.catalog.passed_over if skill.name == name), None) or self.find(name)

    def find_script(self, written: str) -> SkillScript:
        """The script that `<skill>/<path>` names; `scripts/` and the suffix may be left out. Raises InputError."""
        return self._skills.find_script(written)

    def describe(self, skill: Skill) -> JsonObject:
        """A skill as JSON data, with its trust, what it declares and is granted, and why it cannot be used, or None."""
        granted = self.granted(skill)
        declared = self.declared_grants(skill)
        write: list[Json] = [str(each) for each in granted.write]
        return {
            **skill_as_dict(skill),
            "isTrusted": self._skills.is_trusted(skill),
            "isFromProject": skill.is_from_project,
            "declares": {"network": declared.network, "model": declared.model},
            "grants": {"network": granted.network, "model": granted.model, "write": write},
            "unusable": self._why_unusable(skill),
        }

    def _why_unusable(self, skill: Skill) -> str | None:
        if not skill.enabled:
            return "the settings disable it"
        if not skill.can_be_planned:
            return f"its state is {skill.error_state.value}"
        if not self._skills.is_trusted(skill):
            return "it changed since it was installed" if self._skills.is_changed(skill) else "it is not trusted"
        missing = [] if skill.is_instructions else missing_packages()
        return f"these packages are not installed: {', '.join(missing)}" if missing else None

    def plan_of_script(self, script: SkillScript, given: JsonObject, arguments: Sequence[str] = ()) -> PlanJson:
        """The plan that runs one script. Raises InputError for arguments of one that declares its input, PlanError."""
        if arguments and script.protocol != "plain":
            raise InputError(
                f"The script {script.tool_path} declares its input and takes no arguments such as {arguments[0]!r}.",
                next_step=NextStep("skills.give_input"),
            )
        node: JsonObject = {**given, "args": [*arguments]} if arguments else given
        tool_id = _NOT_IN_IDS.sub("-", script.name)[:_LONGEST_ID]
        return self.read_plan({"tools": [{"toolId": tool_id, "toolPath": script.tool_path, "input": node}]})

    def test(self, name: str) -> Iterator[tuple[SkillExample, str | None]]:
        """Run the examples of a skill, isolated as always; yields each with its problem, or None.

        Raises InputError for an unknown name and without examples, MissingExtraError, SandboxError.
        """
        skill = self.find(name)
        for example in read_examples(skill):
            plan = example.plan(skill)
            if faults := check_plan(plan, self.catalog):
                yield example, "; ".join(map(str, faults))
            else:
                yield example, example.problem_of(self._skills.execute(plan, verbatim=True).execution_trace[0])

    def install(self, source: str, names: Sequence[str], commit: str = "", *, in_project: bool = False) -> list[Skill]:
        """Install skills of a folder, an archive or a git address; all of them if none is named (skills 17).

        Raises InputError for an unknown or taken name, SkillError.
        """
        user, project = self._skills.installers
        return (project if in_project else user).install(source, names, self.catalog.by_name, commit)

    def list_updatable(self) -> list[str]:
        """The names of the installed skills that are not pinned. Raises SkillError."""
        return [
            name for each in self._skills.installers for name, entry in each.installed().items() if not entry.is_pinned
        ]

    def update(self, name: str, ref: str = "") -> UpdatedSkill:
        """Fetch an installed skill again, from a git address at `ref` or at the ref of before.

        What was changed in its files is lost: ask the `installer_of` whether it has changes. Raises InputError for a
        skill that is pinned or was not installed, SkillError.
        """
        trusted = self._trusted_grants(name)
        before, after = self.installer_of(name).update(name, ref)
        self.reload()
        has_ended = trusted is not None and self._trusted_grants(name) is None
        return UpdatedSkill(before, after, trusted if has_ended else None)

    def _trusted_grants(self, name: str) -> Grants | None:
        """What a skill is granted with its current files; None if it is not trusted with them."""
        skill, store = self.catalog.by_name.get(name), self._skills.trusted
        return None if skill is None or not store.trusted_digest(skill) else store.grants_for(skill, Grants())

    def installer_of(self, name: str) -> SkillInstaller:
        """The installer of the folder where a skill was installed. Raises InputError if it was not installed."""
        found = next((each for each in self._skills.installers if name in each.installed()), self._skills.installers[0])
        found.entry(name)
        return found

    def watch(self, on_change: Callable[[SkillCatalog], None], stop: threading.Event) -> None:
        """Call `on_change` with each new catalog until `stop` is set. Raises MissingExtraError."""
        self._skills.watch(on_change, stop)

    def export(
        self, folder: Path, names: Sequence[str] = (), *, overwrite: bool, on_remark: Callable[[str], None]
    ) -> list[Path]:
        """Write skills in the standard's form below `folder`, all of them if none is named; returns their folders.

        `on_remark` gets what the standard's form cannot express. Raises InputError for an unknown name, SkillError.
        """
        chosen = [self.find(name) for name in dict.fromkeys(names)] or list(self.catalog.skills)
        if not chosen:
            raise SkillError("No skills were found to export.", next_step=NextStep("skills.check"))
        _check_distinct_names(chosen)
        return [export_skill(skill, folder, overwrite=overwrite, on_remark=on_remark) for skill in chosen]

    def granted(self, skill: Skill) -> Grants:
        """What a skill is granted for good, with its current files."""
        return self._skills.trusted.grants_for(skill, Grants())

    def declared_grants(self, skill: Skill) -> Grants:
        """What a skill declares that it needs."""
        return Grants(NETWORK in skill.capabilities, MODEL in skill.capabilities)

    def list_files(self, skill: Skill) -> SkillFiles:
        """The files of a skill, and what changed in them since it was last trusted. Raises SkillError."""
        now, before = file_digests(skill), self._skills.trusted.last_trusted_files(skill)
        removed = [] if before is None else [SkillFile(path, "", "removed") for path in before if path not in now]
        files = [SkillFile(path, digest, _change_of(path, digest, before)) for path, digest in now.items()]
        return SkillFiles(digest_of_files(now), [*files, *removed])

    def read_file(self, skill: Skill, path: str) -> str:
        """The text of one of a skill's files; what is not UTF-8 is replaced. Raises InputError, SkillError."""
        if path not in file_digests(skill):
            raise InputError(
                f"The skill {skill.name!r} has no file {path[:200]!r}.",
                next_step=NextStep("skills.show", skill=skill.name),
            )
        return (skill.directory_path / path).read_bytes().decode("utf-8", "replace")

    def reload(self) -> None:
        """Read again the skills that changed on disk."""
        self._skills.reload()

    def trust(self, skill: Skill, more: Grants | None = None, *, expected_digest: str | None = None) -> Grants:
        """Trust a skill with its current files, and grant what it declares and `more`; returns what is granted.

        Raises SkillError if its files do not have the digest that is expected.
        """
        declared, added = self.declared_grants(skill), more or Grants()
        grants = added._replace(network=added.network or declared.network, model=added.model or declared.model)
        self._skills.trusted.trust(skill, grants, expected_digest=expected_digest)
        self.reload()
        return grants

    def distrust(self, name: str) -> None:
        """Revoke the trust in a skill. Raises InputError for an unknown name."""
        self._skills.trusted.revoke(self.find(name))
        self.reload()

    def run_script(
        self, script: SkillScript, given: JsonObject, arguments: Sequence[str], cancellation: Cancellation
    ) -> ExecutionResult:
        """Run one script. Raises UntrustedSkillError, the errors of `plan_of_script` and those of `execute`."""
        plan = self.plan_of_script(script, given, arguments)
        for skill in self.list_untrusted(plan):
            raise UntrustedSkillError(skill)
        return self.execute(plan, cancellation=cancellation)

    def list_untrusted(self, plan: PlanJson | None = None) -> list[Skill]:
        """The skills that came with the project and are not trusted; with a plan, only those that it names."""
        if plan is None:
            return [*self._skills.untrusted(), *self.catalog.passed_over]
        found = [each[0] for node in plan.tools if (each := self.catalog.find_script(node.tool_path)) is not None]
        return list({skill.name: skill for skill in found if not self._skills.is_trusted(skill)}.values())

    def read_plan(self, data: Json, on_note: Callable[[str], None] = lambda _note: None) -> PlanJson:
        """A plan that the skills can run; `on_note` gets what was assumed about one that another program wrote.

        Raises PlanError with every fault.
        """
        own, notes = without_comments(data)
        plan = parse_plan(own)
        for note in notes:
            on_note(note)
        if faults := check_plan(plan, self.catalog):
            raise _cannot_run(faults)
        return plan

    def run(
        self,
        request: str,
        observer: Observer | None = None,
        cancellation: Cancellation | None = None,
        *,
        is_model_small: bool = False,
        on_result: Callable[[ExecutionResult], None] | None = None,
    ) -> ExecutionResult:
        """Plan a request with the trusted skills and run it, replanning after failures.

        `on_result` gets the result of each plan. Raises MissingExtraError, SandboxError.
        """
        return self._skills.run(request, observer, cancellation, is_model_small=is_model_small, on_result=on_result)

    def find_called(self, word: str) -> Skill | None:
        """The skill that `/name` calls; None if the word does not begin with a slash or names no skill."""
        return self.catalog.by_name.get(word[1:]) if word.startswith("/") else None

    def call(
        self,
        skill: Skill,
        words: str,
        observer: Observer | None = None,
        cancellation: Cancellation | None = None,
        *,
        is_model_small: bool = False,
    ) -> ExecutionResult:
        """Run one skill that the user called by its name: follow its instructions, or plan with its scripts alone.

        Raises SkillError for an untrusted skill, InputError for one that users may not call, and the errors of `run`.
        """
        if skill.is_instructions:
            return self._skills.call(skill, words, observer)
        return self._skills.run(words, observer, cancellation, is_model_small=is_model_small, only=skill)

    def execute(
        self, plan: PlanJson, observer: Observer | None = None, cancellation: Cancellation | None = None
    ) -> ExecutionResult:
        """Run the user's own plan. Raises MissingExtraError, SandboxError."""
        return self._skills.execute(plan, observer, cancellation, is_supplied=True)

    def close(self) -> None:
        """End every process of a script."""
        self._skills.close()


def _change_of(path: str, digest: str, before: Mapping[str, str] | None) -> FileChange:
    if before is None:
        return "unknown"
    return "new" if path not in before else "same" if before[path] == digest else "changed"


def check_folder(folder: Path) -> list[SkillNote]:
    """Notes about the skills in a folder, or about the folder itself if it is a skill."""
    return [note for each in _skills_in(folder) for note in check_skill(each)]


def replay_result(data: Json) -> tuple[ExecutionResult, JsonObject, bool]:
    """The result in a trace, the state that its trace leads to, and whether the recorded state is the same.

    Raises InputError if the data are not a trace.
    """
    try:
        result = ExecutionResult.model_validate(data)
    except ValidationError as error:
        problems = [f"${''.join(f'.{part}' for part in item['loc'])}: {item['msg']}" for item in error.errors()[:5]]
        listed = "\n".join(f"  {line}" for line in problems)
        raise InputError(
            f"This is not the result of a skills run:\n{listed}\n",
            next_step="Give the trace file that the run printed.",
        ) from None
    return result, replay_state(result), verify_replay(result)


def _cannot_run(faults: Sequence[NodeFault]) -> PlanError:
    shown = "\n".join(f"  {fault.failure}: {fault}" for fault in faults[:_MAX_FAULTS_LISTED])
    more = f"\n  ... and {len(faults) - _MAX_FAULTS_LISTED:,} more" if len(faults) > _MAX_FAULTS_LISTED else ""
    problems: list[Json] = [
        {"type": fault.failure.value, "toolId": fault.tool_id, "path": fault.path, "message": fault.message}
        for fault in faults
    ]
    step = next((fault.next_step for fault in faults if fault.next_step), "")
    return PlanError(
        f"The plan cannot run; it has {len(faults):,} problem(s):\n{shown}{more}\n", next_step=step, problems=problems
    )


def _check_distinct_names(skills: Sequence[Skill]) -> None:
    """Raise SkillError for skills that would be exported into the same folder, before any is written."""
    by_folder: dict[str, list[str]] = {}
    for skill in skills:
        by_folder.setdefault(export_name(skill), []).append(repr(skill.name))
    if alike := [f"{' and '.join(names)} as {folder!r}" for folder, names in by_folder.items() if len(names) > 1]:
        raise SkillError(
            f"Some of these skills have the same name in the standard's form: {'; '.join(alike)}.",
            next_step="Export them one by one, into folders of their own.",
        )


def _skills_in(folder: Path) -> list[Path]:
    """The skills in a folder; the folder itself if it is a skill or contains none."""
    if not folder.is_dir() or _is_skill(folder):
        return [folder]
    return sorted(each for each in folder.iterdir() if _is_skill(each)) or [folder]


def _is_skill(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (SKILL_MD, SKILL_JSON))
