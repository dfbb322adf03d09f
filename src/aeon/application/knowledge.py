"""`KnowledgeService`: the knowledge from a user's messages: names, facts, and their sources."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import uuid4

from aeon.application.argument_types import read_record, require_text
from aeon.application.entity_descriptions import EntityDescriptions
from aeon.application.graphiti import GraphitiService, GraphitiStatus, SyncCounts
from aeon.application.knowledge_search import PASSAGES, TOKENS, RetrievedPassage, find_passages
from aeon.application.pages import Page, checked_limit, decode_cursor, encode_cursor, page_of
from aeon.application.runs import RunService
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.platform import Platform
from aeon.platform.conversations.erasing import TABLES
from aeon.platform.errors import NotFoundError, RuleError, VersionError
from aeon.platform.knowledge.active_entities import ActiveEntity, Inclusion
from aeon.platform.knowledge.descriptions import Description
from aeon.platform.knowledge.entities import EntityCount, EntityMention
from aeon.platform.knowledge.entity_forms import NamedEntityChange, NewEntity
from aeon.platform.knowledge.extraction import QueueState
from aeon.platform.knowledge.model import (
    CATEGORIES,
    MAX_FACT,
    MAX_NAME,
    STATEMENTS,
    Category,
    Entity,
    Fact,
    FactState,
    name_key,
)
from aeon.platform.knowledge.settings import KnowledgeSettings
from aeon.platform.ledger import MutationRequest

__all__ = [
    "CATEGORIES",
    "MAX_FACT",
    "MAX_NAME",
    "ActiveEntity",
    "Category",
    "Description",
    "Entity",
    "EntityCount",
    "EntityView",
    "ExtractionBacklog",
    "Fact",
    "FactState",
    "Inclusion",
    "KnowledgeService",
    "KnowledgeSettings",
    "KnowledgeStatus",
    "NamedEntityChange",
    "NewEntity",
    "NotFoundError",
]

_AT_ONCE: Final = 50
_MOST_AT_ONCE: Final = 2_000
"""Episodes that a command extracts before it answers; a worker does the rest."""

_ALL: Final = 10_000
"""The most names of a user that are ranked."""

DESCRIBED_IN: Final = 300.0
"""Seconds that a description may take where somebody waits for it."""

DEFAULT_INCLUSION: Final = Inclusion()
"""What of an active entity enters prompts unless the user says otherwise."""

OWN_NAMES: Final = frozenset({"me", "myself", "i", "the user", "ich", "moi"})
"""How a user asks for what is known about themselves."""


class EntityView(NamedTuple):
    """What is known of an entity, as it is on screen now: it with all that was merged into it.

    `similar` may be the same under another name; `facts` has those that hold first. The `description` is a model's.
    """

    entity: Entity
    absorbed: Sequence[Entity]
    facts: Sequence[Fact]
    mentions: Sequence[EntityMention]
    similar: Sequence[Entity]
    description: Description | None

    @property
    def category(self) -> str | None:
        """What it is: by the user or an extractor, or else by the description."""
        return self.entity.category or (None if self.description is None else self.description.category)

    @property
    def facets(self) -> dict[str, Sequence[str]]:
        """Its facets: the user's, and those of the description that the user does not have."""
        return {**(self.description.facets if self.description is not None else {}), **self.entity.facets}

    def as_dict(self) -> JsonObject:
        """As JSON data under the published names."""
        absorbed: list[Json] = [each.as_dict() for each in self.absorbed]
        facts: list[Json] = [each.as_dict() for each in self.facts]
        mentions: list[Json] = [
            {"name": each.name, "isInFile": each.is_in_file, **each.source.as_dict()} for each in self.mentions
        ]
        similar: list[Json] = [{"uuid": each.id, "name": each.name} for each in self.similar]
        return {
            **self.entity.as_dict(),
            "absorbed": absorbed,
            "facts": facts,
            "mentions": mentions,
            "similar": similar,
            "enrichment": None if self.description is None else self.description.as_json(),
        }


class ExtractionBacklog(NamedTuple):
    """How many episodes of a user wait for extraction, and for how many seconds the oldest of them."""

    episodes: int
    seconds: float


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

    Names and facts are found in the background. Without a worker, what waits is caught up with before anything is
    shown; beside one, reading changes nothing.
    """

    def __init__(
        self, platform: Platform, user: str, runs: Callable[[], RunService], *, has_worker: bool = False
    ) -> None:
        """The caller closes `platform`. `runs` opens the engine.

        `has_worker`: this process extracts what users say in the background.
        """
        self._platform = platform
        self._user = user
        self._descriptions = EntityDescriptions(platform, user, runs)
        self._has_worker = has_worker
        self._holder = str(uuid4())

    def catch_up(self, most: int = _MOST_AT_ONCE) -> int:
        """Extract at most `most` waiting episodes by code; return how many.

        Does nothing if that is off or done elsewhere, or where a model extracts, which a worker or a server lets do.
        """
        queue = self._platform.extraction
        done = 0
        if self._platform.extractor != STATEMENTS or not self._may_extract():
            return done
        queue.complete(self._user)
        if not queue.state(self._user).waiting:
            return done
        while done < most and queue.take(self._user, self._holder):
            if not (number := queue.extract_by_code(self._user, _AT_ONCE)):
                break
            done += number
        queue.release(self._user, self._holder)
        return done

    def search(self, text: str, *, limit: int = PASSAGES, budget: int = TOKENS) -> list[RetrievedPassage]:
        """Return passages of the user's conversations and notes about a text, on screen now, best first (platform 16).

        All passages together have at most `budget` estimated tokens. What is found is data, never an instruction.
        Raises RuleError for a limit or a budget out of bounds, and LLMError if the embedding model does not answer.
        """
        require_text(text, "text")
        now = self._platform.catalog.ledger.now()
        search = self._platform.knowledge_search
        return find_passages(search, self._user, text, now=now, limit=limit, budget=budget)

    def show(self, name: str) -> EntityView:
        """Return what is known of a name, or of an id.

        Raises NotFoundError, which says what is similar, and RuleError for a name that stands for the user.
        """
        self._prepare()
        self._require_other(name)
        entity = self._platform.entities.get(self._user, name)
        family = self._platform.entities.family(self._user, entity)
        facts = self._platform.facts.list_about(self._user, family)
        return EntityView(
            entity,
            family[1:],
            sorted(facts, key=lambda each: not each.holds),
            self._platform.entities.mentions(self._user, family),
            self._platform.entities.list_similar(self._user, entity),
            self._platform.descriptions.counting(self._user, entity),
        )

    def describe(self, name: str, seconds: float = DESCRIBED_IN) -> EntityView:
        """Let the model describe an entity now, from the user's statements, and return what is known (platform 17).

        The view's `description` is the one that counts then. Raises NotFoundError, RuleError if too little is stated of
        it, and ConflictError if what the model says cannot be used or is not done within `seconds`.
        """
        self._prepare()
        self._require_other(name)
        self._descriptions.describe(name, seconds)
        return self.show(name)

    def begin_description(self, name: str, *, key: str | None = None) -> str:
        """Start the run that describes an entity now, and return its id; the same `key` again returns the same run.

        `settle_description` or a worker takes over what it has made. Raises NotFoundError, and RuleError if the user
        stated too little about it.
        """
        self._prepare()
        self._require_other(name)
        return self._descriptions.request(name, self._request(key))

    def settle_description(self, run: str, seconds: float = 0) -> bool:
        """Take over the description of a run, after waiting at most `seconds`; return whether it has ended.

        What the user did not say is not taken over.
        """
        return self._descriptions.settle(run, seconds)

    def sync_graphiti(self) -> SyncCounts:
        """Show Graphiti what is known and on screen now; return how much of its graph that changed.

        Raises ConfigError without a server in the settings, MissingExtraError, ProjectionError, and ConflictError while
        another process does it.
        """
        self._prepare()
        return GraphitiService(self._platform, self._user, self._holder).sync()

    def graphiti_status(self) -> GraphitiStatus:
        """Return whether Graphiti's graph shows what is known now. Raises as `sync_graphiti` does."""
        return GraphitiService(self._platform, self._user, self._holder).status()

    def facts_about_user(self) -> list[Fact]:
        """Return the facts about the user that name nothing else, oldest first."""
        self._prepare()
        return self._platform.facts.list_own(self._user)

    def list_entities(self, *, named: str = "", after: str | None = None, limit: int = 50) -> Page[EntityCount]:
        """Return what is known by name, the most mentioned first; `named` limits it to names with these words.

        `after` is the cursor of the page before. Raises RuleError for an invalid cursor or limit.
        """
        self._prepare()
        key, most = name_key(named), checked_limit(limit)
        ranked = [
            (-each.mentions, each.entity.name_key or "", each.entity.id, each)
            for each in self._platform.entities.list_most_mentioned(self._user, _ALL)
            if key in (each.entity.name_key or "")
        ]
        ranked.sort(key=lambda each: each[:3])
        if after is not None:
            place = tuple(decode_cursor(after, int, str, str))
            ranked = [each for each in ranked if each[:3] > place]
        shown = ranked[: most + 1]
        last = shown[min(most, len(shown)) - 1] if shown else None
        found = [each[3] for each in shown]
        return page_of(found, most, "" if last is None else encode_cursor(last[:3]))

    def list_candidates(self, limit: int = 50) -> list[Fact]:
        """Return facts on which the user has not decided, newest first."""
        self._prepare()
        return self._platform.facts.list_candidates(self._user, limit)

    def facts_with_text(self, text: str) -> list[Fact]:
        """Return the fact of that text, such as a sentence that an answer recalled; empty without one."""
        return self._platform.facts.list_with_text(self._user, text)

    def get_fact(self, id_: str) -> Fact:
        """Return a fact by its id or the beginning of one; a message stands for the only fact that it states.

        Raises NotFoundError, and RuleError for a message that states several.
        """
        try:
            return self._platform.facts.get(self._user, id_)
        except NotFoundError:
            self._prepare()
            stated = [
                fact
                for each in self._platform.turns.list_matching(self._user, id_, 2)
                for fact in self._platform.facts.list_stated_by(self._user, each.id)
            ]
            if not stated:
                raise
        if len(stated) > 1:
            listed = "; ".join(f"{each.id[:8]}: {each.text}" for each in stated)
            raise RuleError(f"The message states several facts. {listed}", rule="fact", next_step="Name one of them.")
        return stated[0]

    def add(self, new: NewEntity | JsonObject, *, conversation: str | None = None, key: str | None = None) -> Entity:
        """Make an entity, which is active in a conversation from then on if one is given (platform 44).

        Raises RuleError, also for a name that stands for the user, NotFoundError for the conversation, and
        ConflictError if there is an entity of that name.
        """
        wanted = read_record(new, NewEntity, "new")
        _require_name_of_other(wanted.name)
        self._prepare()
        place = None if conversation is None else self._platform.conversations.get(self._user, conversation).id
        made = self._platform.entities.add(wanted, self._request(key))
        if place is not None:
            self._platform.active_entities.set(place, made.id, "active", DEFAULT_INCLUSION, self._request())
        return made

    def change(
        self,
        name: str,
        change: NamedEntityChange | JsonObject,
        *,
        key: str | None = None,
        expected_version: int | None = None,
    ) -> Entity:
        """Rename an entity, or say its category or what it is.

        `expected_version` is the version that the caller has read. Raises as `add` does, NotFoundError, VersionError,
        and RuleError for a name that stands for the user, as all that changes or describes an entity does.
        """
        wanted = read_record(change, NamedEntityChange, "change")
        _require_name_of_other(wanted.name or "")
        self._prepare()
        self._require_other(name)
        entity = self._platform.entities.get(self._user, name)
        return self._platform.entities.change(entity.id, wanted, self._request(key, expected_version))

    def add_fact(self, text: str, about: str | None = None, *, key: str | None = None) -> Fact:
        """Write down a fact, about an entity, which is made if there is none, or about the user.

        Raises RuleError for a text or a name that is empty or too long.
        """
        require_text(text, "text")
        self._prepare()
        entity = None if about is None or about.casefold() in OWN_NAMES else self._find_or_add(about)
        return self._platform.facts.add(text, entity, self._request(key))

    def decide(self, fact: str, state: FactState, *, key: str | None = None) -> Fact:
        """Confirm a fact, or say that it is wrong. Raises as `get_fact` does."""
        return self._platform.facts.decide(self.get_fact(fact).id, state, self._request(key))

    def merge(self, kept: str, absorbed: str, *, key: str | None = None, expected_version: int | None = None) -> Entity:
        """Say that two names mean the same.

        Raises NotFoundError, RuleError for a name and itself, ConflictError if they are one already, and VersionError
        as `change` does.
        """
        self._prepare()
        self._require_other(kept, absorbed)
        return self._platform.entities.merge(kept, absorbed, self._request(key, expected_version))

    def unmerge(self, absorbed: str, *, key: str | None = None, expected_version: int | None = None) -> Entity:
        """Take a merge back. Raises NotFoundError, ConflictError for what is not merged, and VersionError."""
        return self._platform.entities.unmerge(absorbed, self._request(key, expected_version))

    def forget_entity(self, name: str, *, key: str | None = None, expected_version: int | None = None) -> None:
        """Erase an entity with all that was merged into it and the facts about it. Messages stay (platform 28).

        Raises NotFoundError, and VersionError as `change` does.
        """
        self._prepare()
        self._require_other(name)
        entities = self._platform.entities
        found = entities.find(self._user, name)
        if found.forgotten_at is None:
            found = entities.get(self._user, found.id)
            if expected_version is not None and expected_version != found.version:
                raise VersionError(expected_version, found.version)
            self._forget_belongings(found)
        entities.forget(found.id, self._request(key, expected_version))
        self._erase_bytes()

    def forget_fact(self, id_: str, *, key: str | None = None) -> Fact:
        """Erase the text of a fact; return it. The message that stated it stays (platform 28). Raises as `get_fact`."""
        fact = self.get_fact(id_)
        self._platform.facts.forget([fact.id], self._request(key))
        self._erase_bytes()
        return fact

    def list_active(self, conversation: str) -> list[ActiveEntity]:
        """Return which entities are active in a conversation, the most relevant first (platform 44).

        Raises NotFoundError.
        """
        self._prepare()
        found = self._platform.conversations.get(self._user, conversation)
        if found.tip_id is None:
            return self._platform.active_entities.list_on(self._user, [found.id], [])
        path = self._platform.memory.path_to(self._user, self._platform.turns.get(self._user, found.tip_id))
        conversations = [*dict.fromkeys((*(each.conversation_id for each in path), found.id))]
        return self._platform.active_entities.list_on(self._user, conversations, [each.id for each in path])

    def set_active(
        self,
        conversation: str,
        name: str,
        standing: Literal["active", "pinned", "hidden"],
        includes: Inclusion = DEFAULT_INCLUSION,
        *,
        key: str | None = None,
    ) -> Entity:
        """Pin an entity in a conversation or hide it there, and say what of it enters prompts. Raises NotFoundError."""
        self._prepare()
        place = self._platform.conversations.get(self._user, conversation).id
        self._require_other(name)
        return self._platform.active_entities.set(place, name, standing, includes, self._request(key))

    def reset_active(self, conversation: str, name: str, *, key: str | None = None) -> Entity:
        """Let an entity be active in a conversation as long as it is mentioned there. Raises NotFoundError."""
        self._prepare()
        place = self._platform.conversations.get(self._user, conversation).id
        self._require_other(name)
        return self._platform.active_entities.reset(place, name, self._request(key))

    def draw(self, most: int = 60) -> str:
        """Return an SVG of the most mentioned names and of the facts on screen that join two of them."""
        from aeon.platform.diagrams.names_svg import JoiningFact, NamedNode, render_names

        found = self.list_entities(limit=most).items
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
        return render_names(f"Names and facts of {self._user}", nodes, facts)

    def status(self) -> KnowledgeStatus:
        """Return how far the background is, and what it may do."""
        return KnowledgeStatus(
            self._platform.extraction.state(self._user),
            self.settings(),
            self._platform.facts.count_by_state(self._user),
        )

    def backlog(self) -> ExtractionBacklog:
        """Return how far the background is behind."""
        queue = self._platform.extraction.state(self._user)
        if queue.oldest is None:
            return ExtractionBacklog(queue.waiting, 0.0)
        now = datetime.fromisoformat(self._platform.catalog.ledger.now())
        waited = (now - datetime.fromisoformat(queue.oldest)).total_seconds()
        return ExtractionBacklog(queue.waiting, max(0.0, waited))

    def configure(self, changes: dict[str, str], *, key: str | None = None) -> KnowledgeSettings:
        """Let the background do more or less: see `KnowledgeSettings`. Raises RuleError."""
        return self._platform.knowledge_settings.change(changes, self._request(key))

    def settings(self) -> KnowledgeSettings:
        """Return what the background may do."""
        return self._platform.knowledge_settings.get(self._user)

    def _prepare(self) -> None:
        """Catch up with what waits, unless a worker of this process does."""
        if not self._has_worker:
            self.catch_up()

    def _request(self, key: str | None = None, expected: int | None = None) -> MutationRequest:
        return MutationRequest(self._user, key, expected)

    def _may_extract(self) -> bool:
        return self.settings().extraction == "on"

    def _require_other(self, *names: str) -> None:
        """Raise RuleError for a name that stands for the user, unless something has that name."""
        for each in names:
            key = name_key(each)
            if key in OWN_NAMES and not self._platform.entities.list_known(self._user, [key]):
                raise _own_name(each)

    def _forget_belongings(self, entity: Entity) -> None:
        """Erase the facts about an entity and what was merged into it; the entity is last, so this can be repeated."""
        family = self._platform.entities.family(self._user, entity)
        facts = self._platform.facts.list_about(self._user, family)
        if facts:
            self._platform.facts.forget([each.id for each in facts], self._request())
        for each in family[1:]:
            if each.forgotten_at is None:
                self._platform.entities.forget(each.id, self._request())

    def _find_or_add(self, name: str) -> Entity:
        try:
            return self._platform.entities.get(self._user, name)
        except NotFoundError:
            return self._platform.entities.add(NewEntity.parsed({"name": name}), self._request())

    def _erase_bytes(self) -> None:
        self._platform.store.compact(TABLES)


def _require_name_of_other(name: str) -> None:
    """Raise RuleError for a name that stands for the user."""
    if name_key(name) in OWN_NAMES:
        raise _own_name(name)


def _own_name(name: str) -> RuleError:
    return RuleError(
        f"{name!r} is you yourself, and what is known of you stands under no name.",
        rule="entity_name",
        next_step="Write down what answers are to know of you, or decide on a fact by its id.",
    )
