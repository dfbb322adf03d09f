"""The Agent Skills standard's fields: limits, and reading of invalid ones (skills 9)."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, cast

from aeon.base.json import JsonObject
from aeon.skills.bounded_files import UnreadableFileError
from aeon.skills.discovery.front_matter import SkillDocument, SkillRemark
from aeon.skills.models import SkillUsage

MAX_NAME_LENGTH = 64
MAX_DESCRIPTION_LENGTH = 1024
MAX_COMPATIBILITY_LENGTH = 500
_LONGEST_FILE_NAME = 255
"""Bytes. The name is also a folder's."""
MAX_DESCRIPTION_KEPT = 4096
"""Characters kept of a description that is longer than the standard allows."""

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class StandardFields:
    """The fields of a SKILL.md.

    `written_name` is the author's spelling, `name` the standard form that Aeon uses.
    """

    name: str
    written_name: str
    description: str
    license: str | None
    metadata: dict[str, str]
    usage: SkillUsage
    remarks: tuple[SkillRemark, ...]


def read_fields(document: SkillDocument, folder: str) -> StandardFields:
    """Returns a document's standard fields; `folder` is a name.

    Raises UnreadableFileError without a description.
    """
    remarks = list(document.remarks)
    description = _description(document, remarks)
    written = _text(document.fields.get("name"))
    name = standard_name(written) or standard_name(folder) or "skill"
    remarks += _name_remarks(written, name, folder, document.lines.get("name"))
    usage = _usage(document, remarks)
    return StandardFields(
        name=name,
        written_name=written,
        description=description,
        license=_text(document.fields.get("license")) or None,
        metadata=_metadata(document.fields.get("metadata")),
        usage=usage,
        remarks=tuple(remarks),
    )


def standard_name(written: str) -> str:
    """Returns the name in the standard's form.

    This form has lower case letters, digits and single hyphens, at most 64.
    """
    name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", written).lower())
    plain = "".join(character if character.isalnum() and character == character.lower() else "-" for character in name)
    name = re.sub("-+", "-", plain).strip("-")[:MAX_NAME_LENGTH]
    return name.encode()[:_LONGEST_FILE_NAME].decode(errors="ignore").strip("-")


def clean_text(text: str) -> str:
    """Returns the text on one line, without control characters."""
    return _UNPRINTABLE.sub(" ", text).strip()


def _text(value: object) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def _description(document: SkillDocument, remarks: list[SkillRemark]) -> str:
    value: Any = document.fields.get("description")
    line = document.lines.get("description")
    if isinstance(value, dict) and len(cast(JsonObject, value)) == 1:
        (before, after), *_ = cast(JsonObject, value).items()
        value = f"{before}: {after}" if isinstance(after, str) else None
        remarks.append(SkillRemark(line, "the description is a mapping; it was read as text with a colon"))
    description = _text(cast(object, value))
    if not description:
        message = "has no description" if value is None else "its description is empty or not text"
        raise UnreadableFileError(line or 1, message)
    if len(description) > MAX_DESCRIPTION_LENGTH:
        message = f"the description has {len(description)} characters; the standard allows {MAX_DESCRIPTION_LENGTH}"
        cut = f", the first {MAX_DESCRIPTION_KEPT} are kept" if len(description) > MAX_DESCRIPTION_KEPT else ""
        remarks.append(SkillRemark(line, message + cut))
    return description[:MAX_DESCRIPTION_KEPT]


def _name_remarks(written: str, name: str, folder: str, line: int | None) -> list[SkillRemark]:
    if not written:
        return [SkillRemark(line or 1, f"has no name; it gets its folder's name, {name!r}")]
    remarks: list[SkillRemark] = []
    if len(written) > MAX_NAME_LENGTH:
        remarks.append(
            SkillRemark(line, f"the name has {len(written)} characters; the standard allows {MAX_NAME_LENGTH}")
        )
    if name != unicodedata.normalize("NFKC", written):
        remarks.append(
            SkillRemark(line, f"the name {written[:100]!r} is not in the standard's form; it becomes {name!r}")
        )
    if name != unicodedata.normalize("NFKC", folder):
        remarks.append(SkillRemark(line, f"the name {name!r} differs from the folder's, {folder!r}"))
    return remarks


_NOT_USED = ("model", "agent", "hooks", "effort", "paths", "shell")
"""Fields of large clients of the standard for which Aeon has nothing."""


def _usage(document: SkillDocument, remarks: list[SkillRemark]) -> SkillUsage:
    """Returns who may call the skill, and adds a remark for each field that Aeon does not use (skills 14)."""
    fields = document.fields
    remarks += [
        SkillRemark(document.lines.get(name), f"the field {name!r} is not used by Aeon")
        for name in _NOT_USED
        if name in fields
    ]
    return SkillUsage(
        is_for_model=_text(fields.get("disable-model-invocation")).lower() != "true",
        is_for_user=_text(fields.get("user-invocable")).lower() != "false",
        argument_hint=_text(fields.get("argument-hint")),
        allowed_tools=tuple(_tool_names(fields.get("allowed-tools"))),
    )


def _tool_names(value: object) -> list[str]:
    """Returns the names in `allowed-tools`: a list, or a text with commas or spaces outside of parentheses."""
    if isinstance(value, list):
        return [clean_text(item) for item in cast(list[object], value) if isinstance(item, str)]
    return re.findall(r"[^\s,(]+(?:\([^)]*\))?", _text(value))


def _metadata(value: object) -> dict[str, str]:
    """Returns the metadata fields that are text."""
    fields = cast(JsonObject, value) if isinstance(value, dict) else {}
    return {clean_text(key): clean_text(item) for key, item in fields.items() if isinstance(item, str)}
