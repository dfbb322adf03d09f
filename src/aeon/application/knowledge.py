"""`KnowledgeService`: what is known of what a user said: names, facts, and where each was said."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import uuid4

from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.errors import NotFoundError
from aeon.platform.knowledge.entities import EntityChange, EntityCount, EntityMention, NewEntity
from aeon.platform.knowledge.extraction import QueueState
from aeon.platform.knowledge.model import CATEGORIES, Category, Entity, Fact, FactState
from aeon.platform.knowledge.settings import KnowledgeSettings
from aeon.platform.ledger import MutationRequest

__all__ = [
    "CATEGORIES",
    "Category",
    "Entity",
    "EntityChange",
    "EntityCount",
    "EntityView",
    "Fact",
    "FactState",
    "KnowledgeService",
    "KnowledgeSettings",
    "KnowledgeStatus",
    "NewEntity",
    "NotFoundError",
]

_AT_ONCE: Final = 50
_MOST_AT_ONCE: Final = 2_000
"""Episodes that a command extracts before it answers; a worker does the rest."""

OWN_NAMES: Final = frozenset({"me", "myself", "ich", "moi"})
"""How a user asks for what is known about themselves."""


class EntityView(NamedTuple):
    """What is known of an entity, as it is on screen now: it with all that was merged into it.

    `similar` may be the same under another name; `facts` has those that hold first.
    """

    entity: Entity
    absorbed: Sequence[Entity]
    facts: Sequence[Fact]
    mentions: Sequence[EntityMention]
    similar: Sequence[Entity]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        absorbed: list[Json] = [each.as_dict() for each in self.absorbed]
        facts: list[Json] = [each.as_dict() for each in self.facts]
        mentions: list[Json] = [{"name": each.name, **each.source.as_dict()} for each in self.mentions]
        similar: list[Json] = [{"uuid": each.id, "name": each.name} for each in self.similar]
        return {
            **self.entity.as_dict(),
            "absorbed": absorbed,
            "facts": facts,
            "mentions": mentions,
            "similar": similar,
        }


class KnowledgeStatus(NamedTuple):
    """How far the background is, what it may do, and how much is known."""

    queue: QueueState
    settings: KnowledgeSettings
    facts: dict[str, int]

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        return {
            "episodes": self.queue.episodes,
            "waiting": self.queue.waiting,
            "waitingSince": self.queue.oldest,
            "failed": self.queue.failed,
            "facts": dict[str, Json](self.facts),
            "settings": self.settings.as_dict(),
        }


class KnowledgeService:
    """The knowledge of one user; nobody else sees any of it. Threads may share it. Methods raise StoreError.

    Names and facts are found in the background; what waits is caught up with before anything is shown.
    """

    def __init__(self, platform: Platform, user: str) -> None:
        """The caller closes `platform`."""
        self._platform = platform
        self._user = user
        self._holder = str(uuid4())

    def catch_up(self, most: int = _MOST_AT_ONCE) -> int:
        """Extract episodes that wait, at most so many, by code; return how many.

        Does nothing if that is off or done elsewhere, or where a model extracts, which a worker or a server lets do.
        """
        queue = self._platform.extraction
        done = 0
        if self._platform.extracts_by_model or not self._may_extract() or not queue.state(self._user).waiting:
            return done
        while done < most and queue.take(self._user, self._holder):
            if not (number := queue.extract_by_code(self._user, _AT_ONCE)):
                break
            done += number
        queue.release(self._user, self._holder)
        return done

    def show(self, name: str) -> EntityView:
        """Return what is known of a name, or of an id. Raises NotFoundError, which says what is similar."""
        self.catch_up()
        entity = self._platform.entities.get(self._user, name)
        family = self._platform.entities.family(self._user, entity)
        facts = self._platform.facts.list_about(self._user, family)
        return EntityView(
            entity,
            family[1:],
            sorted(facts, key=lambda each: not each.holds),
            self._platform.entities.mentions(self._user, family),
            self._platform.entities.list_similar(self._user, entity),
        )

    def facts_about_user(self) -> list[Fact]:
        """Return what the user said of themselves without naming anything, oldest first."""
        self.catch_up()
        return self._platform.facts.list_own(self._user)

    def list_entities(self, limit: int = 50) -> list[EntityCount]:
        """Return what is known by name, the most mentioned first."""
        self.catch_up()
        return self._platform.entities.list_most_mentioned(self._user, limit)

    def list_candidates(self, limit: int = 50) -> list[Fact]:
        """Return facts on which the user has not decided, newest first."""
        self.catch_up()
        return self._platform.facts.list_candidates(self._user, limit)

    def get_fact(self, id_: str) -> Fact:
        """Return a fact by its id or the beginning of one. Raises NotFoundError."""
        return self._platform.facts.get(self._user, id_)

    def add(self, new: NewEntity, *, key: str | None = None) -> Entity:
        """Make an entity. Raises RuleError, and ConflictError if there is one of that name."""
        self.catch_up()
        return self._platform.entities.add(new, MutationRequest(self._user, key))

    def change(self, name: str, change: EntityChange, *, key: str | None = None) -> Entity:
        """Rename an entity, or say its category or what it is. Raises as `add` does, and NotFoundError."""
        return self._platform.entities.change(name, change, MutationRequest(self._user, key))

    def add_fact(self, text: str, about: str | None = None, *, key: str | None = None) -> Fact:
        """Write down a fact, about an entity, which is made if there is none, or about the user.

        Raises RuleError for a text that is empty or too long.
        """
        entity = None if about is None or about.casefold() in OWN_NAMES else self._find_or_add(about)
        return self._platform.facts.add(text, entity, MutationRequest(self._user, key))

    def decide(self, fact: str, state: FactState, *, key: str | None = None) -> Fact:
        """Confirm a fact, or say that it is wrong. Raises NotFoundError."""
        return self._platform.facts.decide(fact, state, MutationRequest(self._user, key))

    def merge(self, kept: str, absorbed: str, *, key: str | None = None) -> Entity:
        """Say that two names mean the same. Raises NotFoundError, and ConflictError if they do already."""
        return self._platform.entities.merge(kept, absorbed, MutationRequest(self._user, key))

    def unmerge(self, absorbed: str, *, key: str | None = None) -> Entity:
        """Take a merge back. Raises NotFoundError, and ConflictError for what is not merged."""
        return self._platform.entities.unmerge(absorbed, MutationRequest(self._user, key))

    def forget_entity(self, name: str, *, key: str | None = None) -> EntityView:
        """Erase an entity with the facts about it; return what was erased. Messages stay (platform 28)."""
        view = self.show(name)
        request = MutationRequest(self._user, key)
        if view.facts:
            self._platform.facts.forget([each.id for each in view.facts], request)
        for each in [*view.absorbed, view.entity]:
            self._platform.entities.forget(each.id, MutationRequest(self._user))
        self._erase_bytes()
        return view

    def forget_fact(self, id_: str, *, key: str | None = None) -> Fact:
        """Erase the text of a fact; return it. The message that said it stays (platform 28)."""
        fact = self.get_fact(id_)
        self._platform.facts.forget([fact.id], MutationRequest(self._user, key))
        self._erase_bytes()
        return fact

    def draw(self, most: int = 60) -> str:
        """Return an SVG of the most mentioned names and of the facts on screen that join two of them."""
        from aeon.platform.diagrams.names_svg import JoiningFact, NamedNode, render_names

        found = self.list_entities(most)
        nodes = [NamedNode(each.entity.id, each.entity.name or "", each.mentions) for each in found]
        standing = {
            member.id: each.entity.id
            for each in found
            for member in self._platform.entities.family(self._user, each.entity)
        }
        facts = [
            JoiningFact(standing[each.subject_id], standing[each.object_id], each.text)
            for each in self._platform.facts.list_joining(self._user, standing)
            if each.holds and each.subject_id in standing and each.object_id in standing
        ]
        return render_names(f"What {self._user} said of whom", nodes, facts)

    def status(self) -> KnowledgeStatus:
        """Return how far the background is, and what it may do."""
        return KnowledgeStatus(
            self._platform.extraction.state(self._user),
            self._platform.knowledge_settings.get(self._user),
            self._platform.facts.count_by_state(self._user),
        )

    def configure(self, changes: dict[str, str]) -> KnowledgeSettings:
        """Let the background do more or less: see `KnowledgeSettings`. Raises RuleError."""
        return self._platform.knowledge_settings.change(changes, MutationRequest(self._user))

    def _may_extract(self) -> bool:
        return self._platform.knowledge_settings.get(self._user).extraction == "on"

    def _find_or_add(self, name: str) -> Entity:
        try:
            return self._platform.entities.get(self._user, name)
        except NotFoundError:
            return self._platform.entities.add(NewEntity(name=name), MutationRequest(self._user))

    def _erase_bytes(self) -> None:
        self._platform.store.compact(["entities", "facts", "mentions", "episodes"])
