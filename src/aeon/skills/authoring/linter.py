"""Checks one skill's folder for its author, more strictly than loading (skills 8 to 10)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from aeon.base.errors import SkillError
from aeon.base.json import JsonObject
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.config.skill_settings import with_config
from aeon.skills.discovery.front_matter import SkillDocument, read_body, read_document
from aeon.skills.discovery.skill_reader import read_skill
from aeon.skills.discovery.standard_fields import FIELDS, MAX_COMPATIBILITY_LENGTH
from aeon.skills.launch.interpreters import DEFAULT_PATH, interpreter_for
from aeon.skills.models import SKILL_JSON, SKILL_MD, Skill, SkillNote

CAPABILITIES = ("model", "network")
"""The capabilities that a skill may request (skills 8)."""

_SHELLS = frozenset({".sh", ".bash", ".zsh"})
_LONGEST_LINE = 4096

MAX_BODY_LINES = 500
"""The standard's recommendation."""


def check_skill(folder: Path, *, environ: Mapping[str, str] | None = None, home: Path | None = None) -> list[SkillNote]:
    """Returns all notes on one folder; empty for a correct skill. Raises nothing.

    `environ`, by default the process's own, provides the variables that settings name.
    """
    if not folder.is_dir():
        return [SkillNote(folder, None, "is not a folder", is_skip=True)]
    if not any((folder / name).exists() for name in (SKILL_MD, SKILL_JSON)):
        return [SkillNote(folder, None, f"contains neither {SKILL_MD} nor {SKILL_JSON}", is_skip=True)]
    folder = folder.resolve()
    reading = read_skill(folder, home)
    notes = list(reading.notes)
    notes += (
        SkillNote(folder / SKILL_MD, line, message, is_skip=False) for line, message in _standard_deviations(folder)
    )
    environ = os.environ if environ is None else environ
    if reading.skill:
        notes += with_config(reading.skill, environ).notes[len(reading.notes) :]
        notes += _advice(reading.skill, environ.get("PATH") or DEFAULT_PATH)
    return list(dict.fromkeys(notes))


def _standard_deviations(folder: Path) -> Iterator[tuple[int | None, str]]:
    """Yields deviations of SKILL.md from the standard that loading does not report."""
    try:
        data = read_bounded(folder / SKILL_MD)
        document = read_document(data)
    except UnreadableFileError:
        return
    yield from _fields(document)
    if len(read_body(data).splitlines()) > MAX_BODY_LINES:
        yield None, f"the body is longer than {MAX_BODY_LINES} lines; move details into references/"


def _fields(document: SkillDocument) -> Iterator[tuple[int | None, str]]:
    lines, fields = document.lines, document.fields
    for field in fields:
        if field not in FIELDS:
            yield lines.get(field), f"the field {field!r} is not in the standard; put it under metadata"
    compatibility = fields.get("compatibility")
    if "compatibility" in fields and not isinstance(compatibility, str):
        yield lines.get("compatibility"), "compatibility must be text"
    elif isinstance(compatibility, str) and len(compatibility) > MAX_COMPATIBILITY_LENGTH:
        yield lines.get("compatibility"), f"compatibility has more than {MAX_COMPATIBILITY_LENGTH} characters"
    for field in ("license", "allowed-tools"):
        if field in fields and not isinstance(fields[field], str):
            yield lines.get(field), f"{field} must be text"
    if "metadata" in fields and not _is_text_to_text(fields["metadata"]):
        yield lines.get("metadata"), "metadata must be a mapping of text to text"


def _is_text_to_text(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in cast(JsonObject, value).values())


def _advice(skill: Skill, search_path: str) -> Iterator[SkillNote]:
    """Yields defects of a skill that runs: no prompt, no descriptions, undeclared scripts."""
    manifest = skill.directory_path / SKILL_JSON
    if skill.prompt_path is None:
        yield SkillNote(skill.manifest_path, None, "has no prompt: neither a body nor a prompt.md", is_skip=False)
    declared = [script for script in skill.scripts if script.protocol == "ndjson"]
    for script in skill.scripts:
        if declared and script.protocol == "plain":
            message = "is not declared in skill.json, so it runs as a plain script"
            yield SkillNote(script.path, None, message, is_skip=False)
    for script in skill.scripts:
        try:
            interpreter_for(script.path, search_path)
        except (SkillError, OSError) as error:
            yield SkillNote(script.path, None, str(error), is_skip=False)
    for script in declared:
        for lacking in [word for word, has in _expected_fields(script.description, script.input_schema) if not has]:
            yield SkillNote(manifest, None, f"the script {script.name!r} has no {lacking}", is_skip=False)
    for capability in skill.capabilities:
        if capability not in CAPABILITIES:
            message = f"the capability {capability!r} is unknown; known are {', '.join(CAPABILITIES)}"
            yield SkillNote(manifest, None, message, is_skip=False)
    yield from line_end_notes(skill)
    yield from _variables(skill)


def line_end_notes(skill: Skill) -> Iterator[SkillNote]:
    """Yields a note for each shell script with Windows line ends, at which shells fail with odd messages."""
    for script in skill.scripts:
        with suppress(OSError), script.path.open("rb") as file:
            first = file.readline(_LONGEST_LINE)
            if first.endswith(b"\r\n") and (script.path.suffix in _SHELLS or first.startswith(b"#!/bin/")):
                message = "has Windows line ends, at which shells fail; convert it: sed -i 's/\\r$//' FILE"
                yield SkillNote(script.path, 1, message, is_skip=False)


def _expected_fields(description: str, schema: JsonObject | None) -> tuple[tuple[str, bool], ...]:
    return (("description", bool(description)), ("inputSchema", schema is not None))


def _variables(skill: Skill) -> Iterator[SkillNote]:
    listed: Any = (skill.config_schema or {}).get("x-env", [])
    names = cast(list[Any], listed) if isinstance(listed, list) else [None]
    if not all(isinstance(name, str) for name in names):
        yield SkillNote(
            skill.manifest_path, None, "x-env in its settings schema must be a list of names", is_skip=False
        )
