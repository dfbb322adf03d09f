"""Exports a skill in the standard's form.

The reference validator accepts every result (skills 9).
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from aeon.base.errors import SkillError
from aeon.base.json import JsonObject
from aeon.skills.bounded_files import UnreadableFileError, read_bounded
from aeon.skills.config.skill_settings import CONFIG_JSON
from aeon.skills.discovery.front_matter import read_document
from aeon.skills.discovery.skill_reader import read_prompt
from aeon.skills.discovery.standard_fields import (
    MAX_COMPATIBILITY_LENGTH,
    MAX_DESCRIPTION_LENGTH,
    clean_text,
    standard_name,
)
from aeon.skills.models import NO_VERSION, SKILL_MD, Skill

_LONGEST_KEY = 200
_LEFT_OUT = frozenset({CONFIG_JSON, SKILL_MD, "data", "__pycache__", "node_modules"})
"""The user's own files, and generated ones."""

_SILENTLY_LEFT_OUT = _LEFT_OUT - {"data"} | {".git", ".venv", ".DS_Store"}
"""Left out without a remark: users do not expect these in an export."""


def export_skill(
    skill: Skill, folder: Path, *, overwrite: bool = False, on_remark: Callable[[str], None] | None = None
) -> Path:
    """Writes SKILL.md and all files except the user's data into a new folder in `folder`.

    The new folder has the skill's name. Returns that folder. `on_remark` is called with each change or omission.
    Raises SkillError if the folder exists and `overwrite` is false, or if it cannot be written.
    """
    remarks: list[str] = []
    name = export_name(skill)
    target = folder / name
    if name != skill.name:
        remarks.append(f"the name {skill.name!r} became {name!r}")
    if target.exists() and not overwrite:
        raise SkillError(f"{target} already exists.", next_step="Choose another folder, or overwrite it with --force.")
    if target.resolve().is_relative_to(skill.directory_path.resolve()):
        raise SkillError(f"{target} is inside the skill's own folder.", next_step="Choose another folder.")
    try:
        text = f"{write_front_matter(skill, name, remarks)}\n{_body(skill)}\n"
        _copy_files(skill.directory_path, target, remarks)
        (target / SKILL_MD).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise SkillError(f"The skill {skill.name!r} cannot be exported to {target}: {error}.") from None
    for remark in remarks:
        (on_remark or _ignore_remark)(remark)
    return target


def export_name(skill: Skill) -> str:
    """Returns the skill's name in the standard's form; two names may have the same form."""
    return standard_name(skill.name) or "skill"


def _ignore_remark(remark: str) -> None:
    """Discards the remark."""


def write_front_matter(skill: Skill, name: str, remarks: list[str]) -> str:
    """Returns the strict front matter between its two lines `---`.

    Cuts long texts and adds a remark for each.
    """
    written = _original_fields(skill)
    fields: list[tuple[str, str]] = [("name", name)]
    description = clean_text(skill.description) or f"The skill {name}."
    fields.append(("description", _cut(description, MAX_DESCRIPTION_LENGTH, "the description", remarks)))
    if skill.license and clean_text(skill.license):
        fields.append(("license", clean_text(skill.license)))
    compatibility = written.get("compatibility")
    if isinstance(compatibility, str) and clean_text(compatibility):
        text = _cut(clean_text(compatibility), MAX_COMPATIBILITY_LENGTH, "the compatibility", remarks)
        fields.append(("compatibility", text))
    if allowed := _allowed_tools(written.get("allowed-tools")):
        fields.append(("allowed-tools", allowed))
    lines = [f"{key}: {quote_yaml(text)}" for key, text in fields]
    metadata = _metadata(skill, written)
    if metadata:
        lines += ["metadata:", *(f"  {quote_yaml(key)}: {quote_yaml(text)}" for key, text in metadata.items())]
    return "\n".join(["---", *lines, "---", ""])


def quote_yaml(text: str) -> str:
    """Returns the text as a double-quoted YAML scalar that every parser reads alike.

    Odd characters are escaped. Two consecutive dashes are escaped: the reference validator ends the front matter at
    any three of them.
    """
    pieces: list[str] = []
    for character in text:
        if character in '"\\':
            pieces.append(f"\\{character}")
        elif character == "-" and pieces and pieces[-1] == "-":
            pieces.append("\\x2d")
        elif character.isprintable():
            pieces.append(character)
        else:
            pieces.append(f"\\U{ord(character):08x}")
    return '"' + "".join(pieces) + '"'


def _cut(text: str, limit: int, what: str, remarks: list[str]) -> str:
    if len(text) <= limit:
        return text
    remarks.append(f"{what} was cut from {len(text)} to {limit} characters")
    return text[: limit - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _original_fields(skill: Skill) -> JsonObject:
    """Returns the skill's own front matter, for the fields that Aeon itself does not use."""
    if skill.manifest_path.name != SKILL_MD:
        return {}
    try:
        return read_document(read_bounded(skill.manifest_path)).fields
    except UnreadableFileError:
        return {}


def _allowed_tools(value: object) -> str:
    if isinstance(value, list):
        return " ".join(clean_text(item) for item in cast(list[object], value) if isinstance(item, str))
    return clean_text(value) if isinstance(value, str) else ""


def _metadata(skill: Skill, written: Mapping[str, object]) -> dict[str, str]:
    """Returns metadata in the standard's form, text to text.

    It has the skill's own metadata and the fields that only Aeon knows.
    """
    known = {
        "version": skill.version if skill.version != NO_VERSION else None,
        "author": skill.author,
        "homepage": skill.homepage,
        "display-name": skill.display_name,
    }
    own = written.get("metadata")
    texts = cast(JsonObject, own) if isinstance(own, dict) else {}
    merged = {**texts, **{key: value for key, value in known.items() if value}}
    return {
        clean_text(key)[:_LONGEST_KEY]: clean_text(value)
        for key, value in merged.items()
        if isinstance(value, str) and value
    }


def _body(skill: Skill) -> str:
    return read_prompt(skill).encode("utf-8", errors="replace").decode() or f"# {skill.display_name or skill.name}"


def _copy_files(source: Path, target: Path, remarks: list[str]) -> None:
    """Copies the skill's files; does not follow a link that leads out of its folder."""
    target.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        return
    home = source.resolve()
    for entry in sorted(source.iterdir()):
        if entry.name not in _LEFT_OUT and not entry.name.startswith("."):
            _copy(entry, target / entry.name, home, remarks)
        elif entry.name not in _SILENTLY_LEFT_OUT:
            why = "it holds the user's data" if entry.name == "data" else "it is hidden"
            remarks.append(f"{entry} was left out: {why}")


def _copy(entry: Path, target: Path, home: Path, remarks: list[str]) -> None:
    if entry.is_symlink() and not entry.resolve().is_relative_to(home):
        remarks.append(f"{entry} was left out: it is a link out of the skill's folder")
    elif entry.is_symlink() and entry.is_dir():
        remarks.append(f"{entry} was left out: it is a link to a folder")
    elif entry.is_dir():
        target.mkdir(exist_ok=True)
        for inner in sorted(entry.iterdir()):
            if not inner.name.startswith(".") and inner.name != "__pycache__":
                _copy(inner, target / inner.name, home, remarks)
            elif inner.name not in _SILENTLY_LEFT_OUT:
                remarks.append(f"{inner} was left out: it is hidden")
    elif entry.is_file():
        shutil.copy(entry, target)
