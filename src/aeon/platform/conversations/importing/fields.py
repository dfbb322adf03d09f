"""Reads the fields of foreign JSON, of which nothing is certain. Pure."""

import math
import re
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from typing import Final, cast

from aeon.base.clock import normalize_instant
from aeon.base.json import Json, JsonObject, json_digest, json_problems
from aeon.platform.conversations.importing.tree import BrokenConversationError
from aeon.platform.records import replace_unstorable

_MAX_TAG: Final = 50
_MAX_TAGS: Final = 50
_MAX_KEY: Final = 200
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_FIELD_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_SECONDS: Final = 1e11
"""Numbers above this are not seconds: as such they would lie after the year 5000."""


def object_of(value: Json) -> JsonObject:
    """Returns the value if it is an object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def list_of(value: Json) -> list[Json]:
    """Returns the value if it is a list, else an empty one."""
    return cast("list[Json]", value) if isinstance(value, list) else []


def text_of(value: Json) -> str | None:
    """Returns the value if it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def names_of(value: Json, field: str) -> list[Json]:
    """Returns the texts under one field of the objects in a list."""
    return [name for each in list_of(value) if (name := text_of(object_of(each).get(field)))]


def places_of(
    nodes: Mapping[str, JsonObject], parent_field: str, children_field: str
) -> dict[str, tuple[str | None, int]]:
    """Returns, by id, the parent of each node and its rank among that parent's children.

    Exports keep both directions. A node's own word for its parent counts, unless that parent is missing and another
    node names it as a child.
    """
    named_by = {
        child: (parent, rank)
        for parent, node in nodes.items()
        for rank, child in enumerate(list_of(node.get(children_field)))
        if isinstance(child, str)
    }
    places: dict[str, tuple[str | None, int]] = {}
    for id_, node in nodes.items():
        parent = text_of(node.get(parent_field))
        other, rank = named_by.get(id_, (None, len(nodes)))
        places[id_] = (parent if parent in nodes else other or parent, rank)
    return places


def required_object(value: Json, place: str) -> JsonObject:
    """Returns the value as an object. Raises BrokenConversationError that names its place."""
    if not isinstance(value, dict):
        raise BrokenConversationError(f"{place} is not an object")
    return cast(JsonObject, value)


def instant_of(value: Json) -> str | None:
    """Returns a time as the record keeps it: from ISO 8601, or seconds, milli-, micro- or nanoseconds since 1970.

    Returns None for what is not a time, and for 0, which some exports write for an unknown one.
    """
    if isinstance(value, str):
        return normalize_instant(value) or normalize_instant(f"{value}+00:00")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0 or not math.isfinite(value):
        return None
    seconds = float(min(value, 1e30))
    while seconds > _SECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def title_of(value: Json) -> str | None:
    """Returns a title in one line, without characters that the record cannot keep."""
    line = " ".join(_CONTROLS.sub(" ", replace_unstorable(text_of(value) or "")).split())
    return line or None


def tags_of(value: Json) -> list[str]:
    """Returns tags as the record keeps them: without commas and control characters, none twice."""
    texts = [text for text in map(text_of, list_of(value)) if text]
    words = [_CONTROLS.sub(" ", replace_unstorable(text)).replace(",", " ") for text in texts]
    return list(dict.fromkeys(tag for word in words if (tag := " ".join(word.split())[:_MAX_TAG].rstrip())))[:_MAX_TAGS]


def import_key(source: str, id_: Json, whole: Json) -> str:
    """Returns the key under which a conversation is imported once: its id in the source, else its digest."""
    name = text_of(id_) or f"sha256:{json_digest(whole)}"
    if len(name) > _MAX_KEY or replace_unstorable(name) != name:
        name = f"sha256:{json_digest(name)}"
    return f"{source}:{name}"


def storable(value: Json) -> Json:
    """Returns JSON of a foreign file as the record can keep it; None for what is nested too deeply."""
    return None if json_problems(value) else _storable(value)


def _storable(value: Json) -> Json:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, list):
        return [_storable(item) for item in cast("list[Json]", value)]
    if isinstance(value, dict):
        return {replace_unstorable(name): _storable(item) for name, item in cast(JsonObject, value).items()}
    return value


def given(**fields: Json) -> JsonObject:
    """Returns the fields that say something: neither None, False, nor empty."""
    return {name: value for name, value in fields.items() if value not in (None, False, "", [], {})}


def dropped_fields(of: str, value: JsonObject, known: Container[str]) -> list[str]:
    """Returns the fields of an object that say something and are not `known`, as the report names them (platform 27).

    `of` is what the object is, in the plural. Known are those that are kept, and those that are not part of the
    conversation.
    """
    dropped = {name: field for name, field in value.items() if name not in known}
    return [f"{_field(name)} of {of}" for name in given(**dropped)]


def _field(name: str) -> str:
    return f"field `{name}`" if _FIELD_NAME.fullmatch(name) else "field with an unusual name"
