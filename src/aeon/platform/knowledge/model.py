"""Entities, facts and what is known of their sources, as the platform reads them."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from aeon.base.json import Json, JsonObject, parse_strict
from aeon.platform.search.message_words import message_words
from aeon.platform.store import Row

Category: TypeAlias = Literal["Person", "Organization", "Project", "Concept", "Object", "Event", "Place"]
CATEGORIES: Final[tuple[Category, ...]] = (
    "Person",
    "Organization",
    "Project",
    "Concept",
    "Object",
    "Event",
    "Place",
)

FactState: TypeAlias = Literal["candidate", "confirmed", "rejected"]

STATEMENTS: Final = "statements"
"""The extractor that takes the user's own sentences, by code."""

MODEL: Final = "model"
"""The extractor that asks a strong model once for each message."""

GRAPHITI: Final = "graphiti"
"""The extractor that lets Graphiti read each message."""

NO_EXTRACTOR: Final = "none"
"""What is named as the extractor of an episode that waited while extraction was off."""

BY_USER: Final = "user"
"""What users write themselves."""

MAX_FACT: Final = 1000
MAX_NAME: Final = 200


def name_key(name: str) -> str:
    """Returns what two spellings of a name share: their words, folded. Empty for a name without any."""
    return " ".join(message_words(name))


class Entity(NamedTuple):
    """Something that has a name. `kept_id` is the entity with which it was merged, which stands for it."""

    id: str
    owner_id: str
    name: str | None
    name_key: str | None
    made_by: str
    category: str | None
    category_by: str | None
    version: int
    created_at: str
    updated_at: str
    enriched_at: str | None
    enriched_by: str | None
    forgotten_at: str | None
    summary: str | None
    facets: JsonObject
    enrichment: JsonObject | None
    kept_id: str | None

    @classmethod
    def of_row(cls, row: Row) -> "Entity":
        """Return the entity of a row of the record."""
        enrichment = None if row["enrichment"] is None else parse_strict(row["enrichment"])
        return cls(**cast(dict[str, Any], {**row, "facets": parse_strict(row["facets"]), "enrichment": enrichment}))

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "uuid": self.id,
            "name": self.name,
            "category": self.category,
            "categoryBy": self.category_by,
            "summary": self.summary,
            "facets": self.facets,
            "madeBy": self.made_by,
            "mergedInto": self.kept_id,
            "version": self.version,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "forgottenAt": self.forgotten_at,
        }


class Source(NamedTuple):
    """An episode that mentions, states or contradicts something. `is_visible`: it stands on a branch on screen."""

    episode_id: str
    source: str
    alternative_id: str | None
    conversation_id: str
    at: str
    is_visible: bool

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "episodeId": self.episode_id,
            "source": self.source,
            "alternativeId": self.alternative_id,
            "conversationId": None if self.alternative_id is None else self.conversation_id,
            "at": self.at,
            "isVisible": self.is_visible,
        }


class Assertion(NamedTuple):
    """What an episode says of a fact (platform 35)."""

    kind: Literal["states", "contradicts"]
    state: FactState
    extractor: str
    confidence: float
    source: Source
    true_from: str | None
    true_until: str | None

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "kind": self.kind,
            "state": self.state,
            "extractor": self.extractor,
            "confidence": self.confidence,
            "trueFrom": self.true_from,
            "trueUntil": self.true_until,
            "source": self.source.as_dict(),
        }


class Fact(NamedTuple):
    """A fact with its assertions. Whether it holds depends on what is on screen, and is never stored."""

    id: str
    subject_id: str | None
    object_id: str | None
    text: str
    created_at: str
    assertions: Sequence[Assertion]

    @property
    def state(self) -> FactState:
        """What the user decided on it, and else "candidate" unless a strong extractor found it."""
        states = {each.state for each in self.assertions if each.kind == "states"}
        return "rejected" if "rejected" in states else "confirmed" if "confirmed" in states else "candidate"

    @property
    def holds(self) -> bool:
        """Whether it is believed: it is stated on screen, later than anything there contradicts it (platform 35)."""
        return self.state != "rejected" and holds(self.assertions)

    @property
    def is_visible(self) -> bool:
        """Whether anything on screen states it."""
        return any(each.kind == "states" and each.source.is_visible for each in self.assertions)

    def is_about(self, entities: Sequence[Entity]) -> bool:
        """Whether it is about any of these."""
        return any(each.id in {self.subject_id, self.object_id} for each in entities)

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        assertions: list[Json] = [each.as_dict() for each in self.assertions]
        return {
            "uuid": self.id,
            "fact": self.text,
            "subjectId": self.subject_id,
            "objectId": self.object_id,
            "state": self.state,
            "holds": self.holds,
            "createdAt": self.created_at,
            "assertions": assertions,
        }


def holds(assertions: Sequence[Assertion]) -> bool:
    """Whether a visible statement is newer than every visible contradiction (platform 35).

    A contradiction that a weak extractor or nobody confirmed does not count against a statement (platform 36).
    """
    visible = [each for each in assertions if each.source.is_visible and each.state != "rejected"]
    stated = [each.source.at for each in visible if each.kind == "states"]
    denied = [each.source.at for each in visible if each.kind == "contradicts" and each.state == "confirmed"]
    return bool(stated) and (not denied or max(stated) > max(denied))
