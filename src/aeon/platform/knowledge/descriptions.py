"""A model's descriptions of an entity, checked against the user's statements; and which of them counts. Pure.

A description is bound to the episodes that it was made from: it counts only where all of them are on screen. So one
that was made on a branch goes with the branch, and comes back with it (platform 35).
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, cast

from aeon.base.json import Json, JsonObject
from aeon.base.lazy_pattern import LazyPattern
from aeon.platform.knowledge.model import CATEGORIES, Category, Entity
from aeon.platform.search.message_words import message_words

MAX_DESCRIPTION: Final = 400
"""The most characters of a description."""

KEPT: Final = 5
"""The newest descriptions of an entity that are kept."""

_SHARE: Final = 0.6
"""The share of a description's longer words that stand in the statements; below, the model has made it up."""

_SHORTEST: Final = 4
_STATED: Final = 0.9
_INFERRED: Final = 0.5
"""Confidence in a facet whose word is in the statements, and in one that the model concluded."""

_NAME: Final = LazyPattern(r"(?<=[\w,;:)] )[^\W\d_a-z][\w'\u2019-]+")
_NUMBER: Final = LazyPattern(r"\d+")
_FACETS: Final = ("domain", "status", "sentiment")


class Description(NamedTuple):
    """A Process's description of an entity, from the statements about it, with its confidence from 0 to 1."""

    text: str
    category: Category | None
    facets: Mapping[str, Sequence[str]]
    confidence: JsonObject
    episodes: Sequence[str]
    process_id: str
    run_id: str
    at: str

    def as_json(self) -> JsonObject:
        """As the record keeps it, under the published names."""
        facets: JsonObject = {name: list[Json](values) for name, values in self.facets.items()}
        return {
            "summary": self.text,
            "category": self.category,
            "facets": facets,
            "confidence": self.confidence,
            "episodes": list[Json](self.episodes),
            "processId": self.process_id,
            "runId": self.run_id,
            "at": self.at,
        }

    @classmethod
    def from_json(cls, kept: JsonObject) -> "Description":
        """The description that `as_json` has kept."""
        return cls(
            kept["summary"],
            kept["category"],
            kept["facets"],
            kept["confidence"],
            kept["episodes"],
            kept["processId"],
            kept["runId"],
            kept["at"],
        )


class CheckedDescription(NamedTuple):
    """A description that the statements support."""

    text: str
    category: Category | None
    facets: Mapping[str, Sequence[str]]
    confidence: JsonObject


def descriptions_of(entity: Entity) -> list[Description]:
    """Returns all descriptions of an entity, oldest first, whether they count now or not."""
    kept: list[JsonObject] = (entity.enrichment or {}).get("versions", [])
    return [Description.from_json(each) for each in kept]


def counting_description(entity: Entity, visible: AbstractSet[str]) -> Description | None:
    """Returns the newest description that was made from nothing but these episodes."""
    fitting = [each for each in descriptions_of(entity) if visible >= {*each.episodes}]
    return fitting[-1] if fitting else None


def with_description(entity: Entity, new: Description) -> JsonObject:
    """Returns an entity's enrichment with one more description, in the order of time; the oldest of too many goes."""
    kept = sorted([*descriptions_of(entity), new], key=lambda each: each.at)[-KEPT:]
    versions: list[Json] = [each.as_json() for each in kept]
    return {"versions": versions}


def checked_description(found: Mapping[str, Json], statements: str, name: str) -> CheckedDescription | None:
    """Returns what a model found, as far as the statements support it; None if its sentences say anything else.

    Names, numbers and sentences that are not in the statements are made up (platform 36).
    """
    text = " ".join(str(found.get("summary") or "").split())
    share = _share_supported(text, f"{name} {statements}")
    if not 0 < len(text) <= MAX_DESCRIPTION or share < _SHARE or _strange(text, f"{name} {statements}"):
        return None
    words = set(message_words(statements))
    facets = {key: values for key in _FACETS if (values := _values(found.get(key)))}
    confidence: JsonObject = {
        "summary": round(share, 2),
        "category": _INFERRED,
        "facets": {key: _STATED if words & {*values} else _INFERRED for key, values in facets.items()},
    }
    category: Category | None = next((each for each in CATEGORIES if each == found.get("category")), None)
    return CheckedDescription(text, category, facets, confidence)


def _share_supported(text: str, statements: str) -> float:
    counted = [word for word in message_words(text) if len(word) >= _SHORTEST]
    words = set(message_words(statements))
    return sum(word in words for word in counted) / len(counted) if counted else 0.0


def _strange(text: str, statements: str) -> set[str]:
    """Return the names and numbers of a text that the statements do not have."""
    return {each.casefold() for each in (*_NAME.findall(text), *_NUMBER.findall(text))} - {
        each.casefold() for each in re.findall(r"[^\W\d_][\w'\u2019-]*|\d+", statements)
    }


def _values(found: Json) -> list[str]:
    """Return the values of a facet, each once; none for what a model does not know."""
    values = cast(list[object], found) if isinstance(found, list) else [found]
    return [*dict.fromkeys(each for each in values if isinstance(each, str) and each not in {"", "unknown"})]
