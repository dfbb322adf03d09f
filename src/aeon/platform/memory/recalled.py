"""What an answer may recall, each with its source (platform 16, 40). Pure."""

from typing import Final, NamedTuple, TypeAlias

from aeon.base.json import JsonObject
from aeon.platform.conversations.model import Alternative
from aeon.platform.errors import ConflictError
from aeon.platform.knowledge.active_entities import Inclusion
from aeon.platform.knowledge.descriptions import Description, descriptions_of
from aeon.platform.knowledge.model import Entity, Fact
from aeon.platform.memory.estimate import estimate_tokens

OVERHEAD: Final = 8
"""Tokens of the day and the mark of what is recalled."""


class RecalledStatement(NamedTuple):
    """A statement of the user in another conversation: characters `start` to `end` of a message."""

    alternative: Alternative
    start: int
    end: int
    tokens: int

    @property
    def source_id(self) -> str:
        """The message that says it."""
        return self.alternative.id

    @property
    def said_at(self) -> str:
        """When it was written."""
        return self.alternative.created_at

    @property
    def text(self) -> str:
        """Its words; empty if the message was erased."""
        return (self.alternative.content or "")[self.start : self.end]

    def as_json(self) -> JsonObject:
        """As a manifest keeps it."""
        return {
            "alternative": self.alternative.id,
            "conversation": self.alternative.conversation_id,
            "start": self.start,
            "end": self.end,
            "tokens": self.tokens,
        }


class RecalledFact(NamedTuple):
    """A fact that the user confirmed or wrote down."""

    fact: Fact
    tokens: int

    @classmethod
    def of(cls, fact: Fact) -> "RecalledFact":
        """A fact with its estimated tokens."""
        return cls(fact, estimate_tokens(fact.text) + OVERHEAD)

    @property
    def source_id(self) -> str:
        """The fact itself."""
        return self.fact.id

    @property
    def text(self) -> str:
        """Its words."""
        return self.fact.text

    @property
    def said_at(self) -> str:
        """When it was stated last."""
        return max((each.source.at for each in self.fact.assertions if each.kind == "states"), default="")

    def as_json(self) -> JsonObject:
        """As a manifest keeps it."""
        return {"fact": self.fact.id, "tokens": self.tokens}


class RecalledEntity(NamedTuple):
    """What something is: by the user, or else by the `description` of a strong model; and its facets, if wanted."""

    entity: Entity
    description: Description | None
    has_summary: bool
    has_facets: bool
    tokens: int

    @classmethod
    def of(cls, entity: Entity, description: Description | None, includes: Inclusion) -> "RecalledEntity | None":
        """What is recalled of an entity; None if nothing is known of what it is."""
        described = None if entity.summary is not None else description
        has_summary = includes.summary and (entity.summary is not None or described is not None)
        has_facets = includes.facets and bool(entity.facets)
        if not has_summary and not has_facets:
            return None
        found = cls(entity, described if has_summary else None, has_summary, has_facets, 0)
        return found._replace(tokens=estimate_tokens(found.text) + OVERHEAD)

    @property
    def source_id(self) -> str:
        """The entity itself."""
        return self.entity.id

    @property
    def text(self) -> str:
        """Its name, what it is, and its facets."""
        summary = self.description.text if self.description is not None else self.entity.summary
        facets = "; ".join(f"{name}: {', '.join(values)}" for name, values in self.entity.facets.items())
        parts = [summary] if self.has_summary and summary else []
        return f"{self.entity.name}: {' '.join([*parts, *([f'({facets})'] if self.has_facets else [])])}"

    @property
    def said_at(self) -> str:
        """When the user changed it last, or the model described it."""
        return self.entity.updated_at if self.description is None else self.description.at

    def as_json(self) -> JsonObject:
        """As a manifest keeps it."""
        return {
            "entity": self.entity.id,
            "version": self.entity.version,
            "description": None if self.description is None else self.description.run_id,
            "includes": [self.has_summary, self.has_facets],
            "tokens": self.tokens,
        }

    @classmethod
    def restored(cls, entity: Entity, kept: JsonObject) -> "RecalledEntity":
        """What a manifest says was recalled. Raises ConflictError if it was changed or erased since."""
        run = kept.get("description")
        description = next((each for each in descriptions_of(entity) if each.run_id == run), None)
        if entity.version != kept["version"] or (run is not None and description is None):
            raise ConflictError("Something that the answer was made from was changed since.")
        has_summary, has_facets = kept.get("includes", [True, False])
        return cls(entity, description, has_summary, has_facets, kept["tokens"])


Recalled: TypeAlias = RecalledStatement | RecalledFact | RecalledEntity
"""What an answer recalls, with its source."""
