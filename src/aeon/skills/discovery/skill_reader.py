"""Reads one folder as a skill (skills 8, 9): SKILL.md, skill.json or both.

Runs nothing, raises nothing.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeon.base.errors import SkillError
from aeon.base.json import JsonObject
from aeon.base.json_schema import schema_problem
from aeon.skills.bounded_files import UnreadableFileError, read_bounded, read_json_object
from aeon.skills.discovery.front_matter import read_body, read_document
from aeon.skills.discovery.manifest import Manifest, read_manifest
from aeon.skills.discovery.script_files import find_scripts, script_path
from aeon.skills.discovery.standard_fields import StandardFields, clean_text, read_fields
from aeon.skills.models import (
    NO_VERSION,
    SKILL_JSON,
    SKILL_MD,
    ErrorState,
    FolderReading,
    ScriptRetryPolicy,
    Skill,
    SkillNote,
    SkillScript,
)

CONFIG_SCHEMA = "config-schema.json"

_NAMED_SCRIPT = re.compile(r"scripts/\w[\w./-]*\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|ps1)\b")


def read_skill(folder: Path, home: Path | None = None) -> FolderReading:
    """Reads one folder, without its configuration.

    `home` holds the skill's data, by default its own folder.
    """
    return _SkillReader(folder, home).read()


def read_prompt(skill: Skill) -> str:
    """Returns the behavioural prompt, read when the skill is chosen (skills 9); empty if none.

    Raises SkillError.
    """
    if skill.prompt_path is None:
        return ""
    try:
        data = read_bounded(skill.prompt_path)
    except UnreadableFileError as error:
        raise SkillError(f"The prompt of the skill {skill.name!r}, {skill.prompt_path}, {error.message}.") from None
    if skill.prompt_path.name == SKILL_MD:
        return read_body(data)
    return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").strip("\n")


@dataclass
class _SkillReader:
    """Reads one folder and collects its notes and the files it depends on."""

    folder: Path
    home: Path | None
    notes: list[SkillNote] = field(default_factory=list[SkillNote])
    files: list[str] = field(default_factory=list[str])
    state: ErrorState = ErrorState.HEALTHY

    def read(self) -> FolderReading:
        self.files += [str(self.folder), *(f"{self.folder}/{name}" for name in (SKILL_MD, SKILL_JSON, "scripts"))]
        published, body = self._read_skill_md()
        manifest = self._read_skill_json(beside_skill_md=published is not None)
        skill = self._build_skill(published, body, manifest) if published or manifest else None
        return FolderReading(skill, tuple(self.notes), tuple(dict.fromkeys(self.files)))

    def _build_skill(self, published: StandardFields | None, body: str, manifest: Manifest | None) -> Skill:
        fields = self._identity(published, manifest)
        prompt_path = self._prompt_path(manifest, body)
        self._note_missing_scripts(body)
        scripts = self._scripts(fields["name"], manifest, body)
        schema = self._config_schema(manifest)
        return Skill(
            **fields,
            directory_path=self.folder,
            data_home=self.home / fields["name"] if self.home else self.folder,
            prompt_path=prompt_path,
            scripts=scripts,
            config_schema=schema,
            error_state=self.state,
            notes=tuple(self.notes),
        )

    def _note(self, name: str, line: int | None, message: str, *, is_skip: bool = False) -> None:
        self.notes.append(SkillNote(self.folder / name, line, message, is_skip))

    def _has(self, name: str) -> bool:
        return os.path.lexists(f"{self.folder}/{name}")

    def _read_skill_md(self) -> tuple[StandardFields | None, str]:
        """Returns the fields of SKILL.md and its body; None if it is missing or unusable."""
        if not self._has(SKILL_MD):
            return None, ""
        try:
            document = read_document(read_bounded(self.folder / SKILL_MD))
            published = read_fields(document, self.folder.name)
        except UnreadableFileError as error:
            self._note(SKILL_MD, error.line, error.message, is_skip=True)
            return None, ""
        for remark in published.remarks:
            self._note(SKILL_MD, remark.line, remark.message)
        return published, document.body

    def _read_skill_json(self, *, beside_skill_md: bool) -> Manifest | None:
        """Returns skill.json if it fits rule 8.

        Beside a SKILL.md it may be another program's and is then ignored.
        """
        if not self._has(SKILL_JSON):
            return None
        try:
            reading = read_manifest(read_bounded(self.folder / SKILL_JSON))
        except UnreadableFileError as error:
            self._note(SKILL_JSON, error.line, error.message, is_skip=True)
            return None
        if reading.manifest is None:
            problems = "; ".join(str(problem) for problem in reading.problems)
            verdict = "is not Aeon's and is ignored" if beside_skill_md else "is not a valid manifest"
            if beside_skill_md and reading.declares_scripts:
                # Without it, its scripts would be called in another way than they were written for.
                self.state = ErrorState.DEGRADED
                verdict = "is broken, so the skill is not used; correct it, or remove it"
            self._note(SKILL_JSON, None, f"{verdict}: {problems}", is_skip=True)
            return None
        if unknown := reading.manifest.unknown_fields():
            self._note(SKILL_JSON, None, "has unknown fields: " + ", ".join(unknown[:20]))
        return reading.manifest

    def _identity(self, published: StandardFields | None, manifest: Manifest | None) -> dict[str, Any]:
        """Returns the skill's fields.

        SKILL.md takes precedence over skill.json, except for the version.
        """
        published_fields = _published_fields(published) if published else {}
        manifest_fields = _manifest_fields(manifest) if manifest else {}
        if published and manifest and manifest.name != published.name:
            self._note(
                SKILL_JSON,
                None,
                f"names the skill {manifest.name!r}; the name {published.name!r} in SKILL.md takes precedence",
            )
        if manifest and not published and manifest.name != self.folder.name:
            self._note(SKILL_JSON, None, f"the name {manifest.name!r} differs from the folder's, {self.folder.name!r}")
        version = manifest_fields.get("version") or published_fields.get("version") or NO_VERSION
        manifest_path = self.folder / (SKILL_MD if published else SKILL_JSON)
        return {**manifest_fields, **published_fields, "version": version, "manifest_path": manifest_path}

    def _prompt_path(self, manifest: Manifest | None, body: str) -> Path | None:
        if body.strip():
            return self.folder / SKILL_MD
        written = manifest.prompt if manifest else "prompt.md"
        self._depends_on(written)
        try:
            return script_path(self.folder, written)
        except ValueError as error:
            if manifest and "prompt" in manifest.model_fields_set:
                self._note(SKILL_JSON, None, f"the prompt {written!r} {error}")
            return None

    def _note_missing_scripts(self, body: str) -> None:
        missing = [name for name in _named_scripts(body) if not os.path.exists(f"{self.folder}/{name}")]  # noqa: PTH110  # pathlib raises for a name that is too long
        for name in missing:
            self._depends_on(name)
        if missing:
            self._note(SKILL_MD, None, "names files that do not exist: " + ", ".join(missing[:10]))

    def _scripts(self, name: str, manifest: Manifest | None, body: str) -> tuple[SkillScript, ...]:
        declared = manifest.scripts if manifest else []
        for script in declared:
            self._depends_on(script.path)
        discovered = find_scripts(self.folder, name, declared, self.folder / SKILL_JSON, body)
        self.notes += discovered.notes
        self.files += [str(path) for path in (*discovered.folders, *(script.path for script in discovered.scripts))]
        if discovered.missing:
            self.state = ErrorState.PERMANENT_FAILURE
        return tuple(discovered.scripts)

    def _config_schema(self, manifest: Manifest | None) -> JsonObject | None:
        """Returns the settings schema.

        An invalid one degrades a skill with a manifest, and is else ignored.
        """
        written = manifest.config_schema if manifest else CONFIG_SCHEMA
        is_named = manifest is not None and "config_schema" in manifest.model_fields_set
        self._depends_on(written)
        if not is_named and not self._has(written):
            return None
        try:
            schema = read_json_object(script_path(self.folder, written))
            if problem := schema_problem(schema):
                raise UnreadableFileError(None, f"is not a valid JSON Schema: {problem[:300]}")
        except ValueError as error:
            self._note(written, getattr(error, "line", None), str(error), is_skip=manifest is None)
            if manifest and self.state is ErrorState.HEALTHY:
                self.state = ErrorState.DEGRADED
            return None
        return schema

    def _depends_on(self, written: str) -> None:
        if "\0" not in written:
            self.files.append(f"{self.folder}/{written}")


def _named_scripts(body: str) -> list[str]:
    """Returns the files in `scripts/` that a body names.

    Files in other folders of that name are not included.
    """
    matches = _NAMED_SCRIPT.finditer(body) if "scripts/" in body else ()
    return list(dict.fromkeys(match[0] for match in matches if not _is_inside(body, match.start())))


def _is_inside(body: str, start: int) -> bool:
    before = body[max(0, start - 3) : start].removesuffix("./")
    return re.search(r"[\w./-]$", before) is not None


def _published_fields(published: StandardFields) -> dict[str, Any]:
    """Returns the fields that SKILL.md sets."""
    is_renamed = published.written_name and published.written_name != published.name
    fields: dict[str, Any] = {
        "name": published.name,
        "description": published.description,
        "license": published.license,
        "version": published.metadata.get("version"),
        "author": published.metadata.get("author"),
        "homepage": published.metadata.get("homepage"),
        "display_name": published.written_name if is_renamed else None,
        "usage": published.usage,
    }
    return {name: value for name, value in fields.items() if value}


def _manifest_fields(manifest: Manifest) -> dict[str, Any]:
    retries = manifest.retry_policy
    return {
        "name": manifest.name,
        "description": clean_text(manifest.description),
        "version": manifest.version,
        "display_name": manifest.display_name,
        "author": manifest.author,
        "license": manifest.license,
        "homepage": manifest.homepage,
        "capabilities": tuple(manifest.capabilities),
        "dependencies": tuple(manifest.dependencies),
        "priority": manifest.priority,
        "retry_policy": retries and ScriptRetryPolicy(retries.max_retries, retries.backoff_ms),
    }
