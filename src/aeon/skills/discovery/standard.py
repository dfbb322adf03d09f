"""The fields of the Agent Skills standard: what they may be, and what is made of those that are not so (skills 9)."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, cast

from aeon.base.json import JsonObject
from aeon.skills.discovery.front_matter import Document, Remark
from aeon.skills.small_files import UnreadableError

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
_LONGEST_FILE_NAME = 255
"""Bytes: the name is a folder's too."""
MOST_DESCRIPTION_KEPT = 4096
"""Characters of a description that are carried along when it is longer than it may be."""

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Published:
    """What a SKILL.md says of its skill. `written_name` is as its author wrote it, `name` as Aeon calls it."""

    name: str
    written_name: str
    description: str
    license: str | None
    metadata: dict[str, str]
    remarks: tuple[Remark, ...]


def read_fields(document: Document, folder: str) -> Published:
    """The standard's fields of a document in a folder of this name. Raises UnreadableError without a description."""
    remarks = list(document.remarks)
    description = _description(document, remarks)
    written = _text(document.fields.get("name"))
    name = standard_name(written) or standard_name(folder) or "skill"
    remarks += _name_remarks(written, name, folder, document.lines.get("name"))
    return Published(
        name=name,
        written_name=written,
        description=description,
        license=_text(document.fields.get("license")) or None,
        metadata=_metadata(document.fields.get("metadata")),
        remarks=tuple(remarks),
    )


def standard_name(written: str) -> str:
    """The name in the standard's own form: lower case letters, digits and single hyphens, at most 64."""
    name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", written).lower())
    plain = "".join(character if character.isalnum() and character == character.lower() else "-" for character in name)
    name = re.sub("-+", "-", plain).strip("-")[:LONGEST_NAME]
    return name.encode()[:_LONGEST_FILE_NAME].decode(errors="ignore").strip("-")


def cleaned(text: str) -> str:
    """The text on one line, without what could steer a terminal."""
    return _UNPRINTABLE.sub(" ", text).strip()


def _text(value: object) -> str:
    return cleaned(value) if isinstance(value, str) else ""


def _description(document: Document, remarks: list[Remark]) -> str:
    value: Any = document.fields.get("description")
    line = document.lines.get("description")
    if isinstance(value, dict) and len(cast(JsonObject, value)) == 1:
        (before, after), *_ = cast(JsonObject, value).items()
        value = f"{before}: {after}" if isinstance(after, str) else None
        remarks.append(Remark(line, "the description is a mapping; read as text with a colon"))
    description = _text(cast(object, value))
    if not description:
        said = "has no description" if value is None else "its description is empty or no text"
        raise UnreadableError(line or 1, said)
    if len(description) > LONGEST_DESCRIPTION:
        said = f"the description has {len(description)} characters; the standard allows {LONGEST_DESCRIPTION}"
        cut = f", the first {MOST_DESCRIPTION_KEPT} are kept" if len(description) > MOST_DESCRIPTION_KEPT else ""
        remarks.append(Remark(line, said + cut))
    return description[:MOST_DESCRIPTION_KEPT]


def _name_remarks(written: str, name: str, folder: str, line: int | None) -> list[Remark]:
    if not written:
        return [Remark(line or 1, f"has no name; called {name!r} after its folder")]
    remarks: list[Remark] = []
    if len(written) > LONGEST_NAME:
        remarks.append(Remark(line, f"the name has {len(written)} characters; the standard allows {LONGEST_NAME}"))
    if name != unicodedata.normalize("NFKC", written):
        remarks.append(Remark(line, f"the name {written[:100]!r} is not in the standard's form; called {name!r}"))
    if name != unicodedata.normalize("NFKC", folder):
        remarks.append(Remark(line, f"the name {name!r} is not its folder's, {folder!r}"))
    return remarks


def _metadata(value: object) -> dict[str, str]:
    """Its fields that are text."""
    fields = cast(JsonObject, value) if isinstance(value, dict) else {}
    return {cleaned(key): cleaned(item) for key, item in fields.items() if isinstance(item, str)}
